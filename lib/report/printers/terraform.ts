import { isDrift, type LeafChange } from "../../core/diff.ts";
import { defined, isList, isObject, type Json, type JsonObject, overlaid, withValueAt } from "../../core/json.ts";
import { isFingerprint, isSecretReference } from "../../core/secret.ts";
import { HAZARDS } from "../../kinds/hazards.ts";
import type { Exported } from "../../kinds/hcl.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Live } from "../../kinds/live.ts";
import { kindNamed } from "../../kinds/registry.ts";
import type { Change, Plan, ZonePlan } from "../../plan/change.ts";
import { waitsForUpdate, writeOf } from "../../plan/write.ts";
import { nameOf, quoted } from "../formats/hcl.ts";
import { present } from "../plan/json.ts";
import { dangersOf, dangerText } from "../view/hazards.ts";

/** What a plan in Terraform's format says about the run that made it. */
export interface TerraformOptions {
  /** When the plan was made, in milliseconds since the epoch. */
  readonly now: number;
  /** Only a part of the project was planned, by `--zone`, `--target` or `--exclude`. */
  readonly isPart?: boolean;
}

/** The version of Terraform's plan format, and of the Terraform that wrote the plans it was drawn from. */
const [FORMAT, TERRAFORM] = ["1.2", "1.11.4"];

/** The provider that has the resource types, by the address that policies know. */
const PROVIDER = "registry.terraform.io/cloudflare/cloudflare";

/**
 * A plan as `terraform show -json` prints one, for policies and tools that read plans of Terraform. It lists every
 * change that an approval of this plan covers, blocked and held ones too, so that a policy judges all of them
 * (docs/ci.md#a-policy-for-plans). Values of secrets are `null`, and marked as sensitive.
 */
export function planTerraform(plan: Plan, { now, isPart = false }: TerraformOptions): JsonObject {
  const resources = resourcesOf(plan);
  const changes = plan.zones.flatMap((zone) => zone.changes);
  const drifted = resources.flatMap(driftDocument);
  const planned = resources.flatMap(plannedDocument);
  const failed = plan.failed ?? [];
  const waits = changes.filter(({ action, refused, held }) => refused !== undefined || action === "held" || held);
  return {
    format_version: FORMAT,
    terraform_version: TERRAFORM,
    planned_values: { root_module: planned.length === 0 ? {} : { resources: planned } },
    ...(drifted.length === 0 ? {} : { resource_drift: drifted }),
    resource_changes: resources.map(changeDocument),
    configuration: {
      provider_config: { cloudflare: { name: "cloudflare", full_name: PROVIDER } },
      root_module: {},
    },
    ...checksDocument(plan, resources),
    timestamp: `${new Date(now).toISOString().slice(0, "2026-11-21T02:16:08".length)}Z`,
    applyable: failed.length === 0 && changes.some(({ action, refused }) => action !== "held" && !refused),
    complete: failed.length === 0 && waits.length === 0 && !isPart,
    errored: failed.length > 0,
  };
}

/** The actions of all changes in Terraform's words; a replacement has two. */
export function terraformActions(plan: Plan): readonly TerraformAction[] {
  return resourcesOf(plan).flatMap(({ actions }) => actions);
}

/** What Terraform calls an action. */
type TerraformAction = "create" | "update" | "delete" | "no-op" | "forget";

/** A change as Terraform sees it. */
interface Resource {
  readonly change: Change;
  readonly address: string;
  /** The parts of the address. */
  readonly parts: JsonObject;
  readonly actions: readonly TerraformAction[];
  /** The attributes; absent where there is no resource. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** The attributes as they were last applied, if they were changed outside Zoneform since. */
  readonly applied?: JsonObject;
  /** The id that Terraform would import it by, if the change only begins to manage it. */
  readonly importId?: string;
}

/** Every change, sorted by its address in Terraform. */
function resourcesOf({ zones }: Plan): readonly Resource[] {
  return zones
    .flatMap(({ zone, changes }) => changes.flatMap(bothChanges).map((change) => resourceOf(zone, change)))
    .toSorted((left, right) => (left.address < right.address ? -1 : Number(left.address > right.address)));
}

