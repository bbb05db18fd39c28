import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ObjectHazard } from "../hazards.ts";
import type { Live, Options } from "../live.ts";
import type { RuleChange } from "./compared.ts";

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

/** What happens to an object: a planned change of it, or what was done to it outside Zoneform. */
export interface Step {
  readonly action: "create" | "update" | "replace" | "delete";
  readonly key: string;
  /** All values before; of a new object, those that its policies ask for. */
  readonly from: JsonObject;
  /** All values after; absent if the object is gone. */
  readonly to?: JsonObject;
  /** The fields that change, from `before` to `after`; empty if the object is created or deleted. */
  readonly leaves: readonly LeafChange[];
  /** The rules that change; if they were changed outside Zoneform, only their refs. */
  readonly rules: readonly (Pick<RuleChange, "ref"> & Partial<RuleChange>)[];
  /** The declared values, if the step is planned, else the live ones; absent if the object is gone. */
  readonly desired: JsonObject | undefined;
  /** The values that were last applied; absent if nothing was. */
  readonly prior: JsonObject | undefined;
  readonly options: Options;
  /** The object before the step, with its status of now; absent if it is created. */
  readonly live: Live | undefined;
  /** It is deleted because another object has replaced it and serves traffic (`replacement`). */
  readonly isReplaced?: boolean;
  /** How many live hostnames use it; absent if hostnames cannot use it or were not read. */
  readonly carried?: number;
  /** It was done outside Zoneform: nobody has reviewed where traffic goes now. */
  readonly isFound?: true;
}

/** What a change of an object may do to its users and to the service's limits. Pure. */
export interface Judged {
  /** The hazards of a step, planned or found: each with its place and, if they differ from the table's, its words. */
  hazards(step: Step): readonly ObjectHazard[];
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
