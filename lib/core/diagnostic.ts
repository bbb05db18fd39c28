import type { DiagnosticCode } from "./diagnostic-code.ts";
import {
  APPROVALS,
  CALLS,
  COMMANDS,
  CONFLICTS,
  DNS,
  FINDINGS,
  GUARDS,
  PROJECT,
  RUNS,
  SECRETS,
  SOURCES,
  STATES,
  TRACKING,
  VALUES,
  YAML,
} from "./codes.ts";
import { defined } from "./json.ts";

/** A place in a file. `line` and `column` count from 1; a column counts UTF-16 code units, as editors do. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The place of an error that concerns a whole file. */
export function topOf(file: string): Position {
  return { file, line: 1, column: 1 };
}

/** Where a declared value comes from. */
export interface Origin {
  readonly at: Position;
  /** The policy, exception, layer or source that set it. */
  readonly through?: string;
  /** A policy or an exception set it, so one place decides for many objects. */
  readonly isShared?: true;
  /** The last day of the exception. */
  readonly until?: string;
}

/**
 * One fault, described so that the reader can fix it without asking. `message` is lower case, without a full stop;
 * `remedy` says what to do.
 */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** A stable name such as `unknown-key`, for filters; `zoneform explain` explains it. */
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy?: string;
  /** Complete commands that do what `remedy` says; each is printed on a line of its own. */
  readonly commands?: readonly string[];
  readonly at?: Position;
  readonly address?: string;
}

/** The result of a step that checks its input: a value, or every error it found. */
export type Result<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** An error or a warning without its severity. */
export type DiagnosticDetails = Omit<Diagnostic, "severity">;

export function error(details: DiagnosticDetails): Diagnostic {
  return { severity: "error", ...details };
}

export function warning(details: DiagnosticDetails): Diagnostic {
  return { severity: "warning", ...details };
}

/** A refusal with one error. */
export function refusal(details: DiagnosticDetails, exitCode?: number, options?: ErrorOptions): Refusal {
  return new Refusal([error(details)], exitCode, options);
}

/** Makes a result: the value if there is no error, else all the diagnostics. */
export function result<T>(value: T, diagnostics: readonly Diagnostic[]): Result<T> {
  const failed = diagnostics.some((diagnostic) => diagnostic.severity === "error");
  return failed
    ? { ok: false, diagnostics: inOrder(diagnostics) }
    : { ok: true, value, warnings: inOrder(diagnostics) };
}

/** Sorts diagnostics by file, line and column; those without a place come last. Equal places keep their order. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort((left, right) => compare(left.at, right.at));
}

function compare(left: Position | undefined, right: Position | undefined): number {
  if (!left || !right) return Number(!left) - Number(!right);
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}

/** `file:line:column`, the form that editors and terminals make clickable. */
export function formatPosition(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}

/**
 * Stops a command because of the user's input or the service's responses. Thrown where it makes no sense to continue;
 * `cmd/main.ts` prints the diagnostics and exits with `exitCode`.
 */
export class Refusal extends Error {
  readonly diagnostics: readonly Diagnostic[];
  readonly exitCode: number;

  constructor(diagnostics: readonly Diagnostic[], exitCode = 1, options?: ErrorOptions) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join("; "), options);
    this.name = "Refusal";
    this.diagnostics = diagnostics;
    this.exitCode = exitCode;
  }
}

/**
 * What a table says about a code. `{name}` in `message`, `remedy` and `commands` stands for a value that the caller gives. A
 * code whose message differs from place to place has none here, and its one value is `message`.
 */
interface Wording {
  readonly cause: string;
  readonly message?: string;
  readonly remedy: string;
  /** Complete commands that do what `remedy` says. */
  readonly commands?: readonly string[];
}

type Table = Readonly<Record<string, Wording>>;

/** The texts of a code that values are put into. */
type Texts<Entry> = Entry extends { readonly message: infer Message; readonly remedy: infer Remedy }
  ? Message | Remedy | (Entry extends { readonly commands: readonly (infer Command)[] } ? Command : never)
  : "{message}";

/** The names in braces of a text. Braces with a space inside are YAML or JSON, such as `{ env: NAME }`. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string} ${string}` ? never : Name) | Names<Rest>
  : never;

/** The values that the texts of a code need. */
type ValuesOf<Entry> = { readonly [Name in Names<Texts<Entry>>]: string | number };

/** The details of one occurrence of a problem. A remedy that is not empty, and commands, replace those of the table. */
type Occurrence = Partial<Pick<Diagnostic, "at" | "address" | "commands" | "remedy">>;

/** A described problem: a diagnostic without its severity. */
type Described<Code> = Omit<Diagnostic, "severity" | "code" | "remedy"> & {
  readonly code: Code;
  readonly remedy: string;
};

/** Describes a problem from its code and its values. A missing value does not compile. */
export type Problem<Codes extends Table> = <Code extends keyof Codes>(
  code: Code,
  values: ValuesOf<Codes[Code]>,
  occurrence?: Occurrence,
) => Described<Code>;

/** Makes the function that describes the problems of a table. */
export function wordingFrom<Codes extends Table>(table: Codes): Problem<Codes> {
  return (code, values, { remedy: own = "", ...occurrence } = {}) => {
    const { message = "{message}", remedy = "", commands } = table[code] ?? {};
    return {
      code,
      message: filled(message, values),
      remedy: own === "" ? filled(remedy, values) : own,
      ...defined({ commands: commands?.map((command) => filled(command, values)) }),
      ...occurrence,
    };
  };
}

const PLACE = /\{([^\s{}]+)\}/g;

/** Braces without a value stay as they are. */
function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(PLACE, (place, name: string) => String(values[name] ?? place));
}

/** The remedy of a code without an occurrence: values are upper-case words, as in the help of commands. */
export function generalRemedy({ message, remedy, commands = [] }: Omit<Wording, "cause">): string {
  if (message === undefined) return remedy;
  return `${remedy} ${commands.join("; ")}`.trimEnd().replaceAll(PLACE, (_place, name: string) => name.toUpperCase());
}

type Codes = typeof GUARDS &
  typeof APPROVALS &
  typeof FINDINGS &
  typeof DNS &
  typeof CONFLICTS &
  typeof CALLS &
  typeof STATES &
  typeof RUNS &
  typeof TRACKING &
  typeof COMMANDS &
  typeof SECRETS &
  typeof SOURCES &
  typeof PROJECT &
  typeof VALUES &
  typeof YAML;

/**
 * Zoneform's own codes, which its messages show in brackets, except for codes that only one kind raises
 * (`Identity.ownCodes`). Refusals and plans come first, the files of a project last.
 */
export const CODES: Codes = {
  ...GUARDS,
  ...APPROVALS,
  ...FINDINGS,
  ...DNS,
  ...CONFLICTS,
  ...CALLS,
  ...STATES,
  ...RUNS,
  ...TRACKING,
  ...COMMANDS,
  ...SECRETS,
  ...SOURCES,
  ...PROJECT,
  ...VALUES,
  ...YAML,
};

/** Describes a problem that any folder may raise: `error(problem("layer-cycle", { chain }, { at }))`. */
export const problem: Problem<Codes> = wordingFrom(CODES);
