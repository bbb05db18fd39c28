import type { ZoneId } from "../../core/brand.ts";
import type { FileSystem } from "../../core/file-system.ts";
import type { StoredState } from "../store.ts";
import type { ProjectStore } from "../upkeep.ts";
import { readSerial } from "./backups.ts";
import { findState, findStateNow, type TwoPlaces } from "./earlier-place.ts";
import { guard } from "./failure.ts";
import { type LocalStoreOptions, placeIn } from "./place.ts";
import { folderOf } from "./project-folder.ts";
import { localStore } from "./store.ts";
import { closedBy, takeOver } from "./take-over.ts";

/**
 * The states of one project, in its folder below the root. The state of a zone that is still in the root, where all were
 * kept before, is read there; whoever takes the zone's lock moves it into the folder first.
 */
export function projectStore(fs: FileSystem, root: string, project: string, options: LocalStoreOptions): ProjectStore {
  const places: TwoPlaces = { root, folder: folderOf(project) };
  const from = placeIn(fs, root, options);
  const earlier = localStore(fs, root, options);
  const own = { ...options, root, earlierSerial };
  const to = placeIn(fs, `${root}/${places.folder}`, own);
  const store = localStore(fs, to.folder, own);
  const parts = { ...places, project, from, to, earlier, store };

  function whereIs(zone: ZoneId): ReturnType<typeof findState> {
    return guard(root, "read", () => findState(fs, places, zone));
  }

  async function storeOf(zone: ZoneId): Promise<ProjectStore> {
    return (await whereIs(zone)) === "root" ? earlier : store;
  }

  /** What the root knows of the newest serial, until the folder has the state: the lock there shall not know less. */
  async function earlierSerial(zone: ZoneId): Promise<number | undefined> {
    if ((await whereIs(zone)) === "folder") return undefined;
    const serial = await readSerial(fs, from.pathsOf(zone).state);
    if (serial === undefined) return undefined;
    // As in the folder: the process that wrote it may have died before its name was durable.
    await fs.syncDirectory(root);
    return Math.max(serial, (await earlier.taken(zone))?.serial ?? 0);
  }

  /** The lines from wherever they are once somebody reads them: the state may be moved after it was found. */
  async function* following(
    zone: ZoneId,
    first: ProjectStore,
    found: AsyncIterable<string>,
    again: () => Promise<AsyncIterable<string> | undefined>,
  ): AsyncIterable<string> {
    yield* (await storeOf(zone)) === first ? found : ((await again()) ?? found);
  }

  async function read(zone: ZoneId): Promise<StoredState | undefined> {
    const first = await storeOf(zone);
    const found = await first.read(zone);
    const again = async (): Promise<AsyncIterable<string> | undefined> => (await store.read(zone))?.lines;
    return found && { ...found, lines: following(zone, first, found.lines, again) };
  }

  async function kept(zone: ZoneId, name: string): Promise<AsyncIterable<string> | undefined> {
    const first = await storeOf(zone);
    const found = await first.kept(zone, name);
    return found && following(zone, first, found, () => store.kept(zone, name));
  }

  async function observe(zone: ZoneId, lines: readonly string[]): Promise<void> {
    const first = await storeOf(zone);
    await first.observe(zone, lines);
    // If the state was moved meanwhile, whoever moved it may have looked before we wrote.
    if (first === earlier && (await whereIs(zone)) === "folder") await store.observe(zone, lines);
  }

  async function zones(): Promise<readonly ZoneId[]> {
    const found = new Set(await store.zones());
    for (const zone of await earlier.zones()) if ((await whereIs(zone)) === "root") found.add(zone);
    return [...found].sort();
  }

  return {
    ...store,
    read,
    journal: async function* (zone) {
      yield* (await storeOf(zone)).journal(zone);
    },
    kept,
    names: async (zone) => (await storeOf(zone)).names(zone),
    observe,
    observations: async function* (zone) {
      yield* (await storeOf(zone)).observations(zone);
    },
    condense: async (zone, keep) => (await storeOf(zone)).condense(zone, keep),
    lock: async (zone, holder, waitMilliseconds, signal) => {
      const deadline = options.steady.now() + waitMilliseconds;
      const lease = await store.lock(zone, holder, waitMilliseconds, signal);
      try {
        const left = Math.max(0, deadline - options.steady.now());
        await takeOver(parts, zone, lease, { holder, waitMilliseconds: left, signal });
        return lease;
      } catch (error) {
        await lease.release().catch(() => undefined);
        throw error;
      }
    },
    holding: async (zone) => {
      const holding = await store.holding(zone);
      if (holding || (await whereIs(zone)) === "folder" || (await closedBy(from, zone))) return holding;
      return earlier.holding(zone);
    },
    taken: async (zone) => (await storeOf(zone)).taken(zone),
    unlock: async (zone, id) => {
      const isHere = (await store.holding(zone)) !== undefined || (await closedBy(from, zone)) !== undefined;
      return isHere ? store.unlock(zone, id) : (await storeOf(zone)).unlock(zone, id);
    },
    warnings: async (zone) => (await storeOf(zone)).warnings(zone),
    files: async (zone) => (await storeOf(zone)).files(zone),
    backups: async (zone) => (await storeOf(zone)).backups(zone),
    backup: async function* (zone, serial) {
      yield* (await storeOf(zone)).backup(zone, serial);
    },
    copy: async (zone, name) => (await storeOf(zone)).copy(zone, name),
    looseLines: async function* (zone, part) {
      yield* (await storeOf(zone)).looseLines(zone, part);
    },
    journalTail: async (zone) => (await storeOf(zone)).journalTail(zone),
    zones,
    describe: (zone, part) => (findStateNow(fs, places, zone) === "root" ? earlier : store).describe(zone, part),
  };
}
