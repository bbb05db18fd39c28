import type { Command, Option } from "commander";
import { escape } from "../../lib/report/escape/terminal.ts";
import type { Candidate, Place } from "./candidates.ts";
import type { Context } from "../context.ts";
import { type Shell, USUAL_CONFIG } from "../flags.ts";
import { optionsOf, readTyped, sourceOf, type Typed } from "./sources.ts";
import { defined } from "../../lib/core/json.ts";

/** The line that asks the shell to also complete files. */
const FILES = ":files";

/** How many candidates to offer: a longer list is useless, and the next letter shortens it. */
const MOST_CANDIDATES = 500;

/** How long a description may be: one short line. */
const LONGEST_ABOUT = 70;

/** Only values of these characters are offered: a shell that takes one unquoted cannot do anything with it. */
const SAFE = /^[\w./:,+@=*["\]-]+$/;

/**
 * The lines for a shell's script: a value, a tab and its description; and `:files` if files are allowed. `words` are
 * those up to the cursor, with or without the shell's quotes.
 */
export async function completionLines(
  root: Command,
  shell: Shell,
  words: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const plain = words.map(withoutQuotes);
  const typed = readTyped(root, shell === "bash" ? joinedAtEquals(plain) : plain);
  const found = await offered(typed, {
    context,
    config: typed.config ?? USUAL_CONFIG,
    ...defined({ state: typed.state }),
  });
  // In bash a word ends at the equals sign, so only what follows it is replaced.
  const prefix = shell === "bash" ? "" : (typed.prefix ?? "");
  const byValue = new Map(found.map((candidate) => [candidate.value, candidate]));
  const lines = [...byValue.values()]
    .filter(({ value }) => withoutQuotes(value).startsWith(typed.start) && SAFE.test(value))
    .slice(0, MOST_CANDIDATES)
    .map(({ value, about }) => `${prefix}${value}\t${short(escape(about))}`);
  return takesFiles(typed) ? [...lines, FILES] : lines;
}

/**
 * The typed word may still have the shell's quotes, and addresses have their own: without any quotes both are equal.
 */
function withoutQuotes(word: string): string {
  return word.replaceAll(/["'\\]/g, "");
}

/** Bash splits words at equals signs: `--zone`, `=`, `saas.dev`. */
function joinedAtEquals(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const isPart = word === "=" || words[index - 1] === "=";
    if (isPart && joined.length > 0) joined.push(`${joined.pop() ?? ""}${word}`);
    else joined.push(word);
  }
  return joined;
}

async function offered(typed: Typed, place: Place): Promise<readonly Candidate[]> {
  const { command, option, argument, start, takesCommand } = typed;
  if (option !== undefined) return valuesOf(typed, option.argChoices, place);
  if (start.startsWith("-")) return flagsOf(command);
  const commands = takesCommand ? subcommandsOf(command) : [];
  const values = argument === undefined ? [] : await valuesOf(typed, argument.argChoices, place);
  // Flags are offered if nothing else can come here.
  return commands.length + values.length > 0 || takesFiles(typed) ? [...commands, ...values] : flagsOf(command);
}

async function valuesOf(
  typed: Typed,
  choices: readonly string[] | undefined,
  place: Place,
): Promise<readonly Candidate[]> {
  if (choices !== undefined) return choices.map((value) => ({ value, about: CHOICES.get(value) ?? "" }));
  const source = sourceOf(typed);
  if (source === undefined || source === "free" || source === "files") return [];
  // A broken project or state must not print an error into the command line.
  const { candidatesOf } = await import("./candidates.ts");
  return candidatesOf(source, place).catch(() => []);
}

function takesFiles(typed: Typed): boolean {
  return (typed.option !== undefined || !typed.start.startsWith("-")) && sourceOf(typed) === "files";
}

/** Descriptions of the choices of flags and arguments. */
const CHOICES: ReadonlyMap<string, string> = new Map([
  ["text", "for people"],
  ["table", "for people"],
  ["json", "for programs"],
  ["csv", "for a spreadsheet"],
  ["github", "annotations of a pull request"],
  ["hcl", "Terraform configuration"],
  ["state", "what was applied last"],
  ["config", "the YAML alone"],
  ["changed", "the hostnames that the plan changes"],
  ["all", "every hostname"],
  ["described", "as its documentation describes it"],
  ["public", "as the public API behaves"],
  ["backup", "an earlier copy of the state"],
  ["project", "zoneform.yaml"],
  ["zone", "the file of a zone"],
]);

function subcommandsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ value: child.name(), about: child.description() }));
}

function flagsOf(command: Command): readonly Candidate[] {
  const flags = optionsOf(command).flatMap(({ long, description }: Option) =>
    long === undefined ? [] : [{ value: long, about: description }],
  );
  return [...flags, { value: "--help", about: "display help" }];
}

function short(text: string): string {
  return text.length <= LONGEST_ABOUT ? text : `${text.slice(0, LONGEST_ABOUT - 1)}…`;
}
