import { defined, equal, formatPath, type Json, type JsonObject, withValueAt } from "../../core/json.ts";
import { isDrift, type LeafChange } from "../../core/diff.ts";
import { quote } from "../../core/quote.ts";
import { both, type Hazard, HAZARD_MEANINGS } from "../../kinds/hazards.ts";
import { kindNamed, weakens } from "../../kinds/registry.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import type { RuleEvent } from "../../kinds/traits/shared.ts";
import type { Unlike } from "../../plan/against-config.ts";
import type { Change, ForeignDanger } from "../../plan/change.ts";
import type { Drifted } from "../../plan/drift.ts";
import { isSecret, reachWords } from "../lines/leaf-lines.ts";
import { shortTitle } from "../lines/rule-lines.ts";
import { counted, thousands } from "../../core/words.ts";
import { formatPair, formatValue } from "../lines/words.ts";
import { type DangerWords, rulesInDanger } from "./danger-words.ts";
import { type Dangerous, foreignDangerous, type HazardView, viewHazards } from "./hazards.ts";

/** A finding about a live object, from a drift check, a comparison with the YAML, or a plan. */
export interface Found extends Pick<Drifted, "address" | "kind" | "key" | "leaves" | "hazards" | "isUsedBy" | "says"> {
  /** `missing`: declared; it is unknown whether it ever was live. */
  readonly what: Drifted["what"] | "missing";
  readonly rules: readonly Pick<RuleEvent, "what" | "ref" | "title" | "leaves" | "ruleAction">[];
}

/** How many details to give of one object before counting the rest. */
const MOST_DETAILS = 5;

/** How long values may be to be repeated beside their field. */
const LONGEST_VALUES = 50;

/** The dangers that were found, as at the top of every report: the worst first, each with its objects. */
export function foundViews(found: readonly Found[], foreign: readonly ForeignDanger[] = []): HazardView[] {
  return viewHazards([...found.map(asDangerous), ...foreign.map(foreignDangerous)]);
}

function asDangerous(found: Found): Dangerous {
  const { address, kind, hazards } = found;
  return { address, kind, hazards, words: (hazard) => foundWords(hazard, found) };
}

/** A difference from the YAML, as if the declared value had been changed live. */
export function foundUnlike({ id, leaves, rules, ...rest }: Unlike): Found {
  const forward = leaves.map(({ after, ...leaf }) => ({ ...leaf, ...(after === undefined ? {} : { prior: after }) }));
  return { ...rest, what: id === undefined ? "missing" : "changed", leaves: forward, rules: rules.map(asEvent) };
}

/** What a change finds that was done outside Zoneform; undefined if that is no danger to users. */
export function foundByChange({ address, kind, key, action, dangers, leaves, held, rules }: Change): readonly Found[] {
  if (dangers === undefined) return [];
  return [
    {
      address,
      kind,
      key,
      hazards: dangers,
      what: action === "create" ? "deleted" : dangers.includes("outage") && action === "adopt" ? "replaced" : "changed",
      leaves: [...leaves, ...(held?.leaves ?? [])].filter(isDrift),
      rules: rules.filter(isDrift).map(asEvent),
    },
  ];
}

/**
 * What happened to a rule, from the old state to the new one; a plan shows the opposite, what an apply would do about
 * it.
 */
function asEvent({ action, ref, title, leaves, foreign, from = 0, to = 0 }: RuleChange): Found["rules"][number] {
  if (foreign && action === "move") return { what: from < to ? "ahead" : "behind", ref, title, leaves };
  return { what: HAPPENED[action], ref, title, leaves };
}

const HAPPENED = {
  insert: "removed",
  remove: "added",
  move: "moved",
  edit: "edited",
  enable: "disabled",
  disable: "enabled",
} as const satisfies Record<RuleChange["action"], RuleEvent["what"]>;

/** How one object, or several, came to be missing. */
const GONE = {
  deleted: ["was deleted", "were deleted"],
  vanished: ["is gone", "are gone"],
  missing: ["is not live", "are not live"],
} as const satisfies Partial<Record<Found["what"], readonly [one: string, many: string]>>;

/** What a danger means for an object, in words that one would use to a colleague. */
function foundWords(hazard: Hazard, found: Found): DangerWords {
  if (hazard === "outage") return outage(found);
  if (hazard === "weakens-protection") return weaker(found);
  return kindNamed(found.kind).hazardWords?.[hazard]?.foundWords ?? HAZARD_MEANINGS[hazard].foundWords;
}

