import type { KindOf } from "../kind-of.ts";
import { rulesByRef } from "./arrange.ts";
import { applied, compare, guarded, hazards, valuesSince } from "./diff.ts";
import { claim } from "./claim.ts";
import { ruleEvents } from "./events.ts";
import { create, list, overwritten, read, remove, update } from "./remote.ts";
import { normalise, problems } from "./spec.ts";
import { isSkippable, narrowed, unchanged, watch } from "./watch.ts";
import { weakens } from "./weakens.ts";
import { declared, encodeUpdate, encodeWithout, whole } from "./wire.ts";
import { HCL } from "./hcl.ts";
import { CODES } from "./codes.ts";

/**
 * The entry point of a phase: rules that run in order, owned by `ref` and shared with others
 * (docs/semantics.md#shared-entry-points).
 */
export const ruleset: KindOf<"ruleset", never, keyof typeof CODES> = {
  name: "ruleset",
  ownCodes: CODES,
  isSingle: false,
  stage: 4,
  lifetime: "until-destroyed",
  adoption: "when-told",
  section: {
    key: "entry_points",
    shape: "map",
    required: "rules",
    options: ["own", "adopt", "place", "ignore_foreign"],
  },
  writeOnly: [],
  normalise,
  problems,
  list,
  read: (client, zone, { key }, signal) => read(client, zone, key, signal),
  find: read,
  compare,
  guarded,
  hazards,
  weakens,
  subscription: "by-values",
  shared: {
    ruleEvents,
    valuesAfter: ({ desired, prior, live, options }) => encodeUpdate(desired, prior, live, options),
    valuesLeft: (live, prior) => {
      const ours = rulesByRef(prior);
      return encodeWithout(live, (ref) => ours.has(ref));
    },
    valuesSince,
    isSkippable,
    watch,
    narrowed,
    unchanged,
  },
  claim,
  cost: () => ({ calls: 2, issuances: 0 }),
  create,
  update,
  overwritten,
  remove,
  hcl: HCL,
  importForms: ["zone/<zone_id>/<ruleset_id>"],
  importId: (zone, live) => `zone/${zone}/${live.id}`,
  applied,
  declared,
  whole,
};
