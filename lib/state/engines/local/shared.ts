import { problem } from "../../../core/problem.ts";
import { errorCode } from "../../../core/file-system.ts";
import { streamed } from "../../../core/streams.ts";
import type { Shared } from "../../engine.ts";
import { StateError } from "../../error.ts";
import { Locked } from "../../lock.ts";
import { guard } from "./failure.ts";
import { listIfThere, type Place, TEMPORARY } from "./place.ts";
import { GenerationLock } from "./lock.ts";
import { makeLastingFolder, prepareFile, putInPlace } from "./whole-file.ts";

/** A thousand projects with fifty zones each need less for their claims. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The holder of the lock writes only one small file. */
const LONGEST_WAIT_MILLISECONDS = 30_000;

/**
 * A text of all projects, in `_<name>/<name>`, which no project's folder is called. It has its own lock, because two
 * projects hold different locks for one zone. The file is replaced as a whole: a reader needs no lock, and a crash
 * leaves the old text or the new one.
 */
export function sharedFile(place: Place, name: string): Shared {
  const { fs, root, identity, clock, random } = place;
  const folder = `${root}/_${name}`;
  const path = `${folder}/${name}`;
  const subject = `the file with the ${name} of the projects`;
  const lock = new GenerationLock(place, `${folder}/lock`, subject);

  async function read(): Promise<string | undefined> {
    try {
      return Buffer.from(await fs.read(path, MOST_BYTES)).toString("utf8");
    } catch (thrown) {
      // If a file stands in place of a folder, there is no text; reading or writing the state reports the file.
      if (errorCode(thrown) === "ENOENT" || errorCode(thrown) === "ENOTDIR") return undefined;
      throw thrown;
    }
  }

  async function write(text: string, check: () => Promise<void>): Promise<void> {
    // A process that died with the lock may have left a temporary file.
    for (const found of await listIfThere(fs, folder))
      if (found.name.startsWith(TEMPORARY)) await fs.remove(`${folder}/${found.name}`);
    const temporary = await prepareFile(fs, `${folder}/${TEMPORARY}${random.uuid()}`, streamed([text]));
    await check();
    await putInPlace(fs, folder, temporary, path);
  }

  function asStateError(thrown: unknown): never {
    if (!(thrown instanceof Locked)) throw thrown;
    const remedy = `apply again; if the process that holds this lock is gone, delete ${folder}/lock`;
    throw new StateError(problem("claims-locked", { what: subject, held: thrown.message }, { remedy }), {
      cause: thrown,
    });
  }

  return {
    get: async () => {
      const text = await guard(path, "read", read, subject);
      return { text, tag: text, now: clock.now() };
    },
    replace: async (tag, text, signal) => {
      const since = new Date(clock.now()).toISOString();
      const holder = { who: identity.host, processId: identity.pid, operation: name, since };
      const lease = await lock.acquire(holder, LONGEST_WAIT_MILLISECONDS, signal).catch(asStateError);
      try {
        return await guard(
          path,
          "written",
          async () => {
            if ((await read()) !== tag) return false;
            // Before the first text: a power cut that removed the folder would remove every later text with it.
            if (tag === undefined) await makeLastingFolder(fs, folder);
            await write(text.replace(/\n$/, ""), () => lock.check(lease));
            return true;
          },
          subject,
        );
      } finally {
        // If this fails, the next process finds that the holder is dead.
        await lease.release().catch(() => undefined);
      }
    },
  };
}
