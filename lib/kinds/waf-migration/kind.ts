import { overlaid } from "../../core/json.ts";
import type { KindOf } from "../kind-of.ts";
import type { SubscriptionNeed } from "../traits/judged.ts";
import { CODES, compare, derivedLeaves, guarded, hazards } from "./diff.ts";
import { fetchLive, list } from "./read.ts";
import { PHASE } from "./states.ts";
import { create, STEP_CALLS, update } from "./write.ts";

/** Only Enterprise has the step `validation` (docs/service.md#waf-migration). */
const VALIDATION: SubscriptionNeed = {
  what: "waf_migration.target: validation",
  least: "enterprise",
  answer: "50002",
  remedy: "set waf_migration.target: new, which skips this step and cannot be undone, or previous",
  isCertain: true,
};

/**
 * The one-way migration of a zone from the previous managed WAF rules to the new ones (docs/service.md#waf-migration).
 * The body of its call is the entry point of the managed phase, so both are one planned step.
 */
export const wafMigration: KindOf<"waf_migration", "ruleset", keyof typeof CODES> = {
  name: "waf_migration",
  ownCodes: CODES,
  isSingle: true,
  stage: 4,
  adoption: "freely",
  lifetime: "permanent",
  severalRequests: { calls: STEP_CALLS },
  section: {
    key: "waf_migration",
    shape: "object",
    required: "target",
    options: ["delete_uri_overrides", "accept_lost", "confirm_irreversible"],
  },
  companion: { kind: "ruleset", key: PHASE, instead: derivedLeaves },
  writeOnly: [],
  normalise: (desired) => desired,
  // Whether the step is allowed depends on live, so `compare` reports that.
  problems: () => [],
  list,
  read: (client, zone, _target, signal) => fetchLive(client, zone, signal),
  find: (client, zone, _key, signal) => fetchLive(client, zone, signal),
  compare,
  guarded,
  hazards,
  subscription: ({ desired, leaves }) => {
    const isStep = leaves.some(({ path: [field] }) => field === "target");
    return isStep && desired["target"] === "validation" ? [VALIDATION] : [];
  },
  // It reads the zone's step and the entry point, then writes it; each override is read and deleted before.
  cost: (_action, leaves) => ({
    calls: 24 + 2 * leaves.filter(({ path: [field] }) => field === "uri_overrides").length,
    issuances: 0,
  }),
  create,
  update,
  remove: () => Promise.resolve(),
  hcl: "none",
  importForms: ["<zone_id>"],
  importId: (zone) => zone,
  applied: (_spec, live) => live.values,
  declared: (live) => live.values,
  whole: ({ desired, live }) => overlaid(live.values, desired),
};
