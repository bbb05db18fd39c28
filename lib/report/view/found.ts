import { defined, equal, formatPath } from "../../core/json.ts";
import { isDrift, type LeafChange } from "../../core/diff.ts";
import { quote } from "../../core/quote.ts";
import { listed } from "../../core/words.ts";
import { type Hazard, HAZARD_MEANINGS } from "../../kinds/hazards.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import type { RuleEvent } from "../../kinds/traits/shared.ts";
import type { Unlike } from "../../plan/against-config.ts";
import type { Change, ForeignDanger } from "../../plan/change.ts";
import type { Drifted } from "../../plan/drift.ts";
import { isSecret, leafName, reachWords, shownLeaves } from "../lines/leaf-lines.ts";
import { shortTitle } from "../lines/rule-lines.ts";
import { formatPair } from "../../core/value-words.ts";
import { type DangerWords, MOST_DETAILS, wordsOf } from "./danger-words.ts";
import type { GroupLeaf } from "./group.ts";
import { type Dangerous, foreignDangerous, type HazardView, viewHazards } from "./hazards.ts";

/** A finding about a live object, from a drift check, a comparison with the YAML, or a plan. */
export interface Found extends Pick<Drifted, "address" | "kind" | "key" | "leaves" | "hazards" | "hazardDetails"> {
  /** `missing`: declared; it is unknown whether it ever was live. */
  readonly what: Drifted["what"] | "missing";
  readonly rules: readonly Pick<RuleEvent, "what" | "ref" | "title" | "leaves" | "ruleAction">[];
}

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
export function foundByChange(change: Change): readonly Found[] {
  const { address, kind, key, action, dangers, dangerDetails: hazardDetails, leaves, held, rules } = change;
  if (dangers === undefined) return [];
  return [
    {
      address,
      kind,
      key,
      hazards: dangers,
      what: action === "create" ? "deleted" : dangers.includes("outage") && action === "adopt" ? "replaced" : "changed",
      leaves: [...leaves, ...(held?.leaves ?? [])].filter(isDrift),
      rules: rules.filter(isDrift).map((rule) => asEvent({ ...rule, leaves: rule.leaves.filter(isDrift) })),
      ...defined({ hazardDetails }),
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

/** How one object, or several, came to be gone, or to be another one. */
const GONE = {
  deleted: ["was deleted", "were deleted"],
  vanished: ["is gone", "are gone"],
  missing: ["is not live", "are not live"],
  replaced: ["was deleted and created again", "were deleted and created again"],
  changed: undefined,
} as const satisfies Record<Found["what"], readonly [one: string, many: string] | undefined>;

/** What a danger means for an object, in words that one would use to a colleague. */
function foundWords(hazard: Hazard, { what, hazardDetails = [], leaves, rules }: Found): DangerWords {
  const otherwise = HAZARD_MEANINGS[hazard].foundWords;
  const telling = { otherwise, leaves, leafWords, rules, ruleWords };
  const words = wordsOf(hazardDetails.find((each) => each.hazard === hazard) ?? { hazard }, telling);
  const gone = GONE[what];
  if (gone === undefined || words.subject !== undefined) return words;
  const joined = (verb: string, text: string): string => ` ${verb}${text.startsWith(":") ? "" : ", and"}${text}`;
  return { ...words, one: joined(gone[0], words.one), many: joined(gone[1], words.many) };
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
      return `${ruleAction === undefined ? "" : `${ruleAction} `}${name} ${listed(leaves.flatMap(shownEdits).map(editWords), MOST_DETAILS)}`;
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

function shownEdits(leaf: LeafChange): readonly GroupLeaf[] {
  return shownLeaves(leaf, leaf.prior === undefined ? "after" : "prior", "before");
}

/** An edit of a rule. `after` is declared and `prior` was applied; the one that differs from live counts. */
function editWords(leaf: GroupLeaf): string {
  const { path, before } = leaf;
  const was = leaf.prior ?? leaf.after;
  const name = leafName(leaf);
  if (isSecret(leaf) || equal(was ?? null, before ?? null)) return `was changed: ${name}`;
  const reach = reachWords({ ...defined({ before: was, after: before }), path, cause: leaf.cause });
  if (reach !== undefined) return reach;
  const values = formatPair(was, before).join(" -> ");
  return values.length > LONGEST_VALUES ? `was changed: ${name}` : `${name} ${values}`;
}
