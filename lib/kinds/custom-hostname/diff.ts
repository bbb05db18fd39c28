import { optionalObject, optionalText } from "../../core/decode.ts";
import { diff, type FieldRules, type LeafChange, type Satisfied } from "../../core/diff.ts";
import { formatPath, isList, type Json, type JsonObject, leavesAsLive, valueAt, withValueAt } from "../../core/json.ts";
import type { Comparison, ComparisonInput, Held } from "../traits/compared.ts";
import type { Hazard } from "../hazards.ts";
import type { Judged, Loss, OwnHazardWords, WriteCost } from "../traits/judged.ts";
import type { Live, Options } from "../live.ts";
import { WRITE_ONLY } from "./declared.ts";
import { isServed, standingOf } from "./states.ts";

const RULES: FieldRules = { fixed: ["ssl.cloudflare_branding"], writeOnly: WRITE_ONLY, unordered: [] };

/** Fields whose change orders a new certificate (docs/service.md#editing-a-custom-hostname). */
const REISSUING = [
  "ssl.method",
  "ssl.type",
  "ssl.certificate_authority",
  "ssl.wildcard",
  "ssl.cloudflare_branding",
  "ssl.custom_certificate",
  "ssl.custom_key",
  "ssl.custom_cert_bundle",
  "ssl.custom_csr_id",
];

/**
 * Compares one hostname, and holds changes of `ssl` while a PATCH would restart a validation
 * (docs/semantics.md#held-changes).
 */
export function compare({ desired, prior, live, options }: ComparisonInput): Comparison {
  const difference = diff(desired, prior, live.values, RULES, satisfiedBy(options));
  const replaces = difference.leaves
    .filter(({ path }) => RULES.fixed.includes(formatPath(path)))
    .map(({ path }) => path);
  const base = { rules: [], letGo: difference.letGo, replaces, notes: [] };
  const hold = holdOf(live, options);
  const isHeld = (leaf: LeafChange): boolean => hold !== undefined && leaf.path[0] === "ssl";
  const held = difference.leaves.filter(isHeld);
  if (!hold || held.length === 0) return { ...base, leaves: difference.leaves };
  return {
    ...base,
    replaces: [],
    leaves: difference.leaves.filter((leaf) => !isHeld(leaf)),
    held: { leaves: held, ...hold },
  };
}

function satisfiedBy(options: Options): Satisfied {
  const denied = options["denied_certificate_authorities"];
  const isDenied = (live: Json | undefined): boolean => isList(denied) && live !== undefined && denied.includes(live);
  return (name, desired, prior, live) => {
    switch (name) {
      case "ssl.certificate_authority":
        // Live shows the issuing CA, so `default` can only be compared with what was sent
        // (docs/semantics.md#choice-of-ca).
        if (desired === "default") return prior === undefined ? !isDenied(live) : prior === "default";
        return live === undefined ? prior === desired : undefined;
      case "ssl.cloudflare_branding":
        // Set at creation and never shown: unless it was recorded, there is nothing to compare with.
        return prior === undefined ? true : undefined;
      case "ssl.bundle_method":
        // The service does not always show it (docs/service.md#custom-hostname-record).
        return live === undefined ? prior === desired || desired === "ubiquitous" : undefined;
      default:
        return undefined;
    }
  };
}

function holdOf(live: Live, options: Options): Omit<Held, "leaves"> | undefined {
  const standing = standingOf(live);
  if (options["ssl_updates"] === "always" || standing.phase !== "under way") return undefined;
  const [status, certificate] = [optionalText(live.status, "status"), optionalText(live.status, "ssl_status")];
  return {
    reason: `${standing.isSoon ? "Cloudflare is still deploying it" : "it is still being validated"} (hostname ${status}, certificate ${certificate}); changing ssl now would restart its validation`,
    lifts: `${standing.lifts}; to send it now: ssl_updates: always`,
    ...(standing.isSoon ? { isSoon: true } : {}),
    becomes: "update",
  };
}

/**
 * The declared fields with their live values. `default` counts as sent: live only shows the CA that the service then
 * chose.
 */
export function applied(desired: JsonObject, live: Live): JsonObject {
  const found = leavesAsLive(desired, live.values, (path) => WRITE_ONLY.includes(formatPath(path)));
  const authority = ["ssl", "certificate_authority"];
  const declared = valueAt(desired, authority);
  // Live never shows a CA for an uploaded certificate.
  const isHidden = isUploading(desired) && valueAt(live.values, authority) === undefined;
  const isAsSaid = declared === "default" || (isHidden && typeof declared === "string");
  return isAsSaid ? withValueAt(found, authority, declared) : found;
}