/** A change, and the one of another object that the same call applies. */
function bothChanges(change: Change): readonly Change[] {
  return change.with === undefined ? [change] : [change, change.with];
}

function resourceOf(zone: ZonePlan["zone"], change: Change): Resource {
  const kind = kindNamed(change.kind);
  const { hcl } = kind;
  const { key, id = "" } = change;
  const isOwn = hcl === "none";
  const type = isOwn ? `zoneform_${kind.name}` : hcl.type;
  const name = nameOf(zone.name);
  const exported = (values: JsonObject): Exported => ({ zone, key, id, values, writeOnly: [], isShown: () => true });
  const attributesOf = (values: JsonObject | undefined): JsonObject | undefined => {
    if (values === undefined || (!isOwn && hcl.isThere?.(exported(values)) === false)) return undefined;
    const attributes = isOwn
      ? [["zone_id", zone.id] as const, ...Object.entries(values)]
      : hcl.attributes(exported(values));
    return Object.fromEntries([...(id === "" ? [] : [["id", id] as const]), ...attributes]);
  };
  const wanted = wantedValues(change, kind);
  const live = change.action === "create" ? undefined : whole(change, kind, liveValues(change, wanted));
  const before = attributesOf(live);
  const actions = actionsOf(change, kind, before, attributesOf(wanted));
  const after = actions[0] === "no-op" ? before : attributesOf(wanted);
  const applied =
    isDrift(change) && change.prior !== undefined ? attributesOf(whole(change, kind, change.prior)) : undefined;
  const importId =
    change.action !== "adopt" ? undefined : isOwn ? kind.importId(zone.id, { id }) : hcl.importId(exported({}));
  return {
    change,
    address: `${type}.${name}${kind.isSingle ? "" : `[${quoted(key)}]`}`,
    parts: {
      mode: "managed",
      type,
      name,
      ...(kind.isSingle ? {} : { index: key }),
      provider_name: isOwn ? "zoneform" : PROVIDER,
    },
    actions,
    ...defined({ before, after, applied, importId }),
  };
}

/** What live would be after the change; undefined if it deletes or releases the object. */
function wantedValues(change: Change, kind: Kind): JsonObject | undefined {
  const { desired, sent, held } = change;
  if (desired === undefined) return undefined;
  const values = whole(change, kind, sent ?? desired);
  return waitsForUpdate(change.held) ? values : withLive(values, held?.leaves ?? []);
}

/** The live values as far as the plan knows them: those that it relies on, and those that it changes. */
function liveValues(change: Change, wanted: JsonObject = {}): JsonObject {
  const { expected = {}, leaves, held } = change;
  return withLive(overlaid(wanted, expected), [...leaves, ...(held?.leaves ?? [])]);
}

function withLive(values: JsonObject, leaves: readonly LeafChange[]): JsonObject {
  return leaves.reduce((merged, { path, before = null }) => withValueAt(merged, path, before), values);
}

/** The whole object with these values in it: Terraform owns whole objects. */
function whole(change: Change, kind: Kind, desired: JsonObject): JsonObject {
  const { prior, options } = change;
  return kind.whole({ desired, prior, options, live: liveOf(change) });
}

function liveOf({ id = "", key, expected = {} }: Change): Live {
  return { id, key, values: expected, status: {} };
}

/** The actions in Terraform's words. A hold on a zone that is lifted, for example, is a resource that is deleted. */
function actionsOf(
  change: Change,
  { hcl }: Kind,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): readonly TerraformAction[] {
  const { action, desired, held } = change;
  if (action === "replace")
    return hcl !== "none" && hcl.createsBeforeDestroy ? ["create", "delete"] : ["delete", "create"];
  if (action === "forget") return [desired === undefined ? "forget" : "no-op"];
  const isWritten = writeOf(change) !== undefined || (action === "held" && waitsForUpdate(held));
  if (!isWritten || (before === undefined && after === undefined)) return ["no-op"];
  if (before === undefined) return ["create"];
  return [after === undefined ? "delete" : "update"];
}

