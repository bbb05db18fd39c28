import type { Cause } from "../../core/diff.ts";
import { formatPosition, type Origin } from "../../core/diagnostic.ts";
import { equal, formatPath, type Path } from "../../core/json.ts";
import { HAZARD_MEANINGS } from "../../kinds/hazards.ts";
import type { Refused } from "../../plan/change.ts";
import { PROTECTION } from "../../plan/subject.ts";
import {
  type ChangeGroup,
  formatPaths,
  formatPlaces,
  type HeldGroup,
  type LetGoGroup,
  type Places,
} from "../view/group.ts";
import type { Affected, HazardView } from "../view/hazards.ts";
import { leafLines } from "./leaf-lines.ts";
import { commandLine, type Line, line } from "./lines.ts";
import { ACTION_STYLES, CAUSE_WORDS, dangerMark, MARKS, plannedWord } from "./marks.ts";
import { thousands } from "../../core/words.ts";
import {
  countedObjects,
  firstNamed,
  fullName,
  MOST_IN_DANGER,
  MOST_NAMED,
  namesBelowHeading,
  originNote,
  whichObjects,
} from "./words.ts";
import { formatValue } from "../../core/value-words.ts";
import { ruleLines, ruleName } from "./rule-lines.ts";

const TITLE = "Hazards";

/** The title of dangers that were found before anything is applied, because live was changed outside Zoneform. */
export const FOUND_TITLE = "Found live, changed outside Zoneform";

/** The indentation of the parts of a change. */
const INDENT = 4;

/** The indentation of hazards, and of the lines below them. */
const HAZARD_INDENT = 2;

/** Long lists of objects that were named above and are not named again. */
export type NamedLists = ReadonlySet<string>;

/** The title of all hazards with their counts, in the words that `--deny` takes. */
export function hazardTitle(hazards: readonly HazardView[], title: string = TITLE): string {
  return `${title}: ${hazards.map(({ hazard, count }) => `${thousands(count)} ${hazard}`).join(", ")}`;
}

/**
 * The meaning of a hazard in one line. Below it come the objects, if there are several, and the rules that cause it.
 */
export function affectedLines(affected: Affected, told: NamedLists = new Set()): Line[] {
  const { hazard, kind, addresses, named, words, isStopped, decider, lostRules } = affected;
  const { mark } = HAZARD_MEANINGS[hazard];
  const [only = ""] = addresses;
  const isOne = addresses.length === 1;
  const who = words.subject ?? (isOne ? fullName(only) : countedObjects(addresses.length, kind));
  const stop = isStopped === undefined ? "" : ` (${isStopped})`;
  const hang = mark.length + 2;
  const below = HAZARD_INDENT + hang;
  const style = mark === "NOTICE" ? "warn" : "bad";
  return [
    { ...line(HAZARD_INDENT, `${mark}  ${who}${isOne ? words.one : words.many}${stop}`, style, hazard), hang },
    ...(isOne || told.has(listKey(addresses)) ? [] : [{ ...namesLine(below, addresses, named), hang: 0 }]),
    ...(decider === undefined ? [] : [deciderLine(below, decider)]),
    ...(words.details ?? []).map((detail) => line(below, detail)),
    ...lostRules.map((rule) => line(below, ruleName(rule), "bad")),
  ];
}

/** The policy or exception behind a dangerous value: its ticket and last day are what a reviewer asks for. */
function deciderLine(indent: number, decider: Origin): Line {
  return { ...line(indent, `by ${originNote(decider).trim()}`), aside: formatPosition(decider.at), place: decider.at };
}

/** How many more changes have a hazard than a short report names. */
export function othersLines(others: number): Line[] {
  if (others === 0) return [];
  return [{ ...line(HAZARD_INDENT, `and ${thousands(others)} more; --full names all of them`), only: "cut" }];
}

/** A line that names the first of some objects and counts the rest. */
export function namesLine(indent: number, addresses: readonly string[], most: number = MOST_NAMED): Line {
  return lineOfNames(
    indent,
    addresses.map((address) => fullName(address)),
    most,
  );
}

function lineOfNames(indent: number, names: readonly string[], most: number): Line {
  return { ...line(indent, firstNamed(names, most), "quiet"), names: { all: names, most } };
}

/** The line with the places of its change beside it. */
function besidePlaces(given: Line, places: Places | undefined): Line {
  return places === undefined ? given : { ...given, aside: formatPlaces(places), place: places.first };
}

/** The lists of objects that some hazards name in a short report. */
export function namedLists(hazards: readonly Pick<HazardView, "affected">[]): NamedLists {
  return new Set(
    hazards.flatMap(({ affected }) =>
      affected.flatMap(({ addresses, named }) => (named === 0 ? [] : listKey(addresses))),
    ),
  );
}

function listKey(addresses: readonly string[]): string {
  return JSON.stringify([addresses.length, addresses.slice(0, MOST_IN_DANGER)]);
}

/** One group of changes: the action, the objects, the old and new values, and the cause. */
export function changeLines(group: ChangeGroup, told: NamedLists = new Set()): Line[] {
  const { heading, rules, rest } = changeParts(group, told);
  return [heading, ...rules.flat(), ...rest];
}

/** The same in parts: a ruleset may have thousands of changed rules. */
export interface ChangeParts {
  readonly heading: Line;
  readonly rules: readonly (readonly Line[])[];
  readonly rest: readonly Line[];
}

