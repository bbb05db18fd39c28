import { formatAddress } from "../../lib/core/address.ts";
import { type Digest, type ZoneId, zoneId } from "../../lib/core/brand.ts";
import { objects } from "../../lib/core/decode.ts";
import { defined, type Json, type JsonObject, withOptionalValueAt } from "../../lib/core/json.ts";
import type { LeafChange } from "../../lib/core/diff.ts";
import { digest } from "../../lib/core/digest.ts";
import type { Action, Change, Plan, ZonePlan } from "../../lib/plan/change.ts";
import { decodeChange } from "../../lib/plan/decode.ts";
import type { Hazard, ObjectHazard } from "../../lib/kinds/hazards.ts";
import type { KindName } from "../../lib/kinds/kind.ts";
import { kindNamed } from "../../lib/kinds/registry.ts";
import type { RuleChange } from "../../lib/kinds/traits/compared.ts";
import type { Step } from "../../lib/kinds/traits/judged.ts";

/** A zone for tests where the zone does not matter. */
export const ZONE: { readonly id: ZoneId; readonly name: string } = {
  id: zoneId("023e105f4ecef8ad9ca31a8372d0c353"),
  name: "saas.eu",
};

const BUDGET: Plan["budget"] = { apiShare: 0.5, issuancePerMinute: 15, issuanceReserve: 5, countsPatches: true };

/** A plan with these zones. A list of changes makes a zone. */
export function aPlan(zones: readonly (readonly Change[] | ZonePlan)[]): Plan {
  const sections = zones.map((zone) => (isSection(zone) ? zone : aZone({ changes: zone })));
  const digests = sections.flatMap(({ changes }) => changes.map((change): Digest => change.digest));
  return { project: "edge-prod", hash: digest(digests), zones: sections, budget: BUDGET };
}

function isSection(zone: readonly Change[] | ZonePlan): zone is ZonePlan {
  return !Array.isArray(zone);
}

/** A zone's part of a plan, with 40 unchanged objects. */
export function aZone(parts: Partial<ZonePlan>): ZonePlan {
  return {
    zone: ZONE,
    serial: 7,
    changes: [],
    counts: { byAction: countsOf(parts.changes ?? []), foreign: 0, expired: 0 },
    gone: [],
    bookkeeping: { remember: [], drop: [] },
    findings: [],
    ...parts,
  };
}

/** How many changes each action has, and 40 unchanged objects. */
export function countsOf(changes: readonly Change[]): Record<Action, number> {
  const counts = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, forget: 0, held: 0, "no-op": 40 };
  for (const { action } of changes) counts[action] += 1;
  return counts;
}

/** A change of a custom hostname. */
export function aChange(hostname: string, action: Action, parts: Partial<Change> = {}): Change {
  const kind = parts.kind ?? "custom_hostname";
  const address = formatAddress({ kind, key: hostname });
  const made = {
    ...NEEDED[action],
    address,
    kind,
    key: hostname,
    action,
    cause: "config",
    leaves: [],
    rules: [],
    letGo: [],
    notes: [],
    hazards: [],
    options: {},
    protect: false,
    digest: digest([address, action]),
    ...parts,
  };
  const hazardDetails = detailsOf(kind, made.hazards, stepOf(made));
  // A plan file does not keep the commands of a refusal, so the whole refusal is put back.
  return {
    ...decodeChange(JSON.parse(JSON.stringify({ hazardDetails, ...made }))),
    ...defined({ refused: parts.refused }),
  };
}

/** What the kind says about these hazards of a step; the object is active, unless the step says something else. */
export function detailsOf(
  kind: KindName,
  hazards: readonly Hazard[],
  step: Pick<Step, "action"> & Partial<Step>,
): readonly ObjectHazard[] {
  const { from = {}, to } = step;
  const live = { id: "", key: "", values: from, status: { status: "active" } };
  const whole = { key: "", from, leaves: [], rules: [], desired: to, prior: undefined, options: {}, live, ...step };
  return kindNamed(kind)
    .hazards(whole)
    .filter(({ hazard }) => hazards.includes(hazard));
}

/** The step that a change makes, as far as its fields and rules show it. */
function stepOf({
  action,
  key,
  leaves,
  rules,
  desired = {},
}: Pick<Change, "action" | "key" | "leaves" | "rules" | "desired">): Pick<Step, "action"> & Partial<Step> {
  const declared = new Map(objects(desired, "rules").map((rule) => [rule["ref"], rule]));
  const sideOf = (side: "before" | "after"): JsonObject => ({
    ...valuesOf({}, leaves, side),
    rules: rules.flatMap((rule): JsonObject[] => {
      if (rule.action === (side === "before" ? "insert" : "remove")) return [];
      const enabled = rule.action === "disable" ? side === "before" : rule.action !== "enable" || side === "after";
      return [{ ref: rule.ref, ...valuesOf(declared.get(rule.ref) ?? {}, rule.leaves, side), enabled }];
    }),
  });
  const isWritten = action === "create" || action === "replace" || action === "delete";
  return { action: isWritten ? action : "update", key, leaves, rules, from: sideOf("before"), to: sideOf("after") };
}

function valuesOf(values: JsonObject, leaves: readonly LeafChange[], side: "before" | "after"): JsonObject {
  return leaves.reduce((all, leaf) => withOptionalValueAt(all, leaf.path, leaf[side]), values);
}

/** What every change with the action needs. */
const NEEDED: Readonly<Record<Action, object>> = {
  create: { desired: {} },
  update: { id: "", desired: {}, expected: {} },
  replace: { id: "", desired: {}, expected: {} },
  delete: { id: "", expected: {} },
  adopt: { id: "", desired: {} },
  forget: { id: "" },
  held: { held: { leaves: [], reason: "Cloudflare is still working on it" } },
  "no-op": { id: "", desired: {} },
};

/** A field that the configuration changes from one value to another. */
export function aLeaf(
  path: string,
  before: Json | undefined,
  after: Json,
  parts: Partial<LeafChange> = {},
): LeafChange {
  return {
    path: path.split("."),
    ...(before === undefined ? {} : { before, prior: before }),
    after,
    cause: "config",
    ...parts,
  };
}

/** A rule that is moved, edited or the like. */
export function aRule(
  action: RuleChange["action"],
  ref: string,
  title: string,
  parts: Partial<RuleChange> = {},
): RuleChange {
  return { action, ref, title, leaves: [], cause: "config", ...parts };
}

/** The same change of the certificate authority on this many hostnames. */
export function sameChanges(count: number): Change[] {
  return Array.from({ length: count }, (_item, index) =>
    aChange(`shop-${String(index).padStart(5, "0")}.example.com`, "update", {
      leaves: [aLeaf("ssl.certificate_authority", "lets_encrypt", "google")],
      hazards: ["reissue"],
    }),
  );
}