/**
 * Owned fields that change. If one of them is in `ssl`, also the rest of `ssl`, because a PATCH contains it. The CA and
 * the wildcard are left out of the PATCH, and the service may change the CA by itself, so they do not count.
 */
export function guarded(live: Live, leaves: readonly LeafChange[]): JsonObject {
  if (leaves.length === 0) return live.values;
  const {
    certificate_authority: _authority,
    wildcard: _wildcard,
    ...carried
  } = optionalObject(live.values, "ssl") ?? {};
  const hasSsl = leaves.some(({ path }) => path[0] === "ssl");
  return leaves
    .filter(({ path }) => !WRITE_ONLY.includes(formatPath(path)))
    .reduce(
      (projection: JsonObject, { path }) => withValueAt(projection, path, valueAt(live.values, path) ?? null),
      hasSsl ? { ssl: carried } : {},
    );
}

/** The hazards of a change (docs/semantics.md#hazards). The CNAME that every new hostname needs does not count. */
export function hazards({
  action,
  key,
  desired,
  live,
  comparison,
  isFound,
}: Parameters<Judged["hazards"]>[0]): readonly Hazard[] {
  const outage: readonly Hazard[] = live && isServed(live) ? ["outage"] : [];
  const wantsRecord = !isUploading(desired) && (key.startsWith("*.") || isValidatedByHand(desired, live));
  switch (action) {
    case "create":
      return wantsRecord && desired?.["ssl"] !== undefined ? ["needs-customer"] : [];
    case "delete":
      return outage;
    case "replace":
      return [...outage, "needs-customer", "reissue"];
    case "update": {
      const leaves = comparison?.leaves ?? [];
      const moved = isFound && leaves.some(isOfOrigin) ? outage : [];
      if (!leaves.some(isReissuing)) return moved;
      return [...moved, ...(wantsRecord ? (["needs-customer"] as const) : []), "reissue"];
    }
    default:
      return action satisfies never;
  }
}

/** The words for a hostname that is replaced. */
export const hazardWords: OwnHazardWords = {
  outage: {
    words: ({ action }) => {
      const until = action === "replace" ? " until the new certificate is ready" : "";
      return { one: ` goes offline${until}`, many: ` go offline${until}` };
    },
  },
};

/** A re-created hostname is validated again and gets another certificate; until then it does not serve traffic. */
export function losses({ status }: Live): readonly Loss[] {
  const hasCertificate = status["ssl_status"] !== undefined;
  return [
    ...(hasCertificate ? (["certificate"] as const) : []),
    "validation",
    ...(isServed({ status }) ? (["downtime"] as const) : []),
  ];
}

/** An uploaded certificate needs no validation by a CA (docs/service.md#editing-a-custom-hostname). */
function isUploading(desired: JsonObject | undefined): boolean {
  return ["custom_certificate", "custom_cert_bundle"].some((field) => isSet(valueAt(desired, ["ssl", field])));
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function isValidatedByHand(desired: JsonObject | undefined, live: Live | undefined): boolean {
  const method = valueAt(desired, ["ssl", "method"]) ?? valueAt(live?.values, ["ssl", "method"]);
  return method === "txt" || method === "email";
}

function isReissuing(leaf: LeafChange): boolean {
  return REISSUING.includes(formatPath(leaf.path));
}

/** Whether the field says where the hostname's traffic goes. */
function isOfOrigin({ path }: LeafChange): boolean {
  return ["custom_origin_server", "custom_origin_sni"].includes(formatPath(path));
}

function isOfUpload({ path }: LeafChange): boolean {
  return ["ssl.custom_certificate", "ssl.custom_key", "ssl.custom_cert_bundle"].includes(formatPath(path));
}

/**
 * An update is a re-read and a PATCH; a delete is a re-read and a DELETE; a replacement is a delete and a POST. A POST
 * counts as one certificate even with an upload, because the limit counts successful POSTs
 * (docs/service.md#issuance-limit); a PATCH with an upload orders none.
 */
export function cost(action: Parameters<Judged["cost"]>[0], leaves: readonly LeafChange[]): WriteCost {
  switch (action) {
    case "create":
      return { calls: 1, issuances: leaves.some(({ path }) => path[0] === "ssl") ? 1 : 0 };
    case "replace":
      return { calls: 3, issuances: 1 };
    case "delete":
      return { calls: 2, issuances: 0 };
    case "update":
      return { calls: 2, issuances: leaves.some(isReissuing) && !leaves.some(isOfUpload) ? 1 : 0 };
    default:
      return action satisfies never;
  }
}

/** Whether a change of these fields orders a certificate. */
export function reissues(leaves: readonly LeafChange[]): boolean {
  return leaves.some(isReissuing);
}
