import type { KindOf } from "../kind-of.ts";
import { applied, compare, cost, guarded, hazards, losses } from "./diff.ts";
import { readiness } from "./readiness.ts";
import { create, find, list, read, remove, update } from "./remote.ts";
import { normalise, problems, problemsBesideLive, WRITE_ONLY } from "./spec.ts";
import { weakens } from "./weakens.ts";
import { copied, declared, whole } from "./wire.ts";
import { HCL } from "./hcl.ts";
import { CODES } from "./codes.ts";

/**
 * A customer's hostname that is served through the zone, with its certificate (docs/service.md#custom-hostname-record).
 */
export const customHostname: KindOf<"custom_hostname", never, keyof typeof CODES> = {
  name: "custom_hostname",
  ownCodes: CODES,
  isSingle: false,
  stage: 2,
  adoption: "freely",
  lifetime: "while-declared",
  refusesDuplicates: true,
  isListed: true,
  writeOnly: WRITE_ONLY,
  neverFilled: ["custom_origin_server", "custom_origin_sni", "custom_metadata"],
  normalise,
  problems,
  problemsBesideLive,
  list,
  read,
  find,
  compare,
  guarded,
  hazards,
  weakens,
  losses,
  subscription: "by-values",
  cost,
  create,
  update,
  remove,
  readiness,
  hcl: HCL,
  importForms: ["<zone_id>/<custom_hostname_id>", "<zone_id>/<hostname>"],
  importId: (zone, live) => `${zone}/${live.id}`,
  applied,
  declared,
  copied,
  whole,
};
