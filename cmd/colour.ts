/**
 * Whether the environment wants colour, where `--no-color` is not given. The first variable that says something decides:
 * NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM=dumb, CLICOLOR; else a terminal is coloured (docs/terminal.md#colour).
 */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM, CLICOLOR } = env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (CLICOLOR_FORCE !== undefined && CLICOLOR_FORCE !== "0") return true;
  if (TERM === "dumb" || CLICOLOR === "0") return false;
  return isTerminal;
}
