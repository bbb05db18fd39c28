import type { Address } from "../../core/brand.ts";
import type { Action } from "../../plan/change.ts";
import { affectedLines, changeLines, hazardHeads, heldLines, letGoLines, othersLines } from "../lines/change-lines.ts";
import { markdownText } from "../escape/markdown.ts";
import type { ChangeGroup } from "../view/group.ts";
import type { Affected, HazardView } from "../view/hazards.ts";
import type { Line } from "../lines/lines.ts";
import type { Sort } from "./markdown-counts.ts";
import { fencedText, type Redact } from "./markdown-fence.ts";
import type { Part, Piece, Section, Words } from "./markdown-fit.ts";
import { MARKS } from "../lines/marks.ts";
import { findingLines } from "../lines/sections.ts";
import { TITLES, zoneVerdict } from "./text.ts";
import type { FindingGroup, PlanView, ZoneView } from "../view/view.ts";
import { counted, named } from "../lines/words.ts";

/** A single group whose heading is no longer than this is summed up by it. */
const LONGEST_SUMMARY = 160;

/** What goes is unfolded, so that nobody approves it unseen. */
const UNFOLDED: readonly Action[] = ["delete", "replace"];

/**
 * What a comment says below its head, in the order in which room is given: the hazards, then of all zones what is refused
 * and found, then zone by zone what changes, what waits and what is let go.
 */
export function planParts({ hazards, zones, failed }: PlanView, redact: Redact): Part[] {
  const isOneOfMany = zones.length + failed.length > 1;
  const sections = zones.map((zone) => ({
    zone,
    urgent: urgentSections(zone, isOneOfMany ? `${nameOf(zone, redact)}: ` : ""),
    folded: foldedSections(zone, redact),
  }));
  const idle = sections.filter(({ urgent, folded }) => urgent.length + folded.length === 0).map(({ zone }) => zone);
  return [
    ...hazardSections(hazards),
    ...sections.flatMap(({ urgent }) => urgent),
    ...sections.flatMap(({ zone, folded }) =>
      folded.length === 0 ? [] : [zoneWords(zone, isOneOfMany, redact), ...folded],
    ),
    ...(isOneOfMany && idle.length > 0 ? [idleWords(idle, redact)] : []),
  ];
}

/** A section for each hazard, with its meaning whatever does not fit, and the title of all above the first. */
function hazardSections(hazards: readonly HazardView[]): Section[] {
  const [title, ...meanings] = hazardHeads(hazards);
  return hazards.map(({ affected, others }, index) => ({
    opening: index === 0 ? `### ${title?.text ?? ""}\n\n` : "",
    closing: "",
    always: meanings.slice(index, index + 1),
    pieces: [...affected.flatMap(hazardPieces), ...othersPieces(others)],
  }));
}

function othersPieces(others: number): Piece[] {
  return others === 0 ? [] : [piece("hazards", others, () => othersLines(others))];
}

function hazardPieces(affected: Affected): Piece[] {
  const [object, ...rules] = affectedLines(affected).map((each) => [each]);
  return [
    piece("hazards", affected.count, () => object ?? []),
    ...rules.map((rule): Piece => ({ ...piece("lostRules", 1, () => rule), isMore: true })),
  ];
}

/** What somebody has to look at before anything is approved, with `zone` before each title. */
function urgentSections({ refused, contested, findings }: ZoneView, zone: string): Section[] {
  const sections: readonly (readonly [string, readonly Piece[]])[] = [
    [TITLES.refused, pieces("changes", refused, changeLines)],
    [TITLES.contested, pieces("changes", contested, changeLines)],
    [TITLES.findings, findings.map(findingPiece)],
  ];
  return sections.flatMap(([title, pieces]) =>
    pieces.length === 0 ? [] : [{ opening: `### ${zone}${title}\n\n`, closing: "", pieces }],
  );
}

function findingPiece(group: FindingGroup): Piece {
  return piece("findings", group.shown.length + group.others, () => findingLines(group));
}

/** The changes of a zone, folded by action; then what waits and what is let go. */
function foldedSections({ changes, held, letGo }: ZoneView, redact: Redact): Section[] {
  const actions = [...new Set(changes.map(({ action }) => action))];
  const waiting: readonly (readonly [string, readonly Piece[]])[] = [
    [TITLES.held, pieces("held", held, heldLines)],
    [TITLES.letGo, pieces("letGo", letGo, letGoLines)],
  ];
  return [
    ...actions.map((action) => {
      const groups = changes.filter((group) => group.action === action);
      return folded(
        actionSummary(action, groups, redact),
        UNFOLDED.includes(action),
        pieces("changes", groups, changeLines),
      );
    }),
    ...waiting.flatMap(([title, parts]) =>
      parts.length === 0 ? [] : [folded(`${title} (${objectCount(parts)})`, false, parts)],
    ),
  ];
}

/** The one line that everybody reads: of a single group its heading, of several how many objects there are. */
function actionSummary(action: Action, groups: readonly ChangeGroup[], redact: Redact): string {
  const [only, another] = groups;
  const heading = another === undefined && only !== undefined ? changeLines(only).slice(0, 1) : [];
  const text = fencedText(heading, redact).text.trimEnd();
  if (text !== "" && text.length <= LONGEST_SUMMARY) return text;
  return `${MARKS[action]} ${action} ${objectCount(pieces("changes", groups, changeLines))}`;
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

function zoneWords(zone: ZoneView, isOneOfMany: boolean, redact: Redact): Words {
  const verdict = isOneOfMany ? `: ${zoneVerdict(zone.tally)}` : "";
  return { words: `### Zone ${nameOf(zone, redact)}${verdict}\n`, zones: 1 };
}

function idleWords(zones: readonly ZoneView[], redact: Redact): Words {
  const names = named(zones.map(({ zone }) => redact(zone.name)));
  return { words: `No changes in ${counted(zones.length, "zone")}: ${markdownText(names)}\n`, zones: zones.length };
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
