import { parseObject } from "../../../core/json.ts";
import type { Random } from "../../../core/clock.ts";
import type { Secret } from "../../../core/secret.ts";
import { streamed } from "../../../core/lists.ts";
import {
  type Changes,
  type Engine,
  type Entry,
  entryOf,
  JOURNAL,
  type Seal,
  type Sightings,
  STATE,
  type TakenLock,
  type View,
  type ZoneKey,
} from "../../engine.ts";
import { StateError } from "../../error.ts";
import type { Lease } from "../../lock.ts";
import type { StateStores } from "../../stores.ts";
import { looseLines, roleOf } from "../view.ts";
import { type Cipher, cipherOf, type KeyOf, NO_CIPHER } from "./cipher.ts";
import { lineEndFault, sealedFault } from "./faults.ts";
import {
  isPlain,
  isSealed,
  type Decryption,
  decryptLine,
  decryptLines,
  decryptLoosely,
  type Origin,
  originOf,
  type Part,
  sealLine,
  sealLines,
  sealOf,
} from "./lines.ts";

/** How states are encrypted. */
export interface Sealing {
  /** The passphrase for writing states; absent: they are not encrypted. */
  readonly passphrase?: Secret;
  /** The previous passphrase: it still decrypts states, and never encrypts them. */
  readonly previous?: Secret;
  /** Whether to read a state that is not encrypted; the next write encrypts it. */
  readonly acceptsPlain: boolean;
  readonly random: Random;
  readonly keyOf: KeyOf;
}

/** Stores whose lines cannot be read or changed without the passphrase: see `sealedEngine`. Claims stay readable. */
export function sealedStores(stores: StateStores, sealing: Sealing): StateStores {
  return stores.over((engine) => sealedEngine(engine, sealing));
}

/**
 * An engine whose lines cannot be read or changed without the passphrase: states, their copies, journals, records of
 * runs, and observed hostnames. File names and sizes, a state's serial, and the holder of a lock stay in the clear.
 * Without a passphrase, it refuses encrypted lines and passes all others. The lines of an entry in a view stay as
 * stored; `body` decrypts them.
 */
export function sealedEngine(engine: Engine, sealing: Sealing): Engine {
  const lines = new SealedLines(engine, sealing);
  const { sightings } = engine;
  return {
    ...engine,
    body: (key, entry) => lines.body(key, entry),
    journal: (key, view) => lines.journal(key, view),
    lock: async (...wish) => lines.know(await engine.lock(...wish)),
    append: (key, lease, added) => lines.append(key, lease, added),
    commit: (key, lease, changes) => lines.commit(key, lease, changes),
    ...(sightings ? { sightings: sealedSightings(engine, sightings, lines) } : {}),
    sealed: {
      looseLines: (key, part) => lines.loosely(key, part),
      sealOf: (key, part) => lines.sealOf(key, part),
      decrypted: (key, given, where) => decryptLines(lines.decryption(key, "state", where), given),
    },
  };
}

/** What the holder of a lease knows. */
interface Known {
  readonly view: View;
  /** How many lines the journal has; undefined if unknown. */
  readonly journalLines?: number | undefined;
  /** The lineage of the journal's state, once a line has named it. */
  readonly lineage?: string | undefined;
}

/** Encrypts and decrypts the lines of an engine. */
class SealedLines {
  private readonly engine: Engine;
  private readonly sealing: Sealing;
  /** The ciphers that decrypt each zone's lines. */
  private readonly ciphers = new Map<string, readonly Cipher[]>();
  private readonly byLease = new Map<string, Known>();

  constructor(engine: Engine, sealing: Sealing) {
    this.engine = engine;
    this.sealing = sealing;
  }

  /** The lines of an entry; a copy that was set aside is returned as stored. */
  body(key: ZoneKey, entry: Entry): AsyncIterable<string> {
    const part = partOf(entry.name);
    const lines = this.engine.body(key, entry);
    return part ? decryptLines(this.decryption(key, part, this.whereIs(key, entry.name)), lines) : lines;
  }

  async *journal(key: ZoneKey, view: View): AsyncIterable<string> {
    let count = 0;
    for await (const line of decryptLines(this.decryption(key, "journal"), this.engine.journal(key, view))) {
      count += 1;
      yield line;
    }
    if ((await this.lineInTail(key, count + 1)) !== undefined)
      throw lineEndFault(this.engine.describe(key, JOURNAL), count + 1);
  }

  know(taken: TakenLock): TakenLock {
    const { lease, view } = taken;
    this.byLease.set(lease.id, knownAt(view));
    const release = async (): Promise<void> => {
      this.byLease.delete(lease.id);
      await lease.release();
    };
    return { view, lease: { ...lease, release } };
  }

