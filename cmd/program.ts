import { Command, CommanderError } from "commander";
import { caCommand, certificatesCommand, hostnameCommand, purgeCommand, wafCommand } from "./usage/hostnames.ts";
import { completeCommand, completionCommand, emulatorCommand, explainCommand, schemaCommand } from "./usage/tools.ts";
import { applyCommand, driftCommand, planCommand, statusCommand, validateCommand } from "./usage/everyday.ts";
import { destroyCommand, exportCommand, importCommand, showCommand, undoCommand, whyCommand } from "./usage/objects.ts";
import { stateCommand } from "./usage/state.ts";
import type { Run, Surroundings } from "./context.ts";
import type { Where } from "./printed-commands.ts";
import { notHidden } from "./streams.ts";
import { visibleCredentials } from "../lib/real/credential-redaction.ts";
import { VERSION } from "../lib/real/version.ts";
import type { CommonOptions } from "./flags.ts";

/** Every command by name, in the groups and the order of the help. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, (run: Run) => Command>>>> = {
  "Everyday commands:": {
    validate: validateCommand,
    plan: planCommand,
    apply: applyCommand,
    drift: driftCommand,
    status: statusCommand,
  },
  "Understand:": { why: whyCommand, show: showCommand, explain: explainCommand },
  "Undo, import and state:": {
    undo: undoCommand,
    destroy: destroyCommand,
    import: importCommand,
    export: exportCommand,
    state: stateCommand,
  },
  "Hostnames, certificates, WAF:": {
    hostname: hostnameCommand,
    certificates: certificatesCommand,
    ca: caCommand,
    waf: wafCommand,
    purge: purgeCommand,
  },
  "Tools:": {
    emulator: emulatorCommand,
    schema: schemaCommand,
    completion: completionCommand,
    complete: completeCommand,
  },
};

/** Every command, with the heading of its group in the help. */
const COMMANDS = Object.entries(GROUPS).flatMap(([group, commands]) =>
  Object.entries(commands).map(([name, make]) => ({ name, make, group })),
);

/** Commands for scripts, which the help does not show. */
const HIDDEN: readonly string[] = ["complete"];

/** Commands that need all the others. */
const ABOUT_ALL: readonly string[] = ["complete"];

/** Runs a command line, and sets its exit code in the context. Throws only for a bug of ours. */
export async function run(context: Surroundings, args: readonly string[]): Promise<void> {
  try {
    await program(context, args).parseAsync(args, { from: "user" });
  } catch (error) {
    // Commander has printed usage errors; the command itself turned any other error into an exit code.
    if (!(error instanceof CommanderError)) throw error;
    context.exit(error.exitCode);
  }
}

/**
 * Builds the program. The files in `usage/` declare the commands with their flags. The code of each command is in
 * `commands/` and is loaded only when the command runs: help, completion and `--version` load none of it.
 */
export function program(context: Surroundings, args: readonly string[]): Command {
  const zoneform = new Command("zoneform");
  const runner: Run =
    (door) =>
    async (...given) => {
      const closing: (() => Promise<void>)[] = [];
      const own = { ...context, atEnd: (close: () => Promise<void>) => void closing.push(close) };
      try {
        const visible = HIDDEN.includes(nameOf(given)) ? [] : visibleCredentials(context.env);
        if (visible.length > 0) {
          const { printDiagnostics } = await failures();
          await printDiagnostics(own, optionsOf(zoneform, given), visible.map(notHidden));
        }
        const act = await door();
        await act(own, ...given);
      } catch (thrown) {
        const { fail } = await failures();
        context.exit(await fail(own, optionsOf(zoneform, given), thrown));
      } finally {
        for (const close of closing) await close();
      }
    };
  zoneform
    .description("Plan, apply and watch custom hostnames, certificates and WAF rules of SaaS edge zones.")
    .version(VERSION, "-v, --version", "print the version")
    .option("--no-color", "do not color the output")
    .option("--debug", "print stack traces and API requests, without credentials")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform plan --out plan.zfplan\n  $ zoneform apply plan.zfplan\n  $ zoneform drift",
    );
  for (const { make, group } of commandsFor(args)) {
    const command = make(runner).copyInheritedSettings(zoneform).helpGroup(group);
    zoneform.addCommand(command, { hidden: HIDDEN.includes(command.name()) });
  }
  // Only the names: with their options, the descriptions would not fit 80 columns. Each command's help has them.
  zoneform.commandsGroup("Tools:").configureHelp({ subcommandTerm: (command) => command.name() });
  keepInside(context, zoneform);
  return zoneform;
}

/** The description of `--help`, the same for every command. */
const HELP = "display help";

/** Keeps commander from writing to the streams of the process and from ending it. It must be set on each command. */
function keepInside(context: Surroundings, command: Command): void {
  const { stdout, stderr } = context;
  command.helpOption("-h, --help", HELP);
  if (command.commands.length > 0) command.helpCommand("help [command]", HELP);
  command.exitOverride().configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
  });
  for (const below of command.commands) keepInside(context, below);
}

/** The options of the command that ran, which commander passes to its action as the last argument. */
function optionsOf(zoneform: Command, given: readonly unknown[]): CommonOptions & Where {
  const command = given.at(-1);
  return command instanceof Command ? command.optsWithGlobals<CommonOptions & Where>() : zoneform.opts<CommonOptions>();
}

/** Prints errors and warnings. It is loaded late because most runs have none. */
const failures = () => import("./failure.ts");

/** The name of the command that ran, without its parents. */
function nameOf(given: readonly unknown[]): string {
  const command = given.at(-1);
  return command instanceof Command ? command.name() : "";
}

/** The commands that the arguments can name: making all of them, with their flags, takes a tenth of a start-up. */
function commandsFor(args: readonly string[]): typeof COMMANDS {
  if (args[0] === "--version" || args[0] === "-v") return [];
  const name = args.find((word) => !word.startsWith("-")) ?? "";
  const named = COMMANDS.filter((command) => command.name === name && !ABOUT_ALL.includes(name));
  return named.length === 0 ? COMMANDS : named;
}
