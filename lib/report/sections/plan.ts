import type { Address } from "../../core/brand.ts";
import { formatPosition } from "../../core/diagnostic.ts";
import { defined } from "../../core/json.ts";
import { bucketed } from "../../core/lists.ts";
import { shortCommit } from "../../core/revision.ts";
import { counted, thousands } from "../../core/words.ts";
import type { Hazard } from "../../kinds/hazards.ts";
import type { ApprovedAs, FailedZone, Plan, Settled } from "../../plan/change.ts";
import {
  affectedLines,
  changeLines,
  changeParts,
  FOUND_TITLE,
  hazardTitle,
  heldLines,
  letGoLines,
  namedLists,
  type NamedLists,
  namesLine,
  othersLines,
} from "../lines/change-lines.ts";
import { findingLines } from "../lines/diagnostics.ts";
import { commandLine, type Line, line } from "../lines/lines.ts";
import { aboutDuration, firstNames, fullName, MOST_IN_DANGER, MOST_NAMED } from "../lines/words.ts";
import type { ChangeGroup } from "../view/group.ts";
import type { Affected, HazardView } from "../view/hazards.ts";
import {
  type ChangesByZone,
  everySection,
  type Groups,
  planView,
  type PlanView,
  type SinceView,
  type ZoneView,
} from "../view/view.ts";
import { customerSections, laterSections } from "./plan-later.ts";
import { countsTable, verdict } from "./plan-verdict.ts";
import { planPlots } from "./plots.ts";
import { type Facets, type Item, plainSection, type Rank, type Report, type Section, type Sort } from "./report.ts";

