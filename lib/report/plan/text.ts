import type { Address } from "../../core/brand.ts";
import { bucketed } from "../../core/lists.ts";
import type { ApprovedAs, FailedZone, Plan, Settled } from "../../plan/change.ts";
import { formatPosition } from "../../core/diagnostic.ts";
import { append, appendSection, BLANK, type Line, line, type Printing, printLines } from "../lines/lines.ts";
import { findingLines } from "../lines/diagnostics.ts";
import {
  changeLines,
  FOUND_TITLE,
  hazardLines,
  heldLines,
  letGoLines,
  namedLists,
  type NamedLists,
} from "../lines/change-lines.ts";
import { counted, thousands } from "../../core/words.ts";
import { aboutDuration, firstNamed, firstNames, fullName, MOST_IN_DANGER, MOST_NAMED } from "../lines/words.ts";
import { everySection, planView, type PlanView, type SinceView, type ZoneView } from "../view/view.ts";
import { countsLines, verdict } from "./verdict.ts";

/** Words about a plan that only the printing command knows. */
export interface PlanWords {
  /** The purpose of the plan, for the first line: `Plan to undo run 7afb14ca`. */
  readonly title?: string;
  /** The command that names every object in danger, unless that is this one with `--json`. */
  readonly names?: string;
  /** The command that applies exactly this plan. */
  readonly apply?: string;
  /** It is applied at once, and the report of that says how to continue. */
  readonly isApplied?: boolean;
}

/** The title of a plan to undo a run. */
export function undoTitle(run: string, project: string): string {
  return `Plan to undo run ${run} of ${project}`;
}

/** The title of a plan to destroy. */
export function destroyTitle(project: string): string {
  return `Plan to destroy what Zoneform manages in ${project}`;
}

/**
 * The plan for a terminal: the verdict, the hazards, the counts, then the changes zone by zone, and at the end the cost
 * and the command to continue with. Every line can be understood without colour.
 */
export function planText(plan: Plan, printing: Printing & PlanWords): string {
  const view = planView(plan);
  const lines: Line[] = [line(0, verdict(view, printing.title), "heading")];
  append(lines, sinceLines(view.since));
  appendSection(lines, failedLines(view.failed));
  appendSection(lines, hazardLines(view.hazards, view.since && BRANCH_HAZARDS, printing.names));
  appendSection(lines, hazardLines(view.since?.hazards ?? [], EARLIER_HAZARDS, printing.names));
  appendSection(lines, hazardLines(view.found, FOUND_TITLE, printing.names));
  if (!view.isEmpty) appendSection(lines, countsLines(view.zones));
  const told = namedLists([...view.hazards, ...(view.since?.hazards ?? [])]);
  for (const zone of view.zones) appendZone(lines, zone, view, told);
  const before = view.since?.zones.filter((zone) => zoneGroups(zone, told).length > 0) ?? [];
  if (before.length > 0) appendSection(lines, [line(0, EARLIER, "heading")]);
  for (const zone of before) appendZone(lines, zone, view, told);
  for (const section of footer(view, printing)) appendSection(lines, section);
  return printLines(lines, printing);
}

/** The title of the changes that were pending before this branch. */
export const EARLIER = "Pending before this branch";

/** The titles of hazards, if those of this branch stand apart. */
export const BRANCH_HAZARDS = "Hazards of this branch";
export const EARLIER_HAZARDS = "Hazards pending before this branch";

/** What the plan was compared with, and what is no longer planned. */
export function sinceLines(since: SinceView | undefined): Line[] {
  if (since === undefined) return [];
  const { ref, isBehind, isNewProject, withdrawn } = since;
  const commit = since.commit.slice(0, 12);
  const what = isBehind
    ? `Compared with ${commit}, the last commit that this branch has in common with ${ref}.`
    : `Compared with ${ref} (${commit}).`;
  const newer = `${ref} has newer commits: what was applied of them may show as pending before until this branch has them too.`;
  const isOne = withdrawn.length === 1;
  return [
    line(0, what, "quiet"),
    ...(isBehind ? [line(0, newer)] : []),
    ...(isNewProject ? [line(0, "That commit has no such project, so every change is by this branch.")] : []),
    ...(withdrawn.length === 0
      ? []
      : [
          line(
            0,
            `${counted(withdrawn.length, "change")} that ${isOne ? "was" : "were"} pending before ${isOne ? "is" : "are"} no longer planned: ${firstNames(withdrawn, MOST_NAMED)}`,
          ),
        ]),
  ];
}

