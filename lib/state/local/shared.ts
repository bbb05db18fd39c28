import { checksum } from "../../core/digest.ts";
import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { streamed } from "../../core/streams.ts";
import type { Shared } from "../engine.ts";
import { StateError } from "../error.ts";
import { type Lease, Locked } from "../store.ts";
import { guard } from "./failure.ts";
import { namesIn } from "./files.ts";
import { generationLock } from "./lock.ts";
import type { LocalStoreOptions } from "./place.ts";
import { prepareSnapshot, putInPlace } from "./snapshot.ts";

/** A thousand projects with fifty zones each claim less. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Whoever holds the lock writes one small file. */
const LONGEST_WAIT_MILLISECONDS = 30_000;

/**
 * A text of the folder that all projects share, in `_<name>/<name>`: no project's folder is called so. It has a lock of
 * its own, because two projects hold different locks of one zone. The file is replaced as a whole, so a reader needs no
 * lock, and a crash leaves the old file or the new one.
 */
export function localShared(fs: FileSystem, root: string, options: LocalStoreOptions, name: string): Shared {
  const { identity, clock, random } = options;
  const folder = `${root}/_${name}`;
  const path = `${folder}/${name}`;
  const subject = `the file with the ${name} of the projects`;
  const lock = generationLock({ fs, ...options }, `${folder}/lock`, subject);

  async function get(): ReturnType<Shared["get"]> {
    const bytes = await guard(path, "read", () => readIfThere(fs, path), subject);
    const text = bytes && Buffer.from(bytes).toString("utf8");
    return { text, tag: text === undefined ? undefined : checksum(text), now: clock.now() };
  }

  async function write(lease: Lease, text: string): Promise<void> {
    // A process that died while it held the lock may have left one.
    for (const found of await namesIn(fs, folder))
      if (found.startsWith("temporary-")) await fs.remove(`${folder}/${found}`);
    const lines = streamed([text.replace(/\n$/, "")]);
    const { temporary } = await prepareSnapshot(fs, `${folder}/temporary-${random.uuid()}`, lines);
    await lock.check(lease);
    await putInPlace(fs, folder, temporary, path);
  }

  function asStateError(thrown: unknown): never {
    if (!(thrown instanceof Locked)) throw thrown;
    const remedy = `apply again; if the process that holds this lock is gone, delete ${folder}/lock`;
    throw new StateError(
      { code: "claims-locked", message: `${subject} is ${thrown.message}`, remedy },
      { cause: thrown },
    );
  }

  return {
    get,
    replace: async (tag, text, signal) => {
      const holder = {
        who: identity.host,
        processId: identity.pid,
        operation: name,
        since: new Date(clock.now()).toISOString(),
      };
      const lease = await lock.acquire(holder, LONGEST_WAIT_MILLISECONDS, signal).catch(asStateError);
      try {
        if ((await get()).tag !== tag) return false;
        await guard(path, "written", () => write(lease, text), subject);
        return true;
      } finally {
        // The next one finds that the holder is dead.
        await lease.release().catch(() => undefined);
      }
    },
  };
}

async function readIfThere(fs: FileSystem, path: string): Promise<Uint8Array | undefined> {
  try {
    return await fs.read(path, MOST_BYTES);
  } catch (thrown) {
    // With a file in place of a folder there is nothing; whoever reads or writes the state reports it.
    if (errorCode(thrown) === "ENOENT" || errorCode(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}
