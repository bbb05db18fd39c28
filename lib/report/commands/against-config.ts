import type { LeafChange } from "../../core/diff.ts";
import { formatPosition } from "../../core/diagnostic.ts";
import { formatPath, type JsonObject } from "../../core/json.ts";
import type { ConfigJudgement, Unlike } from "../../plan/against-config.ts";
import type { FailedZone } from "../../plan/change.ts";
import { unreadWords } from "../../plan/watch.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { type DriftCodes, foundDocument } from "./drift-json.ts";
import { bucketed } from "../../core/lists.ts";
import { namesLine } from "../lines/change-lines.ts";
import { foundUnlike, foundViews } from "../view/found.ts";
import { type GroupLeaf, leafKeys } from "../view/group.ts";
import { hazardsDocument } from "../view/hazards.ts";
import { counted, thousands } from "../../core/words.ts";
import { foreignWords, whichObjects } from "../lines/words.ts";
import { formatPair } from "../../core/value-words.ts";
import { failedZoneDocument, foreignDocument, present } from "../plan/json.ts";
import { columnWidth, isSecret, leafName, LONGEST_BESIDE, shownLeaves } from "../lines/leaf-lines.ts";
import { type Line, line } from "../lines/lines.ts";
import { failedSections, hazardSections } from "../sections/plan.ts";
import { type Item, plainSection, type Report, type Section } from "../sections/report.ts";
import { shortTitle } from "../lines/rule-lines.ts";
import { textPair } from "../lines/text-diff.ts";
import { quote } from "../../core/quote.ts";

/** A zone whose live objects were compared with the YAML alone. */
export interface ComparisonView {
  readonly zone: { readonly id: string; readonly name: string };
  readonly judgement: ConfigJudgement;
}

/**
 * How live compares with the YAML alone. It never says "no drift", because nothing shows what was applied last.
 */
export function comparisonReport(
  project: string,
  zones: readonly ComparisonView[],
  failed: readonly FailedZone[],
): Report {
  const all = zones.map(({ judgement }) => judgement);
  const found = all.flatMap(({ unlike }) => unlike.map(foundUnlike));
  const foreign = all.flatMap((judgement) => judgement.foreign);
  return {
    verdict: line(0, verdict(project, all), hasDifference(all) ? "bad" : "heading"),
    sections: [
      ...failedSections(failed),
      ...hazardSections(foundViews(found, foreign)),
      ...zones.flatMap(zoneSections),
    ],
  };
}

function zoneSections({ zone, judgement }: ComparisonView): Section[] {
  const { unlike } = judgement;
  const same = unlike.length === 0 ? "no difference, " : "";
  const title = line(0, `${zone.name}: ${same}${comparedFields([judgement])} compared`, "heading");
  const items = unlikeItems(unlike, zone.name);
  return [
    { title, items: [], rank: "changes" },
    ...(items.length === 0 ? [] : [{ items, rank: "changes" } as const]),
    ...plainSection(unjudgedLines(judgement)),
  ];
}

/** The same for programs. */
export function comparisonDocument(
  project: string,
  zones: readonly ComparisonView[],
  failed: readonly FailedZone[],
  { byZone, code }: DriftCodes,
): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project,
    against: "config",
    exit_code: code,
    hazards: hazardsDocument(zones.flatMap(({ judgement }) => [...judgement.unlike, ...judgement.foreign])),
    zones: [...zones.map((zone) => zoneDocument(zone, byZone.get(zone.zone.name))), ...failed.map(failedZoneDocument)],
  };
}

function hasDifference(judgements: readonly ConfigJudgement[]): boolean {
  return judgements.some(({ unlike, foreign }) => unlike.length + foreign.length > 0);
}

function sum(judgements: readonly ConfigJudgement[], count: (each: ConfigJudgement) => number): number {
  return judgements.reduce((total, each) => total + count(each), 0);
}

function verdict(project: string, judgements: readonly ConfigJudgement[]): string {
  if (!hasDifference(judgements)) {
    const rest = judgements.some(({ unread }) => unread.length > 0) ? ", but foreign rules could not be checked" : "";
    return `No difference between live and the YAML in ${comparedFields(judgements)}${rest}.`;
  }
  if (judgements.every(({ isBare }) => isBare))
    return `Nothing that project ${project} declares is live: was it ever applied? Only a state can tell.`;
  const unlike = sum(judgements, (each) => each.unlike.length);
  const objects = counted(
    sum(judgements, (each) => each.objects),
    "object",
  );
  const foreign = sum(judgements, (each) => each.foreign.length);
  const parts = [
    ...(unlike === 0
      ? []
      : [`Live differs from the YAML in ${thousands(unlike)} of ${objects} of project ${project}.`]),
    ...(foreign === 0 ? [] : [`${foreignWords(foreign)}.`]),
  ];
  return `${parts.join(" ")} Without a state the cause is unknown.`;
}

/** How much could be compared: `82 of 107 declared fields`. */
function comparedFields(judgements: readonly ConfigJudgement[]): string {
  const judged = sum(judgements, (each) => each.judged);
  return `${thousands(judged)} of ${counted(
    sum(judgements, (each) => each.leaves),
    "declared field",
  )}`;
}

