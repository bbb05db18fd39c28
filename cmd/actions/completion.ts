import type { Command } from "commander";
import { type Context, print } from "../context.ts";

type Shell = "bash" | "zsh" | "fish";

/** What `zoneform completion` does: it writes the script for the program that the command belongs to. */
export async function runCompletion(context: Context, shell: Shell, _own: unknown, command: Command): Promise<void> {
  print(context.stdout, scriptFor(shell, wordsOf(command.parent ?? command)));
}

/** What can follow each command: its flags and its subcommands. */
function wordsOf(
  command: Command,
  path: readonly string[] = [],
): { path: readonly string[]; words: readonly string[] }[] {
  const flags = command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  const words = [...command.commands.map((child) => child.name()), ...flags, "--help"];
  return [{ path, words }, ...command.commands.flatMap((child) => wordsOf(child, [...path, child.name()]))];
}

function scriptFor(shell: Shell, commands: ReturnType<typeof wordsOf>): string {
  switch (shell) {
    case "bash":
      return bash(commands);
    case "zsh":
      return `#compdef zoneform\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case "fish":
      return fish(commands);
    default:
      return shell satisfies never;
  }
}

function bash(commands: ReturnType<typeof wordsOf>): string {
  const cases = commands.map(({ path, words }) => `    "${path.join(" ")}") words="${words.join(" ")}" ;;`);
  const known = commands.flatMap(({ path }) => (path.length === 0 ? [] : [`"${path.join(" ")}"`])).join(" | ");
  // Values of flags and arguments are words as well: only one that makes a command out of those before it belongs to it.
  return `_zoneform() {
  local path="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in ${known}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join("\n")}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _zoneform zoneform`;
}

function fish(commands: ReturnType<typeof wordsOf>): string {
  const lines = commands.flatMap(({ path, words }) => {
    const seen = path.length === 0 ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${path.at(-1)}`;
    return words.map((word) =>
      word.startsWith("--")
        ? `complete -c zoneform -n "${seen}" -l ${word.slice(2)}`
        : `complete -c zoneform -n "${seen}" -f -a ${word}`,
    );
  });
  return lines.join("\n");
}
