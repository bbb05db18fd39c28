import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Hazard, HazardWords } from "../hazards.ts";
import type { Live } from "../live.ts";
import type { Comparison, RuleChange } from "./compared.ts";

/**
 * What is lost with an object: its certificate, its validation, which starts over when it is created again, and service
 * until both are back.
 */
export type Loss = "certificate" | "validation" | "downtime";

/** A status, and the time (RFC 3339, by the service's clock) at which an object had it. */
export interface Sighting {
  readonly status: string;
  readonly at: string;
}

/** The status that is recorded for an object that is gone; the service has none for it. */
export const GONE = "gone";

/** Statuses of an object that is deleted or being deleted. */
export const DELETION: ReadonlySet<string> = new Set(["pending_deletion", "deleted", GONE]);

/** Who deleted an object, as far as known. */
export type Deleter = "service" | "somebody" | "unknown";

/** How much a planned write uses of the service's limits. */
export interface WriteCost {
  /** Calls, including the re-read. */
  readonly calls: number;
  readonly issuances: number;
}

/** The subscriptions of a zone, cheapest first (docs/service.md#zones-and-plans). */
export const SUBSCRIPTIONS = ["free", "pro", "business", "enterprise"] as const;

/** A zone's subscription. */
export type Level = (typeof SUBSCRIPTIONS)[number];

/** A feature that not every subscription has, and the lowest one that does. */
export interface SubscriptionNeed {
  /** Fits into "needs Enterprise for …". */
  readonly what: string;
  readonly least: Level;
  /** How the service responds without it. */
  readonly answer: string;
  readonly remedy: string;
  /**
   * The service's documentation says so; for the others, a contract may grant more than the subscription
   * (docs/service.md#zones-and-plans).
   */
  readonly isCertain?: true;
}

/** A planned write of an object. */
export interface PlannedWrite {
  readonly action: "create" | "update" | "replace" | "adopt";
  readonly key: string;
  readonly desired: JsonObject;
  readonly leaves: readonly LeafChange[];
  readonly rules: readonly RuleChange[];
  readonly live: Live | undefined;
  /** The zone's subscription; the cheapest one if it is not known. */
  readonly level: Level;
}

/** What hazards mean for the objects of a kind, planned and found, where that is not what they mean for others. */
export type OwnHazardWords = Partial<
  Record<Hazard, { words?(change: HazardousChange): HazardWords; readonly foundWords?: HazardWords }>
>;

/** The parts of a planned change that the words of a hazard come from. */
interface HazardousChange {
  readonly action: string;
  readonly desired?: JsonObject;
  readonly leaves: readonly LeafChange[];
}

/** What a change of an object may do to its users and to the service's limits. Pure. */
export interface Judged {
  hazards(input: {
    action: "create" | "update" | "replace" | "delete";
    key: string;
    desired: JsonObject | undefined;
    live: Live | undefined;
    /** Its `rules` are empty if it was done outside Zoneform. */
    comparison: Comparison | undefined;
    /** It is deleted because another object has replaced it and serves traffic (`replacement`). */
    isReplaced?: boolean;
    /** How many live hostnames use it; absent if hostnames cannot use it or were not read. */
    carried?: number;
    /** It was done outside Zoneform: nobody has reviewed where traffic goes now. */
    isFound?: boolean;
  }): readonly Hazard[];
  readonly hazardWords?: OwnHazardWords;
  /**
   * Whether the object may protect less with the later values than with the earlier ones. Absent: it protects nobody.
   */
  weakens?(from: JsonObject, to: JsonObject, key: string): boolean;
  /**
   * Who deleted a missing object, from its observations in order of time. Absent: the service deletes none by itself.
   */
  deletedBy?(history: readonly Sighting[], now: string): Deleter;
  /**
   * The status by which a missing object served traffic or not, from its observations in order of time. Absent:
   * `active`.
   */
  lastStatus?(history: readonly Sighting[]): string;
  /** What is lost when an object is deleted; absent if nothing is. */
  losses?(live: Live): readonly Loss[];
  /** The features in a write that not every subscription has. Absent: there are none. */
  subscription?(write: PlannedWrite): readonly SubscriptionNeed[];
  cost(action: "create" | "update" | "replace" | "delete", leaves: readonly LeafChange[]): WriteCost;
}
