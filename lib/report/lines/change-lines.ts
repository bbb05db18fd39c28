import type { Cause } from "../../core/diff.ts";
import { equal, type Path } from "../../core/json.ts";
import type { Refused } from "../../plan/change.ts";
import { PROTECTION } from "../../plan/protection.ts";
import { type ChangeGroup, formatPaths, type HeldGroup, type LetGoGroup } from "../view/group.ts";
import type { Affected, HazardView } from "../view/hazards.ts";
import { colourValues, leafLines, leafSentence } from "./leaf-lines.ts";
import { append, type Line, line } from "./lines.ts";
import { ACTION_STYLES, HAZARD_MEANINGS, MARKS } from "./marks.ts";
import { ruleLines, ruleName } from "./rule-lines.ts";
import { counted, firstNamed, kindNoun, named, thousands } from "./words.ts";

/** Where the parts of a change stand in. */
const INDENT = 4;

/** So many refused addresses are all named; a reader has to look at each of them. */
const MOST_REFUSED = 20;

/** So many objects that go are named, and the others counted. */
const MOST_IN_DANGER = 20;

/** The hazards: how many objects have each, what it means, and the first of them. */
export function hazardLines(hazards: readonly HazardView[]): Line[] {
  if (hazards.length === 0) return [];
  const found = hazardHeads(hazards);
  const [title, ...heads] = found;
  const lines: Line[] = title ? [title] : [];
  const told = new Set<string>();
  for (const [index, { affected, others }] of hazards.entries()) {
    append(lines, heads.slice(index, index + 1));
    for (const each of affected) {
      const same = JSON.stringify([each.action, each.count, each.addresses]);
      append(lines, affectedLines(each, told.has(same)));
      told.add(same);
    }
    append(lines, othersLines(others));
  }
  return lines;
}

/** The title of all hazards, then a line for each that says what it means. */
export function hazardHeads(hazards: readonly HazardView[]): Line[] {
  const counts = hazards.map(({ hazard, count }) => `${thousands(count)} ${hazard}`).join(", ");
  return [
    line(0, `Hazards: ${counts}`, "bad"),
    ...hazards.map(({ hazard }) => line(0, `! ${hazard}: ${HAZARD_MEANINGS[hazard]}`, "bad")),
  ];
}

/** What has a hazard, in one line; below it, line by line, the rules of somebody else that go. Objects are named once. */
export function affectedLines(affected: Affected, areNamedAbove = false): Line[] {
  const { action, kind, count, addresses, isStopped, because, lostRules } = affected;
  const stop = isStopped === undefined ? "" : ` (${isStopped}: not in this run)`;
  const rest = count - addresses.length;
  const all = `${addresses.join(", ")}${rest === 0 ? "" : ` and ${thousands(rest)} more`}`;
  const names = count === 1 ? "" : `: ${areNamedAbove ? "the same as above" : all}`;
  const what = count === 1 ? subject(kind, addresses) : counted(count, kindNoun(kind));
  const seen = because === undefined ? "" : ` (seen now, not part of the hash: ${because})`;
  return [
    line(INDENT, `${MARKS[action]} ${action} ${what}${stop}${seen}${names}`, ACTION_STYLES[action]),
    ...lostRules.map((rule) => line(2 * INDENT, `loses ${ruleName(rule)}`, "bad")),
  ];
}

/** How many objects have a hazard besides those that are named. */
export function othersLines(others: number): Line[] {
  return others === 0 ? [] : [line(INDENT, `and ${thousands(others)} more; the JSON plan names all of them`)];
}

/** One group of changes: what, of which objects, from what to what, and why. */
export function changeLines(group: ChangeGroup): Line[] {
  const { action, addresses, reason, refused } = group;
  const isSentence = addresses.length > 1 && group.leaves.length === 1 && group.rules.length === 0;
  const [only] = group.leaves;
  const what = isSentence && only !== undefined ? `: ${leafSentence(only, action)}` : "";
  const cause = reason === undefined ? sharedCause(group) : group.cause;
  const because = [...(cause === undefined || isSentence ? [] : [cause]), ...(reason === undefined ? [] : [reason])];
  const why = because.length === 0 ? "" : ` (${because.join(": ")})`;
  const head = line(
    0,
    `${MARKS[action]} ${action} ${subject(group.kind, addresses)}${what}${why}`,
    ACTION_STYLES[action],
  );
  return [
    only === undefined ? head : colourValues(head, only),
    ...(refused === undefined ? [] : refusedLines(refused)),
    ...(isSentence ? [] : leafLines(group.leaves, action, INDENT, cause)),
    ...ruleLines(group.rules, INDENT, cause),
    ...group.notes.map((note) => line(INDENT, `note: ${note}`, "quiet")),
    ...groupNames(group),
  ];
}

/** What goes and endangers somebody is named where the hazards are, above all changes: here it is counted. */
function groupNames({ action, addresses, hazards, refused }: ChangeGroup): Line[] {
  const isGone = action === "delete" || action === "replace";
  if (addresses.length === 1 || (isGone && hazards.length > 0)) return [];
  if (isGone) return [line(INDENT, firstNamed(addresses, MOST_IN_DANGER), "quiet")];
  return nameLines(addresses, refused === undefined ? undefined : MOST_REFUSED);
}

/** The cause that the heading says for all leaves and rules, or undefined where they differ and say their own. */
function sharedCause({ cause, leaves, rules }: ChangeGroup): Cause | undefined {
  const [first = cause, ...others] = new Set([...leaves, ...rules].map((part) => part.cause));
  return others.length === 0 ? first : undefined;
}

/** Why a change is refused, and what to do about it. */
export function refusedLines({ code, message, remedy, commands = [] }: Refused): Line[] {
  return [
    line(INDENT, `${message} [${code}]`, "bad"),
    line(INDENT, `to go on: ${remedy}`),
    ...commands.map((command) => line(INDENT + 2, command)),
  ];
}

/** What waits: how many, why, and for which leaves. */
export function heldLines({ kind, addresses, reason, lifts, leaves }: HeldGroup): Line[] {
  return [
    line(0, `${MARKS.held} held ${subject(kind, addresses)}: ${reason}`, ACTION_STYLES.held),
    ...(lifts === undefined ? [] : [line(INDENT, `goes on once ${lifts}`, "quiet")]),
    ...leafLines(leaves, "update", INDENT),
    ...nameLines(addresses),
  ];
}

/** What is let go: from now on it is nobody's business (docs/semantics.md#ownership). */
export function letGoLines({ kind, addresses, paths }: LetGoGroup): Line[] {
  return [
    line(0, `${MARKS.forget} let go ${subject(kind, addresses)}: ${formatPaths(paths)}`),
    ...(paths.some(isProtection)
      ? [line(INDENT, "protect: true -> false; a later plan may delete or replace it")]
      : []),
    ...nameLines(addresses),
  ];
}

function isProtection(path: Path): boolean {
  return equal(path, PROTECTION);
}

/** What a line is about: the address of one object, or the count of many. */
export function subject(kind: string, addresses: readonly string[]): string {
  const [only] = addresses;
  return addresses.length === 1 && only !== undefined ? only : counted(addresses.length, kindNoun(kind));
}

/** The line that names the objects of a group; none for a group of one, whose address stands in its heading. */
export function nameLines(addresses: readonly string[], most?: number): Line[] {
  return addresses.length === 1 ? [] : [line(INDENT, named(addresses, most), "quiet")];
}
