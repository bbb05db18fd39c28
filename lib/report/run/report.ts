import type { ApplyReport, Ended, Outcome, ZoneReport } from "../../apply/outcome.ts";
import { parseAddress } from "../../core/address.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { optionalText } from "../../core/decode.ts";
import { formatPath, isObject, type Json } from "../../core/json.ts";
import { quote, shellQuoted } from "../../core/quote.ts";
import { namesLine, objectLines } from "../lines/change-lines.ts";
import { counted, thousands } from "../../core/words.ts";
import { countedObjects, duration, fullName, MOST_IN_DANGER, MOST_NAMED } from "../lines/words.ts";
import { formatValue, isSensitive } from "../../core/value-words.ts";
import { adviceLines, diagnosticSentence } from "../lines/diagnostics.ts";
import { actionWord, doneWord, reasonOf, OUTCOME_WORDS } from "./ending.ts";
import type { LeafConflict } from "../../plan/change.ts";
import { commandLine, type Line, line } from "../lines/lines.ts";
import type { Complete } from "../printers/text.ts";
import { notPlannedLines } from "../sections/plan.ts";
import { type Item, plainSection, type Report, type Section } from "../sections/report.ts";
import { ACTION_STYLES, MARKS } from "../lines/marks.ts";
import { type OutcomeStatus, OUTCOME_STATUSES, outcomeCounts, writtenOf } from "./report-json.ts";
import { LONGEST_BESIDE } from "../lines/leaf-lines.ts";
import { textPair } from "../lines/text-diff.ts";
import { bucketed, type Some } from "../../core/lists.ts";

/** What only the command knows of a run. */
export interface RunWords {
  /** The command that resumes this run. */
  readonly resume?: string;
  /** The command that undoes this run; absent if it left no record to undo. */
  readonly undo?: string;
  /** How long the run took; absent if unmeasured. */
  readonly seconds?: number;
  readonly complete?: Complete;
}

/** How many different reasons of one status to print; the JSON report has them all. */
const MOST_GROUPS = 20;

/** What a status means for the changes that ended with it; follows their number. */
const TITLES = {
  failed: "failed",
  unknown: "unknown: sent, but the response was lost; the next run looks before it writes",
  unconfirmed: "not confirmed: accepted by Cloudflare, which shows something else",
  conflict: "in conflict: changed after the plan was made, left as is",
  refused: "blocked, left as is",
  held: "held: the next apply sends them, without a new approval",
  "not-started": "not started",
  done: "with a note",
} as const satisfies Record<OutcomeStatus, string>;

/** No later run finishes an undo by itself; each held change says what to do. */
const UNDO_TITLES: Readonly<Record<OutcomeStatus, string>> = { ...TITLES, held: "held" };

/**
 * The end of an apply, however it ended: the verdict, then what is not done and why, and the commands to continue with.
 */
export function runReport(report: ApplyReport, words: RunWords = {}): Report {
  const ended = allEnded(report);
  const { complete = (command) => command, seconds, resume, undo } = words;
  const style = isAllDone(report, ended) ? "good" : "heading";
  const said = new Set(report.zones.flatMap(({ unsaved }) => unsaved?.message ?? []));
  const titles = report.isUndo ? UNDO_TITLES : TITLES;
  return {
    verdict: line(0, verdict(report, ended, seconds), style),
    sections: [
      ...plainSection(doneLines(ended), "counts"),
      ...report.zones.flatMap((zone) => plainSection(zoneLines(zone, report, complete), "verdict")),
      ...OUTCOME_STATUSES.flatMap((status) => statusSections(status, ended, said, { complete, titles })),
      ...plainSection(restLines(ended, report)),
      ...(report.approval === undefined ? [] : plainSection(notPlannedLines(report.approval))),
      ...plainSection(commandLines("To resume:", resume)),
      ...plainSection(commandLines("To undo this run:", undo)),
    ],
  };
}

/** The finished changes by name, if not all are finished; otherwise the plan has named them. */
function doneLines(ended: readonly Ended[]): Line[] {
  const done = ended.filter(({ outcome }) => outcome.status === "done");
  if (done.length === ended.length) return [];
  const groups = bucketed(done, doneWord);
  return [...groups].map(([word, group]) => {
    const named = namesLine(
      2,
      group.map(({ address }) => address),
    );
    return { ...named, text: `${word}: ${named.text}` };
  });
}