function unlikeItems(unlike: readonly Unlike[], zone: string): Item[] {
  const keyOf = ({ kind, id, leaves, rules }: Unlike): string =>
    JSON.stringify([kind, id === undefined, leafKeys(leaves), rules]);
  return [...bucketed(unlike, keyOf).values()].map((bucket) => {
    const [{ kind, id, leaves, rules, at, hazards }] = bucket;
    const addresses = bucket.map(({ address }) => address);
    const width = columnWidth(leaves.map(({ path }) => formatPath(path)));
    const lines = [
      line(2, whichObjects(kind, addresses), id === undefined ? "bad" : "warn"),
      ...(addresses.length === 1 ? [] : [namesLine(6, addresses)]),
      ...leaves.flatMap((leaf) => leafLines(leaf, 6, width)),
      ...(id === undefined
        ? [
            line(
              6,
              `declared (${formatPosition(at)}${addresses.length === 1 ? "" : ", ..."}), not live: deleted, or never created`,
            ),
          ]
        : []),
      ...rules.flatMap(ruleLines),
    ];
    const counts = { sort: "changes", count: addresses.length } as const;
    return { lines, counts, facets: { zone, kind, hazards, addresses } };
  });
}

function leafLines(leaf: GroupLeaf, indent: number, width = 0): Line[] {
  const name = leafName(leaf);
  if (isSecret(leaf)) return [line(indent, `${name.padEnd(width)}  (sensitive, differs)`)];
  const [live, declared] = formatPair(leaf.before, leaf.after);
  if (Math.max(live.length, declared.length) <= LONGEST_BESIDE)
    return [line(indent, `${name.padEnd(width)}  live ${live}, YAML ${declared}`)];
  return [line(indent, name), ...textPair(live, declared, indent + 4, { marks: ["- live  ", "+ YAML  "] })];
}

function ruleLines({ action, ref, title, from, leaves, foreign }: RuleChange): Line[] {
  const rule = `#${from ?? "?"} ${ref}`;
  switch (action) {
    case "remove":
      return [line(6, `${rule} (${quote(shortTitle(title))}) is live, but not in the YAML`)];
    case "move":
      if (foreign) return [line(6, `${rule} (${quote(shortTitle(title))}) is on the side where the YAML puts yours`)];
      return [line(6, `${rule} is in another place than in the YAML`)];
    case "enable":
      return [line(6, `${rule} is disabled live, enabled in the YAML`)];
    case "disable":
      return [line(6, `${rule} is enabled live, disabled in the YAML`)];
    case "insert":
      return [line(6, `${ref} (${quote(shortTitle(title))}) is in the YAML, but not live: deleted, or never created`)];
    case "edit":
      return [line(6, rule), ...leaves.flatMap((leaf) => shownLeaves(leaf)).flatMap((leaf) => leafLines(leaf, 10))];
    default:
      return action satisfies never;
  }
}

/** What cannot be judged without a state, and how much. */
function unjudgedLines({ unknown, unread }: ConfigJudgement): Line[] {
  const parts = [
    ...[...unknown].map(
      ([path, count]) => `${path} of ${counted(count, "object")}: only the state says what was applied`,
    ),
    ...(unread.length === 0 ? [] : [`foreign rules: ${unreadWords(unread)}`]),
  ];
  if (parts.length === 0) return [];
  return [line(2, "not compared:"), ...parts.map((part) => line(6, part))];
}

function zoneDocument({ zone, judgement }: ComparisonView, exitCode: number | undefined): JsonObject {
  const { unlike, objects, leaves, judged, unknown } = judgement;
  const missingRules = unlike.flatMap(({ rules }) => rules.filter(({ action }) => action === "insert"));
  return {
    zone: { id: zone.id, name: zone.name },
    ...present({ exit_code: exitCode }),
    counts: {
      objects,
      leaves,
      judged,
      differing_objects: unlike.length,
      missing: unlike.filter(({ id }) => id === undefined).length,
      missing_rules: missingRules.length,
    },
    differences: unlike.map((each) => ({
      address: each.address,
      kind: each.kind,
      what: each.id === undefined ? "missing" : "different",
      ...present({ id: each.id }),
      at: { ...each.at },
      cause: "unknown",
      hazards: each.hazards,
      ...present({ used_by: each.isUsedBy, says: each.says }),
      leaves: each.leaves.map(unlikeDocument),
      rules: each.rules.map(({ action, ref, title, from, leaves: parts }) => ({
        what: WHAT[action],
        ref,
        title,
        ...present({ at: from }),
        leaves: parts.map(unlikeDocument),
      })),
    })),
    foreign_rules: judgement.foreign.map(foreignDocument),
    entry_points_unread: judgement.unread,
    unknown: Object.fromEntries(unknown),
  };
}

/** Nothing shows who made the difference. */
function unlikeDocument(leaf: LeafChange): JsonObject {
  const { cause: _cause, applied: _applied, ...rest } = foundDocument(leaf);
  return rest;
}

/** How a live rule differs from the declared one. */
const WHAT = {
  insert: "missing",
  remove: "undeclared",
  move: "elsewhere",
  edit: "different",
  enable: "off",
  disable: "on",
} as const satisfies Record<RuleChange["action"], string>;
