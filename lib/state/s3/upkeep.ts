import type { ZoneId } from "../../core/brand.ts";
import { copyName } from "../copy-name.ts";
import { noBackup } from "../no-backup.ts";
import type { StateStore } from "../store.ts";
import type { Role, StateFile, Upkeep } from "../upkeep.ts";
import { linesOfBody } from "./bodies.ts";
import { type Body, type Head, type Keys, keysOf, type NamedBody } from "./head.ts";
import { indexed } from "./index-object.ts";
import { bytesOfSeen, forgetSeen } from "./observations.ts";
import { type Place, sessionOf, told } from "./place.ts";
import { hasLines, segmentsOf } from "./segments.ts";
import type { Session } from "./session.ts";
import { readHead } from "./stored-head.ts";

type Part = "state" | "journal";

/** The upkeep of the states of a project, but for what belongs to a part of its own. */
export function upkeep(
  place: Place,
  project: string,
  { journal }: Pick<StateStore, "journal">,
  describe: (zone: ZoneId, part?: Part) => string,
): Omit<Upkeep, "rewriteJournal"> {
  const { clock } = place;

  async function files(zone: ZoneId): Promise<readonly StateFile[]> {
    const keys = keysOf(project, zone);
    const head = await readHead(place, keys);
    if (!head) return [];
    const file = (role: Role, path: string, sizeBytes: number): StateFile => ({ role, path, sizeBytes, mode: 0o600 });
    const base = describe(zone).slice(0, -".state".length);
    const ofBody = (role: Role, path: string, body: Body): StateFile => file(role, path, body.bytes);
    let [segments, bytes] = [0, 0];
    for await (const segment of segmentsOf(place, keys, head.journal)) {
      if (!hasLines(segment.bytes)) continue;
      segments += 1;
      bytes += segment.bytes.length;
    }
    const seen = await told(place, "read", () => bytesOfSeen(place, keys));
    return [
      ...(head.snapshot ? [ofBody("state", `${base}.state`, head.snapshot)] : []),
      ...(segments > 0 ? [file("journal", `${base}.journal`, bytes)] : []),
      ...head.backups.map((body) => ofBody("backup", `${base}.state.backup-${body.serial}`, body)),
      ...head.records.map(({ name, body }) => ofBody("record", `${base}.kept-${name}`, body)),
      ...head.copies.map(({ name, body }) => ({ ...ofBody("set-aside", `${base}.${name}`, body), copy: name })),
      ...(seen > 0 ? [file("observations", `${base}.observations`, seen)] : []),
    ];
  }

  /** The copy of a part, ready to be named by the head; undefined where there is nothing. */
  async function copyOf(zone: ZoneId, session: Session, part: Part, name: string): Promise<NamedBody | undefined> {
    const { snapshot } = session.head();
    // Bodies are never changed, so the copy is the body itself.
    if (part === "state") return snapshot && { name, body: snapshot };
    const body = await session.stage(journal(zone));
    return body.parts > 0 ? { name, body } : undefined;
  }

  async function setAside(zone: ZoneId, session: Session, part: Part, name: string): Promise<boolean> {
    const copy = await copyOf(zone, session, part, name);
    if (copy) await session.change((head) => withCopies(head, [copy]));
    return copy !== undefined;
  }

  async function retire(zone: ZoneId, session: Session, keeping?: string): Promise<readonly string[]> {
    const copies: NamedBody[] = [];
    await session.withJournal(async () => {
      for (const part of ["state", "journal"] as const) {
        const copy = await copyOf(zone, session, part, copyName(part, "removed", clock.now()));
        if (copy) copies.push(copy);
      }
      await session.change((head) => ({
        ...withCopies(head, copies),
        snapshot: undefined,
        serial: 0,
        journal: { name: session.newName(), segments: 0 },
        backups: [],
        records: head.records.filter(({ name }) => name === keeping),
      }));
    });
    await told(place, "written", () => forgetSeen(place, keysOf(project, zone)));
    return copies.map(({ name }) => name);
  }

  async function* stateLines(zone: ZoneId): AsyncIterable<string> {
    const keys = keysOf(project, zone);
    const snapshot = (await readHead(place, keys))?.snapshot;
    if (snapshot) yield* linesOfBody(place, keys, snapshot);
  }

  async function* backup(zone: ZoneId, serial: number): AsyncIterable<string> {
    const keys = keysOf(project, zone);
    const found = (await readHead(place, keys))?.backups.find((body) => body.serial === serial);
    if (!found) throw noBackup(describe(zone), serial);
    yield* linesOfBody(place, keys, found);
  }

  return {
    // Who may read is a matter of the bucket's policies, which whoever runs it sees there.
    warnings: async () => [],
    files,
    backup,
    addBackup: async (zone, lease, serial, lines) => {
      const session = sessionOf(place, project, zone, lease);
      const body = { ...(await session.stage(lines)), serial };
      await session.change((head) => withBackup(head, body));
    },
    backups: async (zone) => {
      const head = await readHead(place, keysOf(project, zone));
      return (head?.backups ?? []).map(({ serial }) => serial);
    },
    opened: (_zone, lines) => lines,
    looseLines: (zone, part) => (part === "state" ? stateLines(zone) : journal(zone)),
    // An object is there whole, or not at all.
    journalTail: async () => "",
    sealOf: async () => "none",
    setAside: async (zone, lease, part) => {
      const name = copyName(part, "damaged", clock.now());
      await setAside(zone, sessionOf(place, project, zone, lease), part, name);
      return name;
    },
    copy: async (zone, name) => {
      const keys = keysOf(project, zone);
      const found = (await readHead(place, keys))?.copies.find((copy) => copy.name === name);
      return found && linesOfBody(place, keys, found.body);
    },
    discardCopy: async (zone, lease, name) =>
      sessionOf(place, project, zone, lease).change((head) => ({
        ...head,
        copies: head.copies.filter((copy) => copy.name !== name),
      })),
    retire: async (zone, lease, keeping) => retire(zone, sessionOf(place, project, zone, lease), keeping),
    zones: () => keptZones(place, project),
  };
}

