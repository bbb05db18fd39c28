import type { FileSystem } from "../../lib/core/file-system.ts";
import { zoneId } from "../../lib/core/brand.ts";
import { loadState } from "../../lib/state/load.ts";
import { localStore } from "../../lib/state/local/store.ts";
import type { State } from "../../lib/state/state.ts";
import { diceOf, randomOf } from "./dice.ts";
import { type Machine, STATE_FOLDER } from "./machine.ts";
import { failure } from "./sim-files.ts";
import type { Vault } from "./vault.ts";

/** A file as somebody could have changed it. */
interface Changed {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * A zone's state as the next process would read it from the disk now, apart from what somebody changed; throws what
 * that process would get.
 */
export async function auditedState(
  { disk, scheduler }: Machine,
  vault: Vault,
  zone: string,
  changed?: Changed,
): Promise<State | undefined> {
  const refuse = (): Promise<never> => Promise.reject(new Error("an audit writes nothing"));
  const read = async (path: string): Promise<Uint8Array> => {
    if (path === changed?.path) return changed.bytes;
    const file = disk.file(path);
    if (!file) throw failure("ENOENT", path);
    return file.bytes;
  };
  const fs: FileSystem = {
    read,
    async *stream(path) {
      yield await read(path);
    },
    list: async (path) => disk.entries(path),
    stat: async (path) => {
      if (disk.isFolder(path)) return { kind: "directory", sizeBytes: 0, mode: 0o700 };
      const file = disk.file(path);
      return file && { kind: "file", sizeBytes: file.bytes.length, mode: file.mode };
    },
    realPath: async (path) => path,
    makeDirectory: refuse,
    create: refuse,
    append: refuse,
    copy: refuse,
    rename: refuse,
    link: refuse,
    remove: refuse,
    syncDirectory: refuse,
  };
  const identity = { host: "", bootId: "", pidNamespace: "", pid: 0, startTime: "", isAlive: () => undefined };
  const clock = { now: () => scheduler.now(), sleep: refuse };
  const random = randomOf(diceOf(0));
  const store = vault.over(localStore(fs, STATE_FOLDER, { identity, clock, random }), random);
  return (await loadState(store, zoneId(zone)))?.state;
}
