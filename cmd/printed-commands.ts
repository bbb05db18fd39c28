import { USUAL_CONFIG, type SelectionFlags } from "./flags.ts";
import { fileArgument, shellQuoted } from "../lib/core/quote.ts";
import { withoutPasswords } from "../lib/real/state-address.ts";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defined } from "../lib/core/json.ts";

/** Where a command found its project, its service and its states, if not in the default places. */
export interface Where {
  readonly config?: string;
  readonly apiUrl?: string;
  readonly state?: string;
}

const INSTALL = "npm install ";
const INSTALL_GLOBALLY = "npm install --global ";

/** Commands that read no project, by their beginnings. */
const WITHOUT_PROJECT = /^(show|schema|explain|emulator|completion)\b/;

/** Commands that make no API call. */
const WITHOUT_SERVICE = /^(state|validate)\b/;

/** Commands that neither read nor write a state. */
const WITHOUT_STATE = /^(validate|waf|purge|hostname (list|revalidate|retry))\b/;

/** The flags that say where a command found its project, its service and its states, without any password. */
function whereFlags({ config = USUAL_CONFIG, apiUrl, state }: Where): readonly string[] {
  return [
    ...(config === USUAL_CONFIG ? [] : [`--config ${shellQuoted(config)}`]),
    ...(apiUrl === undefined ? [] : [`--api-url ${shellQuoted(apiUrl)}`]),
    ...(state === undefined ? [] : [`--state ${shellQuoted(withoutPasswords(state))}`]),
  ];
}

/**
 * A command for printing, with the flags that it needs to find the same project, service and states. Messages contain
 * commands without them, because only the command line knows them. A command that already has them stays as it is. A
 * command that installs a package installs it where this Zoneform is installed.
 */
export function completeCommand(
  command: string,
  { config, apiUrl, state }: Where,
  isInstalledGlobally: () => boolean = isGlobal,
): string {
  if (command.startsWith(INSTALL)) return isInstalledGlobally() ? command.replace(INSTALL, INSTALL_GLOBALLY) : command;
  const [, name] = /(?:^|\s)zoneform (.*)$/.exec(command) ?? [];
  if (name === undefined || WITHOUT_PROJECT.test(name)) return command;
  const added = [
    ...(config === undefined || / --config /.test(command) ? [] : whereFlags({ config })),
    ...(apiUrl === undefined || / --api-url /.test(command) || WITHOUT_SERVICE.test(name)
      ? []
      : whereFlags({ apiUrl })),
    ...(state === undefined || / --state /.test(command) || WITHOUT_STATE.test(name) ? [] : whereFlags({ state })),
  ];
  return [command, ...added].join(" ");
}

/**
 * Whether npm installed the package of this file with `--global`: its `node_modules` then belongs to no package. `file`
 * is a path; a file of a clone is in no `node_modules`.
 */
export function isGlobal(
  file: string = fileURLToPath(import.meta.url),
  isThere: (path: string) => boolean = existsSync,
): boolean {
  const [, root] = /^(.*?)[\\/]node_modules[\\/]/.exec(file) ?? [];
  return root !== undefined && !isThere(`${root}/package.json`);
}

/** The command that applies a saved plan. The plan has its selection, but not the place of its project. */
export function applyAgain(file: string, { config, apiUrl, state, color }: SelectionFlags): string {
  const where = { config, color, ...defined({ apiUrl, state }) };
  return commandAgain(`zoneform apply ${fileArgument(file)}`, where);
}

/** The command that applies a saved plan and lifts its deletion limits. */
export function approveSavedAgain(file: string, flags: SelectionFlags, hash: string): string {
  return `${applyAgain(file, flags)} --approve ${hash}`;
}

/** The command that undoes a run. The run's record has its selection, but not the place of the project. */
export function undoAgain(run: string, { config, apiUrl, state, color, source, zone }: SelectionFlags): string {
  const where = { config, color, ...defined({ apiUrl, state }) };
  return commandAgain(`zoneform undo ${run}`, { ...where, ...(source ? { source } : {}), ...(zone ? { zone } : {}) });
}

/** Flags that are given once for each value. */
const REPEATED = ["zone", "target", "exclude", "deny"] as const;

/**
 * A command line with every flag that selects objects or says where the project is, so that it touches nothing more
 * than this run. `command` is not quoted.
 */
export function commandAgain(command: string, flags: SelectionFlags): string {
  const { source = {}, completeSource = [], maxChanges } = flags;
  return [
    command,
    ...whereFlags(flags),
    ...REPEATED.flatMap((name) => (flags[name] ?? []).map((value) => `--${name} ${shellQuoted(value)}`)),
    ...Object.entries(source).map(([name, path]) => `--source ${name}=${shellQuoted(path)}`),
    ...completeSource.map((name) => `--complete-source ${shellQuoted(name)}`),
    ...(maxChanges === undefined ? [] : [`--max-changes ${maxChanges}`]),
  ].join(" ");
}
