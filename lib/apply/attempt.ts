import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import { fingerprint, type SecretReference } from "../core/secret.ts";
import type { Change } from "../plan/change.ts";
import { withFingerprints } from "../plan/secrets.ts";
import { localAddress } from "../plan/targets.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { ReadContext, Reveal } from "../kinds/traits/remote.ts";
import type { FreshClient } from "../service/client.ts";
import { appliedBy, type AppliedBy, shortRun, type State, type StateObject } from "../state/state.ts";
import type { Journal } from "../state/open-journal.ts";
import { type ApplyRun, whyStopped } from "./run.ts";
import type { Live } from "../kinds/live.ts";

/** One attempt at a change: the change and everything that applying it needs. A write happens in its tries (`tries.ts`). */
export interface Attempt {
  readonly change: Change;
  readonly kind: Kind;
  readonly zone: ZoneId;
  /** The object's address in the state, without the zone's name. */
  readonly address: string;
  /** What the state had for the object when the run began. */
  readonly before: StateObject | undefined;
  /** What the state had for the other objects. */
  readonly known: Known;
  /** The desired values, with fingerprints in place of secrets. Throws `Refusal` if a secret is not available. */
  readonly desired: () => JsonObject;
  /** The attempt at the object that the same call writes (`Change.with`). */
  readonly companion?: Attempt;
  /** For reads that no write relies on. A kind cannot use this client to write. */
  readonly client: FreshClient;
  readonly journal: Journal;
  /** The id of the run, as the state shortens it. */
  readonly run: string;
  readonly clock: Clock;
  readonly reveal: Reveal;
  readonly signal?: AbortSignal | undefined;
  /** Why no new try may begin, however long the try waited for its turn with the service; undefined if it may. */
  readonly whyStopped: () => string | undefined;
}

/** Creates the attempts of a zone's run, one for each change. */
export type OpenAttempt = (change: Change) => Attempt;

/** Prepares the attempts of a zone. `state` is the zone's, with the key of its fingerprints. */
export function openAttempts(run: ApplyRun, zone: ZoneId, state: State, known: Known, journal: Journal): OpenAttempt {
  const { client, world, options } = run;
  const fingerprintOf = (reference: SecretReference): string => fingerprint(options.reveal(reference), state.secretKey);
  const open: OpenAttempt = (change) => {
    const address = localAddress(change.kind, change.key);
    const kind = kindNamed(change.kind);
    let desired: JsonObject | undefined;
    return {
      change,
      kind,
      zone,
      address,
      before: known.at(address),
      known,
      desired: () => (desired ??= withFingerprints(change.desired ?? {}, kind.writeOnly, fingerprintOf)),
      ...(change.with ? { companion: open(change.with) } : {}),
      client,
      journal,
      run: shortRun(run.id),
      clock: world.clock,
      reveal: options.reveal,
      signal: world.signal,
      whyStopped: () => whyStopped(run),
    };
  };
  return open;
}

/** What the state had for the zone's objects when this run began. */
interface Known {
  /** Whether the state was written after the plan was made: then it is newer than the plan. */
  readonly isStale: boolean;
  /** The object at an address. */
  readonly at: (address: string) => StateObject | undefined;
  /** Which runs last applied what is at an address. */
  readonly by: (address: string) => AppliedBy | undefined;
  /** The ids of the kind's objects at other addresses. */
  readonly idsBeside: (kind: string, address: string) => readonly string[];
  /** The address that the state has for an id. */
  readonly addressOf: (kind: string, id: string) => string | undefined;
}

/** Indexes a state. `observed` is the same state with what read-only runs have observed of hostnames since. */
export function indexKnown(state: State, observed: State, isStale: boolean): Known {
  return {
    isStale,
    at: (address) => observed.objects.get(address),
    by: (address) => appliedBy(state, address),
    idsBeside: (kind, address) =>
      [...state.objects].flatMap(([known, object]) => (object.kind === kind && known !== address ? [object.id] : [])),
    addressOf: indexById(state),
  };
}

/** The index is only built when it is first needed. */
function indexById({ objects }: State): Known["addressOf"] {
  let addresses: ReadonlyMap<string, string> | undefined;
  return (kind, id) => {
    addresses ??= new Map([...objects].map(([address, object]) => [`${object.kind} ${object.id}`, address]));
    return addresses.get(`${kind} ${id}`);
  };
}

/**
 * Reads the change's object by its id. With a try as `context`, this is the read that the write relies on; with the
 * attempt, it is not.
 */
export function reread({ change, kind }: Attempt, { client, zone, signal }: ReadContext): Promise<Live | undefined> {
  return kind.read(client, zone, { id: change.id ?? "", key: change.key }, signal);
}

/**
 * A read that is to settle a write with a lost response. If the read fails, the write stays unknown; the read's error
 * must not count as the write's.
 */
export async function readOrUnknown<T>(read: Promise<T>): Promise<T | "unknown"> {
  return read.catch(() => "unknown" as const);
}

/** How often to look for an object before giving up: lists lag behind writes. */
const LOOKS = 4;
const FIRST_WAIT_MILLISECONDS = 500;

/** Looks for an object whose create may have taken effect, several times with growing waits. Repeats no write. */
export async function findAgain<T>(clock: Clock, find: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await clock.sleep(FIRST_WAIT_MILLISECONDS * 2 ** (look - 1));
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}
