import type { DesiredZone } from "../config/desired.ts";
import type { LiveZone } from "../refresh/refresh.ts";
import type { SecretReference } from "../core/secret.ts";
import { type Hazard, HAZARDS } from "../kinds/traits/judged.ts";
import { WRITE_ACTIONS } from "../state/record.ts";
import type { Seen, SourceSeen, State } from "../state/state.ts";
import type { Action, MovesTo } from "./change.ts";

/** What a plan of one zone is made from: nothing else goes into it. */
export interface PlanInput {
  readonly desired: DesiredZone;
  /** Absent where the zone has no state yet. */
  readonly state: State | undefined;
  /** How many records of a stopped run's journal are in it; absent for none. */
  readonly journalRecords?: number;
  readonly live: LiveZone;
  /** Whether addresses carry the zone's name, because the project has several zones. */
  readonly isOneOfMany: boolean;
  /** The fingerprint of a secret under the state's key; undefined where there is no key yet or no such secret. */
  readonly fingerprintOf: (reference: SecretReference) => string | undefined;
  /** The SHA-256 fingerprint of the certificate in a secret; undefined where it is not at hand, or holds none. */
  readonly certificateOf?: (reference: SecretReference) => string | undefined;
  /** What is missing of a secret that is not at hand; absent where all have to be. */
  readonly absenceOf?: (reference: SecretReference) => string | undefined;
  /** RFC 3339, by the local clock. */
  readonly now: string;
  /** The same by the clock of the service, for all that the service dates or decides; absent where no answer said it. */
  readonly serviceNow?: string;
  /** What other runs saw of hostnames, by id and in order of time; what the state tracks has it as well. */
  readonly observed?: ReadonlyMap<string, readonly Seen[]>;
  readonly selection: Selection;
  /** What each source of the zone gave. */
  readonly sources: Readonly<Record<string, SourceSeen>>;
  /** The sources that are known to be whole: by a manifest, or because somebody says so. */
  readonly wholeSources?: ReadonlySet<string>;
  /** Of each hostname of this zone that moves away and is tracked still: where to, and what keeps it from going. By its key. */
  readonly leaving: ReadonlyMap<string, Leaving>;
  /** Plans the removal of everything that Zoneform tracks (the command `destroy`). */
  readonly isDestroy: boolean;
}

/** A hostname that is served by another entry once that one is active. */
export interface Leaving {
  readonly to: MovesTo;
  /** Why the other one does not serve yet; absent where it does. */
  readonly waits?: string;
}

/** What the caller wants of a plan. */
export interface Selection {
  /** Addresses, or empty for all. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  /** Hazards and actions that are refused. */
  readonly deny: readonly (Hazard | Action)[];
}

/** All of it, nothing denied. */
export const EVERYTHING: Selection = { target: [], exclude: [], deny: [] };

/** Every hazard and every action that `--deny` takes. */
export const WORDS_TO_DENY: readonly (Hazard | Action)[] = [...HAZARDS, ...WRITE_ACTIONS];
