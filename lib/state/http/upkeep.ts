import type { ZoneId } from "../../core/brand.ts";
import { collected, streamed } from "../../core/streams.ts";
import { copyName } from "../copy-name.ts";
import { noBackup } from "../no-backup.ts";
import type { Lease } from "../store.ts";
import type { Role, StateFile, Upkeep } from "../upkeep.ts";
import { type Contents, isKept, without } from "./document.ts";
import { pack, type Packed } from "./packed.ts";
import type { Place } from "./place.ts";

type Part = "state" | "journal";

/** What the upkeep needs of the store. */
export interface UpkeepParts {
  readonly read: (zone: ZoneId) => Promise<Contents>;
  readonly change: (zone: ZoneId, lease: Lease, act: (contents: Contents) => Partial<Contents>) => Promise<void>;
  readonly describe: (zone: ZoneId, part?: Part) => string;
  readonly unpacked: (zone: ZoneId, what: string, packed: Packed) => readonly string[];
}

/** The upkeep of the states of a project. */
export function upkeep(
  { clock, index }: Place,
  project: string,
  { read, change, describe, unpacked }: UpkeepParts,
): Omit<Upkeep, "backups"> {
  async function files(zone: ZoneId): Promise<readonly StateFile[]> {
    const { state, journal, records, backups, copies } = await read(zone);
    const where = describe(zone);
    const file = (role: Role, path: string, sizeBytes: number): StateFile => ({ path, role, sizeBytes, mode: 0o600 });
    return [
      ...(state ? [file("state", where, sizeOf(state.lines))] : []),
      ...(journal.length > 0 ? [file("journal", describe(zone, "journal"), sizeOf(journal))] : []),
      ...[...backups].map(([serial, packed]) => file("backup", `${where}.backup-${serial}`, packed.length)),
      ...[...records].map(([name, packed]) => file("record", `${where}.kept-${name}`, packed.length)),
      ...[...copies].map(([name, packed]) => ({
        ...file("set-aside", `${where}#${name}`, packed.length),
        copy: name,
      })),
    ];
  }

  async function* backup(zone: ZoneId, serial: number): AsyncIterable<string> {
    const packed = (await read(zone)).backups.get(serial);
    if (packed === undefined) throw noBackup(describe(zone), serial);
    yield* unpacked(zone, `earlier copy of serial ${serial}`, packed);
  }

  return {
    // Who may read is a matter of the server's grants.
    warnings: async () => [],
    files,
    backup,
    addBackup: async (zone, lease, serial, lines) => {
      const packed = pack(await collected(lines));
      await change(zone, lease, ({ backups }) => ({ backups: new Map(backups).set(serial, packed) }));
    },
    opened: (_zone, lines) => lines,
    looseLines: async function* (zone, part) {
      const { state, journal } = await read(zone);
      yield* part === "state" ? (state?.lines ?? []) : journal;
    },
    // A line is there or not.
    journalTail: async () => "",
    sealOf: async () => "none",
    setAside: async (zone, lease, part) => {
      const name = copyName(part, "damaged", clock.now());
      await change(zone, lease, (contents) => ({ copies: withCopy(contents, part, name) }));
      return name;
    },
    copy: async (zone, name) => {
      const packed = (await read(zone)).copies.get(name);
      return packed === undefined ? undefined : streamed(unpacked(zone, `copy ${name}`, packed));
    },
    discardCopy: (zone, lease, name) => change(zone, lease, ({ copies }) => ({ copies: without(copies, name) })),
    retire: async (zone, lease, keeping) => {
      const names: string[] = [];
      await change(zone, lease, (contents) => {
        let { copies } = contents;
        for (const part of ["state", "journal"] as const) {
          const name = copyName(part, "removed", clock.now());
          const next = withCopy({ ...contents, copies }, part, name);
          if (next !== copies) names.push(name);
          copies = next;
        }
        const records = new Map([...contents.records].filter(([name]) => name === keeping));
        return { copies, state: undefined, journal: [], records, backups: new Map(), highest: 0 };
      });
      return names;
    },
    rewriteJournal: async (zone, lease, lines) => {
      const journal = await collected(lines);
      await change(zone, lease, () => ({ journal }));
    },
    zones: async () => {
      const found: ZoneId[] = [];
      for (const each of (await index.read()).zones)
        if (each.project === project && isKept(await read(each.zone))) found.push(each.zone);
      return found.sort();
    },
  };
}

/** The copies with one of a part more; the same ones if there is nothing of the part. */
function withCopy({ state, journal, copies }: Contents, part: Part, name: string): ReadonlyMap<string, Packed> {
  const lines = part === "state" ? state?.lines : journal;
  if (lines === undefined || (part === "journal" && lines.length === 0)) return copies;
  return new Map(copies).set(name, pack(lines));
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
