import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import type { SecretReference } from "../core/secret.ts";
import type { Change } from "../plan/change.ts";
import { localAddress } from "../plan/targets.ts";
import type { Reveal, WriteContext } from "../kinds/traits/remote.ts";
import type { Client, FreshClient } from "../service/client.ts";
import type { Journal } from "../state/open-journal.ts";
import type { StateObject } from "../state/state.ts";
import type { Preparation } from "./ahead.ts";
import type { Outcome } from "./outcome.ts";

/** What carrying out a change needs. */
export interface Performance {
  readonly client: FreshClient;
  readonly clock: Clock;
  readonly zone: ZoneId;
  readonly journal: Journal;
  readonly reveal: Reveal;
  readonly fingerprintOf: (reference: SecretReference) => string;
  /** Whether the state has been written since the plan was made: then its word is newer than the plan's. */
  readonly isStale: boolean;
  /** What the state knew of an object when this run began. */
  readonly before: (address: string) => StateObject | undefined;
  /** The ids of the kind's objects that the state knew under other addresses than this one. */
  readonly idsBeside: (kind: string, address: string) => readonly string[];
  /** Prepares a create ahead of its request. */
  readonly ahead: Preparation;
  /** The address under which the state knew an id when this run began. */
  readonly knownAs: (kind: string, id: string) => string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An outcome, and the id of the object that it left behind. */
export interface Performed {
  readonly outcome: Outcome;
  readonly id?: string;
  /** Why no further change may be started: it would go the same way, and do harm. */
  readonly stops?: string;
}

/** It was done, and there is nothing to say about it. */
export const DONE: Performed = { outcome: { status: "done" } };

/** What a kind's writes need of a performance; `client` is the one that has just read the object. */
export function contextOf(
  { client: outside, zone, reveal, signal }: Performance,
  client: Client = outside,
): WriteContext {
  return {
    client,
    freshly: (needs, act, stop) => outside.freshly(needs, act, stop),
    zone,
    reveal,
    signal,
  };
}

/** The address of a change's object in the state: without the zone's name. */
export function addressOf(change: Change): string {
  return localAddress(change.kind, change.key);
}
