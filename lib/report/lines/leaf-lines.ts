import type { Cause, LeafChange } from "../../core/diff.ts";
import { formatPath } from "../../core/json.ts";
import { SENSITIVE } from "../../core/secret.ts";
import type { Action } from "../../plan/change.ts";
import type { GroupLeaf } from "../view/group.ts";
import { type Line, line, withValues } from "./lines.ts";
import { formatPair, formatValue, isSensitive } from "./value.ts";
import { wordDiff } from "./word-diff.ts";

/** Values longer than this are not said again behind the cause. */
const LONGEST_REPEATED = 40;

/** Paths are set in a column, unless one of them is longer than this. */
const WIDEST_COLUMN = 40;

/**
 * One line for each leaf: path, before and after, cause; for drift also what was last applied. `said` is the cause that
 * the heading names already: it is not said again.
 */
export function leafLines(leaves: readonly GroupLeaf[], action: Action, indent: number, said?: Cause): Line[] {
  const width = columnWidth(leaves.map(({ path }) => formatPath(path)));
  return leaves.map((leaf) => {
    const name = formatPath(leaf.path).padEnd(width);
    const note = causeNote(leaf, said);
    const text = `${name}  ${leafValues(leaf, action)}${note === undefined ? "" : `  (${note})`}`;
    return colourValues(line(indent, text), leaf);
  });
}

/** The line with the values before and after in their colours; one without an arrow stays as it is. */
export function colourValues(given: Line, leaf: GroupLeaf): Line {
  if (isSecret(leaf) || leaf.varies) return given;
  const [before, after] = formatPair(leaf.before, leaf.after);
  return withValues(given, before, after);
}

/** A leaf on one line with what stands before it: `ssl.certificate_authority lets_encrypt -> google (config)`. */
export function leafSentence(leaf: GroupLeaf, action: Action): string {
  return `${formatPath(leaf.path)} ${leafValues(leaf, action)} (${causeNote(leaf) ?? leaf.cause})`;
}

/** The width of a column that fits all texts, within reason. */
export function columnWidth(texts: readonly string[]): number {
  const widest = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return widest <= WIDEST_COLUMN ? widest : 0;
}

/** What becomes of a leaf: before and after, or after alone where the object is new; never the value of a secret. */
export function leafValues(leaf: GroupLeaf, action: Action): string {
  if (isSecret(leaf)) return action === "create" ? SENSITIVE : "(sensitive, changed)";
  if (leaf.varies) return "(varies)";
  if (action === "create") return formatValue(leaf.after);
  return textDiff(leaf) ?? formatPair(leaf.before, leaf.after).join(" -> ");
}

/** Whether any of the three values of a leaf must not be printed. */
export function isSecret({ sensitive, before, after, prior }: LeafChange): boolean {
  return sensitive === true || [before, after, prior].some(isSensitive);
}

function textDiff({ before, after }: LeafChange): string | undefined {
  return typeof before === "string" && typeof after === "string" ? wordDiff(before, after) : undefined;
}

/** The cause, and with drift the three values that it is seen from: `drift: applied 1.2, live 1.0, wanted 1.2`. */
function causeNote(leaf: GroupLeaf, said?: Cause): string | undefined {
  const { cause } = leaf;
  const detail = detailOf(leaf);
  if (cause === said) return detail;
  return detail === undefined ? cause : `${cause}: ${detail}`;
}

function detailOf(leaf: GroupLeaf): string | undefined {
  const { cause, prior, before, after } = leaf;
  if (cause === "config" || cause === "service" || isSecret(leaf) || leaf.varies) return undefined;
  const isLong = [prior, before, after].some((value) => formatValue(value).length > LONGEST_REPEATED);
  if (!isLong) return `applied ${formatValue(prior)}, live ${formatValue(before)}, wanted ${formatValue(after)}`;
  return cause === "drift" ? "wanted as last applied" : `last applied ${formatValue(prior)}`;
}
