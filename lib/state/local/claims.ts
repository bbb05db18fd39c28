import type { ZoneId } from "../../core/brand.ts";
import { DecodeError } from "../../core/decode.ts";
import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { type Claim, CLAIM, type Claims, releasing, taking, type WantedClaims } from "../claims.ts";
import { StateError } from "../error.ts";
import { parse } from "../journal.ts";
import { type Lease, Locked } from "../store.ts";
import { guard } from "./failure.ts";
import { namesIn } from "./files.ts";
import { generationLock } from "./lock.ts";
import type { LocalStoreOptions } from "./place.ts";
import { prepareSnapshot, putInPlace } from "./snapshot.ts";

/** No project's folder is called this: see `folderOf`. */
const FOLDER = "_claims";

/** The first line of the file. */
const HEADER = JSON.stringify({ format: "zoneform-claims", version: 1 });

/** A thousand projects with fifty zones each claim less. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Whoever holds the lock writes one small file. */
const LONGEST_WAIT_MILLISECONDS = 30_000;

const SUBJECT = "the file with the claims of the projects";

/**
 * The claims of the projects of a folder, in `_claims/claims`, a line for each. They have a lock of their own, because
 * two projects hold different locks of one zone. The file is replaced as a whole, so a reader needs no lock, and a crash
 * leaves the old file or the new one.
 */
export function localClaims(fs: FileSystem, root: string, options: LocalStoreOptions): Claims {
  const { identity, clock, random } = options;
  const folder = `${root}/${FOLDER}`;
  const path = `${folder}/claims`;
  const lock = generationLock({ fs, ...options }, `${folder}/lock`, SUBJECT);

  async function list(): Promise<readonly Claim[]> {
    const found = await guard(path, "read", () => readIfThere(fs, path), SUBJECT);
    return found === undefined ? [] : decodeClaims(found, path);
  }

  async function take(wanted: WantedClaims, signal?: AbortSignal): Promise<readonly Claim[]> {
    // Taken again with each apply: what is there already needs no write, and so no lock.
    const before = taking(await list(), wanted, clock.now());
    if (!before.claims && before.conflicts.length === 0) return [];
    return underLock(async (lease) => {
      const { claims, conflicts } = taking(await list(), wanted, clock.now());
      if (claims) await write(lease, claims);
      return conflicts;
    }, signal);
  }

  async function release(project: string, of: ZoneId): Promise<void> {
    if (!releasing(await list(), project, of)) return;
    await underLock(async (lease) => {
      const claims = releasing(await list(), project, of);
      if (claims) await write(lease, claims);
    });
  }

  async function underLock<T>(act: (lease: Lease) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const holder = {
      who: identity.host,
      processId: identity.pid,
      operation: "claims",
      since: new Date(clock.now()).toISOString(),
    };
    const lease = await lock.acquire(holder, LONGEST_WAIT_MILLISECONDS, signal).catch(asStateError);
    try {
      return await act(lease);
    } finally {
      // The next one finds that the holder is dead.
      await lease.release().catch(() => undefined);
    }
  }

  async function write(lease: Lease, claims: readonly Claim[]): Promise<void> {
    const lines = [HEADER, ...claims.map((claim) => JSON.stringify(CLAIM.encode(claim)))];
    await guard(
      path,
      "written",
      async () => {
        // A process that died while it held the lock may have left one.
        for (const name of await namesIn(fs, folder))
          if (name.startsWith("temporary-")) await fs.remove(`${folder}/${name}`);
        const { temporary } = await prepareSnapshot(fs, `${folder}/temporary-${random.uuid()}`, each(lines));
        await lock.check(lease);
        await putInPlace(fs, folder, temporary, path);
      },
      SUBJECT,
    );
  }

  function asStateError(thrown: unknown): never {
    if (!(thrown instanceof Locked)) throw thrown;
    const remedy = `apply again; if the process that holds this lock is gone, delete ${folder}/lock`;
    throw new StateError(
      { code: "claims-locked", message: `${SUBJECT} is ${thrown.message}`, remedy },
      { cause: thrown },
    );
  }

  return { list, take, release };
}

function decodeClaims(bytes: Uint8Array, path: string): readonly Claim[] {
  const lines = Buffer.from(bytes).toString("utf8").split("\n");
  if (lines[0] !== HEADER || lines.at(-1) !== "") throw damaged(path);
  try {
    return lines.slice(1, -1).map((line) => {
      const parsed = parse(line);
      if (!parsed) throw damaged(path);
      return CLAIM.decode(parsed);
    });
  } catch (thrown) {
    if (thrown instanceof DecodeError) throw damaged(path);
    throw thrown;
  }
}

function damaged(path: string): StateError {
  return new StateError({
    code: "claims-damaged",
    message: `${SUBJECT} was not written by this version of Zoneform, or is damaged: ${path}`,
    remedy:
      "if a newer version wrote it, use that one; else delete it: each project takes its claims with its next apply",
  });
}

async function readIfThere(fs: FileSystem, path: string): Promise<Uint8Array | undefined> {
  try {
    return await fs.read(path, MOST_BYTES);
  } catch (thrown) {
    // With a file in place of a folder there is no claim; whoever reads or writes the state reports it.
    if (errorCode(thrown) === "ENOENT" || errorCode(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

async function* each(lines: readonly string[]): AsyncIterable<string> {
  yield* lines;
}
