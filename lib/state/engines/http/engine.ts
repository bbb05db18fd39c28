import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import type { Secret } from "../../../core/secret.ts";
import { collected, streamed } from "../../../core/lists.ts";
import {
  changedEntries,
  type Changes,
  checkExpected,
  type Engine,
  type Entry,
  entryOf,
  highestSerial,
  JOURNAL,
  noting,
  type Shared,
  STATE,
  type View,
  type ZoneKey,
} from "../../engine.ts";
import { StateError } from "../../error.ts";
import { type StateStores, zoneStores } from "../../stores.ts";
import type { Away } from "../waiting.ts";
import { parseHttpAddress } from "./address.ts";
import { type Contents, NOTHING, pack, type StoredEntry, unpack } from "./document.ts";
import { type Index, indexState } from "./index-state.ts";
import { locks, sessionOf } from "./lock.ts";
import type { Transport, TransportTls } from "./protocol.ts";
import { StateServer } from "./server.ts";
import { type Place, readContents, type Session, zoneOf, type ZonePlace } from "./session.ts";

/** The name of the state that holds the list of the others and the claims. */
export const INDEX_NAME = "zoneform-index";

/** What states on an HTTP server need besides their address. */
export interface HttpOptions {
  /** The environment of Terraform's `http` backend, which completes the address. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** Makes the transport to the server; does not connect yet. */
  readonly connect: (tls: TransportTls) => Transport;
  /** The largest response that the transport can read. Nothing larger is written. */
  readonly mostBytes?: number;
  /** Throws for a host that must not be contacted. */
  readonly checkHost?: ((host: string) => void) | undefined;
  readonly away?: Away | undefined;
  /** Called with each password, so that the output filter can mask it. */
  readonly learn?: ((secret: Secret) => void) | undefined;
}

/**
 * The states of projects on a server that speaks the protocol of Terraform's `http` backend. It connects at the first
 * use. Throws `StateError` for an address that cannot be used.
 */
export function httpStores(
  text: string,
  { env, clock, steady, random, connect, mostBytes, checkHost, away, learn }: HttpOptions,
): StateStores {
  const address = parseHttpAddress(text, env);
  checkHost?.(address.host);
  for (const secret of address.secrets) learn?.(secret);
  const transport = connect(address.tls);
  const server = new StateServer({ address, transport, clock, steady, mostBytes, away });
  const index = indexState({ server, clock, steady, random, name: INDEX_NAME, where: address.where(INDEX_NAME) });
  const place: Place = { address, server, index, clock, steady, random, sessions: new Map() };
  return zoneStores(
    httpEngine(place, () => transport.close()),
    { clock, random },
  );
}

/** Each write sends the whole state, so a run announces many changes at once. */
const BATCH = { changes: 100, milliseconds: 60_000 } as const;

/**
 * States on a server that speaks the protocol of Terraform's `http` backend. Each zone is one JSON object, read and
 * replaced as a whole, so a view already has the lines of everything that it names.
 */
export function httpEngine(place: Place, close: () => Promise<void>): Engine {
  const { index, server, address } = place;
  /** The names of the zones that are known to be in the list of states. */
  const listed = new Set<string>();
  const contents = new WeakMap<Entry, StoredEntry>();
  const journals = new WeakMap<View, readonly string[]>();

  function viewOf({ entries, journal, holder, highest }: Contents): View {
    const isEmpty = journal.length === 0 ? ({ isJournalEmpty: true } as const) : {};
    const view = { entries, journal: "", ...isEmpty, taken: holder && { holder, serial: highest } };
    for (const entry of entries) contents.set(entry, entry);
    journals.set(view, journal);
    return view;
  }

  /** Puts the zone into the list before anything is stored for it. */
  async function list({ project, zone }: ZoneKey, { name }: ZonePlace, { entries, journal }: Contents): Promise<void> {
    if (listed.has(name) || entries.length > 0 || journal.length > 0) return;
    const isIn = ({ zones }: Index): boolean => zones.some((each) => each.project === project && each.zone === zone);
    if (!isIn(await index.read()))
      await index.change((found) =>
        isIn(found) ? undefined : { ...found, zones: [...found.zones, { project, zone }] },
      );
    listed.add(name);
  }

  return {
    ...locks(place, viewOf),
    batch: BATCH,
    zones: async () => (await index.read()).zones,
    view: async (key) => viewOf((await readContents(zoneOf(place, key)))?.body ?? NOTHING),
    body: async function* (key, entry) {
      const found = contents.get(entry);
      if (found) yield* linesIn(found, zoneOf(place, key).where);
    },
    journal: (_key, view) => streamed(journals.get(view) ?? []),
    commit: async (key, lease, changes) => {
      const zone = zoneOf(place, key);
      const session = sessionOf(place, zone, lease);
      return viewOf(await commit(place, session, changes, () => list(key, zone, session.contents())));
    },
    append: async (key, lease, lines) => {
      const zone = zoneOf(place, key);
      const session = sessionOf(place, zone, lease);
      if (lines.length === 0) return session.check();
      await list(key, zone, session.contents());
      await session.write((before) => {
        const after: Contents = { ...before, journal: [...before.journal, ...lines] };
        return { contents: after, result: undefined };
      });
    },
    shared: (name) => sharedText(place, name),
    // The holder of the lock has already written the state, so only the address is checked.
    check: async (key) => server.checkLocking(zoneOf(place, key).name),
    describe: (key, name = STATE) => {
      if (!key) return address.place;
      const { where } = zoneOf(place, key);
      return name === STATE ? where : `${where}#${name}`;
    },
    close,
  };
}

