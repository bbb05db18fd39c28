import type { Argument, Command, Option } from "commander";
import { defined } from "../../lib/core/json.ts";

/** The sources of values. `free` is anything, such as a number: there is nothing to offer. */
export type Source =
  | "addresses"
  | "certificate-kinds"
  | "certificate-statuses"
  | "codes"
  | "denials"
  | "files"
  | "free"
  | "hazards"
  | "hostname-statuses"
  | "hostnames"
  | "project-source-names"
  | "project-sources"
  | "projects"
  | "reports"
  | "runs"
  | "zones";

/** The source for the name of a value in a flag's declaration. */
const OF_VALUES: Readonly<Record<string, Source>> = {
  address: "addresses",
  "format=file": "reports",
  file: "files",
  hazards: "hazards",
  word: "denials",
  date: "free",
  days: "free",
  duration: "free",
  hash: "free",
  n: "free",
  port: "free",
  seconds: "free",
  time: "free",
  url: "free",
};

/** The sources of flags whose declaration does not show them. */
const OF_FLAGS: Readonly<Record<string, Source>> = {
  "--complete-source": "project-source-names",
  "--copy": "free",
  "--host": "hostnames",
  "--kind": "certificate-kinds",
  "--project": "projects",
  "--resolver": "free",
  "--select": "hostnames",
  "--since": "free",
  "--source": "project-sources",
  "--ssl-status": "certificate-statuses",
  "--state": "files",
  "--status": "hostname-statuses",
  "--to": "files",
  "--zone": "zones",
};

/** The same by command, for flags with another meaning there. */
const OF_FLAGS_BY_COMMAND: Readonly<Record<string, Source>> = {
  "emulator --host": "free",
  "hostname todo --target": "free",
};

/** The sources of arguments, by command and argument. */
const OF_ARGUMENTS: Readonly<Record<string, Source>> = {
  "apply plan": "files",
  "certificates search hostname": "hostnames",
  "explain words": "codes",
  "hostname retry name": "hostnames",
  "hostname revalidate name": "hostnames",
  "import address-or-id": "addresses",
  "import id": "free",
  "purge host": "hostnames",
  "show plan": "files",
  "state mv from": "addresses",
  "state mv to": "addresses",
  "state push file": "files",
  "state rm address": "addresses",
  "state show address": "addresses",
  "state unlock id": "free",
  "undo run": "runs",
  "why address": "addresses",
};

/** The source of the current word; undefined if no table above has it. */
export function sourceOf({
  command,
  option,
  argument,
}: Pick<Typed, "command" | "option" | "argument">): Source | undefined {
  const path = pathOf(command);
  if (option?.long !== undefined)
    return OF_FLAGS_BY_COMMAND[`${path} ${option.long}`] ?? OF_FLAGS[option.long] ?? OF_VALUES[valueName(option)];
  return argument === undefined ? undefined : OF_ARGUMENTS[`${path} ${argument.name()}`];
}

/** `file` for `--out <file>`. */
function valueName({ flags }: Option): string {
  return /[<[]([^>\]]+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? "";
}

/** The names of a command and its parents, without the program's. */
function pathOf(command: Typed["command"]): string {
  const { parent } = command;
  if (parent === null) return "";
  return `${pathOf(parent)} ${command.name()}`.trim();
}

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
