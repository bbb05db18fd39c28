import { wordingFrom } from "../../core/diagnostic.ts";
import { counted } from "../../core/words.ts";
import { objects, optionalBoolean, optionalObject, optionalText, texts } from "../../core/decode.ts";
import { diff, type FieldRules, type LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Comparison, ComparisonInput, Objection } from "../traits/compared.ts";
import { both, type ObjectHazard } from "../hazards.ts";
import type { Step } from "../traits/judged.ts";
import type { Live, Options } from "../live.ts";
import { distance } from "./states.ts";

/** Codes that only the migration of the managed WAF rules raises. */
export const CODES = {
  "waf-target-below-live": {
    cause: "the zone is already past waf_migration.target, and the migration cannot go back",
    message:
      "the zone is already at {current}, and the migration cannot go back to {target}; URI-based overrides that it deleted stay deleted",
    remedy: "set waf_migration.target: {current}",
  },
  "waf-uri-overrides": {
    cause: "the zone has URI-based WAF overrides, which cannot be migrated",
    message: "the zone has {overrides}",
    remedy: "to delete them, set waf_migration.delete_uri_overrides: true",
  },
  "waf-firewall-rules": {
    cause: "the zone has more than 200 firewall rules to migrate",
    remedy: "only support can migrate more than 200 firewall rules; contact support, or delete some",
  },
  "waf-expression-length": {
    cause: "a firewall rule to migrate has an expression over 4 KB",
    remedy: "only support can migrate an expression over 4 KB; contact support, or shorten it",
  },
  "waf-ineligible": { cause: "Cloudflare says that the zone cannot be migrated", remedy: "contact support" },
  "waf-lost-groups": {
    cause: "what was set for groups of the previous managed rules is not migrated",
    message: "the settings of these groups of the previous managed rules would be lost: {names}",
    remedy: "declare rules that do the same, and list them in waf_migration.accept_lost.groups",
  },
  "waf-lost-rules": {
    cause: "what was set for rules of the previous managed rules is not migrated",
    message: "the settings of these rules of the previous managed rules would be lost: {names}",
    remedy: "declare rules that do the same, and list them in waf_migration.accept_lost.rules",
  },
  "waf-unconfirmed": {
    cause: "the migration cannot be undone, and is not confirmed",
    message: "the migration to the new managed rules cannot be undone, and is not confirmed",
    remedy: 'set waf_migration.confirm_irreversible: "{id}"',
  },
} as const;

const problem = wordingFrom(CODES);

const RULES: FieldRules = { fixed: [], writeOnly: [], unordered: [] };

/** Compares the declared step with the live one. A zone only goes forward, only if it may, and only once. */
export function compare({ desired, prior, live, options }: ComparisonInput): Comparison {
  const base = { rules: [], letGo: [], replaces: [], notes: notesOf(live) };
  const { leaves } = diff(desired, prior, live.values, RULES);
  if (leaves.length === 0) return { ...base, notes: [], leaves: [] };
  const target = optionalText(desired, "target") ?? "";
  if (prior?.["target"] === target && distance(target) > distance(optionalText(live.values, "target") ?? "")) {
    // It was already sent, and the service takes up to an hour (docs/service.md#waf-migration), so it is not sent
    // again.
    return {
      ...base,
      leaves: [],
      held: { leaves: leaves.map(asConfig), reason: "the migration was requested, and Cloudflare is working on it" },
    };
  }
  return {
    ...base,
    leaves: [...overrideLeaves(live, options), ...leaves.map(asConfig)],
    objections: objectionsTo(target, live, options),
  };
}

/** A migration cannot be moved back, so the YAML is always the cause. */
function asConfig(leaf: LeafChange): LeafChange {
  return { ...leaf, cause: "config" };
}

/** URI-based overrides that the step deletes first, each by its id. */
function overrideLeaves({ status }: Live, options: Options): LeafChange[] {
  if (options["delete_uri_overrides"] !== true) return [];
  return objects(status, "uri_overrides").map((override) => ({
    path: ["uri_overrides", optionalText(override, "id") ?? ""],
    before: [...texts(override, "urls")],
    cause: "config",
  }));
}

/** All objections to the step, each with its remedy. */
function objectionsTo(target: string, live: Live, options: Options): readonly Objection[] {
  const current = optionalText(live.values, "target") ?? "";
  if (distance(target) < distance(current))
    return [{ path: ["target"], ...problem("waf-target-below-live", { current, target }), isFinal: true }];
  return [...ineligible(live, options), ...lost(live, options), ...unconfirmed(target, live, options)];
}

/** Codes of the documented reasons. */
const REASONS: ReadonlyMap<string, "waf-firewall-rules" | "waf-expression-length"> = new Map([
  ["firewall_rules", "waf-firewall-rules"],
  ["expression_length", "waf-expression-length"],
]);

