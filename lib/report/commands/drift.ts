import { defined } from "../../core/defined.ts";
import type { Address } from "../../core/brand.ts";
import type { LeafChange } from "../../core/diff.ts";
import { formatPath } from "../../core/json.ts";
import { SENSITIVE } from "../../core/secret.ts";
import { shellQuoted } from "../../core/shell.ts";
import type { Change, FailedZone, ZonePlan } from "../../plan/change.ts";
import type { Drifted, DriftJudgement, UnderWay } from "../../plan/drift.ts";
import { EVERYTHING, type Selection } from "../../plan/inputs.ts";
import type { KindName } from "../../kinds/kind.ts";
import type { RuleEvent } from "../../kinds/traits/shared.ts";
import { describeHolding } from "../../state/holding.ts";
import type { Holding } from "../../state/store.ts";
import { nameLines, subject } from "../lines/change-lines.ts";
import { bucketed, formatPaths, leafKeys } from "../view/group.ts";
import { columnWidth, isSecret } from "../lines/leaf-lines.ts";
import { type Line, line, printLines, type Printing } from "../lines/lines.ts";
import { shortTitle } from "../lines/rule-lines.ts";
import { appendSection, appendTitled, failedLines, findingLines } from "../lines/sections.ts";
import { tally } from "../view/tally.ts";
import { quote } from "../../core/quote.ts";
import { formatPair, formatValue } from "../lines/value.ts";
import { groupFindings } from "../view/view.ts";
import { wordDiff } from "../lines/word-diff.ts";
import { counted, named, thousands } from "../lines/words.ts";

/** What a report of drift says of one zone. */
export interface DriftView {
  readonly section: ZonePlan;
  readonly judgement: DriftJudgement;
  /** Who holds the zone's lock. */
  readonly holding?: Holding;
  /** The newest run, where it was an undo. */
  readonly undo?: string;
}

/** What was looked at, where that is a part. */
export type LookedAt = Pick<Selection, "target" | "exclude">;

/** So many changes that are not applied yet are named. */
const MOST_PENDING = 5;

/** So many addresses of objects that a run is changing are named. */
const MOST_UNDER_WAY = 5;

/**
 * What somebody changed live since the last apply, object by object and leaf by leaf, told forwards. What the YAML asks
 * for, what is as the YAML wants it by now, what a run is changing and what the service did by itself is counted, and is
 * no drift (docs/semantics.md#drift). `now` is in ms since the epoch.
 */
export function driftText(
  zones: readonly DriftView[],
  failed: readonly FailedZone[],
  printing: Printing,
  now: number,
  lookedAt: LookedAt = EVERYTHING,
): string {
  const head = verdict(zones, whereOf(lookedAt, failed.length > 0));
  const lines: Line[] = [line(0, head.text, head.isDrift ? "bad" : "heading"), ...failedLines(failed)];
  for (const zone of zones) {
    const { section, judgement } = zone;
    const { name } = section.zone;
    if (zones.length + failed.length > 1)
      appendSection(lines, [line(0, `Zone ${name}: ${verdict([zone], whereOf(lookedAt)).text}`, "heading")]);
    appendSection(lines, groupDrifted(judgement.drifted).flatMap(driftLines));
    appendSection(lines, underWayLines(zone, now));
    appendTitled(lines, "Findings", groupFindings(section.findings).map(findingLines));
  }
  appendSection(lines, besideLines(zones));
  return printLines(lines, printing);
}

/** In which part there is no drift; empty for all of it. */
function whereOf({ target, exclude }: LookedAt, isPartial = false): string {
  const parts = [
    ...(target.length === 0 ? [] : [`only ${target.join(", ")} was looked at`]),
    ...(exclude.length === 0 ? [] : [`${exclude.join(", ")} was not looked at`]),
  ];
  const zones = isPartial ? " in the zones that could be looked at" : "";
  return `${zones}${parts.length === 0 ? "" : ` (${parts.join("; ")})`}`;
}

