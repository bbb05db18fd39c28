import type { LeafChange } from "../../core/diff.ts";
import { formatPath, type JsonObject } from "../../core/json.ts";
import type { ConfigJudgement, Unlike } from "../../plan/against-config.ts";
import type { FailedZone } from "../../plan/change.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import { nameLines, subject } from "../lines/change-lines.ts";
import { DRIFT_FORMAT_VERSION, type DriftCodes } from "./drift-json.ts";
import { bucketed, leafKeys } from "../view/group.ts";
import { failedZoneDocument, leafDocument, present } from "../plan/json.ts";
import { columnWidth, isSecret } from "../lines/leaf-lines.ts";
import { type Line, line, printLines, type Printing } from "../lines/lines.ts";
import { shortTitle } from "../lines/rule-lines.ts";
import { appendSection, failedLines } from "../lines/sections.ts";
import { quote } from "../../core/quote.ts";
import { formatPair } from "../lines/value.ts";
import { counted, thousands } from "../lines/words.ts";

/** One zone that was compared with the YAML alone. */
export interface ComparisonView {
  readonly zone: { readonly id: string; readonly name: string };
  readonly judgement: ConfigJudgement;
}

/** How live compares with the YAML alone: never "no drift", because nothing says what was applied last. */
export function comparisonText(
  zones: readonly ComparisonView[],
  failed: readonly FailedZone[],
  printing: Printing,
): string {
  const all = zones.map(({ judgement }) => judgement);
  const lines: Line[] = [line(0, verdict(all), hasDifference(all) ? "bad" : "heading"), ...failedLines(failed)];
  for (const { zone, judgement } of zones) {
    if (zones.length + failed.length > 1)
      appendSection(lines, [line(0, `Zone ${zone.name}: ${verdict([judgement])}`, "heading")]);
    appendSection(lines, unlikeLines(judgement.unlike));
    appendSection(lines, unjudgedLines(judgement));
  }
  return printLines(lines, printing);
}

/** The same for programs. */
export function comparisonDocument(
  project: string,
  zones: readonly ComparisonView[],
  failed: readonly FailedZone[],
  { byZone, code }: DriftCodes,
): JsonObject {
  return {
    format_version: DRIFT_FORMAT_VERSION,
    project,
    against: "config",
    exit_code: code,
    zones: [...zones.map((zone) => zoneDocument(zone, byZone.get(zone.zone.name))), ...failed.map(failedZoneDocument)],
  };
}

function hasDifference(judgements: readonly ConfigJudgement[]): boolean {
  return judgements.some(({ unlike }) => unlike.length > 0);
}

function sum(judgements: readonly ConfigJudgement[], count: (each: ConfigJudgement) => number): number {
  return judgements.reduce((total, each) => total + count(each), 0);
}

function verdict(judgements: readonly ConfigJudgement[]): string {
  const judged = sum(judgements, (each) => each.judged);
  const all = leafCount(sum(judgements, (each) => each.leaves));
  if (!hasDifference(judgements)) return `No difference in ${thousands(judged)} of ${all}`;
  const unlike = judgements.flatMap((each) => each.unlike);
  const leaves = unlike.reduce((total, each) => total + each.leaves.length, 0);
  const rules = unlike.reduce((total, each) => total + each.rules.length, 0);
  const parts = [...(leaves === 0 ? [] : [leafCount(leaves)]), ...(rules === 0 ? [] : [counted(rules, "rule")])];
  return `Live differs from the YAML, cause unknown: ${parts.join(" and ")} of ${counted(unlike.length, "object")}; ${thousands(judged)} of ${all} judged`;
}

function leafCount(count: number): string {
  return `${thousands(count)} ${count === 1 ? "leaf" : "leaves"}`;
}