/** The backups with another one, which replaces one of the same serial; newest first. */
function withBackup(head: Head, body: Body): Head {
  const others = head.backups.filter(({ serial }) => serial !== body.serial);
  return { ...head, backups: [...others, body].sort((left, right) => right.serial - left.serial) };
}

function withCopies(head: Head, copies: readonly NamedBody[]): Head {
  const names = new Set(copies.map(({ name }) => name));
  return { ...head, copies: [...head.copies.filter(({ name }) => !names.has(name)), ...copies] };
}

/** The zones of a project for which something is kept besides a lock, in order. */
export async function keptZones(place: Place, project: string): Promise<readonly ZoneId[]> {
  const kept: ZoneId[] = [];
  for (const { project: of, zone } of await told(place, "read", () => indexed(place)))
    if (of === project && (await isKept(place, project, zone))) kept.push(zone);
  return kept;
}

/** The projects for which something is kept, in order. */
export async function keptProjects(place: Place): Promise<readonly string[]> {
  const kept = new Set<string>();
  for (const { project, zone } of await told(place, "read", () => indexed(place)))
    if (!kept.has(project) && (await isKept(place, project, zone))) kept.add(project);
  return [...kept];
}

async function isKept(place: Place, project: string, zone: ZoneId): Promise<boolean> {
  const keys = keysOf(project, zone);
  const head = await readHead(place, keys);
  if (head && (await hasState(place, keys, head))) return true;
  return (await told(place, "read", () => bytesOfSeen(place, keys))) > 0;
}

async function hasState(place: Place, keys: Keys, { snapshot, backups, journal }: Head): Promise<boolean> {
  if (snapshot || backups.length > 0) return true;
  for await (const { bytes } of segmentsOf(place, keys, journal)) if (hasLines(bytes)) return true;
  return false;
}
