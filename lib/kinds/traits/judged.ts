import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Live } from "../live.ts";
import type { Comparison } from "./compared.ts";

/**
 * What can go wrong when a change is carried out: a closed set (docs/semantics.md#hazards). `irreversible` sends something that
 * cannot come back; `outage` cuts off an active hostname; `weakens-protection` lets in what was kept out; `needs-customer`
 * wants a new DNS record from the customer; `reissue` orders a new certificate; `loses-foreign-rule` removes a rule of
 * somebody else.
 */
export const HAZARDS = [
  "irreversible",
  "outage",
  "weakens-protection",
  "needs-customer",
  "reissue",
  "loses-foreign-rule",
] as const;

/** One of `HAZARDS`. */
export type Hazard = (typeof HAZARDS)[number];

/**
 * What is lost with an object: its certificate, its validation, which begins anew for one that is created again, and service
 * until both are there.
 */
export type Loss = "certificate" | "validation" | "downtime";

/** What a planned write does to the service's limits. */
export interface WriteCost {
  /** Calls, the re-read included. */
  readonly calls: number;
  readonly issuances: number;
}

/** A thing that not every subscription has. */
export interface SubscriptionNeed {
  /** As in "needs Enterprise for …". */
  readonly what: string;
  readonly least: "pro" | "business" | "enterprise";
  /** What the service answers without it. */
  readonly answer: string;
  readonly remedy: string;
  /** Whether an object with these values needs it; absent: each does. */
  readonly isNeeded?: (values: JsonObject) => boolean;
}

/** What a change of an object may do to its users and to the service's limits. Pure. */
export interface Judged {
  hazards(input: {
    action: "create" | "update" | "replace" | "delete";
    key: string;
    desired: JsonObject | undefined;
    live: Live | undefined;
    comparison: Comparison | undefined;
    /** It goes because another object has taken its place, and serves (`replacement`). */
    isReplaced?: boolean;
    /** So many live hostnames serve from it; absent where it carries none, or they were not read. */
    carried?: number;
  }): readonly Hazard[];
  /** Whether the object protects less with the values behind, or nobody can prove that it does not. Absent: it protects nobody. */
  weakens?(from: JsonObject, to: JsonObject, key: string): boolean;
  /** What goes with an object that is deleted, and what it takes to have it again; absent where nothing does. */
  losses?(live: Live): readonly Loss[];
  /**
   * What it takes of the zone's subscription to write the object: the `least` that has it, and what the service answers
   * below that. `by-values`: some values need more (`lib/plan/subscription.ts`). Absent: every zone has it.
   */
  readonly subscription?: SubscriptionNeed | "by-values";
  cost(action: "create" | "update" | "replace" | "delete", leaves: readonly LeafChange[]): WriteCost;
}
