import type { Path } from "../core/json.ts";
import type { Meant } from "../service/explanations/statuses.ts";

/**
 * What can go wrong when a change is applied, worst first: a closed set (docs/semantics.md#hazards), because plans, jobs
 * and `--deny` know these names.
 */
export const HAZARDS = [
  "irreversible",
  "outage",
  "weakens-protection",
  "loses-foreign-rule",
  "needs-customer",
  "reissue",
] as const;

/** One of `HAZARDS`. */
export type Hazard = (typeof HAZARDS)[number];

/** What a hazard means for objects: it follows the name of one, or the number of several. */
export interface HazardWords {
  readonly one: string;
  readonly many: string;
}

/**
 * A hazard of one object, as the kind finds it (`Judged.hazards`): which one, where it is, and what it means. Every
 * report prints it as it is. With neither fields nor rules, it is about the whole object.
 */
export interface ObjectHazard {
  readonly hazard: Hazard;
  /** The fields that it is about. The plan marks them, and names their values unless there are `words`. */
  readonly paths?: readonly Path[];
  /** The refs of the rules that it is about. The plan marks them, and the hazard names each of them. */
  readonly rules?: readonly string[];
  /** What it means, after the name of the object or of each rule. Absent: how its fields or rules change, else the table's. */
  readonly words?: HazardWords;
  /** More sentences below it, such as the errors that the service reports. */
  readonly details?: readonly string[];
}

/** What every screen and page says about a hazard. */
interface HazardMeaning extends Meant {
  /** Whether users are in danger. The example jobs ask for a review of every danger. */
  readonly mark: "DANGER" | "NOTICE";
  /** For a planned change, if the object's own hazard has no words (`ObjectHazard.words`). */
  readonly words: HazardWords;
  /** For what was done outside Zoneform. */
  readonly foundWords: HazardWords;
}

/** What each hazard means. */
export const HAZARD_MEANINGS: Readonly<Record<Hazard, HazardMeaning>> = {
  irreversible: {
    mark: "DANGER",
    cause: "the change sends something that cannot be undone, such as a step of the WAF migration",
    remedy: "review it; to block such changes: zoneform plan --deny irreversible",
    words: both(" cannot be undone"),
    foundWords: both(" was changed, with no way back"),
  },
  outage: {
    mark: "DANGER",
    cause:
      "a hostname goes offline (it, its certificate or its fallback origin would go), or a name of the zone loses TLS",
    remedy: "review the hostnames; to block such changes: zoneform plan --deny outage",
    words: { one: " goes offline", many: " go offline" },
    foundWords: both(": offline"),
  },
  "weakens-protection": {
    mark: "DANGER",
    cause: "the change may let in traffic that is blocked today",
    remedy: "review the rule or the TLS setting; to block such changes: zoneform plan --deny weakens-protection",
    words: both(" may let more through"),
    foundWords: both(" may let more through"),
  },
  "loses-foreign-rule": {
    mark: "DANGER",
    cause: "the change removes a rule that Zoneform does not manage",
    remedy: "add the rule to the YAML if it must stay; to block such changes: zoneform plan --deny loses-foreign-rule",
    words: { one: " loses foreign rules", many: " lose foreign rules" },
    foundWords: both(" lost foreign rules"),
  },
  "needs-customer": {
    mark: "NOTICE",
    cause: "the change takes effect only after the customer has set a DNS record",
    remedy: "send the records to the customer: zoneform hostname todo",
    words: { one: " needs a DNS record from its customer", many: " need a DNS record from their customers" },
    foundWords: { one: " needs a DNS record from its customer", many: " need a DNS record from their customers" },
  },
  reissue: {
    mark: "NOTICE",
    cause: "the change orders a new certificate; the old one serves until the new one is active",
    remedy: "check that the budget for certificates is large enough",
    words: { one: " gets a new certificate", many: " get a new certificate" },
    foundWords: both(": a new certificate was ordered"),
  },
};

/** The same words for one object and for several. */
export function both(text: string): HazardWords {
  return { one: text, many: text };
}
