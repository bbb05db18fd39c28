// The usual lock file: created exclusively, with the holder's process id in it. A process that finds the holder dead deletes the
// file and creates it again. If two find it dead at the same time, both can win: the second deletes the file that the first has
// just created. It is here to show that `lock.mjs` notices this.
import { readFile, unlink, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

/** A lock of that design, with a lease like that of the real lock. */
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
    // Another process has deleted the file.
  }
}
