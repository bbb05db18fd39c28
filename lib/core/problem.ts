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
import { defined } from "./defined.ts";
import type { Diagnostic } from "./diagnostic.ts";

/**
 * What a table says about a code. `{name}` in `message`, `remedy` and `commands` stands for a value that the caller gives. A
 * code whose message differs from place to place has none here, and its one value is `message`.
 */
export interface Wording {
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
