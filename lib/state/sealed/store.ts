import type { ZoneId } from "../../core/brand.ts";
import type { Random } from "../../core/clock.ts";
import { defined } from "../../core/defined.ts";
import type { Secret } from "../../core/secret.ts";
import { StateError } from "../error.ts";
import { parse } from "../journal.ts";
import type { ProjectStore } from "../upkeep.ts";
import { atOnce, type Beside, type Lease, type StateReader } from "../store.ts";
import { type Cipher, cipherOf, type KeyOf, NO_CIPHER } from "./cipher.ts";
import { lineEndFault } from "./faults.ts";
import { isSealed, type Opening, openLine, openLines, type Part, sealLine, sealLines } from "./lines.ts";
import { openLoosely, sealOf } from "./loose-lines.ts";
import { openObservations, sealObservations } from "./observations.ts";
import { type Origin, originOf } from "./origin.ts";

/** How states are encrypted. */
export interface Sealing {
  /** The passphrase that states are written with; absent: they are not encrypted. */
  readonly passphrase?: Secret;
  /** The previous passphrase: it still opens states, and never writes them. */
  readonly previous?: Secret;
  /** Whether to read a state that is not encrypted; the next write encrypts it. */
  readonly acceptsPlain: boolean;
  readonly random: Random;
  readonly keyOf: KeyOf;
  /** The project that lines are bound to: several may share a place. */
  readonly project: string;
}

/**
 * A store whose lines nobody can read or change without the passphrase: states, their copies, journals, records of
 * runs, and observed hostnames. File names and sizes, a state's serial, and the holder of a lock stay in the clear.
 * Without a passphrase, encrypted lines are refused and all others pass.
 */
