import { type JsonObject, leavesAsLive, overlaid } from "../../core/json.ts";
import type { KindOf } from "../kind-of.ts";
import { create, find, list, read, remove } from "./remote.ts";
import { CODES, keyOf, normalise, parseKey, problems } from "./declared.ts";
import { diff, type FieldRules, type Satisfied } from "../../core/diff.ts";
import type { Comparison, ComparisonInput } from "../traits/compared.ts";
import type { ObjectHazard } from "../hazards.ts";
import type { Step } from "../traits/judged.ts";
import { objects, optionalText, texts } from "../../core/decode.ts";
import type { Live } from "../live.ts";
import type { Readiness } from "../traits/remote.ts";

const LOSS: ObjectHazard = { hazard: "outage", words: { one: ": its names lose TLS", many: ": their names lose TLS" } };
const RECORD: ObjectHazard = {
  hazard: "needs-customer",
  words: { one: " needs a DNS record of your own", many: " need DNS records of your own" },
};

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
  applied: (desired, live) => leavesAsLive(desired, live.values),
  declared: (live) => live.values,
  whole: ({ desired, live }) => overlaid(live.values, desired),
};

const RULES: FieldRules = { fixed: [], writeOnly: [], unordered: ["hosts"] };

/** Compares a pack; any difference needs a new order (docs/service.md#certificate-packs). */
function compare({ desired, prior, live }: ComparisonInput): Comparison {
  const { leaves, letGo } = diff(desired, prior, live.values, RULES, isShown);
  const notes = leaves.length === 0 ? [] : ["a new pack is ordered first; this one serves traffic until that one does"];
  return { leaves, letGo, rules: [], replaces: leaves.map(({ path }) => path), notes };
}

/** A value that the service does not show counts as sent. */
const isShown: Satisfied = (_name, desired, prior, live) => (live === undefined ? prior === desired : undefined);

/** The hazards of a change (docs/semantics.md#hazards). */
function hazards({ action, desired, live, isReplaced, isFound }: Step): readonly ObjectHazard[] {
  const isServing = live?.status["status"] === "active" || live?.status["status"] === "pending_expiration";
  const isByHand = desired?.["validation_method"] === "txt" || desired?.["validation_method"] === "email";
  switch (action) {
    case "create":
      return isByHand ? [RECORD] : [];
    case "replace":
    case "update":
      // Zoneform orders the new pack first.
      return [...(isFound && isServing ? [LOSS] : []), ...(isByHand ? [RECORD] : []), { hazard: "reissue" }];
    case "delete":
      return isServing && isReplaced !== true ? [LOSS] : [];
    default:
      return action satisfies never;
  }
}

/** A pack is ready once it is active: only then is its certificate served. */
function readiness(live: Live): Readiness {
  const status = optionalText(live.status, "status") ?? "unknown";
  if (status === "active") return "ready";
  const reason = [`the certificate pack is ${status}`, ...texts(live.status, "validation_errors")].join(": ");
  if (status.endsWith("_timed_out")) {
    // Removing the entry and ordering again would be no remedy: it would delete the pack that serves until this one
    // does.
    const remedy = `set its validation records and check the CAA records, then restart the validation without changing its entry: PATCH /zones/ZONE_ID/ssl/certificate_packs/${live.id}`;
    return { reason, remedy, isFinal: true };
  }
  return { reason, remedy: remedyFor(objects(live.status, "validation_records")), isFinal: false };
}

/** The zone's own name servers set the records; with DNS elsewhere, the user has to. */
function remedyFor(records: readonly JsonObject[]): string {
  const named = records.flatMap((record) => {
    const txt = optionalText(record, "txt_name");
    if (txt !== undefined) return [`TXT ${txt} = ${optionalText(record, "txt_value") ?? ""}`];
    const url = optionalText(record, "http_url");
    return url === undefined ? [] : [`${url} = ${optionalText(record, "http_body") ?? ""}`];
  });
  if (named.length === 0) return "wait: Cloudflare continues by itself";
  return `wait; if the zone's DNS is elsewhere, set ${named.join(", ")}`;
}
