import { defined } from "../lib/core/defined.ts";
import { fileArgument, shellQuoted } from "../lib/core/shell.ts";
import type { TimeFlags } from "./allowed-time.ts";
import type { SelectionFlags } from "./planning.ts";
import { whereFlags } from "./printed-commands.ts";

/** The command that carries a saved plan out. The plan itself says what it is about; where the project is, it does not. */
export function applyAgain(file: string, { config, apiUrl, state, color }: SelectionFlags): string {
  const where = { config, color, ...defined({ apiUrl, state }) };
  return commandAgain(`zoneform apply ${fileArgument(file)}`, where);
}

/** The command that carries a saved plan out, and lets it go beyond the deletion limits. */
export function approveSavedAgain(file: string, flags: SelectionFlags, hash: string): string {
  return `${applyAgain(file, flags)} --approve ${hash}`;
}

/** The command that goes back from a run. What the run was about its record says; where the project is, it does not. */
export function undoAgain(run: string, { config, apiUrl, state, color, source, zone }: SelectionFlags): string {
  const where = { config, color, ...defined({ apiUrl, state }) };
  return commandAgain(`zoneform undo ${run}`, { ...where, ...(source ? { source } : {}), ...(zone ? { zone } : {}) });
}

/** Flags that are given once for each of their values. */
const REPEATED = ["zone", "target", "exclude", "deny"] as const;

/**
 * A command line with every flag that says what the command was about and where: running it touches nothing more than
 * the command did, and at no other time. `command` is taken as it is.
 */
export function commandAgain(command: string, flags: SelectionFlags & Pick<TimeFlags, "window">): string {
  const { source = {}, maxChanges, window = "" } = flags;
  return [
    command,
    ...whereFlags(flags),
    ...REPEATED.flatMap((name) => (flags[name] ?? []).map((value) => `--${name} ${shellQuoted(value)}`)),
    ...Object.entries(source).map(([name, path]) => `--source ${name}=${shellQuoted(path)}`),
    ...(maxChanges === undefined ? [] : [`--max-changes ${maxChanges}`]),
    ...(window.trim() === "" ? [] : [`--window ${shellQuoted(window)}`]),
  ].join(" ");
}