function outage(found: Found): DangerWords {
  const { kind, what, isUsedBy, says = [] } = found;
  const [origin] = found.leaves.filter(
    ({ path }) => formatPath(path).startsWith("custom_origin") || path[0] === "origin",
  );
  const users = isUsedBy === undefined ? "hostnames without an origin of their own" : counted(isUsedBy, "hostname");
  const { carries, hazardWords } = kindNamed(kind);
  const own = hazardWords?.outage?.foundWords;
  const isCarrier = carries !== undefined;
  switch (what) {
    case "deleted":
    case "vanished":
    case "missing": {
      const [one, many] = GONE[what];
      const effect = isCarrier ? both(`: ${users} offline`) : (own ?? HAZARD_MEANINGS.outage.foundWords);
      return { one: ` ${one}${effect.one}`, many: ` ${many}${effect.many}` };
    }
    case "replaced":
      return {
        one: " was deleted and created again: offline until it is active",
        many: " were deleted and created again: offline until they are active",
      };
    case "changed": {
      if (!origin || isSecret(origin)) return { ...(own ?? both(": traffic goes to another origin")), details: says };
      const who = isCarrier ? `${users} ${isUsedBy === 1 ? "goes" : "go"}` : "traffic goes";
      const values = `${formatValue(origin.before)} (was ${formatValue(origin.prior)})`;
      return { ...both(`: ${who} to ${values}`), details: says };
    }
    default:
      return what satisfies never;
  }
}

function weaker(found: Found): DangerWords {
  const { what, rules, leaves } = found;
  if (what === "deleted" || what === "vanished" || what === "missing")
    return { one: ` ${GONE[what][0]}`, many: ` ${GONE[what][1]}` };
  if (rules.length > 0) return rulesInDanger(rules, ruleWords);
  const shown = leaves.filter((leaf) => !isSecret(leaf));
  const suspects = shown.filter((leaf) => isWeaker(found, leaf));
  const told = suspects.length === 0 ? shown : suspects;
  const [only, ...others] = told;
  if (only === undefined) return HAZARD_MEANINGS["weakens-protection"].foundWords;
  if (others.length === 0 && formatPath(only.path) === "ssl.settings.min_tls_version") return lowerTls(only);
  const named = told.slice(0, MOST_DETAILS).map(leafWords);
  return both(`: ${named.join(", ")}${more(told.length - named.length)}`);
}

function lowerTls({ before, prior }: LeafChange): DangerWords {
  if (before === undefined)
    return {
      one: ` no longer requires TLS ${formatValue(prior)}`,
      many: ` no longer require TLS ${formatValue(prior)}`,
    };
  const was = prior === undefined ? "" : ` (minimum was ${formatValue(prior)})`;
  return { one: ` accepts TLS ${formatValue(before)}${was}`, many: ` accept TLS ${formatValue(before)}${was}` };
}

function isWeaker({ kind, key }: Found, { path, before, prior }: LeafChange): boolean {
  const withLeaf = (value: Json | undefined): JsonObject => (value === undefined ? {} : withValueAt({}, path, value));
  return weakens(kind, withLeaf(prior), withLeaf(before), key);
}

function leafWords({ path, prior, before }: LeafChange): string {
  const values = formatPair(prior, before).join(" -> ");
  return `${formatPath(path)} ${values.length > LONGEST_VALUES ? "was changed" : values}`;
}

function ruleWords({ what, ref, title, leaves, ruleAction }: Found["rules"][number]): string {
  const name = `rule ${quote(ref)}`;
  switch (what) {
    case "added":
      return `${name} (${quote(shortTitle(title))}) was added`;
    case "edited":
      return `${ruleAction === undefined ? "" : `${ruleAction} `}${name} ${leaves.map(editWords).join(", ")}`;
    case "ahead":
    case "behind":
      return `foreign ${name} (${quote(shortTitle(title))}) stands ${what === "ahead" ? "ahead of" : "behind"} ours`;
    case "removed":
    case "moved":
    case "enabled":
    case "disabled":
      return `${name} was ${what}`;
    default:
      return what satisfies never;
  }
}

/** An edit of a rule. `after` is declared and `prior` was applied; the one that differs from live counts. */
function editWords(leaf: LeafChange): string {
  const { path, before } = leaf;
  const was = leaf.prior ?? leaf.after;
  const name = formatPath(path);
  if (isSecret(leaf) || equal(was ?? null, before ?? null)) return `was changed: ${name}`;
  const reach = reachWords({ ...defined({ before: was, after: before }), path, cause: leaf.cause });
  if (reach !== undefined) return reach;
  const values = formatPair(was, before).join(" -> ");
  return values.length > LONGEST_VALUES ? `was changed: ${name}` : `${name} ${values}`;
}

function more(count: number): string {
  return count === 0 ? "" : ` and ${thousands(count)} more`;
}
