import { defined } from "../core/defined.ts";
import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import { objects, optionalBoolean, optionalText, texts } from "../core/decode.ts";
import { equal, type JsonObject } from "../core/json.ts";
import { shellQuoted } from "../core/shell.ts";
import { type ProjectOptions, readProject, type World, zonesOf } from "./world.ts";
import { kindNamed } from "../kinds/registry.ts";
import { MANAGED_RULESETS } from "../kinds/ruleset/managed.ts";
import type { Live } from "../kinds/live.ts";
import type { RuleChange } from "../kinds/traits/compared.ts";
import type { TerraformResource } from "./terraform-state.ts";

/** Where a zone stands on the way to the new managed rules, and what stands in its way. */
export interface WafStanding {
  readonly zone: string;
  /** As the service calls it. */
  readonly state: string;
  readonly previous: string;
  readonly new: string;
  /** Absent once the zone has migrated: then there is nothing left to ask. */
  readonly isCompatible?: boolean;
  readonly reasons: readonly string[];
  readonly lostGroups: readonly string[];
  readonly lostRules: readonly string[];
  /** What a Terraform state has of the previous managed rules of this zone; absent where none was looked at. */
  readonly terraform?: readonly TerraformFinding[];
}

/** An object of the previous managed rules in a Terraform state: `dead` after the migration, before it about to be. */
export interface TerraformFinding {
  readonly address: string;
  readonly id: string;
  readonly fate: "dead" | "dies";
  readonly remedy: string;
}

/** What the migration would save, beside what is declared. */
export interface WafPreview extends WafStanding {
  /** What the service derives from the present protection. */
  readonly derived: readonly JsonObject[];
  /** What turns the derived rules into the declared ones; undefined where no entry point is declared. */
  readonly declared: readonly RuleChange[] | undefined;
  /** Page rules and firewall rules that act on the previous rules, and the skip rules that stand for them. */
  readonly notes: readonly string[];
  /** Managed rulesets of the zone with their versions, as the service lists them. */
  readonly rulesets: readonly { readonly name: string; readonly version: string; readonly description: string }[];
}

const PHASE = "http_request_firewall_managed";

/** Where each zone stands. Only reads. Throws what the client throws, and `Refusal`. */
export async function wafStandings(world: World, options: ProjectOptions): Promise<readonly WafStanding[]> {
  const { project } = await readProject(world, options);
  const standings: WafStanding[] = [];
  for (const zone of zonesOf(project, options.zones ?? []))
    standings.push(standingOf(zone, await readLive(world, project, zone)));
  return standings;
}

/**
 * Where each zone stands, with what a Terraform state has of its previous managed rules: Terraform fails on those once
 * the old APIs have stopped (docs/service.md#waf-migration). Only reads. Throws what `wafStandings` throws.
 */
export async function wafStandingsWith(
  world: World,
  options: ProjectOptions,
  resources: readonly TerraformResource[],
): Promise<readonly WafStanding[]> {
  const { project } = await readProject(world, options);
  const standings: WafStanding[] = [];
  for (const zone of zonesOf(project, options.zones ?? [])) {
    const standing = standingOf(zone, await readLive(world, project, zone));
    const own = resources.filter((resource) => resource.zone === zone.id);
    const entryPoint = own.length === 0 ? undefined : await entryPointOf(world, project, zone);
    standings.push({ ...standing, terraform: own.map((each) => findingOf(each, standing, zone, entryPoint)) });
  }
  return standings;
}

function entryPointOf(world: World, { desired }: LoadedProject, zone: DesiredZone): Promise<Live | undefined> {
  return kindNamed("ruleset").find(world.connect(desired.budget), zone.id, PHASE, world.signal);
}

function findingOf(
  { address, id }: TerraformResource,
  { isCompatible }: WafStanding,
  zone: DesiredZone,
  entryPoint: Live | undefined,
): TerraformFinding {
  const hasMigrated = isCompatible === undefined;
  const importId = kindNamed("ruleset").importId(zone.id, { id: entryPoint?.id ?? "<ruleset_id>" });
  // The provider 5 wants the plural, and those before it the singular.
  const ids = `import id ${importId}, or with the provider 5 ${importId.replace(/^zone\//, "zones/")}`;
  const moved = `terraform state rm ${shellQuoted(address)}; in its place a cloudflare_ruleset of the phase ${PHASE}, ${ids}`;
  return {
    address,
    id,
    fate: hasMigrated ? "dead" : "dies",
    remedy: hasMigrated ? moved : `after the migration: ${moved}`,
  };
}

