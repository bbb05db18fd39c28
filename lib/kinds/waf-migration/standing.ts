import type { ZoneId } from "../../core/brand.ts";
import { objects, optionalBoolean, texts } from "../../core/decode.ts";
import { defined, equal, type JsonObject } from "../../core/json.ts";
import { shellQuoted } from "../../core/quote.ts";
import type { Client } from "../../service/client.ts";
import type { Live } from "../live.ts";
import { ruleset } from "../ruleset/kind.ts";
import { MANAGED_RULESETS } from "../ruleset/managed.ts";
import type { RuleChange } from "../traits/compared.ts";
import { notesOf, textIn } from "./diff.ts";
import { fetchLive } from "./read.ts";
import { PHASE } from "./states.ts";

/** How far a zone has migrated to the new managed rules, and what prevents the rest. */
export interface WafStanding {
  readonly zone: string;
  /** The service's name for the state. */
  readonly state: string;
  readonly previous: string;
  readonly new: string;
  /** Absent once the zone has migrated: then there is nothing left to check. */
  readonly isCompatible?: boolean;
  readonly reasons: readonly string[];
  readonly lostGroups: readonly string[];
  readonly lostRules: readonly string[];
  /** The zone's previous managed rules in a Terraform state; absent if no Terraform state was read. */
  readonly terraform?: readonly TerraformFinding[];
}

/** An object of the previous managed rules in a Terraform state; `dead` once the zone has migrated. */
export interface TerraformFinding {
  readonly address: string;
  readonly id: string;
  readonly fate: "dead" | "dies";
  readonly remedy: string;
}

/** What the migration would save, beside the declared rules. */
export interface WafPreview extends WafStanding {
  /** The rules that the service derives from the present protection. */
  readonly derived: readonly JsonObject[];
  /** The changes that turn the derived rules into the declared ones; undefined if no entry point is declared. */
  readonly declared: readonly RuleChange[] | undefined;
  /** Page rules and firewall rules that act on the previous rules, and the skip rules that replace them. */
  readonly notes: readonly string[];
  /** Managed rulesets of the zone with their versions, as the service lists them. */
  readonly rulesets: readonly { readonly name: string; readonly version: string; readonly description: string }[];
}

/** A zone of the YAML. */
interface Zone {
  readonly id: ZoneId;
  readonly name: string;
  readonly objects: readonly { readonly kind: string; readonly key: string; readonly values: JsonObject }[];
}

/** An object in a Terraform state. */
interface Resource {
  readonly address: string;
  readonly id: string;
}

/** How far a zone has migrated. Only reads. Throws what the client throws. */
export async function readStanding(client: Client, { id, name }: Zone, signal?: AbortSignal): Promise<WafStanding> {
  return standingOf(name, await fetchLive(client, id, signal));
}

/**
 * How far a zone has migrated, with its previous managed rules in a Terraform state: Terraform fails on those once the
 * old APIs have stopped (docs/service.md#waf-migration). Only reads. Throws what the client throws.
 */
export async function readStandingWith(
  client: Client,
  zone: Zone,
  resources: readonly Resource[],
  signal?: AbortSignal,
): Promise<WafStanding> {
  const standing = await readStanding(client, zone, signal);
  const entryPoint = resources.length === 0 ? undefined : await ruleset.find(client, zone.id, PHASE, signal);
  return { ...standing, terraform: resources.map((each) => findingOf(each, standing, zone.id, entryPoint)) };
}

/** What the migration of a zone would save. Only reads. Throws what the client throws. */
export async function readPreview(client: Client, zone: Zone, signal?: AbortSignal): Promise<WafPreview> {
  const live = await fetchLive(client, zone.id, signal);
  return {
    ...standingOf(zone.name, live),
    derived: objects(live.status, "derived_rules"),
    declared: declaredAgainstDerived(zone, live),
    notes: notesOf(live),
    rulesets: await managedRulesets(client, zone.id, signal),
  };
}

