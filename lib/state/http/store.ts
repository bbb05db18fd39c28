import type { ZoneId } from "../../core/brand.ts";
import { collected, streamed } from "../../core/streams.ts";
import { StateError } from "../error.ts";
import { checkRecordName } from "../record-name.ts";
import { headerSerial } from "../header-serial.ts";
import { KEPT_BACKUPS } from "../kept-backups.ts";
import { replacedMeanwhile } from "../replaced.ts";
import type { Lease, StateReader, StateStore } from "../store.ts";
import type { ProjectStore } from "../upkeep.ts";
import { type Contents, NOTHING, versionOf, without } from "./document.ts";
import { locks, sessionOf, type ZonePlace } from "./lock.ts";
import { pack, type Packed, unpack } from "./packed.ts";
import { nameOfState, type Place } from "./place.ts";
import { readContents } from "./session.ts";
import { upkeep } from "./upkeep.ts";

/** Each write sends the whole state, so that the changes of a run are announced together. */
const BATCH = { changes: 100, milliseconds: 60_000 } as const;

/** The states of one project on a server that speaks the protocol of Terraform's `http` backend. */
export function httpStore(place: Place, project: string): ProjectStore {
  const { address, clock, steady, index, random, server } = place;
  /** The zones that are known to be in the list of the states. */
  const listed = new Set<ZoneId>();

  function zoneOf(zone: ZoneId): ZonePlace {
    const name = nameOfState(project, zone);
    return { server, clock, steady, random, zone, project, name, where: address.where(name), owner: { project, zone } };
  }

  async function read(zone: ZoneId): Promise<Contents> {
    return (await readContents(zoneOf(zone)))?.body ?? NOTHING;
  }

  /** Reads what `contents` returns: the server again and again, or what it answered once. */
  function reads(contents: (zone: ZoneId) => Promise<Contents>): StateReader {
    return {
      read: async (zone) => {
        const { state } = await contents(zone);
        return state && { version: state.version, lines: streamed(state.lines) };
      },
      journal: async function* (zone) {
        yield* (await contents(zone)).journal;
      },
      kept: async (zone, name) => {
        checkRecordName(name);
        const packed = (await contents(zone)).records.get(name);
        return packed === undefined ? undefined : streamed(unpackedAt(zoneOf(zone).where, `record ${name}`, packed));
      },
      names: async (zone) => [...(await contents(zone)).records.keys()].sort(),
      taken: async (zone) => {
        const { holder, highest } = await contents(zone);
        return holder && { holder, serial: highest };
      },
      backups: async (zone) => [...(await contents(zone)).backups.keys()].sort((left, right) => right - left),
      describe,
    };
  }

  /** Changes what is stored; the zone is in the list before it has anything. */
  async function change(zone: ZoneId, lease: Lease, act: (contents: Contents) => Partial<Contents>): Promise<void> {
    const session = sessionOf(place, zoneOf(zone), lease);
    await list(zone);
    await session.write((contents) => ({ contents: { ...contents, ...act(contents) }, result: undefined }));
  }

  async function list(zone: ZoneId): Promise<void> {
    if (listed.has(zone)) return;
    await index.change((found) => {
      if (found.zones.some((each) => each.project === project && each.zone === zone)) return undefined;
      return { ...found, zones: [...found.zones, { project, zone }] };
    });
    listed.add(zone);
  }

  async function write(
    zone: ZoneId,
    lease: Lease,
    expected: string | undefined,
    lines: AsyncIterable<string>,
  ): Promise<string> {
    const check = ({ state }: Contents): void => {
      if (state?.version !== expected) throw replacedMeanwhile();
    };
    check(sessionOf(place, zoneOf(zone), lease).contents());
    const all = await collected(lines);
    const version = versionOf(all);
    await change(zone, lease, (contents) => {
      check(contents);
      const highest = Math.max(contents.highest, headerSerial(all[0] ?? ""));
      return { state: { version, lines: all }, journal: [], highest, backups: withBackup(contents) };
    });
    return version;
  }

  function describe(zone: ZoneId, part: "state" | "journal" = "state"): string {
    return `${zoneOf(zone).where}${part === "state" ? "" : "#journal"}`;
  }

  const store: Omit<StateStore, "zones"> = {
    ...reads(read),
    atOnce: async (zone) => {
      const found = await read(zone);
      return reads(async (other) => (other === zone ? found : read(other)));
    },
    ...locks(place, zoneOf),
    batch: BATCH,
    recordsNothing: true,
    write,
    append: (zone, lease, lines) => change(zone, lease, ({ journal }) => ({ journal: [...journal, ...lines] })),
    keep: async (zone, lease, name, lines) => {
      checkRecordName(name);
      const packed = pack(await collected(lines));
      await change(zone, lease, ({ records }) => ({ records: new Map(records).set(name, packed) }));
    },
    discard: async (zone, lease, name) => {
      checkRecordName(name);
      const session = sessionOf(place, zoneOf(zone), lease);
      await session.check();
      if (!session.contents().records.has(name)) return;
      await change(zone, lease, ({ records }) => ({ records: without(records, name) }));
    },
    observe: async (zone, lines) => {
      if (lines.length > 0) throw recordsNothing(zoneOf(zone).where);
    },
    observations: () => streamed([]),
    condense: async () => undefined,
    // Whoever holds the lock has written the state already.
    checkWritable: async (zone) => server.checkLocking(zoneOf(zone).name),
  };

  return {
    ...store,
    ...upkeep(place, project, {
      read,
      change,
      describe,
      unpacked: (zone, what, packed) => unpackedAt(zoneOf(zone).where, what, packed),
    }),
  };
}

/** The backups with the snapshot that is about to be replaced: the newest ones. */
function withBackup({ backups, state }: Contents): Contents["backups"] {
  if (!state) return backups;
  const all = new Map(backups).set(headerSerial(state.lines[0] ?? ""), pack(state.lines));
  const newest = [...all.keys()].sort((left, right) => right - left).slice(0, KEPT_BACKUPS);
  return new Map([...all].filter(([serial]) => newest.includes(serial)));
}

function unpackedAt(where: string, what: string, packed: Packed): readonly string[] {
  try {
    return unpack(packed);
  } catch (cause) {
    const message = `the ${what} at ${where} is damaged: it cannot be unpacked`;
    throw new StateError({ code: "record-damaged", message, remedy: "the state does not depend on it" }, { cause });
  }
}

function recordsNothing(where: string): StateError {
  return new StateError({
    code: "state-server",
    message: `${where} is only written as a whole and under its lock`,
    remedy: "say --no-record, or choose another engine",
  });
}
