import type { ApplyReport, Ended, Outcome, ZoneReport } from "../../apply/outcome.ts";
import { parseAddress } from "../../core/address.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { optionalText } from "../../core/decode.ts";
import { formatPath, isObject, type Json } from "../../core/json.ts";
import { shellQuoted } from "../../core/shell.ts";
import { nameLines, subject } from "../lines/change-lines.ts";
import { diagnosticSentence } from "../lines/diagnostic-lines.ts";
import { actionWord, doneWord, reasonOf, STATUS_WORDS } from "./ending.ts";
import type { LeafConflict } from "../../plan/change.ts";
import { append, type Complete, type Line, line, printLines, type Printing } from "../lines/lines.ts";
import { ACTION_STYLES, MARKS } from "../lines/marks.ts";
import { countsTable, type Status, STATUSES, statusCounts, writtenOf } from "./report-counts.ts";
import { appendSection } from "../lines/sections.ts";
import { quote } from "../../core/quote.ts";
import { formatValue, isSensitive } from "../lines/value.ts";
import { notPlannedLines } from "../plan/text.ts";
import { thousands } from "../lines/words.ts";

/** How a report is printed. */
export interface ReportPrinting extends Printing {
  /** The command that goes on where this run stopped. */
  readonly resume?: string;
  /** The command that goes back from this run; absent where it left no record to go back by. */
  readonly undo?: string;
}

/** So many different reasons of one status are printed; the JSON report has them all. */
const MOST_GROUPS = 20;

/** So many objects that ended alike are all named. */
const MOST_NAMED = 20;

const TITLES = {
  failed: "Failed: the service refused these, or did not answer",
  unknown: "Unknown: sent, but no answer came; the next run looks them up before it writes",
  unconfirmed: "Unconfirmed: the service answered that these were done, but they do not show what was sent",
  conflict: "Conflict: live changed since the plan was made; left as they are",
  refused: "Refused by a guard; left as they are",
  held: "Held: these wait",
  "not-started": "Not started",
  done: "Remarks",
} as const satisfies Record<Status, string>;

/** The end of an apply, whatever the ending: the verdict, the counts, what is not done and why, and how to go on. */
export function reportText(report: ApplyReport, printing: ReportPrinting): string {
  const ended = allEnded(report);
  const lines: Line[] = [line(0, verdict(report, ended), isAllDone(report, ended) ? "good" : "heading")];
  for (const zone of report.zones) appendSection(lines, zoneLines(zone, printing.complete));
  if (!isAllDone(report, ended)) appendSection(lines, countsTable(ended));
  for (const status of STATUSES) appendSection(lines, statusLines(status, ended));
  appendSection(lines, recordLines(report, printing.undo));
  if (printing.resume !== undefined) appendSection(lines, [line(0, `to resume: ${printing.resume}`)]);
  return printLines(lines, printing);
}

/** What was approved and is not in the plan any more, and the name of the run with the way back from it. */
function recordLines({ run, approval }: ApplyReport, undo: string | undefined): Line[] {
  const lines = approval === undefined ? [] : notPlannedLines(approval);
  return undo === undefined ? lines : [...lines, line(0, `run ${run}; to go back: ${undo}`, "quiet")];
}

function allEnded(report: ApplyReport): readonly Ended[] {
  return report.zones.flatMap((zone) => zone.ended);
}

function isAllDone(report: ApplyReport, ended: readonly Ended[]): boolean {
  const isWhole = report.zones.every((zone) => !zone.locked && !zone.stopped && !zone.unsaved);
  return isWhole && report.interrupted !== true && ended.every(({ outcome }) => outcome.status === "done");
}

function verdict(report: ApplyReport, ended: readonly Ended[]): string {
  const counts = statusCounts(ended);
  if (isAllDone(report, ended)) return ended.length === 0 ? "Nothing to apply." : `Applied: ${doneCounts(ended)}`;
  const said = STATUS_ORDER.filter((status) => counts[status] > 0);
  const all = said.map((status) => `${thousands(counts[status])} ${STATUS_WORDS[status]}`).join(", ");
  const word = progressWord(report, ended, counts);
  return [all === "" ? word : `${word}: ${all}`, ...writtenWords(ended)].join("; ");
}

