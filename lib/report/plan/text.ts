import type { ApprovedAs, Cost, Plan } from "../../plan/change.ts";
import { changeLines, hazardLines, heldLines, letGoLines } from "../lines/change-lines.ts";
import { append, BLANK, type Line, line, printLines, type Printing } from "../lines/lines.ts";
import { appendSection, appendTitled, failedLines, findingLines } from "../lines/sections.ts";
import { formatTally, isIdle, type Tally } from "../view/tally.ts";
import { planView, type PlanView, type ZoneView } from "../view/view.ts";
import { counted, duration, thousands } from "../lines/words.ts";

/** A text longer than a screen says the verdict once more at its end, where the eye is when it stops scrolling. */
const SCREEN_LINES = 40;

/**
 * The plan for a terminal: the verdict, the hazards, then what is refused, changed, held, let go and found, what it
 * costs, and the hash. No line needs colour to be understood.
 */
export function planText(plan: Plan, printing: Printing): string {
  const view = planView(plan);
  const lines: Line[] = [line(0, verdict(view), "heading")];
  appendSection(lines, failedLines(view.failed));
  appendSection(lines, hazardLines(view.hazards));
  for (const zone of view.zones) appendZone(lines, zone, view);
  appendSection(lines, footerLines(view, lines.length > SCREEN_LINES));
  return printLines(lines, printing);
}

/** The plan where it has been shown before: the verdict, the hazards, and the hash. */
export function planSummary(plan: Plan, printing: Printing): string {
  const view = planView(plan);
  const lines: Line[] = [line(0, verdict(view), "heading")];
  appendSection(lines, hazardLines(view.hazards));
  if (view.hazards.length > 0) lines.push(BLANK);
  append(lines, [...approvalLines(view), line(0, `hash ${view.hash}`, "quiet")]);
  return printLines(lines, printing);
}

/** What the whole plan comes to, in one sentence: `Plan: 5,000 to update; 80 unchanged`. */
export function verdict(view: PlanView): string {
  const counts = formatTally(view.tally);
  if (view.isEmpty && view.zones.some(hasNoWayBack))
    return "Nothing of the run is left that can be undone: the findings say why";
  if (view.isEmpty && view.failed.length > 0) return `No changes in the zones that could be looked at: ${counts}`;
  if (view.isEmpty) return `No changes. Live is as declared: ${counts}`;
  return isIdle(view.tally) ? `No changes to apply: ${counts}` : `Plan: ${counts}`;
}

/** Whether it is a plan to undo a run that did what cannot be undone. */
function hasNoWayBack({ findings }: ZoneView): boolean {
  return findings.some(({ code }) => code === "cannot-be-undone");
}

function appendZone(lines: Line[], zone: ZoneView, { zones: all, failed }: PlanView): void {
  if (all.length + failed.length > 1)
    appendSection(lines, [line(0, `Zone ${zone.zone.name}: ${zoneVerdict(zone.tally)}`, "heading")]);
  const { refused, contested, changes, held, letGo, findings } = zone;
  appendTitled(lines, TITLES.refused, refused.map(changeLines));
  appendTitled(lines, TITLES.contested, contested.map(changeLines));
  appendTitled(lines, TITLES.changes, changes.map(changeLines));
  appendTitled(lines, TITLES.held, held.map(heldLines));
  appendTitled(lines, TITLES.letGo, letGo.map(letGoLines));
  appendTitled(lines, TITLES.findings, findings.map(findingLines));
  if (zone.cost.calls > 0 && all.filter(({ cost }) => cost.calls > 0).length > 1)
    appendSection(lines, [line(0, costSentence({ ...zone.cost, seconds: 0 }), "quiet")]);
}

/** The titles of a zone's sections, the same in every format for people. */
export const TITLES = {
  refused: "Refused: apply leaves these as they are and ends with exit code 4",
  contested: "Not as approved: apply leaves these as they are and ends with exit code 5",
  changes: "Changes",
  held: "Held: these wait",
  letGo: "Let go: no longer declared; live stays as it is",
  findings: "Findings",
} as const;

/** What the plan of one zone comes to, without the zone's name. */
export function zoneVerdict(counts: Tally): string {
  return isIdle(counts) && counts.held === 0 && counts.refused.all + counts.contested.all === 0
    ? `no changes; ${formatTally(counts)}`
    : formatTally(counts);
}

function footerLines(view: PlanView, isLong: boolean): Line[] {
  const cost = view.cost.calls === 0 ? [] : [line(0, costSentence(view.cost))];
  const again = isLong ? [line(0, verdict(view), "heading")] : [];
  return [...again, ...cost, ...approvalLines(view), line(0, `hash ${view.hash}`, "quiet")];
}

/** What of an approval is needed no more, and what was approved where that is another plan; none without an approval. */
export function approvalLines({ approval, hash }: PlanView): Line[] {
  if (!approval) return [];
  const lines = notPlannedLines(approval);
  return approval.hash === hash ? lines : [...lines, line(0, `approved ${approval.hash}`, "quiet")];
}

/** What of an approval is not in the fresh plan, and why; none where all of it is. */
export function notPlannedLines({ dropped, leftOut, takenOver }: ApprovedAs): Line[] {
  const sentences = [
    dropped.length === 0
      ? ""
      : `${approvedChanges(dropped.length)} needed no more: done before, gone, or no longer declared`,
    leftOut.length === 0 ? "" : `${approvedChanges(leftOut.length)} not part of what was looked at`,
    takenOverText(takenOver),
  ];
  return sentences.filter((text) => text !== "").map((text) => line(0, text));
}

function approvedChanges(count: number): string {
  return `${counted(count, "approved change")} ${count === 1 ? "is" : "are"}`;
}

function takenOverText([first, ...others]: readonly string[]): string {
  if (first === undefined) return "";
  if (others.length === 0)
    return `${first} was to be deleted; somebody deleted it and created another one of this name, which stays live`;
  return `${first} and ${thousands(others.length)} more were to be deleted; somebody deleted them and created others of these names, which stay live`;
}

/** What carrying it out takes: `needs 45 calls and 14 issuances, at least 1 min 20 s within the budget`. */
export function costSentence({ calls, issuances, seconds }: Cost): string {
  const issued = issuances === 0 ? "" : ` and ${counted(issuances, "issuance")}`;
  const least = seconds < 1 ? "" : `, at least ${duration(seconds)} within the budget`;
  return `needs ${counted(calls, "call")}${issued}${least}`;
}