function verdict(zones: readonly DriftView[], where: string): { readonly text: string; readonly isDrift: boolean } {
  const judgements = zones.map(({ judgement }) => judgement);
  const drifted = judgements.flatMap((judgement) => judgement.drifted);
  const vanished = judgements.reduce((sum, judgement) => sum + judgement.vanished.length, 0);
  if (drifted.length + vanished > 0) return { text: `${driftSentence(drifted, vanished)}${where}`, isDrift: true };
  const unjudged = unjudgedParts(zones);
  if (unjudged.length === 0) return { text: `No drift${where}.`, isDrift: false };
  return { text: `No drift in what can be judged${where}: ${unjudged.join("; ")}`, isDrift: false };
}

/** What cannot be judged, and why. */
function unjudgedParts(zones: readonly DriftView[]): readonly string[] {
  const countOf = (some: readonly DriftView[]): number =>
    some.reduce((sum, each) => sum + each.judgement.underWay.filter(({ hasEnded }) => !hasEnded).length, 0);
  const stopped = countOf(zones.filter(isStopped));
  const underWay = countOf(zones) - stopped;
  const unanswered = zones.reduce((sum, { judgement }) => sum + judgement.underWay.length, 0) - stopped - underWay;
  const uploads = zones.reduce((sum, { judgement }) => sum + judgement.unjudged.length, 0);
  return [
    ...(underWay === 0
      ? []
      : [`${counted(underWay, "object")} ${underWay === 1 ? "is" : "are"} being changed by a run`]),
    ...(stopped === 0 ? [] : [`a run that was stopped left ${counted(stopped, "object")} unfinished`]),
    ...(unanswered === 0 ? [] : [`a run that saw no answer left ${counted(unanswered, "object")} unfinished`]),
    ...(uploads === 0
      ? []
      : [
          `nothing tells whether ${counted(uploads, "custom hostname")} ${uploads === 1 ? "serves" : "serve"} the uploaded certificate`,
        ]),
  ];
}

/** Whether the run that was changing objects is known to be over. */
export function isStopped({ holding }: DriftView): boolean {
  return holding === undefined || holding.isAlive === false;
}

function driftSentence(drifted: readonly Drifted[], vanished: number): string {
  const objects = (["deleted", "replaced", "changed"] as const).flatMap((word) => {
    const count = drifted.filter(({ what }) => what === word).length;
    return count === 0 ? [] : [`${counted(count, "object")} ${word}`];
  });
  const sum = (count: (each: Drifted) => number): number => drifted.reduce((total, each) => total + count(each), 0);
  const details = [
    [sum(({ leaves }) => leaves.length), "attribute"],
    [sum(({ rules }) => rules.length), "rule"],
  ] as const;
  const inside = details.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun));
  const gone = vanished === 0 ? [] : [`${counted(vanished, "hostname")} gone, deleted by the service or by somebody`];
  const all = [...objects, ...gone].join(", ");
  return `Drift: ${all} since the last apply${inside.length === 0 ? "" : ` (${inside.join(", ")})`}`;
}

/** Objects to which the same happened. */
interface DriftGroup extends Pick<Drifted, "kind" | "what" | "leaves" | "rules" | "weakened" | "waits"> {
  readonly addresses: readonly Address[];
}

function groupDrifted(drifted: readonly Drifted[]): DriftGroup[] {
  const keyOf = ({ kind, what, leaves, rules, weakened, waits }: Drifted): string =>
    JSON.stringify([kind, what, weakened, waits, leafKeys(leaves), rules]);
  const groups = [...bucketed(drifted, keyOf).values()].map((bucket): DriftGroup => {
    const [{ kind, what, leaves, rules, weakened, waits }] = bucket;
    const addresses = bucket.map(({ address }) => address);
    const more = { ...(weakened ? { weakened } : {}), ...defined({ waits }) };
    return { kind, what, leaves, rules, addresses, ...more };
  });
  return groups.sort((left, right) => ORDER.indexOf(left.what) - ORDER.indexOf(right.what));
}

const ORDER: readonly Drifted["what"][] = ["deleted", "replaced", "changed"];