function unlikeLines(unlike: readonly Unlike[]): Line[] {
  const keyOf = ({ kind, leaves, rules }: Unlike): string => JSON.stringify([kind, leafKeys(leaves), rules]);
  return [...bucketed(unlike, keyOf).values()].flatMap((bucket) => {
    const [{ kind, leaves, rules }] = bucket;
    const addresses = bucket.map(({ address }) => address);
    const width = columnWidth(leaves.map(({ path }) => formatPath(path)));
    return [
      line(0, `~ differs ${subject(kind, addresses)}`, "warn"),
      ...leaves.map((leaf) => line(4, `${formatPath(leaf.path).padEnd(width)}  ${valuesOf(leaf)}`)),
      ...rules.flatMap(ruleLines),
      ...nameLines(addresses),
    ];
  });
}

function valuesOf(leaf: LeafChange): string {
  if (isSecret(leaf)) return "(sensitive, differs)";
  const [live, wanted] = formatPair(leaf.before, leaf.after);
  return `live ${live}, YAML ${wanted}`;
}

function ruleLines({ action, ref, title, from, leaves }: RuleChange): Line[] {
  const rule = `rule #${from ?? "?"} ${quote(shortTitle(title))} [${ref}]`;
  switch (action) {
    case "remove":
      return [line(4, `${rule} is live, and the YAML does not declare it`)];
    case "move":
      return [line(4, `${rule} stands in another place than the YAML says`)];
    case "enable":
      return [line(4, `${rule} is switched off, and the YAML wants it on`)];
    case "disable":
      return [line(4, `${rule} is switched on, and the YAML wants it off`)];
    case "edit":
    case "insert":
      return [line(4, rule), ...leaves.map((leaf) => line(8, `${formatPath(leaf.path)}  ${valuesOf(leaf)}`))];
    default:
      return action satisfies never;
  }
}

/** What cannot be known without a state, and how much of it there is. */
function unjudgedLines({ unknown, missing, missingRules }: ConfigJudgement): Line[] {
  const paths = [...unknown].map(([path, count]) => `${path} ${thousands(count)}`);
  const gone = [
    ...(missing.length === 0 ? [] : [counted(missing.length, "object")]),
    ...(missingRules === 0 ? [] : [counted(missingRules, "rule")]),
  ];
  const parts = [
    ...(paths.length === 0 ? [] : [`depends on what was applied last: ${paths.join(", ")}`]),
    ...(gone.length === 0 ? [] : [`not live (deleted, or never created): ${gone.join(", ")}`]),
  ];
  if (parts.length === 0) return [];
  return [
    line(0, "Not judged, because no state was read:"),
    ...parts.map((part) => line(4, part)),
    ...(missing.length > 1 ? nameLines(missing) : []),
    ...(missing.length === 1 ? missing.map((address) => line(4, address)) : []),
  ];
}

function zoneDocument({ zone, judgement }: ComparisonView, exitCode: number | undefined): JsonObject {
  const { unlike, leaves, judged, unknown, missing, missingRules } = judgement;
  return {
    zone: { id: zone.id, name: zone.name },
    ...present({ exit_code: exitCode }),
    counts: { leaves, judged, differing_objects: unlike.length, missing: missing.length, missing_rules: missingRules },
    differences: unlike.map((each) => ({
      address: each.address,
      kind: each.kind,
      id: each.id,
      cause: "unknown",
      leaves: each.leaves.map(unlikeDocument),
      rules: each.rules.map(({ action, ref, title, from, leaves: parts }) => ({
        what: WHAT[action],
        ref,
        title,
        ...present({ at: from }),
        leaves: parts.map(unlikeDocument),
      })),
    })),
    unknown: Object.fromEntries(unknown),
    missing,
  };
}

/** Nothing says who made the difference. */
function unlikeDocument(leaf: LeafChange): JsonObject {
  const { cause: _cause, prior: _prior, ...rest } = leafDocument(leaf);
  return rest;
}

/** How a live rule is not as declared. */
const WHAT = {
  insert: "missing",
  remove: "undeclared",
  move: "elsewhere",
  edit: "different",
  enable: "off",
  disable: "on",
} as const satisfies Record<RuleChange["action"], string>;
