import type { Kind } from "../kind.ts";
import { applied, compare, cost, guarded, hazards, losses } from "./diff.ts";
import { readiness } from "./readiness.ts";
import { create, find, list, read, remove, update } from "./remote.ts";
import { normalise, problems, WRITE_ONLY } from "./spec.ts";
import { weakens } from "./weakens.ts";
import { declared, whole } from "./wire.ts";
import { HCL } from "./hcl.ts";

/** A customer's hostname, served through the zone, with its certificate (docs/service.md#custom-hostname-record). */
export const customHostname: Kind = {
  name: "custom_hostname",
  isSingle: false,
  stage: 2,
  adoptsOnlyWhenTold: false,
  refusesDuplicates: true,
  isSetting: false,
  isListed: true,
  isDeletedWhenRemoved: true,
  writeOnly: WRITE_ONLY,
  neverFilled: ["custom_origin_server", "custom_origin_sni", "custom_metadata"],
  normalise,
  problems,
  list,
  read,
  find,
  compare,
  guarded,
  hazards,
  weakens,
  losses,
  cost,
  create,
  update,
  remove,
  readiness,
  hcl: HCL,
  importId: (zone, live) => `${zone}/${live.id}`,
  applied,
  declared,
  whole,
};
