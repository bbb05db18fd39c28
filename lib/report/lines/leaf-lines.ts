import type { Cause, LeafChange } from "../../core/diff.ts";
import { formatPath } from "../../core/json.ts";
import { SENSITIVE } from "../../core/secret.ts";
import type { Action } from "../../plan/change.ts";
import { formatPlaces, type GroupLeaf } from "../view/group.ts";
import { type Field, type Line, line, withValues } from "./lines.ts";
import { CAUSE_WORDS } from "./marks.ts";
import { compareReach } from "../../kinds/ruleset/expressions.ts";
import { overrideLeaves, type Side } from "../../kinds/ruleset/overrides.ts";
import type { Reach } from "../../rules-language/meaning.ts";
import { expressionPair, textPair } from "./text-diff.ts";
import { originNote } from "./words.ts";
import { formatPair, formatValue, isSensitive } from "../../core/value-words.ts";

/** If one of two texts is longer than this, they are shown below each other. */
export const LONGEST_BESIDE = 40;

/** How long paths may be to be aligned in a column. */
const WIDEST_COLUMN = 40;

/**
 * The fields of an object: path, old and new value, cause, and the policy or exception that decides. `said` is the
 * cause that the heading already names; it is not repeated.
 */
export function leafLines(leaves: readonly GroupLeaf[], action: Action, indent: number, said?: Cause): Line[] {
  const shown = leaves.flatMap((leaf) => shownLeaves(leaf));
  const width = columnWidth(shown.map(leafName));
  return shown.flatMap((leaf) => {
    const name = leafName(leaf);
    const note = causeNote(leaf, said);
    const reach = action === "create" ? undefined : reachWords(leaf);
    const remark = `${note === undefined ? "" : `  (${note})`}${reach === undefined ? "" : `  ${reach}`}${originNote(leaf.origin)}`;
    const texts = longTexts(leaf, action);
    const about = { field: fieldOf(leaf, action, remark.trim()), ...placedAt(leaf) };
    if (texts === undefined) {
      const text = `${name.padEnd(width)}  ${leafValues(leaf, action)}${remark}`;
      return [{ ...colourValues(line(indent, text), leaf), ...about }];
    }
    const [before, after] = texts;
    return [
      { ...line(indent, `${name}${remark}`), ...about },
      ...pairOf(leaf)(before, after, indent + 2, { isDanger: leaf.isDanger }).map((each): Line => ({
        ...each,
        isDetail: true,
      })),
    ];
  });
}

/** The field as it is shown: overrides of a managed ruleset one by one, compared from one side to the other. */
export function shownLeaves(leaf: GroupLeaf, from: Side = "before", to: Side = "after"): readonly GroupLeaf[] {
  const overrides = leaf.varies || isSecret(leaf) ? [] : (overrideLeaves(leaf, from, to) ?? []);
  const { before: _before, after: _after, prior: _prior, ...rest } = leaf;
  return overrides.length === 0 ? [leaf] : overrides.map((each) => ({ ...rest, ...each }));
}

/** What to call a field. */
export function leafName({ name, path }: GroupLeaf): string {
  return name ?? formatPath(path);
}

function placedAt({ place }: GroupLeaf): Pick<Line, "aside" | "place"> {
  return place === undefined ? {} : { aside: formatPlaces(place), place: place.first };
}

/** The same for printers that lay out fields themselves. */
function fieldOf(leaf: GroupLeaf, action: Action, remark: string): Field {
  const { isDanger, varies } = leaf;
  const isWhole = action === "create" || action === "delete" || isSecret(leaf) || varies;
  const [before, after] = isWhole ? [undefined, leafValues(leaf, action)] : formatPair(leaf.before, leaf.after);
  return {
    name: leafName(leaf),
    ...(before === undefined ? {} : { before }),
    after,
    ...(isDanger ? { isDanger } : {}),
    ...(remark === "" ? {} : { remark }),
  };
}

/** The line with the old and new value coloured; a line without an arrow stays as it is. */
function colourValues(given: Line, leaf: GroupLeaf): Line {
  if (isSecret(leaf) || leaf.varies) return given;
  const [before, after] = formatPair(leaf.before, leaf.after);
  return withValues(given, before, after, leaf.isDanger);
}

/** The width of a column that fits all texts, within limits. */
export function columnWidth(texts: readonly string[]): number {
  const widest = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return widest <= WIDEST_COLUMN ? widest : 0;
}

/**
 * How a field changes: old and new value, or the only one of a new or deleted object; never the value of a secret.
 */
export function leafValues(leaf: GroupLeaf, action: Action): string {
  if (isSecret(leaf)) return action === "create" || action === "delete" ? SENSITIVE : "(sensitive, changed)";
  if (leaf.varies) return "(differs)";
  if (action === "create") return formatValue(leaf.after);
  if (action === "delete") return formatValue(leaf.before);
  return formatPair(leaf.before, leaf.after).join(" -> ");
}

/** Whether any of the three values of a field must not be printed. */
export function isSecret({ sensitive, before, after, prior }: LeafChange): boolean {
  return sensitive === true || [before, after, prior].some(isSensitive);
}

/** The old and new value of a field, if they are too long to stand side by side. */
function longTexts(leaf: GroupLeaf, action: Action): readonly [string, string] | undefined {
  const { before, after, varies } = leaf;
  if (action === "create" || varies || isSecret(leaf) || before === undefined || after === undefined) return undefined;
  const texts =
    typeof before === "string" && typeof after === "string" ? ([before, after] as const) : formatPair(before, after);
  return Math.max(texts[0].length, texts[1].length) > LONGEST_BESIDE ? texts : undefined;
}

/** How to show two long values of a field. */
export function pairOf({ path }: Pick<LeafChange, "path">): typeof expressionPair {
  return formatPath(path) === "expression" ? expressionPair : textPair;
}

/** The cause; if both the YAML and live changed the value, also the last applied value. */
function causeNote(leaf: GroupLeaf, said?: Cause): string | undefined {
  const { cause, prior } = leaf;
  const detail =
    cause !== "both" || isSecret(leaf) || leaf.varies
      ? undefined
      : `applied ${formatValue(prior)}, then changed to ${formatValue(leaf.before)}`;
  if (cause === said) return detail;
  return detail === undefined ? CAUSE_WORDS[cause] : `${CAUSE_WORDS[cause]}: ${detail}`;
}

/** What an edit does to the requests that a rule matches; undefined for fields other than its expression. */
export function reachWords({ path, before, after }: LeafChange): string | undefined {
  if (formatPath(path) !== "expression" || typeof before !== "string" || typeof after !== "string") return undefined;
  return REACH_WORDS[compareReach(before, after)];
}

const REACH_WORDS = {
  every: "matches every request",
  none: "matches no request",
  same: "matches the same requests",
  more: "matches more requests",
  fewer: "matches fewer requests",
  other: "matches other requests",
  unknown: "may match more or fewer requests (cannot tell which)",
} as const satisfies Record<Reach, string>;
