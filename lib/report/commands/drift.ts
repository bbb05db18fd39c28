import { bucketed } from "../../core/lists.ts";
import { moment } from "../../core/moment.ts";
import { shellQuoted } from "../../core/quote.ts";
import type { Drifted, UnderWay } from "../../plan/drift.ts";
import { EVERYTHING } from "../../plan/inputs.ts";
import { describeHolding, RUNS_OR_WAS_KILLED } from "../../state/lock.ts";
import { namesLine } from "../lines/change-lines.ts";
import { commandLine, type Line, line } from "../lines/lines.ts";
import { failedSections, hazardSections } from "../sections/plan.ts";
import { type Item, plainSection, type Report, type Section } from "../sections/report.ts";
import { findingLines } from "../lines/diagnostics.ts";
import { counted } from "../../core/words.ts";
import { foreignWords, runName } from "../lines/words.ts";
import { foundViews } from "../view/found.ts";
import { groupFindings } from "../view/view.ts";
import { besideLines, nextLines } from "./drift-beside.ts";
import { groupDrifted, groupLines } from "./drift-objects.ts";
import { type DriftView, type FoundView, isStopped, type LookedAt, maybeStopped } from "./drift-view.ts";

/** How many objects that a run is changing to name before counting the rest. */
const MOST_UNDER_WAY = 5;

/**
 * What was changed outside Zoneform since the last apply, object by object: the verdict, the dangers, the changes of
 * each zone, other differences that are no drift (docs/semantics.md#drift), and what to do. `now` is in ms since the
 * epoch.
 */
export function driftReport(found: FoundView, now: number, lookedAt: LookedAt = EVERYTHING): Report {
  const { zones, failed } = found;
  const drifted = zones.flatMap(({ judgement }) => judgement.drifted);
  const foreign = zones.flatMap(({ judgement }) => judgement.foreign);
  const style = hasDrift(zones) ? "bad" : unfinishedParts(zones).length > 0 ? "warn" : "heading";
  return {
    verdict: line(0, verdict(found, lookedAt), style),
    sections: [
      ...failedSections(failed),
      ...hazardSections(foundViews(drifted, foreign)),
      ...zones.filter(hasSomethingToSay).flatMap((zone) => zoneSections(zone, now)),
      ...plainSection(zones.filter((zone) => !hasSomethingToSay(zone)).map(cleanLine)),
      ...plainSection(besideLines(zones)),
      ...plainSection(nextLines(zones, lookedAt)),
    ],
  };
}

function zoneSections(zone: DriftView, now: number): Section[] {
  const { section, judgement } = zone;
  const { name } = section.zone;
  const findings = groupFindings(section.findings);
  const items = groupDrifted(judgement.drifted).map((group): Item => {
    const { kind, hazards, addresses } = group;
    return {
      lines: groupLines(group),
      counts: { sort: "changes", count: addresses.length },
      facets: { zone: name, kind, hazards, addresses },
    };
  });
  return [
    { title: line(0, `${name}${lastApplied(zone, ", ")}`, "heading"), items: [], rank: "changes" },
    ...(items.length === 0 ? [] : [{ items, rank: "changes" } as const]),
    ...plainSection(underWayLines(zone, now), "blocked"),
    ...(findings.length === 0
      ? []
      : [
          {
            title: line(0, "Findings", "heading"),
            items: findings.map((group) => ({ lines: findingLines(group) })),
            rank: "blocked",
          } as const,
        ]),
  ];
}

function hasDrift(zones: readonly DriftView[]): boolean {
  return zones.some(({ judgement: { drifted, foreign } }) => drifted.length + foreign.length > 0);
}

function hasSomethingToSay(zone: DriftView): boolean {
  return hasDrift([zone]) || zone.judgement.underWay.length + zone.section.findings.length > 0;
}

function verdict({ project, zones, failed }: FoundView, lookedAt: LookedAt): string {
  const judgements = zones.map(({ judgement }) => judgement);
  const drifted = judgements.flatMap((judgement) => judgement.drifted);
  const foreign = judgements.reduce((sum, judgement) => sum + judgement.foreign.length, 0);
  const part = partOf(lookedAt);
  if (hasDrift(zones)) return `Drift in project ${project}${part}: ${driftSentence(drifted, foreign)}.`;
  const zonesChecked =
    failed.length === 0 ? `project ${project}` : `the zones of project ${project} that could be checked`;
  const unchecked = unfinishedParts(zones);
  if (unchecked.length > 0)
    return `Not everything in ${zonesChecked}${part} could be checked: ${[...unchecked, ...uploadParts(zones)].join("; ")}. No drift was found in the rest.`;
  const uploads = uploadParts(zones);
  if (uploads.length === 0) return `No drift in ${zonesChecked}${part}.`;
  return `No drift found in ${zonesChecked}${part}, but not everything could be checked: ${uploads.join("; ")}.`;
}

