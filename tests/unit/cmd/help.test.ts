import type { Command } from "commander";
import { expect, test } from "vitest";
import { programAlone } from "../../support/program.ts";

/** Flags that mean something of their own in some command: a name, a host, a file, a code or a wait of another sort. */
const BY_COMMAND = [
  "--target",
  "--detailed-exitcode",
  "--out",
  "--json",
  "--check-dns",
  "--host",
  "--project",
  "--report",
  "--wait",
  "--write",
];

/** Commands that only scripts call. The help does not show them, and they have none of their own. */
const HIDDEN = ["complete"];

function everyCommand(): readonly Command[] {
  const below = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(below)];
  return below(programAlone());
}

/** The help as it is printed, with the examples below it. */
function helpOf(command: Command): string {
  let said = "";
  command.configureOutput({ writeOut: (text) => (said += text) }).outputHelp();
  return said;
}

test("each command has one line that says what it does, an example, and the same line for --help", () => {
  const commands = everyCommand().filter((command) => !HIDDEN.includes(command.name()));
  expect(commands.length).toBeGreaterThan(35);
  for (const command of commands) {
    const help = helpOf(command);
    const name = command.name();
    expect(command.description(), name).toMatch(command.parent ? /^[a-z]\S+ .{8,100}[^.]$/ : /\.$/);
    expect(help, name).toMatch(/\nExamples?:\n {2}\$ .*zoneform /);
    expect(help, name).toMatch(/\n {2}-h, --help +display help\n/);
    if (command.commands.length > 0) expect(help, name).toMatch(/\n {2}help(?: \[command\])? +display help\n/);
  }
});

test("the list of commands fits 80 columns, one line for each command, in groups", () => {
  const [whole] = everyCommand();
  const help = whole ? helpOf(whole) : "";
  const listed = [...help.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name);
  expect(listed).toEqual([...new Set(listed)]);
  expect(listed).toContain("drift");
  expect(help.split("\n").filter((line) => line.length > 80 || /^ {17}/.test(line))).toEqual([]);
  expect([...help.matchAll(/^\S.*:$/gm)].length).toBeGreaterThan(4);
});

test("every command that reads or writes a state takes --state, and no other one", () => {
  for (const command of everyCommand()) {
    const has = (flag: string): boolean => command.options.some(({ long }) => long === flag);
    const above = command.parent?.name() ?? "";
    const isWithout =
      above === "waf" ||
      (above === "hostname" && command.name() !== "todo") ||
      ["validate", "purge"].includes(command.name());
    expect(has("--state"), `${above} ${command.name()}`).toBe(has("--config") && !isWithout);
  }
});

test("the help shows every command, except those that only scripts call", () => {
  const commands = everyCommand();
  const shown = commands.flatMap((command) => command.createHelp().visibleCommands(command));
  const hidden = commands.filter((command) => command.parent && !shown.includes(command));
  expect(hidden.map((command) => command.name())).toEqual(HIDDEN);
});

test("a flag is described with the same words by every command that has it", () => {
  const flags = everyCommand().flatMap(({ options }) => [...options]);
  const said = new Map<string, Set<string>>();
  for (const { long, description } of flags)
    if (long && !BY_COMMAND.includes(long)) said.set(long, (said.get(long) ?? new Set()).add(description));
  expect(said.size).toBeGreaterThan(30);
  expect([...said].flatMap(([flag, texts]) => (texts.size > 1 ? [[flag, ...texts]] : []))).toEqual([]);
});
