import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import { defined, type JsonObject } from "../core/json.ts";
import { moment } from "../core/moment.ts";
import { ENTRY_POINTS, isHostname } from "../kinds/registry.ts";
import type { Live } from "../kinds/live.ts";
import type { OtherRule, Watched } from "../kinds/traits/shared.ts";
import { coversRef } from "../state/zone/claims.ts";
import type { Change, ForeignDanger, Plan, Watch } from "./change.ts";
import type { PlanInput } from "./inputs.ts";
import { serviceNow } from "./seen.ts";
import { localAddress, planAddress, targetsOf } from "./targets.ts";

/** How many remaining or changed foreign rules to name before counting the rest. */
const NAMED = 5;

/** Where to cut a note about a foreign rule; a danger is never cut. */
const LONGEST_NOTE = 160;

/** An entry point of the zone, and the foreign rules in it. */
interface EntryPoint {
  readonly key: string;
  readonly live: Live;
  readonly isDeclared: boolean;
  readonly watched: Watched;
}

/** The foreign rules in a zone, as a plan reports them. */
export interface ZoneWatch {
  /** Absent if no rule can skip anything of ours. */
  readonly watch?: Watch;
  /** Entry points that the token may not read, so that we cannot tell whether a rule there skips ours. */
  readonly unread: readonly string[];
  readonly findings: readonly Diagnostic[];
  /** Notes on the change of an entry point which foreign rules stay. */
  readonly withNotes: (change: Change) => Change;
}

/** Compares the foreign rules with those at the last review (docs/semantics.md#foreign-rules). */
export function watchZone(input: PlanInput): ZoneWatch {
  const points = entryPoints(input);
  if (points.length === 0) return { unread: [], findings: [], withNotes: (change) => change };
  const all = points.flatMap((point) => point.watched.rules.map((rule) => ({ point, rule })));
  const dangers = all
    .filter(({ rule }) => rule.danger === "new")
    .map(({ point: { key }, rule }): ForeignDanger => {
      const { ref, at, does } = rule;
      return {
        address: planAddress(input, ENTRY_POINTS.name, key),
        ref,
        at,
        does,
        hazards: ["weakens-protection"],
        ...claimedBy(input, key, ref),
      };
    });
  const unread = points.filter(({ live }) => live.status["unread"] === true).map(({ key }) => key);
  const shown = points
    .filter(({ isDeclared, watched }) => isDeclared || watched.shown.length > 0)
    .map(({ key, watched }) => [key, watched.shown] as const);
  const changed = all.filter(({ rule }) => rule.change !== undefined);
  return {
    watch: { dangers, shown: Object.fromEntries(shown), isNews: dangers.length + changed.length > 0 },
    unread,
    findings: [
      ...knownDangers(input, all.filter(({ rule }) => rule.danger === "known").length),
      ...changed
        .slice(0, NAMED)
        .map(({ point: { key }, rule }) => changedRule(input, key, rule, claimedBy(input, key, rule.ref))),
      ...moreChanged(changed.length - NAMED),
      ...unreadPoints(unread),
    ],
    withNotes: (change) => {
      const written = [change, change.with].find((each) => each?.kind === ENTRY_POINTS.name);
      const point = points.find(({ key }) => key === written?.key);
      if (!point || !written || change.action === "delete" || change.action === "forget") return change;
      return { ...change, notes: [...keptNotes(input, point, written), ...change.notes] };
    },
  };
}

function entryPoints(input: PlanInput): readonly EntryPoint[] {
  const { state, live } = input;
  const { name, shared } = ENTRY_POINTS;
  const targets = targetsOf(input);
  const declared = [...targets.values()].filter(({ kind }) => !isHostname(kind));
  if (!declared.some((object) => shared.isSkippable(object))) return [];
  const found = live.objects.get(name) ?? new Map<string, Live>();
  const ours = new Set(declared.flatMap(({ kind, key }) => [kind, key]));
  const keys = new Set([...declared.flatMap(({ kind, key }) => (kind === name ? [key] : [])), ...found.keys()]);
  return [...keys].sort().map((key): EntryPoint => {
    const address = localAddress(name, key);
    const [target, prior] = [targets.get(address), state?.objects.get(address)];
    const point = found.get(key) ?? { id: "", key, values: {}, status: {} };
    const watched = shared.watch({
      key,
      desired: target?.values,
      prior: prior?.applied,
      live: point,
      options: target?.options ?? {},
      reviewed: reviewedOf(input, key),
      ours,
      now: serviceNow(input),
    });
    return { key, live: point, isDeclared: target !== undefined, watched };
  });
}