/** What was written although it did not end as done: that nothing was applied would be untrue. */
function writtenWords(ended: readonly Ended[]): readonly string[] {
  const count = (written: "all" | "part"): number => ended.filter((each) => writtenOf(each) === written).length;
  const [all, part] = [count("all"), count("part")];
  return [
    ...(all === 0 ? [] : [`${thousands(all)} of them written over a change by somebody else`]),
    ...(part === 0 ? [] : [`${thousands(part)} of them written in part`]),
  ];
}

function progressWord(report: ApplyReport, ended: readonly Ended[], counts: Readonly<Record<Status, number>>): string {
  if (report.interrupted === true) return "Interrupted";
  if (report.outOfTime === true && counts["not-started"] > 0) return "Out of time";
  const hasWritten = ended.some((each) => writtenOf(each) !== undefined);
  if (counts.done === 0 && !hasWritten)
    return counts.unknown + counts.unconfirmed > 0 ? "Applied in part" : "Nothing applied";
  if (STATUSES.some((status) => status !== "done" && counts[status] > 0)) return "Applied in part";
  return report.zones.some(({ unsaved }) => unsaved) ? "Applied, but the state was not saved" : "Applied";
}

/** As in the verdict: what is done first. */
const STATUS_ORDER: readonly Status[] = ["done", ...STATUSES.filter((status) => status !== "done")];

