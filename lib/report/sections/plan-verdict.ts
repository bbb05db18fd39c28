import { WRITE_ACTIONS } from "../../state/journal-record.ts";
import { ACTION_WORDS, ADOPT_AND_UPDATE } from "../lines/marks.ts";
import { counted, thousands } from "../../core/words.ts";
import type { PlanView, SinceView, Stopped, Tally, ZoneView } from "../view/view.ts";
import type { Table } from "./report.ts";

/**
 * The whole plan in one sentence: `Plan for project edge-prod: 46 changes in 2 zones, including 3 blocked deletions.`
 * `title` says which sort of plan it is.
 */
export function verdict(view: PlanView, title = `Plan for project ${view.project}`): string {
  if (view.isEmpty) return emptyVerdict(view);
  const { tally, zones } = view;
  const changes = changeCount(tally);
  const affected = zones.filter((zone) => changeCount(zone.tally) > 0);
  if (changes === 0) return `${title}: nothing to change now, ${counted(tally.held, "change")} held.`;
  return `${title}: ${counted(changes, "change")} in ${zonesText(affected)}${sinceText(view.since)}${stoppedText(tally, changes)}.`;
}

/** How many of the changes are by this branch, and how many were pending before. */
function sinceText(since: SinceView | undefined): string {
  if (since === undefined) return "";
  const [branch, before] = [changeCount(since.branch), changeCount(since.before)];
  const own = before === 0 ? "all" : branch === 0 ? "none" : thousands(branch);
  const rest = before === 0 ? "" : `, ${branch === 0 ? "all" : thousands(before)} pending before`;
  return ` (${own} by this branch since ${since.ref}${rest})`;
}

/** How many changes there are, including blocked ones. A held change counts only once it can be applied. */
function changeCount({ planned, letGo, refused, contested }: Tally): number {
  return Object.values(planned).reduce((sum, count) => sum + count, letGo + refused.all + contested.all);
}

function emptyVerdict(view: PlanView): string {
  const { project, zones, failed, tally } = view;
  if (zones.some(hasNoWayBack)) return "Nothing of this run can be undone any more.";
  const objects = `${counted(tally.unchanged, "object")} in ${zonesText(zones)}`;
  const verb = tally.unchanged === 1 ? "matches" : "match";
  if (failed.length > 0)
    return zones.length === 0
      ? `Plan for project ${project}: no zone could be read.`
      : `Plan for project ${project}: no changes in the zones that could be read; ${objects} ${verb} the configuration.`;
  return `${project} is up to date: ${objects} ${verb} the configuration.`;
}

/** Whether this plan would undo a run that did something irreversible. */
function hasNoWayBack({ findings }: ZoneView): boolean {
  return findings.some(({ code }) => code === "cannot-be-undone");
}

function zonesText(zones: readonly ZoneView[]): string {
  const [only] = zones;
  return zones.length === 1 && only !== undefined ? `zone ${only.zone.name}` : counted(zones.length, "zone");
}

/** What is not applied: blocked, in conflict, or held. Deletions are always named as such. */
function stoppedText({ refused, contested, held }: Tally, changes: number): string {
  if (refused.all === changes) return `, ${changes === 1 ? "" : "all "}blocked${deletedText(refused)}${heldText(held)}`;
  if (contested.all === changes)
    return `, ${changes === 1 ? "" : "all "}in conflict${deletedText(contested)}${heldText(held)}`;
  const included = [blockedText(refused), conflictText(contested)].filter((text) => text !== "");
  return `${included.length === 0 ? "" : `, including ${included.join(" and ")}`}${heldText(held)}`;
}

function heldText(held: number): string {
  return held === 0 ? "" : `, ${thousands(held)} held`;
}

function blockedText(stopped: Stopped): string {
  const { all, deletions } = stopped;
  if (all === 0) return "";
  return all === deletions ? counted(all, "blocked deletion") : `${thousands(all)} blocked${deletedText(stopped)}`;
}

function conflictText(stopped: Stopped): string {
  return stopped.all === 0 ? "" : `${counted(stopped.all, "conflict")}${deletedText(stopped)}`;
}

function deletedText({ deletions, replacements }: Stopped): string {
  const gone = [
    ...(deletions === 0 ? [] : [counted(deletions, "deletion")]),
    ...(replacements === 0 ? [] : [counted(replacements, "replacement")]),
  ];
  return gone.length === 0 ? "" : ` (${gone.join(", ")})`;
}

/** The counts of all zones side by side, without empty columns. */
export function countsTable(zones: readonly ZoneView[]): Table {
  const columns = COLUMNS.filter(
    ({ title, count }) => title === "unchanged" || zones.some(({ tally }) => count(tally) > 0),
  );
  return {
    titles: columns.map(({ title }) => title),
    rows: zones.map(({ zone, tally }) => ({
      name: zone.name,
      cells: columns.map(({ count }) => cell(count(tally))),
    })),
  };
}

const COLUMNS: readonly { readonly title: string; readonly count: (tally: Tally) => number }[] = [
  ...WRITE_ACTIONS.flatMap((action) => [
    { title: ACTION_WORDS[action], count: ({ planned }: Tally) => planned[action] },
    ...(action === "adopt"
      ? [{ title: ADOPT_AND_UPDATE, count: ({ planned }: Tally) => planned.adopt_and_update }]
      : []),
  ]),
  { title: "release fields", count: ({ letGo }) => letGo },
  { title: "held", count: ({ held }) => held },
  { title: "blocked", count: ({ refused }) => refused.all },
  { title: "conflict", count: ({ contested }) => contested.all },
  { title: "unchanged", count: ({ unchanged }) => unchanged },
];

function cell(count: number): string {
  return count === 0 ? "-" : thousands(count);
}
