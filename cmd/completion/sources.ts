import type { Option } from "commander";
import type { Typed } from "./typed.ts";

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
export function pathOf(command: Typed["command"]): string {
  const { parent } = command;
  if (parent === null) return "";
  return `${pathOf(parent)} ${command.name()}`.trim();
}
