import type { Address } from "../../core/brand.ts";
import { bucketed, type Some } from "../../core/lists.ts";
import type { Action } from "../../plan/change.ts";
import { markdownCell, markdownText } from "../escape/markdown.ts";
import {
  affectedLines,
  changeLines,
  FOUND_TITLE,
  groupRuleLines,
  hazardTitle,
  heldLines,
  letGoLines,
  namedLists,
  type NamedLists,
  othersLines,
} from "../lines/change-lines.ts";
import type { Line } from "../lines/lines.ts";
import { MARKS, plannedWord } from "../lines/marks.ts";
import { findingLines } from "../lines/diagnostics.ts";
import { counted } from "../../core/words.ts";
import type { ChangeGroup } from "../view/group.ts";
import type { Affected, HazardView } from "../view/hazards.ts";
import type { FindingGroup, PlanView, ZoneView } from "../view/view.ts";
import { countsTable } from "./verdict.ts";
import { type Sort, fencedText, type Redact, type Part, type Piece, type Section, type Words } from "./markdown-fit.ts";
import { BRANCH_HAZARDS, EARLIER, EARLIER_HAZARDS, goneLines } from "./text.ts";

/** How long the heading of a single group may be to serve as its summary. */
const LONGEST_SUMMARY = 160;

/** Deletions are unfolded, so that they are not approved unseen. */
const UNFOLDED: readonly Action[] = ["delete", "replace"];

/** The titles of a zone's sections. */
const TITLES = {
  refused: "Blocked: apply leaves these as they are",
  contested: "Conflicts: changed since the approval, apply leaves these as they are",
  held: "Held",
  letGo: "Released",
  findings: "Findings",
  gone: "Gone",
} as const;

/** How many rows a table may have above the hazards; a longer one comes below them. */
const MOST_ROWS_ABOVE = 20;

/**
 * What a comment says below its head, in the order in which it gets room: the counts, the hazards, then for all zones
 * the changes of rules and what is blocked and found, then zone by zone what changes, is held and is released.
 */
export function planParts({ hazards, found, zones, failed, isEmpty, since }: PlanView, redact: Redact): Part[] {
  const isOneOfMany = zones.length + failed.length > 1;
  const earlier = since?.hazards ?? [];
  const told = namedLists([...hazards, ...earlier]);
  const table = isEmpty ? [] : [tableWords(zones, redact)];
  const isShort = zones.length <= MOST_ROWS_ABOVE;
  const before = zonesParts(since?.zones ?? [], isOneOfMany, redact, told);
  return [
    ...(isShort ? table : []),
    ...hazardSections(hazards, since && BRANCH_HAZARDS),
    ...hazardSections(earlier, EARLIER_HAZARDS),
    ...hazardSections(found, FOUND_TITLE),
    ...(isShort ? [] : table),
    ...zonesParts(zones, isOneOfMany, redact, told),
    ...(before.length === 0 ? [] : [{ words: `## ${EARLIER}\n`, zones: 0 }, ...before]),
  ];
}

/** The changes of rules and what is blocked and found, for all zones; then the other changes zone by zone. */
function zonesParts(zones: readonly ZoneView[], isOneOfMany: boolean, redact: Redact, told: NamedLists): Part[] {
  const sections = zones.map((zone) => ({
    zone,
    rules: ruleSections(zone, redact, told),
    urgent: urgentSections(zone, isOneOfMany ? `${nameOf(zone, redact)}: ` : "", told),
    folded: foldedSections(zone, redact, told),
  }));
  return [
    ...sections.flatMap(({ rules }) => rules),
    ...sections.flatMap(({ urgent }) => urgent),
    ...sections.flatMap(({ zone, folded }) =>
      folded.length === 0 ? [] : [...(isOneOfMany ? [zoneWords(zone, redact)] : []), ...folded],
    ),
  ];
}

/** The hazards in one section, whose title is always shown. */
function hazardSections(hazards: readonly HazardView[], title?: string): Section[] {
  if (hazards.length === 0) return [];
  return [
    {
      opening: `### ${hazardTitle(hazards, title)}\n\n`,
      closing: "",
      always: [],
      pieces: hazards.flatMap(({ affected, others }) => [...affected.flatMap(hazardPieces), ...othersPieces(others)]),
    },
  ];
}

function othersPieces(others: number): Piece[] {
  return others === 0 ? [] : [piece("hazards", others, () => othersLines(others))];
}

/** A browser colours lines that begin with this. */
const HAZARD_MARK = "!";

function hazardPieces(affected: Affected): Piece[] {
  const lines = affectedLines(affected, HAZARD_MARK).map((each) => ({ ...each, indent: Math.max(0, each.indent - 2) }));
  const rules = lines.slice(lines.length - affected.lostRules.length);
  const object = lines.slice(0, lines.length - affected.lostRules.length);
  return [
    piece("hazards", affected.count, () => object),
    ...rules.map((rule): Piece => ({ ...piece("lostRules", 1, () => [rule]), isMore: true })),
  ];
}