function changeDocument({ address, parts, actions, before, after, importId }: Resource): JsonObject {
  return {
    address,
    ...parts,
    change: {
      ...sidesDocument(actions, before, after),
      ...(importId === undefined ? {} : { importing: { id: importId } }),
    },
  };
}

function sidesDocument(
  actions: readonly TerraformAction[],
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): JsonObject {
  return {
    actions,
    before: before === undefined ? null : shown(before),
    after: after === undefined ? null : shown(withoutId(after, actions)),
    after_unknown: actions.includes("create") ? { id: true } : {},
    before_sensitive: before === undefined ? false : sensitivity(before),
    after_sensitive: after === undefined ? false : sensitivity(after),
  };
}

/** The id of a new object is unknown until it is created. */
function withoutId(after: JsonObject, actions: readonly TerraformAction[]): JsonObject {
  const { id: _id, ...others } = after;
  return actions.includes("create") ? others : after;
}

/** What somebody changed since the last apply: from what was applied to what is live. */
function driftDocument({ address, parts, change, before, applied }: Resource): readonly JsonObject[] {
  if (applied === undefined) return [];
  const isGone = change.action === "create" || before === undefined;
  const actions: readonly TerraformAction[] = [isGone ? "delete" : "update"];
  return [{ address, ...parts, change: sidesDocument(actions, applied, isGone ? undefined : before) }];
}

function plannedDocument({ address, parts, actions, after }: Resource): readonly JsonObject[] {
  if (after === undefined || actions[0] === "forget") return [];
  const values = withoutId(after, actions);
  return [{ address, ...parts, schema_version: 0, values: shown(values), sensitive_values: sensitivity(values) }];
}

/** The values without secrets: each is null. */
function shown(value: Json): Json {
  if (isHidden(value)) return null;
  if (isList(value)) return value.map(shown);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]));
}

/** The same structure with `true` for each secret, and otherwise only with objects and lists, as Terraform has it. */
function sensitivity(value: Json): Json {
  if (isHidden(value)) return true;
  if (isList(value)) return value.map(sensitivity);
  if (!isObject(value)) return false;
  const members = Object.entries(value).map(([name, each]) => [name, sensitivity(each)] as const);
  return Object.fromEntries(members.filter(([, marks]) => marks !== false));
}

function isHidden(value: Json): boolean {
  return isFingerprint(value) || isSecretReference(value);
}

/**
 * The hazards, and the reasons why changes are blocked, as Terraform's checks: the hazards like a `check` block that
 * fails, a blocked change like a condition of its resource.
 */
function checksDocument(plan: Plan, resources: readonly Resource[]): JsonObject {
  const dangers = dangersOf(plan);
  const hazards = HAZARDS.flatMap((hazard) => {
    const messages = dangers.flatMap((danger) => (danger.hazards.includes(hazard) ? [dangerText(danger, hazard)] : []));
    const name = hazard.replaceAll("-", "_");
    return messages.length === 0 ? [] : [checkDocument({ kind: "check", name }, `check.${name}`, messages)];
  });
  const blocked = resources.flatMap(({ change: { refused }, address, parts: { mode, type, name, index } }) =>
    refused === undefined
      ? []
      : [checkDocument(present({ kind: "resource", mode, type, name }), address, [refused.message], index)],
  );
  return hazards.length + blocked.length === 0 ? {} : { checks: [...hazards, ...blocked] };
}

function checkDocument(about: JsonObject, address: string, messages: readonly string[], index?: Json): JsonObject {
  return {
    address: { ...about, to_display: index === undefined ? address : address.slice(0, address.indexOf("[")) },
    status: "fail",
    instances: [
      {
        address: { to_display: address, ...present({ instance_key: index }) },
        status: "fail",
        problems: messages.map((message) => ({ message })),
      },
    ],
  };
}
