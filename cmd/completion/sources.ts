import type { Typed } from "./typed.ts";

/** Where values come from. `free` is anything, such as a number: there is nothing to offer. */
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

/** What flags take, those with choices of their own left out: the same flag means the same everywhere. */
const OF_FLAGS: Readonly<Record<string, Source>> = {
  "--api-url": "free",
  "--approve": "free",
  "--at": "free",
  "--clock-rate": "free",
  "--complete-source": "project-source-names",
  "--config": "files",
  "--copy": "free",
  "--deny": "denials",
  "--exclude": "addresses",
  "--expect": "free",
  "--expiring-within": "free",
  "--fail-on": "hazards",
  "--host": "hostnames",
  "--hosts-per-call": "free",
  "--json-file": "files",
  "--kind": "certificate-kinds",
  "--lock-timeout": "free",
  "--max-changes": "free",
  "--max-duration": "free",
  "--out": "files",
  "--parallelism": "free",
  "--persist": "files",
  "--port": "free",
  "--project": "projects",
  "--report": "reports",
  "--resolver": "free",
  "--seed": "files",
  "--select": "hostnames",
  "--source": "project-sources",
  "--ssl-status": "certificate-statuses",
  "--start-time": "free",
  "--state": "files",
  "--status": "hostname-statuses",
  "--target": "addresses",
  "--to": "files",
  "--terraform-state": "files",
  "--wait": "free",
  "--zone": "zones",
  "--zones-in-parallel": "free",
};

/** The same by command, where a flag means something else there. */
const OF_FLAGS_BY_COMMAND: Readonly<Record<string, Source>> = {
  "emulator --host": "free",
  "hostname todo --target": "free",
};

/** What arguments take, by command and argument. */
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

/** Where the values of what is typed come from; undefined where nothing was said of it. */
export function sourceOf({
  command,
  option,
  argument,
}: Pick<Typed, "command" | "option" | "argument">): Source | undefined {
  const path = pathOf(command);
  if (option?.long !== undefined) return OF_FLAGS_BY_COMMAND[`${path} ${option.long}`] ?? OF_FLAGS[option.long];
  return argument === undefined ? undefined : OF_ARGUMENTS[`${path} ${argument.name()}`];
}

/** The names of a command and of those above it, without the program's. */
export function pathOf(command: Typed["command"]): string {
  const { parent } = command;
  if (parent === null) return "";
  return `${pathOf(parent)} ${command.name()}`.trim();
}
