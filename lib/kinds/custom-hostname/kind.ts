import type { KindOf } from "../kind-of.ts";
import { deletedBy, lastStatus } from "./deleter.ts";
import { asServed, fingerprints, isUnknownUpload, isUpload } from "./upload.ts";
import { applied, compare, cost, guarded, hazards, losses } from "./diff.ts";
import { readiness } from "./states.ts";
import { create, find, list, read, remove, update } from "./remote.ts";
import { normalise, problems, problemsBesideLive, WRITE_ONLY } from "./declared.ts";
import { weakens } from "./weakens.ts";
import { copied, declared, whole } from "./wire.ts";
import { CODES } from "./codes.ts";
import { formatPath, isObject, valueAt } from "../../core/json.ts";
import type { Exported, HclResource } from "../hcl.ts";
import type { PlannedWrite, SubscriptionNeed } from "../traits/judged.ts";

/** The custom hostname as the provider's resource. */
const HCL: HclResource = {
  type: "cloudflare_custom_hostname",
  importId: ({ zone, id }) => `${zone.id}/${id}`,
  attributes: ({ zone, key, values }) => [["zone_id", zone.id], ["hostname", key], ...Object.entries(values)],
  ignored: hidden,
};

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
  // 409, code 1406: docs/service.md#custom-hostname-error-codes.
  refusesDuplicates: { family: "custom_hostnames", code: 1406 },
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
  uploads: { isUpload, fingerprints, asServed, isUnknownUpload },
  guarded,
  hazards,
  weakens,
  deletedBy,
  lastStatus,
  losses,
  subscription,
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

/** Write-only fields, and the bundle method, which the service may hide and for which the provider has a default. */
function hidden({ values, writeOnly, isShown }: Exported): readonly string[] {
  if (!isObject(values["ssl"])) return [];
  const sent = writeOnly.filter((leaf) => valueAt(values, leaf.split(".")) !== undefined);
  const bundling = ["ssl", "bundle_method"];
  return isShown(bundling) ? sent : [...sent, formatPath(bundling)];
}

/**
 * The features of a hostname that not every subscription has (docs/service.md#limits-by-plan). Looks only at written
 * fields: what is live already was allowed once.
 */
function subscription({ action, key, leaves }: PlannedWrite): readonly SubscriptionNeed[] {
  const written = new Map(
    leaves.flatMap(({ path, after }) => (after === undefined || after === null ? [] : [[path.join("."), after]])),
  );
  const hasOneOf = (...names: readonly string[]): boolean =>
    [...written.keys()].some((path) => names.some((name) => path === name || path.startsWith(`${name}.`)));
  const authority = written.get("ssl.certificate_authority") ?? "default";
  const isUpload = hasOneOf("ssl.custom_certificate", "ssl.custom_key", "ssl.custom_cert_bundle", "ssl.custom_csr_id");
  const isNewWildcard = (action === "create" || action === "replace") && key.startsWith("*.") && hasOneOf("ssl");
  return [
    ...(authority === "default" || authority === "" ? [] : [AUTHORITY]),
    ...(!isUpload && (written.get("ssl.wildcard") === true || isNewWildcard) ? [WILDCARD] : []),
    ...(isUpload ? [UPLOAD] : []),
    ...(hasOneOf("custom_metadata") ? [METADATA] : []),
    ...(hasOneOf("custom_origin_sni") ? [SNI] : []),
  ];
}

const enterprise = (what: string, answer: string, remedy: string): SubscriptionNeed => ({
  what,
  least: "enterprise",
  answer,
  remedy,
});

const AUTHORITY = enterprise(
  "choosing a certificate authority",
  "1459",
  "set ssl.certificate_authority: default, or leave it out",
);
const WILDCARD = enterprise("a wildcard certificate", "1448", "list the names one by one, without ssl.wildcard");
const UPLOAD = enterprise(
  "uploading a certificate",
  "1434",
  "have Cloudflare issue it: leave the uploaded certificate out",
);
const METADATA = enterprise("custom metadata", "1413", "leave custom_metadata out");
const SNI = enterprise("a custom origin SNI", "an error", "leave custom_origin_sni out");