/** The parts of a group of changes. */
export function changeParts(group: ChangeGroup, told: NamedLists = new Set()): ChangeParts {
  const { action, addresses, kind, reason, refused, rules } = group;
  const cause = saidCause(group);
  const why = [cause === undefined ? undefined : CAUSE_WORDS[cause], reason]
    .filter((part) => part !== undefined)
    .join(": ");
  const word = plannedWord(group);
  const heading = `${MARKS[action]} ${word} ${whichObjects(kind, addresses)}${stopOf(refused)}${dangerMark(group)}${why === "" ? "" : ` (${why})`}`;
  const fields = action === "delete" ? lostLines(group) : leafLines(group.leaves, action, INDENT, cause);
  const about = [
    ...groupNames(group, told),
    ...(refused === undefined ? [] : refusedLines({ ...refused, commands: [] })),
    ...group.notes.map((note) => line(INDENT, note, "quiet")),
  ];
  return {
    heading: besidePlaces(line(0, heading, ACTION_STYLES[action]), group.place),
    rules: rules.map((rule) => ruleLines([rule], INDENT, cause)),
    rest: action === "delete" ? [...about, ...fields] : [...fields, ...about],
  };
}

/** The values that deleted objects lose, below what else is said of them. */
function lostLines({ leaves, cause }: ChangeGroup): Line[] {
  if (leaves.length === 0) return [];
  return [line(INDENT, "Lost:", "quiet"), ...leafLines(leaves, "delete", INDENT + 2, cause)];
}

/** The cause that the heading names. */
function saidCause(group: ChangeGroup): Cause | undefined {
  return group.reason === undefined ? sharedCause(group) : group.cause;
}

function stopOf(refused: Refused | undefined): string {
  if (refused === undefined) return "";
  return refused.contested === undefined ? ", BLOCKED" : ", CONFLICT";
}

function groupNames({ action, addresses, refused }: ChangeGroup, told: NamedLists): Line[] {
  const isTold = addresses.length > MOST_NAMED && told.has(listKey(addresses));
  if (addresses.length === 1 || isTold) return [];
  const isLookedAt = action === "delete" || action === "replace" || refused !== undefined;
  return namesBelow(addresses, isLookedAt ? MOST_IN_DANGER : MOST_NAMED);
}

/** The line that names the first objects of a group and counts the rest; empty for a group of one. */
export function objectLines(addresses: readonly string[], most: number = MOST_NAMED): Line[] {
  return addresses.length === 1 ? [] : [namesLine(INDENT, addresses, most)];
}

/** The same below a heading that says which objects of which zones they are. */
function namesBelow(addresses: readonly string[], most: number = MOST_NAMED): Line[] {
  const names = namesBelowHeading(addresses);
  return names.length === 0 ? [] : [lineOfNames(INDENT, names, most)];
}

/** The common cause of all fields and rules, for the heading; undefined if they differ and name their own. */
function sharedCause({ cause, leaves, rules }: ChangeGroup): Cause | undefined {
  const [first = cause, ...others] = new Set([...leaves, ...rules].map((part) => part.cause));
  return others.length === 0 ? first : undefined;
}

/** Why a change is blocked, and what to do about it. */
export function refusedLines({ code, message, remedy, commands = [] }: Refused): Line[] {
  return [
    line(INDENT, `${message} [${code}]`, "bad"),
    line(INDENT, remedy),
    ...commands.map((command) => commandLine(INDENT + 2, command)),
  ];
}

/** What is held: which fields, why, and until when. */
export function heldLines({ kind, addresses, reason, lifts, leaves, place }: HeldGroup): Line[] {
  return [
    besidePlaces(line(0, `${MARKS.held} hold ${whichObjects(kind, addresses)}`, ACTION_STYLES.held), place),
    ...leafLines(leaves, "update", INDENT),
    ...namesBelow(addresses),
    line(INDENT, reason),
    ...(lifts === undefined ? [] : [line(INDENT, `applied once ${lifts}`)]),
  ];
}

/** What is released: from now on Zoneform neither compares nor sends it (docs/semantics.md#ownership). */
export function letGoLines({ kind, addresses, paths, keeps }: LetGoGroup): Line[] {
  const isProtected = paths.some(isProtection);
  const fields = paths.filter((path) => !isProtection(path));
  const which = whichObjects(kind, addresses);
  return [
    ...(fields.length === 0
      ? []
      : [line(0, `${MARKS.forget} stop managing ${formatPaths(fields)} on ${which}; ${keptWords(paths, keeps)}`)]),
    ...(isProtected
      ? [line(0, `${MARKS.forget} unprotect ${which}: protect: true -> false; a later plan may delete or replace it`)]
      : []),
    ...namesBelow(addresses),
  ];
}

/** The values that live keeps, with their fields if there are several. */
function keptWords(paths: LetGoGroup["paths"], keeps: LetGoGroup["keeps"]): string {
  const known = paths.flatMap((path, index) => {
    const [value, ...others] = keeps[index] ?? [];
    if (value === undefined) return [];
    const said = others.length === 0 ? formatValue(value) : `${thousands(others.length + 1)} different values`;
    return [paths.length === 1 ? said : `${formatPath(path)}: ${said}`];
  });
  return known.length === 0 ? "live stays as it is" : `live keeps ${known.join(", ")}`;
}

function isProtection(path: Path): boolean {
  return equal(path, PROTECTION);
}
