import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import { defined } from "../../../core/json.ts";
import type { Secret } from "../../../core/secret.ts";
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
import { Outdated, StateError } from "../../error.ts";
import { sessionIn } from "../lease-sessions.ts";
import type { Away } from "../waiting.ts";
import type { Lease } from "../../lock.ts";
import { type StateStores, zoneStores } from "../../stores.ts";
import { type Address, formatAddress, parseAddress } from "./address.ts";
import type { Bucket } from "./bucket.ts";
import { clientBucket } from "./client.ts";
import { emptyHead, keysOf, objectsOf, readView, viewOf } from "./head.ts";
import { findHead } from "./locked-head.ts";
import { linesOf } from "./lines.ts";
import { locks } from "./lock.ts";
import { PATIENCE_MILLISECONDS, type Place, remove, withStateErrors } from "./place.ts";
import type { Session } from "./session.ts";
import { seenObjects, sharedObject, ZoneIndex } from "./shared.ts";

/** Options of `bucketStores`. */
export interface S3Options {
  readonly clock: Clock;
  /** The lock depends on durations, so it uses a clock that is never set. */
  readonly steady: SteadyClock;
  readonly random: Random;
  /** How long a run waits for a server that is gone, in milliseconds. */
  readonly patienceMilliseconds?: number;
  readonly away?: Away | undefined;
  /** The bucket, the prefix and the server, if more is known than `where` says. */
  readonly server?: string;
  /** Whether the server is known to honour conditional writes, so that it is not probed. */
  readonly isTrusted?: boolean;
}

/** Options of `s3Stores`. */
export interface S3StoresOptions extends S3Options {
  /** AWS's environment, which completes the address. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The bucket and the prefix from the project file. */
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  /** Called with each secret, so that the output filter can mask it. */
  readonly learn?: ((secret: Secret) => void) | undefined;
  /** Called with the client's host before anything is sent; throws for an unexpected host. */
  readonly checkHost?: ((host: string) => void) | undefined;
}

/**
 * The states of projects on S3 or a compatible server. It connects at the first use. Throws `StateError` for an address
 * that cannot be used.
 */
export function s3Stores(address: string, options: S3StoresOptions): StateStores {
  const { env, bucket, key, learn = () => undefined, checkHost } = options;
  const parsed = parseAddress(address, defined({ bucket, key }));
  const where = `s3://${parsed.bucket}${parsed.prefix === "" ? "" : `/${parsed.prefix.slice(0, -1)}`}`;
  const client = clientBucket(parsed, { env, learn, checkHost, steady: options.steady });
  const server = formatAddress(completed(parsed, env));
  return { ...bucketStores(client, parsed.prefix, where, { ...options, server }), describe: () => server };
}

/** Adds the environment's values to an address. It leaves out an endpoint that may hold a password. */
function completed(address: Address, env: S3StoresOptions["env"]): Address {
  const region = address.region ?? (env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || undefined);
  const endpoint = address.endpoint ?? (env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || undefined);
  return { ...address, region, endpoint: endpoint !== undefined && /[@?#]/.test(endpoint) ? undefined : endpoint };
}

/** The states of projects below a prefix of a bucket. The parameters are those of `bucketEngine`. */
export function bucketStores(bucket: Bucket, prefix: string, where: string, options: S3Options): StateStores {
  return zoneStores(bucketEngine(bucket, prefix, where, options), options);
}

/**
 * States below a prefix of a bucket: empty, or ending in a slash. One object of each zone, the head, is the lock and
 * names all entries. The holder of the lock changes the head by compare-and-swap on the version that it wrote last.
 * `where` is for messages.
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
    zones: () => withStateErrors(place, "read", () => index.all()),
    view: async (key) => {
      const found = await withStateErrors(place, "read", () => findHead(place, keysOf(key)));
      return readView(found?.head ?? emptyHead());
    },
    body: (key, entry) => bodyLines(place, key, entry),
    journal: (key, view) => {
      const isOfZone = ({ key: { project, zone } }: Session): boolean => project === key.project && zone === key.zone;
      return journalLines(place, key, view, [...sessions.values()].filter(isOfZone));
    },
    commit: (key, lease, changes) =>
      withStateErrors(place, "written", () => commit(place, sessionOf(key, lease), changes)),
    append: async (key, lease, lines) => {
      const session = sessionOf(key, lease);
      if (lines.length === 0) return withStateErrors(place, "read", () => session.checkLease());
      return withStateErrors(place, "written", () => session.append(lines));
    },
    sightings: seenObjects(place),
    shared: (name) => sharedObject(place, `_${name}`),
    // Taking the lock has shown that objects can be written. A role that may not delete would leave everything it
    // replaces, and is refused even if there is nothing to delete.
    check: (key) => withStateErrors(place, "written", () => remove(place, keysOf(key).check)),
    describe: (key, name = STATE) => (key ? `${where}/${key.project}/${key.zone}.${name}` : where),
    close: async () => {
      for (const session of sessions.values()) session.abandon();
      sessions.clear();
      bucket.close();
    },
  };
}

/** The lines of the journal of a view. The holder of the lock already has the lines that it added. */
async function* journalLines(place: Place, key: ZoneKey, view: View, own: readonly Session[]): AsyncIterable<string> {
  // The lock was never taken, so nothing was written.
  if (!view.taken) return;
  const journal = objectsOf(view.journal);
  const found = own.map((session) => session.ownJournal()).find((each) => each?.name === journal.name);
  const missing = (object: string): StateError =>
    new StateError({
      code: "journal-damaged",
      message: `the journal at ${place.where} is damaged: the object ${object} is missing`,
      remedy: "restore it, if the bucket keeps versions; to see what can be recovered: zoneform state repair --dry-run",
    });
  yield* linesOf(place, keysOf(key), found ?? journal, { missing, mayHaveMore: !found, known: found?.known });
}

/** The lines of an entry; the head has those of a short one. */
async function* bodyLines(place: Place, key: ZoneKey, { start, isWhole, tag }: Entry): AsyncIterable<string> {
  if (isWhole) yield* start;
  const missing = (object: string): Outdated =>
    new Outdated({
      code: "state-damaged",
      message: `the state at ${place.where} is damaged: the object ${object} is missing`,
      remedy: "restore it, if the bucket keeps versions, or run zoneform state repair",
    });
  yield* linesOf(place, keysOf(key), objectsOf(tag), { missing });
}

/**
 * First stores all lines, to which nothing refers yet. Then one write of the head switches every reference to the new
 * lines.
 */
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
    const journal = changes.journal && (await session.stageJournal(changes.journal));
    await session.change((head) => {
      checkExpected(head.entries, changes);
      const entries = changedEntries(head.entries, changes, made);
      return { ...head, entries, serial: highestSerial(entries, head.serial), journal: journal ?? head.journal };
    });
  };
  // No append may reach a journal that is about to end.
  await (changes.journal || ofJournal.length > 0 ? session.withJournal(act) : act());
  const head = session.head();
  // A journal that just began has a new name, so it has no objects that the head does not know.
  return { ...viewOf(head), ...(changes.journal && head.journal.count === 0 ? { isJournalEmpty: true } : {}) };
}