/** What the migration of each zone would save. Only reads. Throws what the client throws, and `Refusal`. */
export async function wafPreviews(world: World, options: ProjectOptions): Promise<readonly WafPreview[]> {
  const { project } = await readProject(world, options);
  const previews: WafPreview[] = [];
  for (const zone of zonesOf(project, options.zones ?? [])) {
    const live = await readLive(world, project, zone);
    previews.push({
      ...standingOf(zone, live),
      derived: objects(live.status, "derived_rules"),
      declared: declaredAgainstDerived(zone, live),
      notes: notesOf(live),
      rulesets: await managedRulesets(world, project, zone),
    });
  }
  return previews;
}

async function readLive(world: World, { desired }: LoadedProject, zone: DesiredZone): Promise<Live> {
  const live = await kindNamed("waf_migration").find(world.connect(desired.budget), zone.id, "", world.signal);
  if (!live) throw new Error("every zone has a state of its migration");
  return live;
}

function standingOf({ name }: DesiredZone, { status }: Live): WafStanding {
  const isCompatible = optionalBoolean(status, "is_compatible");
  const overrides = objects(status, "uri_overrides").map(
    (each) => `the URI-based override ${said(each, "id")} for ${texts(each, "urls").join(", ")}`,
  );
  const others = objects(status, "reasons").filter(({ reason }) => reason !== "uri_overrides");
  return {
    zone: name,
    state: said(status, "state"),
    previous: said(status, "previous"),
    new: said(status, "new"),
    ...defined({ isCompatible }),
    reasons: [...overrides, ...others.map((each) => said(each, "message"))],
    lostGroups: objects(status, "lost_groups").map(nameAndId),
    lostRules: objects(status, "lost_rules").map(nameAndId),
  };
}

/** How the declared entry point differs from the derived one, rule by rule; derived rules without a ref count as others'. */
function declaredAgainstDerived(zone: DesiredZone, live: Live): readonly RuleChange[] | undefined {
  const declared = zone.objects.find(({ kind, key }) => kind === "ruleset" && key === PHASE);
  if (!declared) return undefined;
  const derived = objects(live.status, "derived_rules").map((rule, index) => ({
    ref: `derived rule ${index + 1}`,
    ...rule,
  }));
  const wanted = objects(declared.spec, "rules").map((rule) => withoutRef(rule));
  // A derived rule has no ref, so that it is recognised by its content.
  const named = derived.map((rule) => {
    const twin = wanted.findIndex((candidate) => equal(essence(candidate), essence(withoutRef(rule))));
    const ref = twin === -1 ? rule.ref : said(objects(declared.spec, "rules")[twin] ?? {}, "ref");
    return { ...rule, ref };
  });
  const nothing: Live = { id: "", key: PHASE, values: { rules: named }, status: {} };
  // As if the derived rules had been applied, so that the declared ones are what changed.
  const derivedLive = { desired: declared.spec, prior: nothing.values, live: nothing, options: {} };
  return kindNamed("ruleset").compare(derivedLive).rules;
}

function withoutRef({ ref: _ref, ...rule }: JsonObject): JsonObject {
  return rule;
}

/** What a rule does, without what only names it. */
function essence({ action, expression, action_parameters: parameters }: JsonObject): JsonObject {
  return { action: action ?? null, expression: expression ?? null, parameters: parameters ?? null };
}

function notesOf(live: Live): readonly string[] {
  const kind = kindNamed("waf_migration");
  return kind.compare({ desired: { target: "new" }, prior: undefined, live, options: {} }).notes;
}

async function managedRulesets(
  world: World,
  { desired }: LoadedProject,
  zone: DesiredZone,
): Promise<WafPreview["rulesets"]> {
  const request = { path: `/zones/${zone.id}/rulesets`, family: "rulesets", pageSizes: [50], style: "cursor" } as const;
  const known = new Set(Object.values(MANAGED_RULESETS));
  const found: WafPreview["rulesets"][number][] = [];
  for await (const ruleset of world.connect(desired.budget).pages(request, world.signal)) {
    if (!known.has(said(ruleset, "id"))) continue;
    found.push({
      name: said(ruleset, "name"),
      version: said(ruleset, "version"),
      description: said(ruleset, "description"),
    });
  }
  return found;
}

function nameAndId(from: JsonObject): string {
  return `${said(from, "name")} (${said(from, "id")})`;
}

function said(from: JsonObject, field: string): string {
  return optionalText(from, field) ?? "";
}