function commandLines(title: string, command: string | undefined): Line[] {
  return command === undefined ? [] : [line(0, title), commandLine(2, command)];
}

function allEnded(report: ApplyReport): readonly Ended[] {
  return report.zones.flatMap((zone) => zone.ended);
}

function isAllDone(report: ApplyReport, ended: readonly Ended[]): boolean {
  const isWhole = report.zones.every((zone) => !zone.locked && !zone.stopped && !zone.unsaved);
  return isWhole && report.interrupted !== true && ended.every(({ outcome }) => outcome.status === "done");
}

function verdict(report: ApplyReport, ended: readonly Ended[], seconds: number | undefined): string {
  if (ended.length === 0) return isAllDone(report, ended) ? "Nothing live had to be changed." : "Applied nothing.";
  const [so, others] = [ended.filter(wasAlreadyDone), ended.filter((each) => !wasAlreadyDone(each))];
  if (others.length === 0) return `Nothing had to be sent: ${alreadyDoneText(so)}${unsavedText(report)}.`;
  const done = others.filter(({ outcome }) => outcome.status === "done");
  const time = seconds === undefined || done.length === 0 ? "" : ` in ${duration(seconds)}`;
  const what = `${howMany(done.length, others)}${time}`;
  const sentence = doneWords(done) === "" ? what : `${what}: ${doneWords(done)}`;
  const beside = [...otherTexts(others), ...writtenTexts(others), ...heldFieldsTexts(done)].join(", ");
  const parts = [sentence, alreadyDoneText(so), beside].filter((part) => part !== "");
  return `${capital(earlyEndText(report) + parts.join("; "))}${unsavedText(report)}.`;
}

/** A change that another run or a person made before is no change of this run. */
function wasAlreadyDone({ outcome }: Ended): boolean {
  return outcome.status === "done" && outcome.wasSo === true;
}

