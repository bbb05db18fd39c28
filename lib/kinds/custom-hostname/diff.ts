import { optionalObject, optionalText } from "../../core/decode.ts";
import { diff, type FieldRules, type LeafChange, type Satisfied } from "../../core/diff.ts";
import {
  equal,
  formatPath,
  isList,
  type Json,
  type JsonObject,
  leavesAsLive,
  valueAt,
  withValueAt,
} from "../../core/json.ts";
import { formatValue } from "../../core/value-words.ts";
import type { Comparison, ComparisonInput, Held } from "../traits/compared.ts";
import { both, type HazardWords, type ObjectHazard } from "../hazards.ts";
import type { Judged, Loss, Step, WriteCost } from "../traits/judged.ts";
import type { Live, Options } from "../live.ts";
import { WRITE_ONLY } from "./declared.ts";
import { isServed, standingOf } from "./states.ts";
import { weakening } from "../weakening.ts";
import { weakens } from "./weakens.ts";

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

/** Fields that say where the hostname's traffic goes. */
const ORIGIN = ["custom_origin_server", "custom_origin_sni"];

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

/** The hazards of a step (docs/semantics.md#hazards). The CNAME that every new hostname needs does not count. */
export function hazards(step: Step): readonly ObjectHazard[] {
  const [weaker] = weakening(step, weakens);
  const isOfTls = weaker?.paths?.length === 1 && weaker.paths.some((path) => equal(path, MIN_TLS));
  return [...othersOf(step), ...(weaker ? [{ ...weaker, ...(isOfTls ? { words: tlsWords(step) } : {}) }] : [])];
}

function othersOf(step: Step): readonly ObjectHazard[] {
  const { action, key, desired, live, leaves, isFound } = step;
  const isServing = live !== undefined && isServed(live);
  const wantsRecord = !isUploading(desired) && (key.startsWith("*.") || isValidatedByHand(desired, live));
  switch (action) {
    case "create":
      return wantsRecord && desired?.["ssl"] !== undefined ? [RECORD] : [];
    case "delete":
      return isServing ? [{ hazard: "outage" }] : [];
    case "replace": {
      const words = isFound ? OFFLINE_SINCE : OFFLINE;
      return [...(isServing ? [{ hazard: "outage", words } as const] : []), RECORD, CERTIFICATE];
    }
    case "update": {
      const moved = isFound && isServing ? movedElsewhere(step) : [];
      if (!leaves.some(isReissuing)) return moved;
      return [...moved, ...(wantsRecord ? [RECORD] : []), CERTIFICATE];
    }
    default:
      return action satisfies never;
  }
}

const RECORD: ObjectHazard = { hazard: "needs-customer" };
const CERTIFICATE: ObjectHazard = { hazard: "reissue" };
const OFFLINE: HazardWords = {
  one: " goes offline until the new certificate is ready",
  many: " go offline until the new certificate is ready",
};
const OFFLINE_SINCE: HazardWords = { one: ": offline until it is active", many: ": offline until they are active" };

/** Traffic of a hostname that serves goes somewhere that nobody reviewed. */
function movedElsewhere({ from, to, leaves }: Step): readonly ObjectHazard[] {
  const paths = leaves.map(({ path }) => path).filter((path) => ORIGIN.includes(formatPath(path)));
  const [path] = paths;
  if (path === undefined) return [];
  const words = both(`: traffic goes to ${formatValue(valueAt(to, path))} (was ${formatValue(valueAt(from, path))})`);
  return [{ hazard: "outage", paths, words }];
}

const MIN_TLS = ["ssl", "settings", "min_tls_version"];

function tlsWords({ action, from, to }: Step): HazardWords {
  const [was, now] = [valueAt(from, MIN_TLS), valueAt(to, MIN_TLS)];
  if (now === undefined)
    return { one: ` no longer requires TLS ${formatValue(was)}`, many: ` no longer require TLS ${formatValue(was)}` };
  const version = formatValue(now);
  if (action === "create")
    return { one: ` gets TLS ${version}, below its policies`, many: ` get TLS ${version}, below their policies` };
  const before = was === undefined ? "" : ` (minimum was ${formatValue(was)})`;
  return { one: ` accepts TLS ${version}${before}`, many: ` accept TLS ${version}${before}` };
}

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