function driftLines({ kind, what, leaves, rules, weakened, waits, addresses }: DriftGroup): Line[] {
  return [
    headLine(kind, what, addresses),
    ...(weakened ? [line(4, "! weakens protection: lets in what was kept out, or may do so", "bad")] : []),
    ...driftLeafLines(leaves, 4),
    ...rules.flatMap(ruleEventLines),
    ...(waits === undefined ? [] : [line(4, `held: an apply repairs it later: ${waits}`, "quiet")]),
    ...nameLines(addresses),
  ];
}

function headLine(kind: KindName, what: Drifted["what"], addresses: readonly Address[]): Line {
  const objects = subject(kind, addresses);
  switch (what) {
    case "deleted":
      return line(0, `- deleted ${objects} (somebody deleted it outside of zoneform)`, "bad");
    case "replaced":
      return line(0, `-/+ replaced ${objects} (the object that was applied is gone; another one has its name)`, "bad");
    case "changed":
      return line(0, `~ changed ${objects}`, "warn");
    default:
      return what satisfies never;
  }
}

/** Drift is read from the past to the present: what was applied, what live has, and what the YAML wants if that is a third thing. */
function driftLeafLines(leaves: readonly LeafChange[], indent: number): Line[] {
  const width = columnWidth(leaves.map(({ path }) => formatPath(path)));
  return leaves.map((leaf) => line(indent, `${formatPath(leaf.path).padEnd(width)}  ${driftValues(leaf)}`));
}

function driftValues(leaf: LeafChange): string {
  const { cause, prior, before, after } = leaf;
  if (isSecret(leaf)) return `(sensitive, changed)  (${cause})`;
  const wanted = cause === "both" ? `, wanted ${formatValue(after)}` : "";
  const words = typeof prior === "string" && typeof before === "string" ? wordDiff(prior, before) : undefined;
  if (words !== undefined) return `${words}${wanted}  (${cause})`;
  const [applied, live] = formatPair(prior, before);
  return `applied ${applied}, live ${live}${wanted}  (${cause})`;
}

const EVENT_STYLES = {
  added: "bad",
  removed: "bad",
  moved: "warn",
  edited: "warn",
  enabled: "warn",
  disabled: "bad",
} as const satisfies Record<RuleEvent["what"], Line["style"]>;

/** What somebody did to a rule: `somebody moved #3 -> #1 "Managed rules" [sec/managed] (drift)`. */
function ruleEventLines(event: RuleEvent): Line[] {
  const { what, ref, title, from, to, leaves, cause } = event;
  const place = what === "moved" ? `#${from ?? "?"} -> #${to ?? "?"}` : `#${to ?? from ?? "?"}`;
  const sentence = `somebody ${what} ${place} ${quote(shortTitle(title))} [${ref}] (${cause})`;
  return [line(4, sentence, EVENT_STYLES[what]), ...eventDetails(what, leaves)];
}

function eventDetails(what: RuleEvent["what"], leaves: readonly LeafChange[]): Line[] {
  if (what === "edited") return driftLeafLines(leaves, 8);
  if (what !== "added") return [];
  const shown = leaves.filter(({ path }) => path[0] === "action" || path[0] === "expression");
  return shown.map((leaf) =>
    line(8, `${formatPath(leaf.path).padEnd(10)}  ${isSecret(leaf) ? SENSITIVE : formatValue(leaf.before)}`),
  );
}

/** What a run is changing: that run's, and not judged. */
function underWayLines(zone: DriftView, now: number): Line[] {
  const { judgement, holding, section } = zone;
  const { underWay } = judgement;
  const runs = [...bucketed(underWay, ({ run }) => run ?? "").values()];
  const lines = runs.flatMap((bucket) => {
    return [
      line(0, `${whose(zone, bucket[0])}, and not judged: ${counted(bucket.length, "object")}`, "warn"),
      line(
        4,
        named(
          bucket.map(({ address }) => address),
          MOST_UNDER_WAY,
        ),
      ),
    ];
  });
  if (lines.length === 0) return [];
  const state = holding ? `the lock is ${describeHolding(holding, now)}` : "no run holds the lock now";
  const command = `zoneform apply --zone ${shellQuoted(section.zone.name)}`;
  return [
    ...lines,
    line(4, state, "quiet"),
    ...(isStopped(zone) ? [line(4, `to finish what is unfinished: ${command}`)] : []),
  ];
}

