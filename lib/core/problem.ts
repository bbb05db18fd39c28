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
import type { Diagnostic } from "./diagnostic.ts";

/**
 * What a table says of a code. `{name}` in `message` and `remedy` stands for a value that the raiser gives. A code whose
 * message differs from place to place has none here; it is raised with a message of its own.
 */
export interface Wording {
  readonly cause: string;
  readonly message?: string;
  readonly remedy: string;
}

type Table = Readonly<Record<string, Wording>>;

/** The codes of a table whose message stands there. */
type Worded<Codes extends Table> = {
  [Code in keyof Codes]: Codes[Code] extends { readonly message: string } ? Code : never;
}[keyof Codes];

/** The names in braces of a text. What contains a space is YAML or JSON, such as `{ env: NAME }`. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string} ${string}` ? never : Name) | Names<Rest>
  : never;

/** The values that the texts of a code need. */
type ValuesOf<Entry extends Wording> = {
  readonly [Name in Names<Entry["message"] | Entry["remedy"]>]: string | number;
};

/** What belongs to one occurrence of a problem. A remedy that is not empty replaces that of the table. */
type Occurrence = Partial<Pick<Diagnostic, "at" | "address" | "commands" | "remedy">>;

/** A problem in words: what a diagnostic needs but its severity. */
type Described<Code> = Omit<Diagnostic, "severity" | "code" | "remedy"> & {
  readonly code: Code;
  readonly remedy: string;
};

/** Words a problem: its code and its values are enough. A value that is missing does not compile. */
export type Problem<Codes extends Table> = <Code extends Worded<Codes>>(
  code: Code,
  values: ValuesOf<Codes[Code]>,
  occurrence?: Occurrence,
) => Described<Code>;

/** The function that words the problems of a table. */
export function wordingFrom<Codes extends Table>(table: Codes): Problem<Codes> {
  return (code, values, { remedy: own = "", ...occurrence } = {}) => {
    const { message = "", remedy } = table[code] ?? {};
    return {
      code,
      message: filled(message, values),
      remedy: own === "" ? filled(remedy ?? "", values) : own,
      ...occurrence,
    };
  };
}

const PLACE = /\{([^\s{}]+)\}/g;

function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(PLACE, (_place, name: string) => String(values[name]));
}

/** The remedy of a code where nothing has happened: values are upper-case words, as in the help of commands. */
export function generalRemedy({ message, remedy }: Omit<Wording, "cause">): string {
  return message === undefined ? remedy : remedy.replaceAll(PLACE, (_place, name: string) => name.toUpperCase());
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
 * Zoneform's own codes, which stand in brackets behind its messages, but for those that one kind alone raises
 * (`Identity.ownCodes`). Refusals and plans come first, and the files of a project last.
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

/** Words a problem that any room may raise: `error(problem("layer-cycle", { chain }, { at }))`. */
export const problem: Problem<Codes> = wordingFrom(CODES);