function doneCounts(ended: readonly Ended[]): string {
  const counts = new Map<string, number>();
  for (const word of ended.map(doneWord)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${thousands(count)} ${word}`).join(", ");
}

/** What is wrong with a zone as a whole: somebody holds its lock, it could not be begun, its state could not be saved. */
function zoneLines({ zone, locked, lockedBy, stopped, unsaved }: ZoneReport, complete?: Complete): Line[] {
  const trouble = (what: string, diagnostics: readonly Diagnostic[]): Line[] =>
    troubleLines(`Zone ${zone.name}: ${what}`, diagnostics, complete);
  return [
    ...(locked === undefined ? [] : lockLines(zone.name, locked, lockedBy?.id)),
    ...(stopped === undefined ? [] : trouble("nothing was begun", stopped.diagnostics)),
    ...(unsaved === undefined ? [] : trouble("the state was not saved", [unsaved])),
    ...(unsaved === undefined ? [] : [line(4, "its journal is kept: the next run goes on from there")]),
  ];
}

function lockLines(name: string, locked: string, id: string | undefined): Line[] {
  const unlock = `zoneform state unlock ${shellQuoted(id ?? "")} --zone ${shellQuoted(name)}`;
  return [
    line(0, `Zone ${name}: locked by somebody else`, "heading"),
    line(4, locked, "bad"),
    line(4, "to go on: wait for it, or give --lock-timeout SECONDS to wait here"),
    ...(id === undefined ? [] : [line(4, `if its holder is gone for good: ${unlock}`)]),
  ];
}

function troubleLines(
  title: string,
  diagnostics: readonly Diagnostic[],
  complete: Complete = (command) => command,
): Line[] {
  return [
    line(0, title, "heading"),
    ...diagnostics.flatMap((diagnostic) => [
      line(4, diagnosticSentence(diagnostic), "bad"),
      ...(diagnostic.remedy === undefined ? [] : [line(4, `to go on: ${diagnostic.remedy}`)]),
      ...(diagnostic.commands ?? []).map((command) => line(6, complete(command))),
    ]),
  ];
}

function statusLines(status: Status, ended: readonly Ended[]): Line[] {
  const groups = [...grouped(ended.filter((each) => isTold(status, each))).values()];
  if (groups.length === 0) return [];
  // What may have taken effect is never cut: there is no more of it than there are calls at a time.
  const shown = status === "unknown" ? groups : groups.slice(0, MOST_GROUPS);
  const lines: Line[] = [line(0, titleOf(status, ended), "heading")];
  for (const group of shown) append(lines, groupLines(group));
  const others = groups.slice(shown.length).reduce((total, group) => total + group.length, 0);
  return others === 0 ? lines : [...lines, line(0, `and ${thousands(others)} more; the JSON report names them`)];
}

/** Conflicts are left as they are, but for those that were written before anybody could see them. */
function titleOf(status: Status, ended: readonly Ended[]): string {
  const isWritten = status === "conflict" && ended.some((each) => each.outcome.status === status && writtenOf(each));
  return isWritten ? "Conflict: somebody changed these as well; what was written is said with each" : TITLES[status];
}

/** Of what is done only the remarks are told. */
function isTold(status: Status, { outcome }: Ended): boolean {
  return outcome.status === status && (outcome.status !== "done" || outcome.note !== undefined);
}

type Some<T> = [T, ...T[]];

function grouped(ended: readonly Ended[]): Map<string, Some<Ended>> {
  const groups = new Map<string, Some<Ended>>();
  for (const each of ended) {
    const key = JSON.stringify([actionWord(each), kindOf(each), outcomeLines(each.outcome).map(({ text }) => text)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

function groupLines(group: Some<Ended>): Line[] {
  const [first] = group;
  const addresses = group.map(({ address }) => address);
  const heading = `${MARKS[first.action]} ${actionWord(first)} ${subject(kindOf(first), addresses)}`;
  return [
    line(0, heading, ACTION_STYLES[first.action]),
    ...outcomeLines(first.outcome),
    ...nameLines(addresses, first.outcome.status === "unknown" ? addresses.length : MOST_NAMED),
  ];
}

function kindOf({ address }: Ended): string {
  return parseAddress(address)?.kind ?? "object";
}

function outcomeLines(outcome: Outcome): Line[] {
  const reason = reasonOf(outcome);
  const remedy = remedyOf(outcome);
  return [
    ...(reason === undefined ? [] : [line(4, reason)]),
    ...writtenLine(outcome),
    ...(outcome.status === "conflict" ? outcome.fields.map(conflictLine) : []),
    ...(outcome.status === "unconfirmed" ? outcome.fields.map(unconfirmedLine) : []),
    ...(remedy === undefined ? [] : [line(4, `to go on: ${remedy}`)]),
    ...commandsOf(outcome).map((command) => line(6, command)),
  ];
}

function commandsOf(outcome: Outcome): readonly string[] {
  return outcome.status === "refused" ? (outcome.refused.commands ?? []) : [];
}

function remedyOf(outcome: Outcome): string | undefined {
  if (outcome.status === "refused") return outcome.refused.remedy;
  return "diagnostic" in outcome ? outcome.diagnostic.remedy : undefined;
}

/** Whether a conflict was left alone is said with each, where the title does not say it of all. */
function writtenLine(outcome: Outcome): Line[] {
  if (outcome.status !== "conflict" || outcome.hasWritten === undefined) return [];
  return [line(4, outcome.hasWritten === "all" ? "our change was written" : "our change was written in part")];
}

/** What was sent, and what is there instead. */
function unconfirmedLine(field: LeafConflict): Line {
  const { path, live, wanted } = field;
  if (isSecret(field)) return line(4, `${formatPath(path)}  (sensitive, not as sent)`);
  return line(4, `${formatPath(path)}  sent ${conflictValue(wanted)}, live has ${conflictValue(live)}`);
}

/** The three values of a conflict. */
function conflictLine(field: LeafConflict): Line {
  const { path, planned, live, wanted, wantedNow } = field;
  if (isSecret(field)) return line(4, `${formatPath(path)}  (sensitive, changed since the plan)`);
  const intended = wanted === undefined ? "" : `, wanted ${conflictValue(wanted)}`;
  const later = wantedNow === undefined ? "" : `, the configuration wants ${conflictValue(wantedNow)} by now`;
  const values = `planned from ${conflictValue(planned)}, live has ${conflictValue(live)}${intended}${later}`;
  return line(4, `${formatPath(path)}  ${values}`);
}

/** A value; of a whole rule what it does and what it is known by, because its JSON is longer than a screen is wide. */
function conflictValue(value: Json | undefined): string {
  const action = isObject(value) ? optionalText(value, "action") : undefined;
  if (!isObject(value) || action === undefined) return formatValue(value);
  return `${action} ${quote(optionalText(value, "description") || optionalText(value, "expression") || "")}`;
}

function isSecret({ sensitive, planned, live, wanted, wantedNow }: LeafConflict): boolean {
  return sensitive === true || [planned, live, wanted, wantedNow].some(isSensitive);
}