/** A plan that was shown and approved before: the verdict, the hazards, and what is left of the approval. */
export function planSummary(plan: Plan, printing: Printing & PlanWords): string {
  const view = planView(plan);
  const lines: Line[] = [line(0, verdict(view, printing.title), "heading")];
  appendSection(lines, hazardLines(view.hazards, undefined, printing.names));
  for (const { gone } of view.zones) appendSection(lines, goneLines(gone));
  appendSection(lines, view.isEmpty ? approvalLines(view) : partLines(view));
  return printLines(lines, printing);
}

function appendZone(lines: Line[], zone: ZoneView, { zones, failed }: PlanView, told: NamedLists): void {
  const groups = zoneGroups(zone, told);
  if (groups.length === 0) return;
  if (zones.length + failed.length > 1) appendSection(lines, [line(0, zone.zone.name, "heading")]);
  let wasShort = false;
  for (const group of groups) {
    const isShort = group.length === 1;
    if (!(wasShort && isShort)) lines.push(BLANK);
    append(lines, group);
    wasShort = isShort;
  }
}

/** Everything about a zone, in order: what is deleted first, then what changes, what is held, released and found. */
function zoneGroups(zone: ZoneView, told: NamedLists): readonly (readonly Line[])[] {
  const { refused, contested, changes, held, letGo, findings } = zone;
  return [
    ...[...refused, ...contested, ...changes].map((group) => changeLines(group, told)),
    ...held.map(heldLines),
    ...letGo.map(letGoLines),
    ...findings.map(findingLines),
    goneLines(zone.gone),
  ].filter((group) => group.length > 0);
}

/** Hostnames that the application deleted. That is no change of ours: an apply only drops them from the state. */
export function goneLines(gone: readonly Address[]): Line[] {
  if (gone.length === 0) return [];
  const isOne = gone.length === 1;
  return [
    line(
      0,
      `${counted(gone.length, "hostname")} of the application ${isOne ? "is" : "are"} gone; apply drops ${isOne ? "it" : "them"} from the state:`,
    ),
    line(2, firstNames(gone, MOST_IN_DANGER)),
  ];
}

/** The cost, the approved part, and the commands to apply the plan. */
function footer(view: PlanView, { apply, isApplied }: PlanWords): Line[][] {
  if (view.isEmpty) return [approvalLines(view), isApplied === true || view.hazards.length === 0 ? [] : REVIEWING];
  return [
    view.cost.calls === 0 ? [] : [line(0, costSentence(view))],
    isApplied === true ? partLines(view) : approvalLines(view),
    ...(isApplied === true ? [] : nextLines(view, apply)),
  ];
}

/**
 * The commands to continue with, each on a line of its own: for what can be applied, and for what needs an approval of
 * its own.
 */
function nextLines(view: PlanView, apply: string | undefined): Line[][] {
  const { tally } = view;
  const blocked = tally.refused.all + tally.contested.all;
  const lifting = liftingCommands(view);
  return [
    ...(apply === undefined || isAllStopped(view)
      ? []
      : [
          [
            line(
              0,
              blocked === 0
                ? "To apply exactly this plan:"
                : "To apply everything that is not blocked, if nothing changes before then:",
            ),
            line(2, apply),
          ],
        ]),
    ...lifting.map(({ command, what }) => [
      line(0, `To apply the ${what}${isAllStopped(view) ? "" : " too"}:`),
      line(2, command),
    ]),
  ];
}

function isAllStopped(view: PlanView): boolean {
  return everySection(view).every(({ changes, letGo, held }) => changes.length + letGo.length + held.length === 0);
}