/** Makes the changes in one write; calls `list` before it. */
async function commit(place: Place, session: Session, changes: Changes, list: () => Promise<void>): Promise<Contents> {
  checkExpected(session.contents().entries, changes);
  if (isDone(session, changes)) {
    await session.check();
    return session.contents();
  }
  const made: StoredEntry[] = [];
  for (const [name, lines] of changes.put ?? []) made.push(await stored(place, name, lines));
  const journal = changes.journal && (await collected(changes.journal));
  await list();
  const copied = [...(changes.copy ?? [])].filter(([, source]) => source === JOURNAL).map(([name]) => name);
  const copies =
    session.contents().journal.length === 0
      ? []
      : await Promise.all(copied.map((name) => stored(place, name, streamed(session.contents().journal))));
  return session.write((before) => {
    checkExpected(before.entries, changes);
    const entries = changedEntries(before.entries, changes, [...copies, ...made]).map(packed);
    const highest = highestSerial(entries, before.highest);
    const after: Contents = { ...before, entries, highest, journal: journal ?? before.journal };
    return { contents: after, result: after };
  });
}

/** A text in the list of states, which has its own lock. */
function sharedText({ index, clock, random }: Place, name: string): Shared {
  return {
    get: async () => {
      const found = (await index.read()).texts.get(name);
      return { text: found?.text, tag: found?.tag, now: clock.now() };
    },
    replace: async (tag, text, signal) => {
      let isSame = false;
      const next = { text, tag: random.uuid() };
      await index.change((found) => {
        isSame = found.texts.get(name)?.tag === tag;
        return isSame ? { ...found, texts: new Map(found.texts).set(name, next) } : undefined;
      }, signal);
      return isSame;
    },
  };
}

/** Whether a change would only remove entries that do not exist. Then nothing is sent. */
function isDone(session: Session, { copy, put, remove = [], journal }: Changes): boolean {
  const { entries } = session.contents();
  return !copy && !put && !journal && !remove.some((name) => entryOf(entries, name));
}

async function stored({ random }: Place, name: string, lines: AsyncIterable<string>): Promise<StoredEntry> {
  const passing = noting(lines);
  const all = await collected(passing.lines);
  const noted = passing.noted();
  return { name, tag: random.uuid(), ...noted, ...(noted.isWhole ? {} : { content: all }) };
}

/**
 * Only the state itself is stored as text. Everything else is read rarely, and each write sends all of it, so it is
 * compressed.
 */
function packed(entry: StoredEntry): StoredEntry {
  const { name, content } = entry;
  return name === STATE || content === undefined || typeof content === "string"
    ? entry
    : { ...entry, content: pack(content) };
}

function linesIn({ name, start, content = start }: StoredEntry, where: string): readonly string[] {
  if (typeof content !== "string") return content;
  try {
    return unpack(content);
  } catch (cause) {
    const message = `the entry ${name} at ${where} is damaged: it cannot be unpacked`;
    throw new StateError({ code: "record-damaged", message, remedy: "the state does not depend on it" }, { cause });
  }
}
