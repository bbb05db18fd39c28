import type { Cause } from "../core/diff.ts";
import { formatPath } from "../core/json.ts";
import type { Change, Plan, ZonePlan } from "../plan/change.ts";
import { isDrift } from "../plan/drift.ts";
import { nameLines, subject } from "./change-lines.ts";
import { type ChangeGroup, type GroupLeaf, groupChanges } from "./group.ts";
import { columnWidth, isSecret } from "./leaf-lines.ts";
import { type Line, line, printLines, type Printing } from "./lines.ts";
import { ruleLines } from "./rule-lines.ts";
import { tally } from "./tally.ts";
import { appendSection, appendTitled, findingLines } from "./sections.ts";
import { formatPair, formatValue } from "./value.ts";
import { groupFindings } from "./view.ts";
import { wordDiff } from "./word-diff.ts";
import { counted, thousands } from "./words.ts";

/**
 * What somebody changed live since the last apply, object by object and leaf by leaf. What waits, what the YAML asks
 * for and what the service did by itself is counted, and is no drift (product semantics 4 and 5).
 */
export function driftText(plan: Plan, printing: Printing): string {
  const zones = plan.zones.map((zone) => ({ zone, drifted: zone.changes.flatMap(driftedPart) }));
  const all = zones.flatMap(({ drifted }) => drifted);
  const lines: Line[] = [line(0, verdict(all), all.length === 0 ? "heading" : "bad")];
  for (const { zone, drifted } of zones) {
    if (zones.length > 1) appendSection(lines, [line(0, `Zone ${zone.zone.name}: ${verdict(drifted)}`, "heading")]);
    appendSection(lines, groupChanges(drifted).flatMap(driftLines));
    appendTitled(lines, "Findings", groupFindings(zone.findings).map(findingLines));
  }
  appendSection(lines, besideLines(plan.zones));
  return printLines(lines, printing);
}

/** The change with nothing but what drifted; none where nothing did. An object that was deleted is one whole. */
function driftedPart(change: Change): Change[] {
  if (!isDrift(change)) return [];
  const { refused: _refused, held: _held, ...rest } = change;
  const leaves = isDeleted(change) ? [] : change.leaves.filter(isDriftedPart);
  const rules = isDeleted(change) ? [] : change.rules.filter(isDriftedPart);
  return [{ ...rest, leaves, rules, letGo: [], notes: [] }];
}

/** A create that drift asks for: somebody deleted the object. */
function isDeleted({ action }: Pick<Change, "action">): boolean {
  return action === "create";
}

function isDriftedPart({ cause }: { cause: Cause }): boolean {
  return cause === "drift" || cause === "both";
}

function verdict(drifted: readonly Change[]): string {
  if (drifted.length === 0) return "No drift.";
  const deleted = drifted.filter(isDeleted).length;
  const sum = (count: (change: Change) => number): number =>
    drifted.reduce((total, change) => total + count(change), 0);
  const parts = [
    [deleted, `${counted(deleted, "object")} deleted`],
    [drifted.length - deleted, `${counted(drifted.length - deleted, "object")} changed`],
  ] as const;
  const details = [
    [sum(({ leaves }) => leaves.length), "attribute"],
    [sum(({ rules }) => rules.length), "rule"],
  ] as const;
  const objects = parts.filter(([count]) => count > 0).map(([, said]) => said);
  const inside = details.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun));
  return `Drift: ${objects.join(", ")} since the last apply${inside.length === 0 ? "" : ` (${inside.join(", ")})`}`;
}

function driftLines(group: ChangeGroup): Line[] {
  const { addresses, reason } = group;
  const what = subject(group.kind, addresses);
  const why = reason === undefined ? "" : ` (${reason})`;
  return [
    isDeleted(group) ? line(0, `- deleted ${what}${why}`, "bad") : line(0, `~ changed ${what}${why}`, "warn"),
    ...driftLeafLines(group.leaves),
    ...(group.rules.length === 0 ? [] : [line(4, "rules, as an apply would put them back:")]),
    ...ruleLines(group.rules, 4),
    ...nameLines(addresses),
  ];
}

/** Drift is read from the past to the present: what was applied, what live has, and what the YAML wants if that is a third thing. */
function driftLeafLines(leaves: readonly GroupLeaf[]): Line[] {
  const width = columnWidth(leaves.map(({ path }) => formatPath(path)));
  return leaves.map((leaf) => line(4, `${formatPath(leaf.path).padEnd(width)}  ${driftValues(leaf)}`));
}

function driftValues(leaf: GroupLeaf): string {
  const { cause, prior, before, after } = leaf;
  if (isSecret(leaf)) return `(sensitive, changed)  (${cause})`;
  const wanted = cause === "both" ? `, wanted ${formatValue(after)}` : "";
  const words = typeof prior === "string" && typeof before === "string" ? wordDiff(prior, before) : undefined;
  if (words !== undefined) return `${words}${wanted}  (${cause})`;
  const [applied, live] = formatPair(prior, before);
  return `applied ${applied}, live ${live}${wanted}  (${cause})`;
}

/** What is different and is no drift. */
function besideLines(zones: readonly ZonePlan[]): Line[] {
  const counts = tally(zones);
  const pending = zones.flatMap(({ changes }) => changes).filter(isPending).length;
  const parts = [
    [pending, `${counted(pending, "change")} of the configuration not applied yet`],
    [counts.held, `${thousands(counts.held)} held`],
    [counts.foreign, `${thousands(counts.foreign)} foreign`],
    [counts.expired, `${thousands(counts.expired)} expired`],
    [counts.gone, `${thousands(counts.gone)} gone`],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([, text]) => text);
  return said.length === 0 ? [] : [line(0, `Besides, and no drift: ${said.join(", ")}`, "quiet")];
}

/** A change that the configuration alone asks for, at least in part. */
function isPending(change: Change): boolean {
  if (change.action === "held") return false;
  const causes = [...change.leaves, ...change.rules].map(({ cause }) => cause);
  return causes.length === 0 ? change.cause === "config" : causes.includes("config");
}
