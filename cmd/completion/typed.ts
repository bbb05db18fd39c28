import type { Argument, Command, Option } from "commander";
import { defined } from "../../lib/core/defined.ts";

/** The word under the cursor: its place in the command line, and its beginning. */
export interface Typed {
  readonly command: Command;
  /** The beginning of the word to complete, or of the part after `=`. */
  readonly start: string;
  /** The flag whose value is typed. */
  readonly option?: Option;
  /** `--zone=` if the value is in one word with its flag. */
  readonly prefix?: string;
  /** The argument that is typed, if it is not a flag. */
  readonly argument?: Argument;
  /** Whether a subcommand may come here. */
  readonly takesCommand: boolean;
  /** The project file, if the words before name it. */
  readonly config?: string;
  /** The place of the states, if the words before name it. */
  readonly state?: string;
}

/** Reads the words of a command line up to the cursor; the last of them is being typed. */
export function readTyped(root: Command, words: readonly string[]): Typed {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  let command = root;
  let given = 0;
  let pending: Option | undefined;
  let config: string | undefined;
  let state: string | undefined;
  for (const word of before) {
    if (pending !== undefined && !(word.startsWith("-") && (pending.optional || pending.variadic))) {
      if (pending.long === "--config") config = word;
      if (pending.long === "--state") state = word;
      if (!pending.variadic) pending = undefined;
      continue;
    }
    pending = undefined;
    const [flag, value] = splitFlag(word);
    if (flag !== "") {
      const option = optionOf(command, flag);
      if (value === undefined && option !== undefined && (option.required || option.optional)) pending = option;
      if (value !== undefined && option?.long === "--config") config = value;
      if (value !== undefined && option?.long === "--state") state = value;
      continue;
    }
    const child = given === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (child === undefined) given += 1;
    command = child ?? command;
  }
  const known = { command, ...defined({ config, state }) };
  const [flag, value] = splitFlag(current);
  if (flag !== "" && value !== undefined) {
    const option = optionOf(command, flag);
    return { ...known, start: value, prefix: `${flag}=`, takesCommand: false, ...(option ? { option } : {}) };
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[given] ?? (last?.variadic === true ? last : undefined);
  return {
    ...known,
    start: current,
    ...(pending === undefined ? {} : { option: pending }),
    ...(argument === undefined ? {} : { argument }),
    takesCommand: given === 0 && command.commands.length > 0,
  };
}

/** The flags of a command and its parents that its help shows. */
export function optionsOf(command: Command): readonly Option[] {
  const above = command.parent === null ? [] : optionsOf(command.parent);
  return [...command.options, ...above].filter(
    ({ hidden, long }) => !hidden && long !== undefined && long !== "--version",
  );
}

function optionOf(command: Command, flag: string): Option | undefined {
  return optionsOf(command).find(({ long, short }) => long === flag || short === flag);
}

/** Splits `--zone=saas.dev` into flag and value; a word that is no flag gives an empty one. */
function splitFlag(word: string): readonly [string, string?] {
  if (!word.startsWith("-") || word === "-" || word === "--") return [""];
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
