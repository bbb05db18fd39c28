import { shellQuoted } from "../lib/core/shell.ts";
import { isGlobal } from "./installation.ts";
import { withoutPasswords } from "../lib/real/state-address.ts";

/** The project file that is read where no flag names one. */
export const USUAL_CONFIG = "zoneform.yaml";

/** Where a command found its project, its service and its states, if not where every command looks. */
export interface Where {
  readonly config?: string;
  readonly apiUrl?: string;
  readonly state?: string;
}

const INSTALL = "npm install ";
const INSTALL_GLOBALLY = "npm install --global ";

/** Commands that read no project, by how they begin. */
const WITHOUT_PROJECT = /^(show|schema|explain|emulator|completion)\b/;

/** Commands that make no API call. */
const WITHOUT_SERVICE = /^(state|validate)\b/;

/** Commands that read no state and write none. */
const WITHOUT_STATE = /^(validate|waf|purge|hostname (list|revalidate|retry))\b/;

/** The flags that say where a command found its project, its service and its states. A password is left out. */
export function whereFlags({ config = USUAL_CONFIG, apiUrl, state }: Where): readonly string[] {
  return [
    ...(config === USUAL_CONFIG ? [] : [`--config ${shellQuoted(config)}`]),
    ...(apiUrl === undefined ? [] : [`--api-url ${shellQuoted(apiUrl)}`]),
    ...(state === undefined ? [] : [`--state ${shellQuoted(withoutPasswords(state))}`]),
  ];
}

/**
 * A command as it is printed, with the flags that it needs to find the same project, service and states: messages name
 * commands without them, because only the command line knows them. One that has them already stays as it is. A package
 * has to be installed where this zoneform is.
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
