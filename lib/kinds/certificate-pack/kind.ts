import { leavesAsLive, overlaid } from "../../core/json.ts";
import type { KindOf } from "../kind-of.ts";
import { compare, hazards } from "./diff.ts";
import { readiness } from "./readiness.ts";
import { create, find, list, read, remove } from "./remote.ts";
import { keyOf, normalise, parseKey, problems } from "./spec.ts";
import { CODES } from "./codes.ts";

/** An advanced certificate pack: a certificate for names of the zone itself (docs/service.md#certificate-packs). */
export const certificatePack: KindOf<"certificate_pack", never, keyof typeof CODES> = {
  name: "certificate_pack",
  ownCodes: CODES,
  isSingle: false,
  hasFreeKey: true,
  stage: 3,
  adoption: "freely",
  lifetime: "while-declared",
  replacement: "create-first",
  isListed: true,
  section: { key: "certificate_packs", shape: "list", required: "hosts", options: [], keyOf },
  writeOnly: [],
  parseKey,
  normalise,
  problems,
  list,
  read,
  find,
  compare,
  guarded: (live) => live.values,
  hazards,
  losses: () => ["certificate"],
  // Apply polls a replacement until it serves traffic, an unknown number of times.
  cost: (action) => ({ calls: action === "replace" ? 8 : 2, issuances: 0 }),
  create,
  update: () => Promise.reject(new Error("a certificate pack is never updated: every difference replaces it")),
  remove,
  readiness,
  hcl: {
    type: "cloudflare_certificate_pack",
    importId: ({ zone, id }) => `${zone.id}/${id}`,
    attributes: ({ zone, values }) => [["zone_id", zone.id], ["type", "advanced"], ...Object.entries(values)],
    // The service adds a hostname of its own to a branded pack.
    ignored: ({ values }) => (values["cloudflare_branding"] === true ? ["hosts"] : []),
    createsBeforeDestroy: true,
  },
  importForms: ["<zone_id>/<certificate_pack_id>"],
  importId: (zone, live) => `${zone}/${live.id}`,
  applied: (spec, live) => leavesAsLive(spec, live.values),
  declared: (live) => live.values,
  whole: ({ desired, live }) => overlaid(live.values, desired),
};