/** Each command that lifts a limit, with what it allows. */
function liftingCommands(view: PlanView): readonly { readonly command: string; readonly what: string }[] {
  const groups = everySection(view).flatMap((zone) => zone.refused);
  const commands = new Set(groups.flatMap(({ refused }) => refused?.commands ?? []));
  return [...commands].map((command) => {
    const lifted = groups.filter(({ refused }) => refused?.commands?.includes(command));
    const count = lifted.reduce((total, { addresses }) => total + addresses.length, 0);
    const noun = lifted.every(({ action }) => action === "delete") ? "blocked deletion" : "blocked change";
    return { command, what: counted(count, noun) };
  });
}

/**
 * What of an approval is no longer needed, and which plan was approved if it was another one; empty without an
 * approval.
 */
export function approvalLines({ approval, hash }: PlanView): Line[] {
  return approval === undefined ? [] : [...notPlannedLines(approval), ...partLines({ approval, hash })];
}

/** Which plan was approved, if it was another one. The report of the run says what is missing of it. */
function partLines({ approval, hash }: Pick<PlanView, "hash"> & { readonly approval?: ApprovedAs }): Line[] {
  return approval === undefined || approval.hash === hash
    ? []
    : [line(0, `You are applying plan ${approval.hash}. The plan above shows its remaining changes.`, "quiet")];
}

/** Which approved changes are not in the fresh plan, and why; empty if all of them are. */
export function notPlannedLines({ dropped, leftOut, takenOver }: ApprovedAs): Line[] {
  const sentences = [
    leftOut.length === 0 ? "" : `${approvedChanges(leftOut.length)} left out by --target, --exclude or --zone.`,
    takenOverText(takenOver),
  ];
  const unneeded = [...bucketed(dropped, ({ because }) => because).values()].flatMap((group) => [
    line(0, `${approvedChanges(group.length)} no longer needed (${SETTLED[group[0].because]}):`),
    line(
      2,
      firstNamed(
        group.map(({ address }) => fullName(address)),
        MOST_IN_DANGER,
      ),
    ),
  ]);
  return [...unneeded, ...sentences.filter((text) => text !== "").map((text) => line(0, text))];
}

/** Why nothing is left to do. */
const SETTLED = {
  applied: "already applied",
  gone: "deleted meanwhile",
  undeclared: "no longer declared",
} as const satisfies Record<Settled, string>;

function approvedChanges(count: number): string {
  return `${counted(count, "approved change")} ${count === 1 ? "is" : "are"}`;
}

function takenOverText([first, ...others]: readonly string[]): string {
  if (first === undefined) return "";
  if (others.length === 0)
    return `${fullName(first)} was to be deleted, but was deleted and created again outside Zoneform; the new one stays live.`;
  return `${fullName(first)} and ${thousands(others.length)} more were to be deleted, but were deleted and created again outside Zoneform; the new ones stay live.`;
}

/**
 * The cost of applying it: `Applying this makes 45 API calls and orders 14 certificates, in about 2 minutes at your
 * budget.`
 */
export function costSentence({ cost, runners, tally }: Pick<PlanView, "cost" | "runners" | "tally">): string {
  const { calls, issuances, seconds } = cost;
  const what = tally.refused.all + tally.contested.all === 0 ? "this" : "the rest";
  const issued = issuances === 0 ? "" : ` and orders ${counted(issuances, "certificate")}`;
  const share = runners > 1 ? `, which ${runners} runners share` : "";
  const time = seconds < 1 ? "" : `, in ${aboutDuration(seconds)} at your budget${share}`;
  return `Applying ${what} makes ${counted(calls, "API call")}${issued}${time}.`;
}

/** The zones that could not be read, for the top of a text that covers only the others; empty for none. */
export function failedLines(failed: readonly FailedZone[] = []): Line[] {
  return failed.map(({ zone, at }) =>
    line(0, `Zone ${zone.name} (${formatPosition(at)}) could not be read: this report covers the other zones`, "bad"),
  );
}

/** What to do about foreign rules. */
export const REVIEWING: Line[] = [
  line(0, "To keep the foreign rules, record them as reviewed (asks first; a saved plan does it too):"),
  line(2, "zoneform apply"),
];