/** The part that was checked; empty for everything. */
function partOf({ target, exclude }: LookedAt): string {
  const parts = [
    ...(target.length === 0 ? [] : [`only ${target.join(", ")}`]),
    ...(exclude.length === 0 ? [] : [`without ${exclude.join(", ")}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function driftSentence(drifted: readonly Drifted[], foreign: number): string {
  const [first, ...others] = (["deleted", "replaced", "changed"] as const).flatMap((word) => {
    const count = drifted.filter(({ what }) => what === word).length;
    return count === 0 ? [] : [{ word, count }];
  });
  const objects =
    first === undefined
      ? []
      : [
          `${[
            `${counted(first.count, "object")} ${first.count === 1 ? "was" : "were"} ${first.word}`,
            ...others.map(({ count, word }) => `${count} ${word}`),
          ].join(", ")} outside Zoneform`,
        ];
  const vanished = drifted.filter(({ what }) => what === "vanished").length;
  const gone =
    vanished === 0
      ? []
      : [`${counted(vanished, "hostname")} ${vanished === 1 ? "is" : "are"} gone, deleted by Cloudflare or by hand`];
  const past = foreign === 0 ? [] : [foreignWords(foreign)];
  return [...objects, ...gone, ...past].join("; ");
}

/** Certificates that cannot be compared. */
function uploadParts(zones: readonly DriftView[]): readonly string[] {
  const uploads = zones.reduce((sum, { judgement }) => sum + judgement.unjudged.length, 0);
  if (uploads === 0) return [];
  return [
    `Cloudflare does not say whether ${counted(uploads, "hostname")} ${uploads === 1 ? "serves" : "serve"} the uploaded certificate`,
  ];
}

/** What runs are changing or left unfinished, and what the token may not read. */
function unfinishedParts(zones: readonly DriftView[]): readonly string[] {
  const countOf = (some: readonly DriftView[]): number =>
    some.reduce((sum, each) => sum + each.judgement.underWay.filter(({ hasEnded }) => !hasEnded).length, 0);
  const stopped = countOf(zones.filter(isStopped));
  const unclear = countOf(zones.filter(maybeStopped));
  const underWay = countOf(zones) - stopped - unclear;
  const unanswered =
    zones.reduce((sum, { judgement }) => sum + judgement.underWay.length, 0) - stopped - unclear - underWay;
  return [
    ...(underWay === 0
      ? []
      : [`${counted(underWay, "object")} ${underWay === 1 ? "is" : "are"} being changed by a run`]),
    ...(unclear === 0
      ? []
      : [`${counted(unclear, "object")} ${unclear === 1 ? "belongs" : "belong"} to a run that ${RUNS_OR_WAS_KILLED}`]),
    ...(stopped === 0 ? [] : [`a run that was stopped left ${counted(stopped, "object")} unfinished`]),
    ...zones.flatMap(({ section, judgement: { unread } }) =>
      unread.length === 0 ? [] : [`the token may not read ${unread.join(", ")} of ${section.zone.name}`],
    ),
    ...(unanswered === 0 ? [] : [`a run that got no response left ${counted(unanswered, "object")} unfinished`]),
  ];
}

function cleanLine(zone: DriftView): Line {
  return line(0, `${zone.section.zone.name}: no drift${lastApplied(zone, ", ")}`);
}

/** When a run last changed something in the zone, and which run: `last applied 2026-11-20 14:02 UTC (run 7afb14ca)`. */
function lastApplied({ lastRun }: DriftView, before: string): string {
  if (lastRun === undefined) return "";
  const what = lastRun.operation === "undo" ? "last undo" : "last applied";
  return `${before}${what} ${moment(lastRun.ended)} (run ${runName(lastRun.run)})`;
}

/** The objects that a run is changing: they belong to that run and are not judged. */
function underWayLines(zone: DriftView, now: number): Line[] {
  const { judgement, holding, section } = zone;
  const runs = [...bucketed(judgement.underWay, ({ run }) => run ?? "").values()];
  const lines = runs.flatMap((bucket) => {
    const addresses = bucket.map(({ address }) => address);
    return [
      line(2, `not checked: ${counted(bucket.length, "object")} ${whose(zone, bucket[0])}`, "warn"),
      namesLine(6, addresses, MOST_UNDER_WAY),
    ];
  });
  if (lines.length === 0) return [];
  const state = holding ? `the lock is ${describeHolding(holding, now)}` : "no run holds the lock now";
  const finish = [
    line(2, "the next apply finds out what happened, and finishes it:"),
    commandLine(6, `zoneform apply --zone ${shellQuoted(section.zone.name)}`),
  ];
  const find = [
    line(2, "to see that run, and what to do:"),
    commandLine(6, `zoneform state lock --zone ${shellQuoted(section.zone.name)}`),
  ];
  return [...lines, line(6, state, "quiet"), ...(isStopped(zone) ? finish : []), ...(maybeStopped(zone) ? find : [])];
}

function whose(zone: DriftView, { run, hasEnded }: UnderWay): string {
  const who = run === undefined ? "a run" : `run ${runName(run)}`;
  if (hasEnded) return `left unfinished by ${who}, which got no response`;
  if (maybeStopped(zone)) return `of ${who}, which ${RUNS_OR_WAS_KILLED}`;
  return isStopped(zone) ? `left unfinished by ${who}, which was stopped` : `being changed by ${who}`;
}
