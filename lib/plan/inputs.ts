import type { DesiredZone, SourceRows } from "../config/desired.ts";
import type { LiveZone } from "../refresh/refresh.ts";
import type { SecretReference } from "../core/secret.ts";
import { type Hazard, HAZARDS } from "../kinds/hazards.ts";
import type { Claim } from "../state/zone/claims.ts";
import type { DriftCheck, LastChecks } from "../state/observations.ts";
import { WRITE_ACTIONS } from "../state/journal-record.ts";
import type { Seen, State } from "../state/state.ts";
import type { Action, MovesTo } from "./change.ts";

/** Everything that the plan of one zone is computed from. */
export interface PlanInput {
  readonly desired: DesiredZone;
  /** Absent if the zone has no state yet. */
  readonly state: State | undefined;
  /** How many journal records of a stopped run the state includes; absent for none. */
  readonly journalRecords?: number;
  readonly live: LiveZone;
  /** Whether addresses carry the zone's name, because the project has several zones. */
  readonly isOneOfMany: boolean;
  /** The fingerprint of a secret under the state's key; undefined if there is no key yet or no such secret. */
  readonly fingerprintOf: (reference: SecretReference) => string | undefined;
  /** The SHA-256 fingerprint of the certificate in a secret; undefined if the secret is not available or holds none. */
  readonly certificateOf?: (reference: SecretReference) => string | undefined;
  /** Why a secret is not available; absent if all secrets are required. */
  readonly absenceOf?: (reference: SecretReference) => string | undefined;
  /** RFC 3339, by the local clock. */
  readonly now: string;
  /**
   * The same by the service's clock, for everything that the service dates or decides; absent if no response had a
   * date.
   */
  readonly serviceNow?: string;
  /** What other runs observed of hostnames, by id and in order of time; it is merged into the tracked objects too. */
  readonly observed?: ReadonlyMap<string, readonly Seen[]>;
  /** When drift was last checked, as far as runs recorded it. */
  readonly driftChecks?: LastChecks;
  /** All recorded checks against this state that succeeded, oldest first. */
  readonly recentChecks?: readonly DriftCheck[];
  readonly selection: Selection;
  /** What other projects of the store claim in the zone. */
  readonly othersClaims?: readonly Claim[];
  /** What each source of the zone contained. */
  readonly sources: Readonly<Record<string, SourceRows>>;
  /** Sources that the user calls complete, for this plan only. */
  readonly completeSources?: ReadonlySet<string>;
  /** Tracked hostnames that move away, by key: where they move to, and what they wait for. */
  readonly leaving: ReadonlyMap<string, Leaving>;
  /** Plans the deletion of everything that Zoneform tracks (`destroy`). */
  readonly isDestroy: boolean;
}

/** A hostname that another entry replaces once the other one is active. */
export interface Leaving {
  readonly to: MovesTo;
  /** Why the other one does not serve traffic yet; absent if it does. */
  readonly waits?: string;
}

/** What the caller selects and denies. */
export interface Selection {
  /** Addresses, or empty for all. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  /** Hazards and actions to block. */
  readonly deny: readonly (Hazard | Action)[];
}

/** Everything selected, nothing denied. */
export const EVERYTHING: Selection = { target: [], exclude: [], deny: [] };

/** Every hazard and action that `--deny` accepts. */
export const WORDS_TO_DENY: readonly (Hazard | Action)[] = [...HAZARDS, ...WRITE_ACTIONS];