/** Words about a plan that only the printing command knows. */
export interface PlanWords {
  /** The purpose of the plan, for the first line: `Plan to undo run 7afb14ca`. */
  readonly title?: string;
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
 * What a plan says: the verdict, the hazards, the counts, then the changes zone by zone, and at the end the cost and the
 * commands to continue with.
 */
export function planReport(plan: Plan, words: PlanWords = {}): Report {
  const view = planView(plan);
  const { zones, failed, hazards, found, isEmpty, since } = view;
  const earlier = since?.hazards ?? [];
  const told = namedLists([...hazards, ...earlier]);
  const isOneOfMany = zones.length + failed.length > 1;
  return {
    verdict: line(0, verdict(view, words.title), "heading"),
    sections: [
      ...plainSection(sinceLines(since), "verdict"),
      ...failedSections(failed),
      ...hazardSections(hazards, since && BRANCH_HAZARDS),
      ...hazardSections(earlier, EARLIER_HAZARDS),
      ...hazardSections(found, FOUND_TITLE),
      ...(isEmpty ? [] : [{ table: countsTable(zones), items: [], rank: "counts" } as const]),
      ...changeSections(view, isOneOfMany, told),
      ...(since === undefined ? [] : changeSections(since, isOneOfMany, told, EARLIER)),
      ...customerSections(plan),
      ...laterSections(plan),
      ...footer(view, words).flatMap((lines) => plainSection(lines)),
    ],
    plots: () => planPlots(plan),
  };
}

/** The title of the changes that were pending before this branch. */
const EARLIER = "Pending before this branch";

/** The titles of hazards, if those of this branch stand apart. */
const BRANCH_HAZARDS = "Hazards of this branch";
const EARLIER_HAZARDS = "Hazards pending before this branch";

/** What the plan was compared with, and what is no longer planned. */
function sinceLines(since: SinceView | undefined): Line[] {
  if (since === undefined) return [];
  const { ref, isBehind, isNewProject, withdrawn } = since;
  const commit = shortCommit(since.commit);
  const what = isBehind
    ? `Compared with ${commit}, the last commit that this branch has in common with ${ref}.`
    : `Compared with ${ref} (${commit}).`;
  const newer = `${ref} has newer commits: changes that were applied from them may show as pending before, until this branch has them too.`;
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
export function planSummary(plan: Plan, { title }: PlanWords = {}): Report {
  const view = planView(plan);
  return {
    verdict: line(0, verdict(view, title), "heading"),
    sections: [
      ...hazardSections(view.hazards),
      ...view.zones.flatMap(({ gone }) => plainSection(goneLines(gone))),
      ...plainSection(view.isEmpty ? approvalLines(view) : partLines(view)),
    ],
  };
}

/** The hazards: how many objects have each, then what each means and for which objects. */
export function hazardSections(hazards: readonly HazardView[], title?: string): Section[] {
  if (hazards.length === 0) return [];
  const items = hazards.flatMap(({ hazard, affected, others }, index) => {
    const told = namedLists(hazards.slice(0, index));
    const [shown, beyond] = [affected.filter(({ named }) => named > 0), affected.filter(({ named }) => named === 0)];
    return [
      ...shown.flatMap((each) => hazardItems(each, told)),
      ...(others === 0 ? [] : [{ lines: othersLines(others), counts: { sort: "hazards", count: others } } as const]),
      ...beyond.map((each): Item => {
        return { lines: affectedLines(each, told).map(inFull), facets: facetsOf(each, hazard) };
      }),
    ];
  });
  return [{ title: line(0, hazardTitle(hazards, title), "heading"), items, rank: "hazards" }];
}

/** The same as lines, for a report that has them among others. */
export function hazardLines(hazards: readonly HazardView[], title: string): readonly Line[] {
  return hazardSections(hazards, title).flatMap(({ title: heading, items }) => [
    ...(heading === undefined ? [] : [heading]),
    ...items.flatMap(({ lines }) => lines),
  ]);
}

/** An object may lose thousands of foreign rules: each is an item of its own. */
function hazardItems(affected: Affected, told: NamedLists): Item[] {
  const lines = affectedLines(affected, told);
  const rest = lines.length - affected.lostRules.length;
  const counts = { sort: "hazards", count: affected.addresses.length } as const;
  return [
    { lines: lines.slice(0, rest), counts, facets: facetsOf(affected, affected.hazard) },
    ...lines
      .slice(rest)
      .map((each): Item => ({ lines: [each], counts: { sort: "lostRules", count: 1 }, isMore: true })),
  ];
}

function facetsOf({ kind, addresses }: Affected, hazard: Hazard): Facets {
  return { kind, addresses, hazards: [hazard] };
}

function inFull(each: Line): Line {
  return { ...each, only: "full" };
}

/** What several zones have in common, then zone by zone what is left. `above` begins each title. */
function changeSections(
  { shared, zones }: ChangesByZone,
  isOneOfMany: boolean,
  told: NamedLists,
  above?: string,
): Section[] {
  const common = groupSections(shared, { fold: " in several zones" }, told);
  return [
    ...titled(common, above === undefined ? "In several zones" : `${above}: in several zones`),
    ...zones.flatMap((zone) => {
      const { name } = zone.zone;
      const sections = zoneSections(zone, isOneOfMany ? ` in ${name}` : "", told);
      const parts = [above, isOneOfMany ? name : undefined].filter((part) => part !== undefined);
      return titled(sections, parts.length === 0 ? undefined : parts.join(": "));
    }),
  ];
}

/** The sections that have items, with a title above the first. */
function titled(sections: readonly Section[], title: string | undefined): Section[] {
  const [head, ...rest] = sections.filter(({ items }) => items.length > 0);
  if (head === undefined) return [];
  return [title === undefined ? head : { ...head, title: line(0, title, "heading") }, ...rest];
}

/** Everything about a zone: what is blocked first, then its changes, then the findings. */
function zoneSections(zone: ZoneView, fold: string, told: NamedLists): Section[] {
  const { refused, contested, findings, gone } = zone;
  const { name } = zone.zone;
  const blocked = [...refused, ...contested].flatMap((group) => groupItems(group, name, told, "blocked"));
  const last = [
    ...findings.map((group): Item => {
      const counts = { sort: "findings", count: group.findings.length } as const;
      return { lines: findingLines(group), counts, facets: { zone: name } };
    }),
    ...(gone.length === 0
      ? []
      : [{ lines: goneLines(gone), counts: { sort: "gone", count: gone.length }, facets: { zone: name } } as const]),
  ];
  return [
    ...groupSections(zone, { zone: name, fold, blocked }, told),
    { items: last, rank: "blocked", isSpaced: true },
  ];
}

/**
 * The changes of one zone, or of several. What is blocked, deleted or replaced and all rules come first and are never
 * folded, so that they are not approved unseen; then what else changes, what is held and released.
 */
function groupSections(
  { changes, held, letGo }: Groups,
  { zone, fold, blocked = [] }: { readonly zone?: string; readonly fold: string; readonly blocked?: readonly Item[] },
  told: NamedLists,
): Section[] {
  const first = [...blocked, ...changes.filter(isLookedAt).flatMap((group) => groupItems(group, zone, told))];
  const others = changes.filter((group) => !isLookedAt(group));
  const folded = [
    ...others.flatMap((group) => groupItems(group, zone, told)),
    ...held.map((group) => objectItem("held", group, zone, heldLines(group))),
    ...letGo.map((group) => objectItem("letGo", group, zone, letGoLines(group))),
  ];
  const count = sumOf([...others, ...held, ...letGo].map(({ addresses }) => addresses.length));
  const title = `${counted(count, first.length === 0 ? "change" : "other change")}${fold}`;
  return [
    { items: first, rank: "changes", isSpaced: true },
    { items: folded, rank: "changes", isSpaced: true, fold: title },
  ];
}

/** Changes that a reviewer has to see one by one. */
function isLookedAt({ action, rules }: ChangeGroup): boolean {
  return action === "delete" || action === "replace" || rules.length > 0;
}

/** A group of changes. Each changed rule is an item of its own; those in danger get room like hazards. */
function groupItems(group: ChangeGroup, zone: string | undefined, told: NamedLists, rank: Rank = "changes"): Item[] {
  const { rules, addresses, kind, action, cause, hazards, isDanger } = group;
  const isBlocked = group.refused !== undefined || undefined;
  const facets: Facets = { ...defined({ zone, isBlocked }), kind, action, cause, hazards, addresses };
  const counts = { sort: "changes", count: addresses.length } as const;
  if (rules.length === 0) return [{ lines: changeLines(group, told), counts, facets, rank }];
  const parts = changeParts(group, told);
  return [
    { lines: [parts.heading], counts, facets, rank: isDanger ? "hazards" : "rules" },
    ...parts.rules.map((lines, index): Item => {
      const own = rules[index]?.isDanger ? "hazards" : "rules";
      return { lines, counts: { sort: "rules", count: 1 }, isMore: true, facets, rank: own };
    }),
    ...(parts.rest.length === 0 ? [] : [{ lines: parts.rest, isMore: true, facets, rank } as const]),
  ];
}

function objectItem(
  sort: Sort,
  { kind, addresses }: { readonly kind: string; readonly addresses: readonly Address[] },
  zone: string | undefined,
  lines: Item["lines"],
): Item {
  return { lines, counts: { sort, count: addresses.length }, facets: { ...defined({ zone }), kind, addresses } };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
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
    namesLine(2, gone, MOST_IN_DANGER),
  ];
}

/** The cost, the approved part, and the commands to apply the plan. */
function footer(view: PlanView, { apply, isApplied }: PlanWords): Line[][] {
  if (view.isEmpty) {
    const hasHazards = [view, view.since].some((side) => side !== undefined && side.hazards.length > 0);
    return [approvalLines(view), isApplied === true || !hasHazards ? [] : REVIEWING];
  }
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
            commandLine(2, apply),
          ],
        ]),
    ...lifting.map(({ command, what }) => [
      line(0, `To apply the ${what}${isAllStopped(view) ? "" : " too"}:`),
      commandLine(2, command),
    ]),
  ];
}

