import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import {
  changedEntries,
  type Changes,
  checkExpected,
  type Engine,
  type Entry,
  highestSerial,
  JOURNAL,
  STATE,
  type View,
  type ZoneKey,
} from "../../engine.ts";
import { sessionIn } from "../lease-sessions.ts";
import type { Away } from "../waiting.ts";
import type { Lease } from "../../store.ts";
import { linesOfBody } from "./bodies.ts";
import type { Bucket } from "./bucket.ts";
import { emptyHead, type JournalName, journalOf, keysOf, readView, viewOf } from "./head.ts";
import { readHead } from "./held-head.ts";
import { locks } from "./lock.ts";
import { PATIENCE_MILLISECONDS, type Place, remove, told } from "./place.ts";
import { chunksOf, linesOfJournal, linesOfOwn } from "./segments.ts";
import type { Session } from "./session.ts";
import { sharedObject, ZoneIndex } from "./shared.ts";
import { seenObjects } from "./sightings.ts";

/** What states in a bucket need besides the bucket. */
export interface S3Options {
  readonly clock: Clock;
  /** The lock is a matter of durations, so its clock is one that nobody sets. */
  readonly steady: SteadyClock;
  readonly random: Random;
  /** How long a run waits for a server that is gone, in milliseconds. */
  readonly patienceMilliseconds?: number;
  readonly away?: Away | undefined;
  /** The bucket, the prefix and the server, if more of it is known than `where` says. */
  readonly server?: string;
  /** The server is known to keep the promises of conditional writes, so it is not probed. */
  readonly isTrusted?: boolean;
}

/**
 * States below a prefix of a bucket: empty, or ending in a slash. Of each zone one object, the head, is the lock and names
 * all entries; who holds the lock replaces exactly the version that it wrote last. `where` is for messages.
 */
export function bucketEngine(bucket: Bucket, prefix: string, where: string, options: S3Options): Engine {
  const { clock, steady, random, away, patienceMilliseconds = PATIENCE_MILLISECONDS, isTrusted = false } = options;
  const place: Place = {
    bucket,
    prefix,
    where,
    server: options.server ?? where,
    clock,
    steady,
    random,
    patienceMilliseconds,
    away,
    known: { wasReached: false, isTrusted, hasGivenUp: false },
  };
  const sessions = new Map<string, Session>();
  const index = new ZoneIndex(place);
  const sessionOf = ({ project, zone }: ZoneKey, lease: Lease): Session => sessionIn(sessions, project, zone, lease);
  return {
    ...locks(place, sessions, index),
    zones: () => told(place, "read", () => index.all()),
    view: async (key) => readView((await readHead(place, keysOf(key))) ?? emptyHead()),
    body: (key, entry) => linesOfBody(place, keysOf(key), entry),
    journal: (key, view) => {
      const isOfZone = ({ key: { project, zone } }: Session): boolean => project === key.project && zone === key.zone;
      return journalLines(place, key, view, [...sessions.values()].filter(isOfZone));
    },
    commit: (key, lease, changes) => commit(place, sessionOf(key, lease), changes),
    append: async (key, lease, lines) => {
      const session = sessionOf(key, lease);
      return lines.length === 0 ? session.checkHeld() : session.append(lines);
    },
    sightings: seenObjects(place),
    shared: (name) => sharedObject(place, `_${name}`),
    check: (key) => told(place, "written", () => checkWritable(place, key)),
    describe: (key, name = STATE) => (key ? `${where}/${key.project}/${key.zone}.${name}` : where),
    close: async () => {
      for (const session of sessions.values()) session.abandon();
      sessions.clear();
      bucket.close();
    },
  };
}

/** The lines of the journal of a view. What the holder of the lock wrote itself it need not ask for. */
async function* journalLines(place: Place, key: ZoneKey, view: View, own: readonly Session[]): AsyncIterable<string> {
  // Nobody took the lock yet, so nobody wrote.
  if (!view.taken) return;
  const journal = journalOf(view);
  const known = own.map((session) => session.ownJournal()).find((each) => each?.name === journal.name);
  yield* known ? linesOfOwn(place, keysOf(key), known) : linesOfJournal(place, keysOf(key), journal);
}

/** Stores all lines, which nothing names yet; then one write of the head names them, and nothing of what was before. */
async function commit(place: Place, session: Session, changes: Changes): Promise<View> {
  checkExpected(session.head().entries, changes);
  const made: Entry[] = [];
  for (const [name, lines] of changes.put ?? []) made.push(await session.stage(name, lines));
  const ofJournal = [...(changes.copy ?? [])].filter(([, source]) => source === JOURNAL);
  const act = async (): Promise<void> => {
    for (const [name] of ofJournal) {
      const copy = await session.stage(name, journalLines(place, session.key, viewOf(session.head()), [session]));
      if (copy.bytes > 0) made.push(copy);
    }
    const journal = changes.journal && (await newJournal(session, changes.journal));
    await session.change((head) => {
      checkExpected(head.entries, changes);
      const entries = changedEntries(head.entries, changes, made);
      return { ...head, entries, serial: highestSerial(entries, head.serial), journal: journal ?? head.journal };
    });
  };
  // Nothing is appended meanwhile to a journal that is about to end.
  await (changes.journal || ofJournal.length > 0 ? session.withJournal(act) : act());
  const head = session.head();
  // Only of a journal that was just begun, under a new name, does anybody know that there is nothing beyond the head.
  return { ...viewOf(head), ...(changes.journal && head.journal.segments === 0 ? { isJournalEmpty: true } : {}) };
}

async function newJournal(session: Session, lines: AsyncIterable<string>): Promise<JournalName> {
  const name = session.newName();
  let segments = 0;
  for await (const chunk of chunksOf(lines)) {
    await session.putSegment(keysOf(session.key).segment(name, segments), chunk);
    segments += 1;
  }
  return { name, segments };
}

/**
 * That objects can be deleted here, although there is none of this name: a role that may not would leave everything that
 * it replaces. That they can be written was shown by taking the lock.
 */
async function checkWritable(place: Place, key: ZoneKey): Promise<void> {
  await remove(place, keysOf(key).check);
}
