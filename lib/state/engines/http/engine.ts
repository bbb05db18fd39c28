import { collected, streamed } from "../../../core/streams.ts";
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
import { type Contents, NOTHING, pack, type StoredEntry, unpack } from "./document.ts";
import type { Index } from "./index-state.ts";
import { locks, sessionOf } from "./lock.ts";
import { type Place, zoneOf, type ZonePlace } from "./place.ts";
import { readContents, type Session } from "./session.ts";

/** Each write sends the whole state, so that the changes of a run are announced together. */
const BATCH = { changes: 100, milliseconds: 60_000 } as const;

/**
 * States on a server that speaks the protocol of Terraform's `http` backend: one JSON object for each zone, read and
 * replaced as a whole, so a view has the lines of everything that it names.
 */
export function httpEngine(place: Place, close: () => Promise<void>): Engine {
  const { index, server, address } = place;
  /** The zones that are known to be in the list of the states, by their names on the server. */
  const listed = new Set<string>();
  const recent = recentIndex(place);
  const contents = new WeakMap<Entry, StoredEntry>();
  const journals = new WeakMap<View, readonly string[]>();

  function viewOf({ entries, journal, holder, highest }: Contents): View {
    const isEmpty = journal.length === 0 ? ({ isJournalEmpty: true } as const) : {};
    const view = { entries, journal: "", ...isEmpty, taken: holder && { holder, serial: highest } };
    for (const entry of entries) contents.set(entry, entry);
    journals.set(view, journal);
    return view;
  }

  /** The zone is in the list before it has anything. */
  async function list({ project, zone }: ZoneKey, { name }: ZonePlace, { entries, journal }: Contents): Promise<void> {
    if (listed.has(name) || entries.length > 0 || journal.length > 0) return;
    const isIn = ({ zones }: Index): boolean => zones.some((each) => each.project === project && each.zone === zone);
    if (!isIn(await index.read()))
      await index.change((found) =>
        isIn(found) ? undefined : { ...found, zones: [...found.zones, { project, zone }] },
      );
    listed.add(name);
  }

  const locking = locks(place, viewOf);
  return {
    ...locking,
    lock: (...wish) => locking.lock(...wish).finally(() => recent.forget()),
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
      const done = commit(place, session, changes, () => list(key, zone, session.contents()));
      return viewOf(await done.finally(() => recent.forget()));
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
    shared: (name) => sharedText(place, recent, name),
    // Whoever holds the lock has written the state already.
    check: async (key) => server.checkLocking(zoneOf(place, key).name),
    describe: (key, name = STATE) => {
      if (!key) return address.place;
      const { where } = zoneOf(place, key);
      return name === STATE ? where : `${where}#${name}`;
    },
    close,
  };
}

/** Changes what is stored in one write, before which `list` is called. */
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

/** The list of the states as it was read a moment ago. */
interface RecentIndex {
  /** Reads it for a text, unless it was read for others since this process took a lock or wrote: each text gets that once. */
  read(name: string): Promise<Index>;
  forget(): void;
}

const RECENT_MILLISECONDS = 1000;

function recentIndex({ index, steady }: Place): RecentIndex {
  let last: { readonly index: Index; readonly at: number; readonly given: Set<string> } | undefined;
  let changes = 0;
  return {
    read: async (name) => {
      if (last && !last.given.has(name) && steady.now() - last.at < RECENT_MILLISECONDS) {
        last.given.add(name);
        return last.index;
      }
      const [at, before] = [steady.now(), changes];
      const found = await index.read();
      if (changes === before) last = { index: found, at, given: new Set([name]) };
      return found;
    },
    forget: () => {
      changes += 1;
      last = undefined;
    },
  };
}

/** A text in the list of the states, which has a lock of its own. */
function sharedText({ index, clock, random }: Place, recent: RecentIndex, name: string): Shared {
  return {
    get: async () => {
      const found = (await recent.read(name)).texts.get(name);
      return { text: found?.text, tag: found?.tag, now: clock.now() };
    },
    replace: async (tag, text, signal) => {
      let isSame = false;
      const next = { text, tag: random.uuid() };
      await index.change((found) => {
        isSame = found.texts.get(name)?.tag === tag;
        return isSame ? { ...found, texts: new Map(found.texts).set(name, next) } : undefined;
      }, signal);
      recent.forget();
      return isSame;
    },
  };
}

/** Whether a change would only remove what is not there: then nothing is sent. */
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

/** Only the state itself stands in the clear: everything else is seldom read, and each write sends all of it. */
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