export function sealedStore(store: ProjectStore, sealing: Sealing): ProjectStore {
  const { passphrase, previous, acceptsPlain, random, keyOf, project } = sealing;
  const opened = new Map<ZoneId, readonly Cipher[]>();
  /** By lease, how many lines its journal has. */
  const journals = new Map<string, number>();
  /** By lease, the lineage of the stored state, if there is one. */
  const lineages = new Map<string, string | undefined>();

  async function made(secret: Secret, zone: ZoneId, isSealing: boolean): Promise<Cipher | undefined> {
    const key = await keyOf(secret, isSealing);
    return key && cipherOf(key, zone, random, project);
  }

  /** Those that open, the present one first. Not kept while there is no key: another process may make it any time. */
  async function ciphersOf(zone: ZoneId): Promise<readonly Cipher[]> {
    const known = opened.get(zone);
    if (known) return known;
    const secrets = [passphrase, previous].flatMap((each) => each ?? []);
    const found = await Promise.all(secrets.map((each) => made(each, zone, false)));
    const ciphers = found.flatMap((each) => each ?? []);
    if (ciphers.length < secrets.length) return secrets.map(() => NO_CIPHER);
    opened.set(zone, ciphers);
    return ciphers;
  }

  /** The one that seals; undefined without a passphrase. */
  async function sealer(zone: ZoneId): Promise<Cipher | undefined> {
    return opened.get(zone)?.[0] ?? (passphrase && made(passphrase, zone, true));
  }

  function opening(zone: ZoneId, part: Part, where = whereIs(zone, part)): Opening {
    let ciphers: Promise<readonly Cipher[]> | undefined;
    return { ciphers: () => (ciphers ??= ciphersOf(zone)), acceptsPlain, part, where };
  }

  function whereIs(zone: ZoneId, part: Part): string {
    if (part === "journal") return store.describe(zone, "journal");
    return part === "state" ? store.describe(zone) : `the ${part} beside ${store.describe(zone)}`;
  }

  function opens(zone: ZoneId, part: Part, lines: AsyncIterable<string>): AsyncIterable<string> {
    return openLines(opening(zone, part), lines);
  }

  async function* seals(zone: ZoneId, part: Part, lines: AsyncIterable<string>, lease: Lease): AsyncIterable<string> {
    const cipher = await sealer(zone);
    const originating = (first: string): Promise<Origin> => originFor(zone, lease, first);
    yield* cipher ? sealLines(cipher, part, lines, originating) : lines;
  }

  /** The first line of states, journals and most records names the lineage; for others, the stored state does. */
  async function originFor(zone: ZoneId, lease: Lease, first: string): Promise<Origin> {
    return originOf(lineageIn(first) ?? (await storedLineage(zone, lease)), lease.fence);
  }

  async function storedLineage(zone: ZoneId, lease: Lease): Promise<string | undefined> {
    const known = lineages.has(lease.id) ? lineages.get(lease.id) : await readLineage(zone);
    lineages.set(lease.id, known);
    return known;
  }

  /** A state that cannot be read names no lineage; whoever needs the state reports that. */
  async function readLineage(zone: ZoneId): Promise<string | undefined> {
    const stored = await store.read(zone);
    try {
      for await (const header of stored ? opens(zone, "state", stored.lines) : []) return lineageIn(header);
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
    }
    return undefined;
  }

  async function observe(zone: ZoneId, lines: readonly string[]): Promise<void> {
    const cipher = await sealer(zone);
    return store.observe(zone, sealObservations(cipher, lines));
  }

  function opensObservations(zone: ZoneId, lines: AsyncIterable<string>): AsyncIterable<string> {
    const where = `the record of hostnames beside ${store.describe(zone)}`;
    return openObservations(opening(zone, "journal", where), lines);
  }

  async function* sealsObservations(zone: ZoneId, lines: AsyncIterable<string>): AsyncIterable<string> {
    const cipher = await sealer(zone);
    for await (const line of lines) yield* sealObservations(cipher, [line]);
  }

  async function append(zone: ZoneId, lease: Lease, lines: readonly string[]): Promise<void> {
    const cipher = await sealer(zone);
    if (!cipher) return store.append(zone, lease, lines);
    const before = journals.get(lease.id) ?? (await journalLength(zone, lease));
    // After a failed append, nobody knows how many lines there are.
    journals.delete(lease.id);
    // A new journal names the lineage, so that no record waits for the state to be read.
    if (before === 0) lineages.set(lease.id, lineageIn(lines[0]));
    const origin = originOf(await storedLineage(zone, lease), lease.fence);
    const sealed = lines.map((line, index) => sealLine(cipher, "journal", before + index + 1, line, origin));
    await store.append(zone, lease, sealed);
    journals.set(lease.id, before + lines.length);
  }

  async function journalLength(zone: ZoneId, lease: Lease): Promise<number> {
    const now = await atOnce(store, zone, lease);
    return (await now.isJournalEmpty?.(zone)) ? 0 : linesIn(now.journal(zone));
  }

  function opensAll(from: StateReader): Pick<StateReader, "read" | "journal" | "kept"> {
    return {
      read: async (zone) => {
        const found = await from.read(zone);
        return found && { ...found, lines: opens(zone, "state", found.lines) };
      },
      journal: (zone) => journal(zone, from),
      kept: async (zone, name) => {
        const lines = await from.kept(zone, name);
        return lines && opens(zone, `record ${name}`, lines);
      },
    };
  }

  async function* journal(zone: ZoneId, from: StateReader): AsyncIterable<string> {
    let count = 0;
    for await (const line of opens(zone, "journal", from.journal(zone))) {
      count += 1;
      yield line;
    }
    if ((await lineInTail(zone, count + 1)) !== undefined)
      throw lineEndFault(store.describe(zone, "journal"), count + 1);
  }

  /** The line that would open if its line end had not been overwritten: in its place is another Base64 character. */
  async function lineInTail(zone: ZoneId, number: number): Promise<string | undefined> {
    const tail = await store.journalTail(zone);
    const whole = tail.slice(0, -1);
    return isSealed(whole) && !tail.endsWith("\0")
      ? openLine("journal", await ciphersOf(zone), number, whole)
      : undefined;
  }

  async function* loose(zone: ZoneId, part: "state" | "journal"): AsyncIterable<string> {
    let count = 0;
    for await (const line of openLoosely(opening(zone, part), store.looseLines(zone, part))) {
      count += 1;
      yield line;
    }
    const last = part === "journal" ? await lineInTail(zone, count + 1) : undefined;
    if (last !== undefined) yield last;
  }

  return {
    ...store,
    ...opensAll(store),
    atOnce: async (zone, lease) => {
      const from = await atOnce(store, zone, lease);
      return { ...from, ...opensAll(from) };
    },
    append,
    write: async (zone, lease, expected, lines, { before, after, discard } = {}) => {
      const sealed = (records: Beside["before"]): Beside["before"] =>
        new Map([...(records ?? [])].map(([name, each]) => [name, seals(zone, `record ${name}`, each, lease)]));
      const beside = { before: sealed(before), after: sealed(after), discard };
      const version = await store.write(zone, lease, expected, seals(zone, "state", lines, lease), defined(beside));
      journals.delete(lease.id);
      lineages.delete(lease.id);
      return version;
    },
    keep: (zone, lease, name, lines, discard) =>
      store.keep(zone, lease, name, seals(zone, `record ${name}`, lines, lease), discard),
    observe,
    observations: (zone) => opensObservations(zone, store.observations(zone)),
    condense: (zone, keep) =>
      store.condense(zone, (lines) => sealsObservations(zone, keep(opensObservations(zone, lines)))),
    backup: (zone, serial) => {
      const where = `the earlier copy of serial ${serial} of ${store.describe(zone)}`;
      return openLines(opening(zone, "state", where), store.backup(zone, serial));
    },
    addBackup: (zone, lease, serial, lines) => store.addBackup(zone, lease, serial, seals(zone, "state", lines, lease)),
    opened: (zone, lines, where) => openLines(opening(zone, "state", where), store.opened(zone, lines, where)),
    looseLines: loose,
    sealOf: (zone, part) => sealOf(opening(zone, part), store.looseLines(zone, part)),
    rewriteJournal: async (zone, lease, lines) => {
      await store.rewriteJournal(zone, lease, seals(zone, "journal", lines, lease));
      journals.delete(lease.id);
    },
  };
}

function lineageIn(line = ""): string | undefined {
  const lineage = parse(line)?.["lineage"];
  return typeof lineage === "string" ? lineage : undefined;
}

async function linesIn(lines: AsyncIterable<string>): Promise<number> {
  const each = lines[Symbol.asyncIterator]();
  let count = 0;
  while (!(await each.next()).done) count += 1;
  return count;
}