/**
 * The plan after its reader has seen the foreign rules in `seen`: an apply records those that are unchanged as
 * reviewed.
 */
export function withReview(plan: Plan, seen: Plan): Plan {
  const shown = new Map(seen.zones.map(({ zone, watch }) => [zone.id, watch?.shown]));
  return { ...plan, zones: plan.zones.map((each) => ({ ...each, ...defined({ reviewed: shown.get(each.zone.id) }) })) };
}

/** The rules of an entry point at the last review; absent if it was never reviewed. */
export function reviewedOf({ state }: Pick<PlanInput, "state">, key: string): readonly JsonObject[] | undefined {
  return state?.reviewed?.entryPoints[key];
}

/** The other project that claims a rule. */
function claimedBy({ othersClaims = [] }: PlanInput, key: string, ref: string): Pick<ForeignDanger, "project"> {
  const claim = othersClaims.find(
    (each) => each.kind === ENTRY_POINTS.name && each.key === key && coversRef(each, ref),
  );
  return claim ? { project: claim.project } : {};
}

/** A foreign rule as every format names it: `#1 skips every request …`, with the project that claims it. */
export function foreignRuleText({ at, does, project }: Pick<ForeignDanger, "at" | "does" | "project">): string {
  return `#${at} ${does}${project === undefined ? "" : ` (project ${project})`}`;
}

function knownDangers({ state }: PlanInput, count: number): readonly Diagnostic[] {
  if (count === 0 || !state?.reviewed) return [];
  const rules = count === 1 ? "1 foreign rule lets" : `${count} foreign rules let`;
  return [
    warning({
      code: "foreign-rules-known",
      message: `${rules} traffic past yours, as at the last review on ${moment(state.reviewed.at)}`,
    }),
  ];
}

function changedRule(
  input: PlanInput,
  key: string,
  { at, does, change }: OtherRule,
  project: Pick<ForeignDanger, "project">,
): Diagnostic {
  const since = moment(input.state?.reviewed?.at ?? "");
  return warning({
    code: "foreign-rules-changed",
    address: planAddress(input, ENTRY_POINTS.name, key),
    message: `a foreign rule was ${change ?? "changed"} since the last review on ${since}: ${foreignRuleText({ at, does, ...project })}`,
  });
}

function moreChanged(count: number): readonly Diagnostic[] {
  if (count <= 0) return [];
  const message = `and ${count} more foreign ${count === 1 ? "rule was" : "rules were"} added, changed or removed`;
  return [warning({ code: "foreign-rules-changed", message })];
}

function unreadPoints(unread: readonly string[]): readonly Diagnostic[] {
  if (unread.length === 0) return [];
  return [warning(problem("entry-points-unread", { message: unreadWords(unread) }))];
}

/** Why we cannot tell whether a foreign rule lets traffic past ours. */
export function unreadWords(unread: readonly string[]): string {
  return `the token may not read ${unread.join(", ")}, so Zoneform cannot tell whether a rule there skips yours`;
}

/** The foreign rules that stay, dangers first. */
function keptNotes(input: PlanInput, { key, watched }: EntryPoint, written: Pick<Change, "rules">): readonly string[] {
  const removed = new Set(written.rules.flatMap(({ action, ref }) => (action === "remove" ? [ref] : [])));
  const rules = watched.rules.filter(({ ref, change }) => change !== "removed" && !removed.has(ref));
  if (rules.length === 0) return [];
  const inTurn = [...rules.filter(({ danger }) => danger), ...rules.filter(({ danger }) => !danger)];
  const rest = inTurn.length - NAMED;
  return [
    `${rules.length} foreign ${rules.length === 1 ? "rule" : "rules"} kept (not in the YAML):`,
    ...inTurn.slice(0, NAMED).map((rule) => cut(foreignRuleText({ ...rule, ...claimedBy(input, key, rule.ref) }))),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ];
}

function cut(text: string): string {
  return text.length <= LONGEST_NOTE ? text : `${text.slice(0, LONGEST_NOTE - 1)}…`;
}