  async append(key: ZoneKey, lease: Lease, lines: readonly string[]): Promise<void> {
    const cipher = lines.length > 0 ? await this.sealer(key) : undefined;
    if (!cipher) return this.engine.append(key, lease, lines);
    const known = this.byLease.get(lease.id) ?? { view: await this.engine.view(key) };
    const before = known.journalLines ?? (await linesIn(this.engine.journal(key, await this.engine.view(key))));
    // A new journal names the lineage, so that no record has to wait for the state to be read.
    const lineage = (before === 0 ? lineageIn(lines[0]) : known.lineage) ?? (await this.lineageOf(key, known.view));
    const origin = originOf(lineage, lease.fence);
    // After a failed append, the number of lines is unknown.
    this.byLease.set(lease.id, { view: known.view, lineage });
    await this.engine.append(
      key,
      lease,
      lines.map((line, index) => sealLine(cipher, "journal", before + index + 1, line, origin)),
    );
    this.byLease.set(lease.id, { view: known.view, lineage, journalLines: before + lines.length });
  }

  async commit(key: ZoneKey, lease: Lease, { put, journal, ...changes }: Changes): Promise<View> {
    const known = this.byLease.get(lease.id);
    this.byLease.delete(lease.id);
    const view = await this.engine.commit(key, lease, {
      ...changes,
      ...(put
        ? { put: new Map([...put].map(([name, lines]) => [name, this.seals(key, lease, known, name, lines)])) }
        : {}),
      ...(journal ? { journal: this.seals(key, lease, known, JOURNAL, journal) } : {}),
    });
    this.byLease.set(lease.id, journal ? knownAt(view) : { ...known, view });
    return view;
  }

  loosely(key: ZoneKey, part: typeof STATE | typeof JOURNAL): AsyncIterable<string> {
    const lines = decryptLoosely(this.decryption(key, part), looseLines(this.engine, key, part));
    return part === STATE ? lines : this.withTail(key, lines);
  }

  sealOf(key: ZoneKey, part: typeof STATE | typeof JOURNAL): Promise<Seal> {
    return sealOf(this.decryption(key, part), looseLines(this.engine, key, part));
  }

  decryption(key: ZoneKey, part: Part, where: string = this.whereIs(key, part)): Decryption {
    let ciphers: Promise<readonly Cipher[]> | undefined;
    const { acceptsPlain } = this.sealing;
    return { ciphers: () => (ciphers ??= this.ciphersOf(key)), acceptsPlain, part, where };
  }

  /** The cipher that encrypts; undefined without a passphrase. */
  async sealer(key: ZoneKey): Promise<Cipher | undefined> {
    const { passphrase } = this.sealing;
    return passphrase && (this.ciphers.get(nameOf(key))?.[0] ?? this.cipher(passphrase, key, true));
  }

  /**
   * The ciphers that decrypt, the present one first. Not cached while there is no key: another process may make it any
   * time.
   */
  async ciphersOf(key: ZoneKey): Promise<readonly Cipher[]> {
    const known = this.ciphers.get(nameOf(key));
    if (known) return known;
    const secrets = [this.sealing.passphrase, this.sealing.previous].flatMap((each) => each ?? []);
    const found = await Promise.all(secrets.map((each) => this.cipher(each, key, false)));
    const ciphers = found.flatMap((each) => each ?? []);
    if (ciphers.length < secrets.length) return secrets.map(() => NO_CIPHER);
    this.ciphers.set(nameOf(key), ciphers);
    return ciphers;
  }

  private async cipher(secret: Secret, { project, zone }: ZoneKey, isSealing: boolean): Promise<Cipher | undefined> {
    const key = await this.sealing.keyOf(secret, isSealing);
    return key && cipherOf(key, zone, this.sealing.random, project);
  }

  private whereIs(key: ZoneKey, name: string): string {
    const state = this.engine.describe(key, STATE);
    if (name === STATE) return state;
    if (name === JOURNAL) return this.engine.describe(key, JOURNAL);
    const found = roleOf({ name });
    if (found.role === "backup") return `the earlier copy of serial ${found.serial} of ${state}`;
    return `the ${partOf(name) ?? name} beside ${state}`;
  }

