import { optionalObject, optionalText } from "../../core/decode.ts";
import { diff, type FieldRules, type LeafChange, type Satisfied } from "../../core/diff.ts";
import { formatPath, isList, type Json, type JsonObject, leavesAsLive, valueAt, withValueAt } from "../../core/json.ts";
import type { Comparison, ComparisonInput, Held } from "../traits/compared.ts";
import type { Hazard, Judged, Loss, WriteCost } from "../traits/judged.ts";
import type { Live, Options } from "../live.ts";
import { WRITE_ONLY } from "./spec.ts";
import { standingOf } from "./states.ts";

const RULES: FieldRules = { fixed: ["ssl.cloudflare_branding"], writeOnly: WRITE_ONLY, unordered: [] };

/** Leaves whose change orders a new certificate (docs/service.md#editing-a-custom-hostname). */
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

/** Compares one hostname, and holds `ssl` back while a PATCH of it would restart a validation (docs/semantics.md#held-changes). */
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
  return (name, wanted, prior, live) => {
    switch (name) {
      case "ssl.certificate_authority":
        // What live answers is the CA that issued, so "default" can only be compared with what was sent (docs/semantics.md#choice-of-ca).
        if (wanted === "default") return prior === undefined ? !isDenied(live) : prior === "default";
        return live === undefined ? prior === wanted : undefined;
      case "ssl.cloudflare_branding":
        // Decided at creation and never shown: without a record of it there is nothing to compare with.
        return prior === undefined ? true : undefined;
      case "ssl.bundle_method":
        // The service does not always show it (docs/service.md#custom-hostname-record).
        return live === undefined ? prior === wanted || wanted === "ubiquitous" : undefined;
      default:
        return undefined;
    }
  };
}

function holdOf(live: Live, options: Options): Pick<Held, "reason" | "lifts" | "becomes"> | undefined {
  const standing = standingOf(live);
  if (options["ssl_updates"] === "always" || standing.phase !== "under way") return undefined;
  const [status, certificate] = [optionalText(live.status, "status"), optionalText(live.status, "ssl_status")];
  return {
    reason: `hostname ${status}, certificate ${certificate}: changing ssl now would restart its validation`,
    lifts: `${standing.lifts} (ssl_updates: always applies it now)`,
    becomes: "update",
  };
}

/** The declared leaves as live has them. `default` is what the service was told, or would have been: live only shows what came of it. */
export function applied(spec: JsonObject, live: Live): JsonObject {
  const found = leavesAsLive(spec, live.values, (path) => WRITE_ONLY.includes(formatPath(path)));
  const authority = ["ssl", "certificate_authority"];
  const wanted = valueAt(spec, authority);
  // Live never shows a CA beside an upload.
  const isHidden = isUploading(spec) && valueAt(live.values, authority) === undefined;
  const isAsSaid = wanted === "default" || (isHidden && typeof wanted === "string");
  return isAsSaid ? withValueAt(found, authority, wanted) : found;
}

/**
 * Owned leaves that change; with one of `ssl` among them also the rest of `ssl`, because a PATCH carries it. But never
 * the CA and the wildcard for their own sake: those are not carried, and the service may move to another CA by itself.
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

/** What may go wrong for somebody else (docs/semantics.md#hazards). The CNAME that every new hostname wants is not counted. */
export function hazards({
  action,
  key,
  desired,
  live,
  comparison,
}: Parameters<Judged["hazards"]>[0]): readonly Hazard[] {
  const isActive = live?.status["status"] === "active";
  const wantsRecord = !isUploading(desired) && (key.startsWith("*.") || isValidatedByHand(desired, live));
  switch (action) {
    case "create":
      return wantsRecord && desired?.["ssl"] !== undefined ? ["needs-customer"] : [];
    case "delete":
      return isActive ? ["outage"] : [];
    case "replace":
      return [...(isActive ? (["outage"] as const) : []), "needs-customer", "reissue"];
    case "update": {
      if (!comparison?.leaves.some(isReissuing)) return [];
      return wantsRecord ? ["needs-customer", "reissue"] : ["reissue"];
    }
    default:
      return action satisfies never;
  }
}

/** A hostname is validated anew when it is created again, and gets another certificate; until then it does not serve. */
export function losses({ status }: Live): readonly Loss[] {
  const hasCertificate = status["ssl_status"] !== undefined;
  const isServing = status["status"] === "active";
  return [
    ...(hasCertificate ? (["certificate"] as const) : []),
    "validation",
    ...(isServing ? (["downtime"] as const) : []),
  ];
}

/** No CA validates anything for a certificate that is uploaded (docs/service.md#editing-a-custom-hostname). */
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

function isOfUpload({ path }: LeafChange): boolean {
  return ["ssl.custom_certificate", "ssl.custom_key", "ssl.custom_cert_bundle"].includes(formatPath(path));
}

/**
 * An update is a re-read and a PATCH; a delete a re-read and a DELETE; a replacement both of them and a POST. A POST with
 * an upload counts as an issuance, because the limit counts successful POSTs (docs/service.md#issuance-limit); a PATCH that
 * uploads has nothing issued.
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

/** Whether a change of these leaves orders a certificate. */
export function reissues(leaves: readonly LeafChange[]): boolean {
  return leaves.some(isReissuing);
}