function whose(zone: DriftView, { run, hasEnded }: UnderWay): string {
  const who = run === undefined ? "a run" : `run ${run}`;
  if (hasEnded) return `Left unfinished by ${who}, which saw no answer`;
  return isStopped(zone) ? `Left unfinished by ${who}, which was stopped` : `Being changed by ${who}`;
}

/** What is different and is no drift. */
function besideLines(zones: readonly DriftView[]): Line[] {
  const counts = tally(zones.map(({ section }) => section));
  const pending = zones.flatMap(pendingOf);
  const untracked = zones.flatMap(untrackedOf).length;
  const parts = [
    [pending.length, `${counted(pending.length, "change")} of the configuration not applied yet`],
    [adoptedCount(zones), `${thousands(adoptedCount(zones))} adopted (changed by hand to what the YAML wants)`],
    [untracked, `${thousands(untracked)} live as the YAML wants it, and not in the state yet`],
    [counts.held, `${thousands(counts.held)} held`],
    [counts.foreign, `${thousands(counts.foreign)} foreign`],
    [counts.expired, `${thousands(counts.expired)} expired`],
    [counts.gone, `${thousands(counts.gone)} gone`],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([, text]) => text);
  if (said.length === 0) return [];
  return [line(0, `Besides, and no drift: ${said.join(", ")}`, "quiet"), ...pendingLines(zones, pending)];
}

/** How many leaves, rules and whole objects somebody made by hand as the YAML wants them. */
export function adoptedCount(zones: readonly Pick<DriftView, "judgement">[]): number {
  const all = zones.flatMap(({ judgement }) => judgement.adopted.filter(({ isUntracked }) => !isUntracked));
  return all.reduce((sum, { leaves, rules }) => sum + Math.max(1, leaves.length + rules.length), 0);
}

/** The objects that are live as the YAML wants them, and that the state does not know yet. */
export function untrackedOf({ judgement }: Pick<DriftView, "judgement">): readonly Address[] {
  return judgement.adopted.flatMap(({ address, isUntracked }) => (isUntracked ? [address] : []));
}

/** Which changes of the configuration are not applied yet, and why that can be so right after a run. */
function pendingLines(zones: readonly DriftView[], pending: readonly Change[]): Line[] {
  if (pending.length === 0) return [];
  const undos = zones.flatMap((zone) => (zone.undo !== undefined && pendingOf(zone).length > 0 ? [zone.undo] : []));
  const rest = pending.length - MOST_PENDING;
  return [
    ...pending.slice(0, MOST_PENDING).map((change) => line(4, pendingSentence(change), "quiet")),
    ...(rest > 0 ? [line(4, `and ${thousands(rest)} more`, "quiet")] : []),
    ...[...new Set(undos)].map((run) =>
      line(4, `run ${run} was an undo: the YAML still declares what it took back, and the next apply will redo it`),
    ),
    line(4, "to see them: zoneform plan", "quiet"),
  ];
}

function pendingSentence({ address, action, leaves, rules }: Change): string {
  const paths = formatPaths(leaves.filter(({ cause }) => cause === "config").map(({ path }) => path));
  const refs = rules.filter(({ cause }) => cause === "config").map(({ action: step, ref }) => `${step} rule ${ref}`);
  const parts = action === "create" ? [] : [...(paths === "" ? [] : [paths]), ...refs];
  return `${action} ${address}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}

/** The changes that the configuration alone asks for, at least in part, of objects that nobody made by hand. */
export function pendingOf({ section, judgement }: Pick<DriftView, "section" | "judgement">): readonly Change[] {
  const others = new Set([
    ...judgement.underWay.map(({ address }) => address),
    ...judgement.adopted.flatMap(({ address, leaves, rules }) => (leaves.length + rules.length === 0 ? [address] : [])),
  ]);
  return section.changes.filter((change) => !others.has(change.address) && isPending(change));
}

function isPending(change: Change): boolean {
  if (change.action === "held") return false;
  const causes = [...change.leaves, ...change.rules].map(({ cause }) => cause);
  return causes.length === 0 ? change.cause === "config" : causes.includes("config");
}