  private async *seals(
    key: ZoneKey,
    lease: Lease,
    known: Known | undefined,
    name: string,
    lines: AsyncIterable<string>,
  ): AsyncIterable<string> {
    const cipher = await this.sealer(key);
    const part = name === JOURNAL ? JOURNAL : partOf(name);
    if (!cipher || !part) {
      yield* lines;
      return;
    }
    // The first line of states, journals and most records names the lineage; for the rest, the stored state does.
    const originating = async (first: string): Promise<Origin> =>
      originOf(lineageIn(first) ?? known?.lineage ?? (await this.lineageOf(key, known?.view)), lease.fence);
    yield* sealLines(cipher, part, lines, originating);
  }

  /** An unreadable state names no lineage; a run that needs the state reports that. */
  private async lineageOf(key: ZoneKey, known: View | undefined): Promise<string | undefined> {
    const state = entryOf((known ?? (await this.engine.view(key))).entries, STATE);
    if (!state) return undefined;
    const lines = state.start.length > 0 ? streamed(state.start) : this.engine.body(key, state);
    try {
      for await (const header of decryptLines(this.decryption(key, STATE), lines)) return lineageIn(header);
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
    }
    return undefined;
  }

  /** The line that could be decrypted if its line end had not been overwritten by another Base64 character. */
  private async lineInTail(key: ZoneKey, number: number): Promise<string | undefined> {
    const tail = (await this.engine.files?.tail(key)) ?? "";
    const whole = tail.slice(0, -1);
    if (!isSealed(whole) || tail.endsWith("\0")) return undefined;
    return decryptLine("journal", await this.ciphersOf(key), number, whole);
  }

  private async *withTail(key: ZoneKey, lines: AsyncIterable<string>): AsyncIterable<string> {
    let count = 0;
    for await (const line of lines) {
      count += 1;
      yield line;
    }
    const last = await this.lineInTail(key, count + 1);
    if (last !== undefined) yield last;
  }
}

/**
 * Lines of several runs come in any order, so a line has no number to be bound to. Copying, moving or removing one
 * changes nothing that matters: of two observations of a hostname, the newer one counts.
 */
const SEEN = "observations";

/** Replaces a line that cannot be decrypted, or that was written without the passphrase: it is not an observation. */
const UNREADABLE = "{}";

function sealedSightings(engine: Engine, sightings: Sightings, sealed: SealedLines): Sightings {
  async function sealing(key: ZoneKey, lines: readonly string[]): Promise<readonly string[]> {
    const cipher = await sealed.sealer(key);
    return cipher ? lines.map((line) => cipher.seal(SEEN, line)) : lines;
  }

  /** A line that cannot be decrypted is no error; without a passphrase, encrypted ones throw `StateError`. */
  async function* decrypted(key: ZoneKey, lines: AsyncIterable<string>): AsyncIterable<string> {
    const where = `the record of hostnames beside ${engine.describe(key, STATE)}`;
    const { ciphers, acceptsPlain } = sealed.decryption(key, JOURNAL, where);
    for await (const line of lines) {
      const keys = await ciphers();
      if (keys.length === 0 && isSealed(line)) throw sealedFault(where);
      if (keys.length === 0) yield line;
      else if (isPlain(line)) yield acceptsPlain ? line : UNREADABLE;
      else yield decryptedBy(keys, line);
    }
  }

  return {
    bytes: (key) => sightings.bytes(key),
    lines: (key) => decrypted(key, sightings.lines(key)),
    add: async (key, lines) => sightings.add(key, await sealing(key, lines)),
    condense: (key, keep) =>
      sightings.condense(key, async function* (lines) {
        for await (const line of keep(decrypted(key, lines))) yield* await sealing(key, [line]);
      }),
  };
}

function decryptedBy(ciphers: readonly Cipher[], line: string): string {
  for (const cipher of ciphers) {
    const text = cipher.decrypt(SEEN, line);
    if (text !== undefined) return text;
  }
  return UNREADABLE;
}

/** The part that the lines of an entry are bound to; undefined for an entry whose lines stay as they are. */
function partOf(name: string): Part | undefined {
  const found = roleOf({ name });
  if (found.role === "state" || found.role === "backup") return STATE;
  return found.role === "record" ? `record ${found.as}` : undefined;
}

function knownAt(view: View): Known {
  return view.isJournalEmpty ? { view, journalLines: 0 } : { view };
}

function nameOf({ project, zone }: ZoneKey): string {
  return JSON.stringify([project, zone]);
}

function lineageIn(line = ""): string | undefined {
  const lineage = parseObject(line)?.["lineage"];
  return typeof lineage === "string" ? lineage : undefined;
}

async function linesIn(lines: AsyncIterable<string>): Promise<number> {
  const each = lines[Symbol.asyncIterator]();
  let count = 0;
  while (!(await each.next()).done) count += 1;
  return count;
}