function alreadyDoneText({ length }: readonly Ended[]): string {
  return length === 0 ? "" : `${counted(length, "change")} ${length === 1 ? "was" : "were"} already so`;
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Says that nothing was applied only if that is certain. */
function howMany(done: number, ended: readonly Ended[]): string {
  const all = counted(ended.length, "change");
  if (done === ended.length) return `applied ${all}`;
  if (done > 0) return `applied ${thousands(done)} of ${all}`;
  if (ended.some(writtenOf)) return `applied ${all} only in part`;
  const isUncertain = ended.some(({ outcome: { status } }) => status === "unknown" || status === "unconfirmed");
  return isUncertain ? `applied none of ${all} for certain` : `applied none of ${all}`;
}

/** The start of the sentence: why the run ended early. */
function earlyEndText({ interrupted, outOfTime }: ApplyReport): string {
  if (interrupted === true) return "Interrupted: ";
  return outOfTime === true ? "Out of time: " : "";
}

function otherTexts(ended: readonly Ended[]): readonly string[] {
  const counts = outcomeCounts(ended);
  return OUTCOME_STATUSES.filter((status) => status !== "done" && counts[status] > 0).map(
    (status) => `${thousands(counts[status])} ${OUTCOME_WORDS[status]}`,
  );
}

/** What was written by changes that did not end as done: "nothing was applied" would be untrue. */
function writtenTexts(ended: readonly Ended[]): readonly string[] {
  const count = (written: "all" | "part"): number => ended.filter((each) => writtenOf(each) === written).length;
  const [all, part] = [count("all"), count("part")];
  return [
    ...(all === 0 ? [] : [`${thousands(all)} of them overwrote another change`]),
    ...(part === 0 ? [] : [`${thousands(part)} of them written in part`]),
  ];
}

/** Changes that are done except for held fields. */
function heldFieldsTexts(done: readonly Ended[]): readonly string[] {
  const count = done.filter(({ rest }) => rest !== undefined).length;
  return count === 0 ? [] : [`${thousands(count)} of them held in part`];
}

function unsavedText({ zones }: ApplyReport): string {
  return zones.some(({ unsaved }) => unsaved) ? "; the state was not saved" : "";
}

function doneWords(ended: readonly Ended[]): string {
  const counts = new Map<string, number>();
  for (const word of ended.map(doneWord)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${thousands(count)} ${word}`).join(", ");
}

/**
 * The problems of a zone as a whole: another run holds its lock, it could not be started, its state could not be saved.
 */
function zoneLines(
  { zone, locked, stopped, unsaved, lost }: ZoneReport,
  report: ApplyReport,
  complete: Complete,
): Line[] {
  const trouble = (what: string, diagnostics: readonly Diagnostic[]): Line[] =>
    troubleLines(`Zone ${zone.name}: ${what}`, diagnostics, complete);
  const isTakenOver = unsaved?.code === "state-taken-over";
  return [
    ...(locked === undefined ? [] : trouble("locked by another run", [locked])),
    ...(stopped === undefined ? [] : stoppedLines(zone.name, stopped.diagnostics, report, complete)),
    ...(unsaved === undefined ? [] : trouble("the state was not saved", [withoutRemedy(unsaved)])),
    ...(unsaved === undefined ? [] : [line(4, continuedText(lost, isTakenOver))]),
  ];
}

/** A reason that stopped several zones is printed once, with the first of them. */
function stoppedLines(
  name: string,
  diagnostics: readonly Diagnostic[],
  { zones }: ApplyReport,
  complete: Complete,
): Line[] {
  const names = zones.filter(({ stopped }) => stopped?.diagnostics === diagnostics).map(({ zone }) => zone.name);
  if (names[0] !== name) return [];
  const whole = `${names.length === 1 ? "Zone" : "Zones"} ${names.join(", ")}`;
  return troubleLines(`${whole}: nothing was started`, diagnostics, complete);
}

/** The line below says how to continue a run that lost its lock or the state server. */
function withoutRemedy(unsaved: Diagnostic): Diagnostic {
  const { remedy, ...rest } = unsaved;
  return LEASE_LOST.has(unsaved.code) || remedy === undefined ? rest : unsaved;
}

const LEASE_LOST: ReadonlySet<string> = new Set(["state-taken-over", "state-unreachable"]);

/** What happens to results that the state lacks. If another run has the lock by now, it may have completed them already. */
function continuedText(lost: number | undefined, isTakenOver: boolean): string {
  const who = isTakenOver ? "a run that has taken over, or else the next apply," : "the next apply";
  if (lost === undefined) return `its journal ${isTakenOver ? "was" : "is"} kept: ${who} completes the state from it`;
  return `${who} finds out how ${counted(lost, "change")} ended, and continues`;
}

function troubleLines(title: string, diagnostics: readonly Diagnostic[], complete: Complete): Line[] {
  return [
    line(0, title, "heading"),
    ...diagnostics.flatMap((diagnostic) => [
      line(4, diagnosticSentence(diagnostic), "bad"),
      ...adviceLines(diagnostic, 4, complete),
    ]),
  ];
}

/** `said` has the reasons that are already printed above, with a zone. */
function statusSections(
  status: OutcomeStatus,
  ended: readonly Ended[],
  said: ReadonlySet<string>,
  { complete, titles }: { readonly complete: Complete; readonly titles: Readonly<Record<OutcomeStatus, string>> },
): Section[] {
  const having = ended.filter((each) => isReported(status, each));
  const reasonLines = ({ outcome }: Ended): Line[] =>
    said.has(reasonOf(outcome) ?? "") ? writtenLine(outcome) : outcomeLines(outcome);
  const groups = [...bucketed(having, (each) => groupKey(each, reasonLines(each))).values()];
  if (groups.length === 0) return [];
  // Changes that may have taken effect are never cut: there are no more of them than calls at a time.
  const shown = status === "unknown" ? groups : groups.slice(0, MOST_GROUPS);
  const items = groups.map((group): Item => {
    const lines = [...headLines(group), ...reasonLines(group[0]).map(deeper)];
    const addresses = group.map(({ address }) => address);
    return {
      lines: shown.includes(group) ? lines : lines.map((each): Line => ({ ...each, only: "full" })),
      counts: { sort: "changes", count: group.length },
      facets: { kind: kindOf(group[0]), action: group[0].action, addresses },
    };
  });
  const others = [
    ...moreLines(groups.slice(shown.length)),
    ...(status === "conflict" ? decideLines(having, complete) : []),
  ];
  return [
    {
      title: line(0, titleOf(titles[status], status, having), "heading"),
      items: [...items, ...(others.length === 0 ? [] : [{ lines: others }])],
      rank: status === "done" ? "changes" : "blocked",
    },
  ];
}

/** Changes that are done except for held fields. */
function restLines(ended: readonly Ended[], { isUndo }: ApplyReport): Line[] {
  const having = ended.flatMap(({ rest, ...each }) => (rest === undefined ? [] : [{ ...each, rest }]));
  if (having.length === 0) return [];
  const groups = [...bucketed(having, (each) => JSON.stringify([actionWord(each), kindOf(each), each.rest])).values()];
  const goesOn = isUndo ? "" : ": the next apply sends the rest, without a new approval";
  return [
    line(0, `${thousands(having.length)} held in part${goesOn}`, "heading"),
    ...groups.slice(0, MOST_GROUPS).flatMap((group) => [...headLines(group), line(6, group[0].rest)]),
    ...moreLines(groups.slice(MOST_GROUPS)),
  ];
}

/** The number of groups that are not printed. */
function moreLines(groups: readonly Some<Ended>[]): Line[] {
  const others = groups.reduce((total, group) => total + group.length, 0);
  return others === 0 ? [] : [{ ...line(0, `and ${thousands(others)} more; --json names all of them`), only: "cut" }];
}

/** Conflicts need another plan; for a single object, one of that object alone. */
function decideLines(ended: readonly Ended[], complete: Complete): Line[] {
  const [only, ...others] = ended;
  const target = only === undefined || others.length > 0 ? "" : ` --target ${shellQuoted(only.address)}`;
  return [
    line(2, "To keep what is live, write it into the YAML. To overwrite it, plan again and apply that plan:"),
    commandLine(4, complete(`zoneform plan${target}`)),
  ];
}

/** Conflicts are left as they are, except those that were written before the conflict could be seen. */
function titleOf(said: string, status: OutcomeStatus, ended: readonly Ended[]): string {
  const isWritten = status === "conflict" && ended.some(writtenOf);
  const title = isWritten ? "in conflict: also changed outside this run" : said;
  return `${thousands(ended.length)} ${title}${whyAllFailed(ended)}`;
}

/** Why changes failed, if all failed for the same reason; each gives the details. */
function whyAllFailed(ended: readonly Ended[]): string {
  const codes = ended.flatMap(({ outcome }) => (outcome.status === "failed" ? outcome.diagnostic.code : []));
  if (codes.length === 0) return "";
  if (codes.every((code) => code === "unreachable")) return ": no response from Cloudflare";
  return codes.every((code) => REFUSALS.has(code)) ? ": refused by Cloudflare" : "";
}

const REFUSALS: ReadonlySet<string> = new Set(["refused-by-service", "not-allowed", "not-found", "bad-credential"]);

/** Finished changes are reported only for their notes. */
function isReported(status: OutcomeStatus, ended: Ended): boolean {
  const { outcome } = ended;
  return (
    outcome.status === status && (outcome.status !== "done" || (outcome.note !== undefined && !wasAlreadyDone(ended)))
  );
}

/** Groups changes of one kind that ended in the same words. */
function groupKey(ended: Ended, reasons: readonly Line[]): string {
  return JSON.stringify([actionWord(ended), kindOf(ended), reasons.map(({ text }) => text)]);
}

/** The action and its objects. */
function headLines(group: Some<Ended>): Line[] {
  const [first] = group;
  const addresses = group.map(({ address }) => address);
  const [only] = addresses;
  const which =
    addresses.length === 1 && only !== undefined ? fullName(only) : countedObjects(addresses.length, kindOf(first));
  return [
    line(2, `${MARKS[first.action]} ${actionWord(first)} ${which}`, ACTION_STYLES[first.action]),
    ...objectLines(addresses, mostNamed(first.outcome.status, addresses.length)).map(deeper),
  ];
}

/** The user has to check what went wrong, and may have to look up each change that may have taken effect. */
function mostNamed(status: OutcomeStatus, all: number): number {
  switch (status) {
    case "unknown":
      return all;
    case "failed":
    case "unconfirmed":
    case "conflict":
    case "refused":
      return MOST_IN_DANGER;
    case "held":
    case "not-started":
    case "done":
      return MOST_NAMED;
    default:
      return status satisfies never;
  }
}

/** Groups are indented below the title of their status. */
function deeper(each: Line): Line {
  return { ...each, indent: each.indent + 2 };
}

function kindOf({ address }: Ended): string {
  return parseAddress(address)?.kind ?? "object";
}

function outcomeLines(outcome: Outcome): Line[] {
  // The title and the three values are enough; a reason is printed if there are no values to compare.
  const isShown = outcome.status === "conflict" && outcome.fields.length > 0 && outcome.hasWritten === undefined;
  const reason = isShown ? undefined : reasonOf(outcome);
  const remedy = outcome.status === "conflict" && outcome.hasWritten === undefined ? undefined : remedyOf(outcome);
  return [
    ...(reason === undefined ? [] : [line(4, reason)]),
    ...writtenLine(outcome),
    ...(outcome.status === "conflict" ? outcome.fields.flatMap(conflictLines) : []),
    ...(outcome.status === "unconfirmed" ? outcome.fields.map(unconfirmedLine) : []),
    ...(remedy === undefined ? [] : [line(4, remedy)]),
    ...commandsOf(outcome).map((command) => commandLine(6, command)),
  ];
}

function commandsOf(outcome: Outcome): readonly string[] {
  return outcome.status === "refused" ? (outcome.refused.commands ?? []) : [];
}

function remedyOf(outcome: Outcome): string | undefined {
  if (outcome.status === "refused") return outcome.refused.remedy;
  return "diagnostic" in outcome ? outcome.diagnostic.remedy : undefined;
}

/** Each conflict says whether it was left alone, unless the title says it for all. */
function writtenLine(outcome: Outcome): Line[] {
  if (outcome.status !== "conflict" || outcome.hasWritten === undefined) return [];
  return [line(4, outcome.hasWritten === "all" ? "your change was written" : "your change was written in part")];
}

/** What was sent, and what is live instead. */
function unconfirmedLine(field: LeafConflict): Line {
  const { path, live, wanted } = field;
  if (isSecret(field)) return line(4, `${formatPath(path)}  (sensitive, differs from what was sent)`);
  return line(4, `${formatPath(path)}  sent ${conflictValue(wanted)}, now ${conflictValue(live)}`);
}

/** The three values of a conflict; two long ones are shown below each other, so that the difference is visible. */
function conflictLines(field: LeafConflict): Line[] {
  const { path, planned, live, wanted, wantedNow } = field;
  if (isSecret(field)) return [line(4, `${formatPath(path)}  (sensitive, changed after the plan was made)`)];
  const yours = wanted === undefined ? "" : `; the plan sets ${conflictValue(wanted)}`;
  const later = wantedNow === undefined ? "" : `; the YAML now says ${conflictValue(wantedNow)}`;
  const [was, now] = [conflictValue(planned), conflictValue(live)];
  if (Math.max(was.length, now.length) <= LONGEST_BESIDE)
    return [line(4, `${formatPath(path)}  was ${was} when planned, now ${now}${yours}${later}`)];
  return [
    line(4, formatPath(path)),
    ...textPair(was, now, 6, { marks: ["- when planned  ", "+ now           "] }),
    ...(wanted === undefined ? [] : [line(6, `  the plan sets ${conflictValue(wanted)}`)]),
    ...(wantedNow === undefined ? [] : [line(6, `  the YAML says ${conflictValue(wantedNow)}`)]),
  ];
}

/** A value; for a whole rule what it does and to which requests, because its JSON is wider than a screen. */
function conflictValue(value: Json | undefined): string {
  const action = isObject(value) ? optionalText(value, "action") : undefined;
  if (!isObject(value) || action === undefined) return formatValue(value);
  const description = optionalText(value, "description") ?? "";
  const expression = optionalText(value, "expression") ?? "";
  return `${action} ${[description, expression]
    .filter((text) => text !== "")
    .map((text) => quote(text))
    .join(" ")}`;
}

function isSecret({ sensitive, planned, live, wanted, wantedNow }: LeafConflict): boolean {
  return sensitive === true || [planned, live, wanted, wantedNow].some(isSensitive);
}