function ineligible({ status }: Live, options: Options): readonly Objection[] {
  const overrides = objects(status, "uri_overrides").map((override) => optionalText(override, "id") ?? "");
  const found: Objection[] = [];
  if (overrides.length > 0 && options["delete_uri_overrides"] !== true) {
    const counted = overrides.length === 1 ? "a URI-based WAF override" : `${overrides.length} URI-based WAF overrides`;
    found.push(problem("waf-uri-overrides", { overrides: `${counted}: ${overrides.join(", ")}` }));
  }
  const others = objects(status, "reasons").filter(({ reason }) => reason !== "uri_overrides");
  for (const other of others) {
    const code = REASONS.get(textIn(other, "reason")) ?? "waf-ineligible";
    found.push(problem(code, { message: textIn(other, "message") }));
  }
  if (optionalBoolean(status, "is_compatible") === false && overrides.length === 0 && others.length === 0)
    found.push(problem("waf-ineligible", { message: CODES["waf-ineligible"].cause }));
  return found;
}

/**
 * Group and rule overrides are not migrated (docs/service.md#what-migrates); the YAML must list by id or name what may
 * be lost.
 */
function lost({ status }: Live, options: Options): readonly Objection[] {
  const accepted = optionalObject(options, "accept_lost") ?? {};
  return [...unaccepted(status, accepted, "groups"), ...unaccepted(status, accepted, "rules")];
}

function unaccepted(status: JsonObject, accepted: JsonObject, sort: "groups" | "rules"): Objection[] {
  const listed = texts(accepted, sort);
  const isListed = (one: JsonObject): boolean =>
    listed.includes(textIn(one, "id")) || listed.includes(textIn(one, "name"));
  const missing = objects(status, `lost_${sort}`).filter((one) => !isListed(one));
  if (missing.length === 0) return [];
  const names = missing.map((one) => `${textIn(one, "name")} (${textIn(one, "id")})`).join(", ");
  return [problem(`waf-lost-${sort}`, { names })];
}

function unconfirmed(target: string, live: Live, options: Options): readonly Objection[] {
  if (target !== "new" || options["confirm_irreversible"] === live.id) return [];
  return [problem("waf-unconfirmed", { id: live.id })];
}

/**
 * Notes about page rules and firewall rules that act on the previous managed rules: what happens to them, and what
 * replaces them.
 */
export function notesOf({ status }: Live): readonly string[] {
  const derived = objects(status, "derived_rules");
  const skips = derived
    .filter(({ action, enabled }) => action === "skip" && enabled !== false)
    .map((rule) => textIn(rule, "expression"));
  const skipRule = (found: string | undefined, expression: string): string => {
    if (found !== undefined) return `a skip rule with ${found} does the same; Cloudflare derives it`;
    return `a skip rule with ${expression} would do the same${derived.length === 0 ? "" : ", and Cloudflare derives none"}`;
  };
  const off = texts(status, "page_rules_off").map((url) => {
    const found = skips.find((expression) => expression.includes(`/${url}"`) || expression.includes(`"${url}"`));
    return `the page rule "Web Application Firewall: Off" for ${url} has no effect on the new rules; ${skipRule(found, skipFor(url))}`;
  });
  const bypassing = objects(status, "bypass_rules").map((rule) => {
    const expression = textIn(rule, "expression");
    const found = skips.find((each) => each === expression);
    return `the firewall rule ${textIn(rule, "id")} bypasses the previous managed rules only; ${skipRule(found, expression)}`;
  });
  return [...off, ...bypassing];
}

/** The expression of the skip rule that replaces a page rule's URL pattern. */
function skipFor(url: string): string {
  return `http.request.full_uri wildcard ${JSON.stringify(url.includes("://") ? url : `*://${url}`)}`;
}

const SAVED = "saved_rules";

/**
 * The rules that the service derives from the current protection, each as a field: what the step writes if no entry
 * point is declared.
 */
export function derivedLeaves({ status }: Live): readonly LeafChange[] {
  return objects(status, "derived_rules").map((rule, index) => ({
    path: [SAVED, `${index + 1}`],
    after: rule,
    cause: "config",
  }));
}

/**
 * The zone's step, what decides whether it may continue, and, if they will be written, the rules that the service
 * derives.
 */
export function guarded({ values, status }: Live, changed: readonly LeafChange[]): JsonObject {
  const isSaved = changed.some(({ path: [field] }) => field === SAVED);
  return {
    ...values,
    uri_overrides: status["uri_overrides"] ?? [],
    is_compatible: status["is_compatible"] ?? null,
    ...(isSaved ? { [SAVED]: status["derived_rules"] ?? [] } : {}),
  };
}

/**
 * No step can be undone (docs/service.md#waf-migration), and it deletes the URI-based overrides. A zone that is already there, or never had the previous rules,
 * needs no request.
 */
export function hazards({ leaves, desired = {}, isFound }: Step): readonly ObjectHazard[] {
  if (!leaves.some(({ path: [field] }) => field === "target")) return [];
  if (isFound) return [{ hazard: "irreversible" }];
  const lost = leaves.filter(({ path: [field] }) => field === "uri_overrides").length;
  const losing = lost === 0 ? "" : `; deletes ${counted(lost, "URI-based override")} for good`;
  const target = optionalText(desired, "target") ?? "the next step";
  return [{ hazard: "irreversible", words: both(` takes the zone to ${target}, with no way back${losing}`) }];
}

/** A text in the service's response; empty if it is missing. */
export function textIn(from: JsonObject, field: string): string {
  return optionalText(from, field) ?? "";
}
