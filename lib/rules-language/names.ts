import { closest, distance } from "fastest-levenshtein";
import type { NamedList, Span } from "./ast.ts";
import type { Scanner } from "./scanner.ts";
import { FIELDS } from "./tables/fields.ts";
import { FUNCTIONS } from "./tables/functions.ts";
import { isInPhase } from "./tables/phases.ts";
import type { FieldEntry, FunctionEntry } from "./tables/shape.ts";

/** What a parser may know beside the language itself. */
export interface ParseOptions {
  /** The phase of the rule, such as `http_request_firewall_custom`: not every field and function is in every phase. */
  readonly phase?: string;
  /** The names of the lists that exist. Without it, a list may have any name. */
  readonly lists?: readonly string[];
  /** Whether to report names that are not in the tables: as the service may be newer, it may know them. */
  readonly unknownNames?: "warn" | "allow";
}

/** Whether the tables have a field or a function of that name. */
export function isKnownName(name: string): boolean {
  return FIELDS.has(name) || FUNCTIONS.has(name);
}

/** Finds a field, and reports what is wrong with its name. Undefined if the tables do not have it. */
export function findField(scanner: Scanner, span: Span, name: string, options: ParseOptions): FieldEntry | undefined {
  const entry = FIELDS.get(name);
  if (entry === undefined) reportUnknown(scanner, span, "field", name, options);
  else checkPhase(scanner, span, name, entry, options);
  return entry;
}

/** Finds a function, and reports what is wrong with its name. Undefined if the tables do not have it. */
export function findFunction(
  scanner: Scanner,
  span: Span,
  name: string,
  options: ParseOptions,
): FunctionEntry | undefined {
  const entry = FUNCTIONS.get(name);
  if (entry === undefined) reportUnknown(scanner, span, "function", name, options);
  else checkPhase(scanner, span, `${name}()`, entry, options);
  return entry;
}

/** Reports a list that does not exist. */
export function checkList(scanner: Scanner, list: NamedList, options: ParseOptions): void {
  const known = list.name.startsWith("cf.") ? MANAGED_LISTS : options.lists;
  if (known === undefined || known.includes(list.name) || options.unknownNames === "allow") return;
  const name = `$${list.name}`;
  const similar = similarTo(list.name, known);
  if (similar === undefined) {
    scanner.warn("unknown-name", list.span, `unknown list ${name}`, "create the list before this rule is applied");
  } else {
    scanner.report("misspelt-name", list.span, `unknown list ${name}`, `did you mean $${similar}?`);
  }
}

/** The lists of IP addresses that the service keeps. */
const MANAGED_LISTS = ["cf.anonymizer", "cf.botnetcc", "cf.malware", "cf.open_proxies", "cf.vpn"];

/** Warns: the service may have it in more phases than the documentation says. */
function checkPhase(
  scanner: Scanner,
  span: Span,
  name: string,
  entry: FieldEntry | FunctionEntry,
  { phase }: ParseOptions,
): void {
  if (phase === undefined || isInPhase(entry, phase)) return;
  const known = entry.packets === "only" ? ["rules of Magic Transit"] : (entry.phases ?? []);
  const remedy = known.length === 0 ? undefined : `it is available in ${known.join(", ")}`;
  scanner.warn("not-in-phase", span, `${name} is not available in ${phase}`, remedy);
}

function reportUnknown(
  scanner: Scanner,
  span: Span,
  what: "field" | "function",
  name: string,
  options: ParseOptions,
): void {
  if (options.unknownNames === "allow") return;
  const other = what === "field" ? FUNCTIONS.get(name) : FIELDS.get(name);
  if (other !== undefined) {
    const message =
      what === "field" ? `${name} is a function, and needs its arguments` : `${name} is a field, and no function`;
    const remedy = what === "field" ? `write ${name}(…)` : `write ${name} without brackets`;
    scanner.report("syntax", span, message, remedy);
    return;
  }
  const similar = similarTo(name, [...(what === "field" ? FIELDS : FUNCTIONS).keys()]);
  const message = `unknown ${what} "${name}"`;
  if (similar === undefined) scanner.warn("unknown-name", span, message);
  else scanner.report("misspelt-name", span, message, `did you mean "${similar}"?`);
}

/** How many letters of a name may be wrong. With more, a name that is new to the tables would be called misspelt. */
function slips(name: string): number {
  return name.length < 8 ? 1 : 2;
}

/** A name that is longer cannot be close to any, and would take long to compare. */
const LONGEST_NAME = 100;

function similarTo(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME || known.length === 0) return undefined;
  const lower = name.toLowerCase();
  const similar = closest(lower, [...known]);
  if (distance(lower, similar) > slips(name)) return undefined;
  // A name with another number, such as `sha512`, is rather a new name than a slip.
  return lower !== similar && lower.replaceAll(/[0-9]/g, "") === similar.replaceAll(/[0-9]/g, "") ? undefined : similar;
}