/** What the user has to check before approving, with `zone` before each title. */
function urgentSections({ refused, contested, findings, gone }: ZoneView, zone: string, told: NamedLists): Section[] {
  const linesOf = (group: ChangeGroup): readonly Line[] => groupLines(group, told);
  const sections: readonly (readonly [string, readonly Piece[]])[] = [
    [TITLES.refused, pieces("changes", refused, linesOf)],
    [TITLES.contested, pieces("changes", contested, linesOf)],
    [TITLES.findings, findings.map(findingPiece)],
    [TITLES.gone, gone.length === 0 ? [] : [piece("gone", gone.length, () => goneLines(gone))]],
  ];
  return sections.flatMap(([title, pieces]) =>
    pieces.length === 0 ? [] : [{ opening: `### ${zone}${title}\n\n`, closing: "", pieces }],
  );
}

function findingPiece(group: FindingGroup): Piece {
  return piece("findings", group.shown.length + group.others, () => findingLines(group));
}

/** The changes of a zone's rules, which are approved by their expressions: rule by rule, those in danger first. */
function ruleSections({ changes }: ZoneView, redact: Redact, told: NamedLists): Section[] {
  return changes.filter(hasRules).map((group) => {
    const { rules, addresses } = group;
    const inOrder = [...rules].sort((left, right) => Number(right.isDanger ?? false) - Number(left.isDanger ?? false));
    const [heading, ...others] = groupLines({ ...group, rules: [] }, told);
    return folded(actionSummary([group], redact), true, [
      piece("changes", addresses.length, () => (heading === undefined ? [] : [heading])),
      ...inOrder.map((rule): Piece => ({ ...piece("rules", 1, () => groupRuleLines(rule, group)), isMore: true })),
      ...(others.length === 0 ? [] : [{ ...piece("changes", 0, () => others), isMore: true as const }]),
    ]);
  });
}

function hasRules({ rules }: ChangeGroup): boolean {
  return rules.length > 0;
}

/** The other changes of a zone, folded by action; then what is held and what is released. */
function foldedSections({ changes, held, letGo }: ZoneView, redact: Redact, told: NamedLists): Section[] {
  const others = changes.filter((group) => !hasRules(group));
  const waiting: readonly (readonly [string, readonly Piece[]])[] = [
    [TITLES.held, pieces("held", held, heldLines)],
    [TITLES.letGo, pieces("letGo", letGo, letGoLines)],
  ];
  return [
    ...[...bucketed(others, plannedWord).values()].map((groups) =>
      folded(
        actionSummary(groups, redact),
        UNFOLDED.includes(groups[0].action),
        pieces("changes", groups, (group) => groupLines(group, told)),
      ),
    ),
    ...waiting.flatMap(([title, parts]) =>
      parts.length === 0 ? [] : [folded(`${title} (${objectCount(parts)})`, false, parts)],
    ),
  ];
}

/** A group's lines, starting with the mark of a hazard if it is in danger: a browser colours a line by its start. */
function groupLines(group: ChangeGroup, told: NamedLists): readonly Line[] {
  const lines = changeLines(group, told);
  const [heading, ...others] = lines;
  const isMarked = group.isDanger && heading !== undefined && !/^[-+]/.test(heading.text);
  return isMarked ? [{ ...heading, text: `${HAZARD_MARK} ${heading.text}` }, ...others] : lines;
}

/** The summary line: for a single group its heading, for several how many objects there are. */
function actionSummary(groups: Some<ChangeGroup>, redact: Redact): string {
  const [only, ...others] = groups;
  const heading = others.length === 0 ? changeLines(only).slice(0, 1).map(withoutAside) : [];
  const text = fencedText(heading, redact).text.trimEnd();
  if (text !== "" && text.length <= LONGEST_SUMMARY) return text;
  const count = groups.reduce((total, { addresses }) => total + addresses.length, 0);
  return `${MARKS[only.action]} ${plannedWord(only)} ${counted(count, "object")}`;
}

function withoutAside({ aside: _aside, ...rest }: Line): Line {
  return rest;
}

function objectCount(parts: readonly Piece[]): string {
  return counted(
    parts.reduce((total, { count }) => total + count, 0),
    "object",
  );
}

function folded(summary: string, isOpen: boolean, parts: readonly Piece[]): Section {
  return {
    opening: `<details${isOpen ? " open" : ""}>\n<summary>${markdownText(summary)}</summary>\n\n`,
    closing: "\n</details>\n",
    pieces: parts,
  };
}

function zoneWords(zone: ZoneView, redact: Redact): Words {
  return { words: `### ${nameOf(zone, redact)}\n`, zones: 0 };
}

/** The counts of all zones, as a table. */
function tableWords(zones: readonly ZoneView[], redact: Redact): Words {
  const { titles, rows } = countsTable(zones);
  const lines = [
    ["", ...titles],
    ["---", ...titles.map(() => "--:")],
    ...rows.map(({ zone, cells }) => [markdownCell(redact(zone.name)), ...cells]),
  ];
  return { words: lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""), zones: zones.length };
}

function nameOf({ zone }: ZoneView, redact: Redact): string {
  return markdownText(redact(zone.name));
}

function pieces<Group extends { readonly addresses: readonly Address[] }>(
  sort: Sort,
  groups: readonly Group[],
  linesOf: (group: Group) => readonly Line[],
): Piece[] {
  return groups.map((group) => piece(sort, group.addresses.length, () => linesOf(group)));
}

function piece(sort: Sort, count: number, lines: () => readonly Line[]): Piece {
  return { sort, count, lines };
}
