// The usual lock file: made exclusively, with the holder's process id in it; whoever finds that process dead removes the
// file and makes it anew. Two who find it dead at once can both win: the second removes the file that the first has just
// made. It stands here so that the stress script can show that it finds this out.
import { readFile, unlink, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

/** A lock of that design; what it gives looks like the lease of the real one. */
export function unlinkLock(path) {
  return {
    acquire: async () => {
      while (!(await made(path))) {
        if (await isStale(path)) await removed(path);
        else await setTimeout(1);
      }
      return { fence: Number(process.hrtime.bigint()), release: () => removed(path) };
    },
    check: async () => undefined,
  };
}

async function made(path) {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

async function isStale(path) {
  try {
    process.kill(Number(await readFile(path, "utf8")), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

async function removed(path) {
  try {
    await unlink(path);
  } catch {
    // Somebody else has removed it.
  }
}