function findingOf(
  { address, id }: Resource,
  { isCompatible }: WafStanding,
  zone: ZoneId,
  entryPoint: Live | undefined,
): TerraformFinding {
  const hasMigrated = isCompatible === undefined;
  const ours = ruleset.importId(zone, { id: entryPoint?.id ?? "<ruleset_id>" });
  // Provider 5 expects the plural, earlier ones the singular.
  const ids = `import id ${ours}, or with the provider 5 ${ours.replace(/^zone\//, "zones/")}`;
  const moved = `terraform state rm ${shellQuoted(address)}; in its place a cloudflare_ruleset of the phase ${PHASE}, ${ids}`;
  return {
    address,
    id,
    fate: hasMigrated ? "dead" : "dies",
    remedy: hasMigrated ? moved : `after the migration: ${moved}`,
  };
}

function standingOf(zone: string, { status }: Live): WafStanding {
  const isCompatible = optionalBoolean(status, "is_compatible");
  const overrides = objects(status, "uri_overrides").map(
    (each) => `the URI-based override ${textIn(each, "id")} for ${texts(each, "urls").join(", ")}`,
  );
  const others = objects(status, "reasons").filter(({ reason }) => reason !== "uri_overrides");
  return {
    zone,
    state: textIn(status, "state"),
    previous: textIn(status, "previous"),
    new: textIn(status, "new"),
    ...defined({ isCompatible }),
    reasons: [...overrides, ...others.map((each) => textIn(each, "message"))],
    lostGroups: objects(status, "lost_groups").map(nameAndId),
    lostRules: objects(status, "lost_rules").map(nameAndId),
  };
}

/** How the declared entry point differs from the derived one, rule by rule. A derived rule without a twin counts as foreign. */
function declaredAgainstDerived(zone: Zone, live: Live): readonly RuleChange[] | undefined {
  const declared = zone.objects.find(({ kind, key }) => kind === ruleset.name && key === PHASE);
  if (!declared) return undefined;
  const derived = objects(live.status, "derived_rules").map((rule, index) => ({
    ref: `derived rule ${index + 1}`,
    ...rule,
  }));
  const desired = objects(declared.values, "rules").map((rule) => withoutRef(rule));
  // Derived rules have no ref, so they are matched by content.
  const named = derived.map((rule) => {
    const twin = desired.findIndex((candidate) => equal(essence(candidate), essence(withoutRef(rule))));
    const ref = twin === -1 ? rule.ref : textIn(objects(declared.values, "rules")[twin] ?? {}, "ref");
    return { ...rule, ref };
  });
  const nothing: Live = { id: "", key: PHASE, values: { rules: named }, status: {} };
  // Compares as if the derived rules had been applied, so that the declared ones are the changes.
  const derivedLive = { desired: declared.values, prior: nothing.values, live: nothing, options: {} };
  return ruleset.compare(derivedLive).rules;
}

function withoutRef({ ref: _ref, ...rule }: JsonObject): JsonObject {
  return rule;
}

/** What a rule does, without what only names it. */
function essence({ action, expression, action_parameters: parameters }: JsonObject): JsonObject {
  return { action: action ?? null, expression: expression ?? null, parameters: parameters ?? null };
}

async function managedRulesets(
  client: Client,
  zone: ZoneId,
  signal: AbortSignal | undefined,
): Promise<WafPreview["rulesets"]> {
  const request = { path: `/zones/${zone}/rulesets`, family: "rulesets", pageSizes: [50], style: "cursor" } as const;
  const known = new Set(Object.values(MANAGED_RULESETS));
  const found: WafPreview["rulesets"][number][] = [];
  for await (const ruleset of client.pages(request, signal)) {
    if (!known.has(textIn(ruleset, "id"))) continue;
    found.push({
      name: textIn(ruleset, "name"),
      version: textIn(ruleset, "version"),
      description: textIn(ruleset, "description"),
    });
  }
  return found;
}

function nameAndId(from: JsonObject): string {
  return `${textIn(from, "name")} (${textIn(from, "id")})`;
}