function isAllStopped(view: PlanView): boolean {
  return everySection(view)
    .flatMap(({ shared, zones }) => [shared, ...zones])
    .every(({ changes, letGo, held }) => changes.length + letGo.length + held.length === 0);
}

/** Each command that lifts a limit, with what it allows. */
function liftingCommands(view: PlanView): readonly { readonly command: string; readonly what: string }[] {
  const groups = everySection(view).flatMap(({ zones }) => zones.flatMap(({ refused }) => refused));
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
    namesLine(
      2,
      group.map(({ address }) => address),
      MOST_IN_DANGER,
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

/** The zones that could not be read, at the top of a report that covers only the others. */
export function failedSections(failed: readonly FailedZone[] = []): Section[] {
  const lines = failed.map(({ zone, at }) =>
    line(0, `Zone ${zone.name} (${formatPosition(at)}) could not be read: this report covers the other zones`, "bad"),
  );
  const rest = lines.length - MOST_FAILED;
  const more = rest > 0 ? [line(0, `and ${thousands(rest)} more`, "bad")] : [];
  return plainSection([...lines.slice(0, MOST_FAILED), ...more], "verdict");
}

/** How many zones that could not be read to name before counting the rest. */
const MOST_FAILED = 20;

/** What to do about foreign rules. */
export const REVIEWING: Line[] = [
  line(0, "To keep the foreign rules, record them as reviewed (asks first; a saved plan does it too):"),
  commandLine(2, "zoneform apply"),
];
