import { Command, InvalidArgumentError, Option, Argument } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag, SHELLS } from "../flags.ts";
import { OUTPUT_SCHEMA_NAMES } from "../../lib/core/output-schema-names.ts";
import { SCHEMA_NAMES } from "../../lib/core/schema-names.ts";

/** `zoneform emulator`: the whole service on this machine, with a clock that can be moved. */
export function emulatorCommand(run: Run): Command {
  return new Command("emulator")
    .description("run an emulator of Cloudflare's API on this machine")
    .option("--port <port>", "the port to listen on; 0 takes any free one", port, 8787)
    .option(
      "--host <host>",
      "the address to listen on; one that other machines can reach needs a token in ZONEFORM_EMULATOR_TOKEN",
      "127.0.0.1",
    )
    .option(
      "--seed <file>",
      "the accounts, tokens and zones to start with, as YAML; without it, one zone and two tokens",
    )
    .addOption(
      new Option(
        "--behaviour <name>",
        "which source to follow where the two differ: the description that Zoneform was built against, or the public documentation",
      )
        .choices(["described", "public"])
        .default("described"),
    )
    .option("--clock-rate <n>", "how many seconds pass for each real one; 0 stops the clock", rate, 1)
    .option("--start-time <time>", "the time to start the clock at, as in 2026-11-21T08:00:00Z; without it, now", time)
    .option("--persist <file>", "keep everything in this file; if the file exists, it is read and --seed is ignored")
    .addHelpText("after", HELP)
    .action(run(async () => (await import("../commands/emulator.ts")).runEmulator));
}

const HELP = `
It prints its address, its zones, and the lines to paste so that zoneform, curl,
Terraform or any other client calls it. It stops on Ctrl-C. docs/emulator.md
explains the seed, the admin API, the clock and the faults.

Examples:
  $ zoneform emulator
  $ zoneform emulator --seed examples/emulator.yaml --clock-rate 60
  $ zoneform emulator --persist emulator.json`;

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= HIGHEST_PORT)) throw new InvalidArgumentError(`Expected a port from 0 to ${HIGHEST_PORT}.`);
  return value;
}

const HIGHEST_PORT = 65_535;

function rate(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(value >= 0) || !Number.isFinite(value)) throw new InvalidArgumentError("Expected a number, 0 or more.");
  return value;
}

function time(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError("Expected a time such as 2026-11-21T08:00:00Z.");
  return text;
}

/** `zoneform explain [WORD...]`: cause and remedy of a code or status of the service, or of one of our own words. */
export function explainCommand(run: Run): Command {
  return new Command("explain")
    .description("explain a code, a status or a word, and say what to do")
    .argument("[words...]", "such as 1469, caa_error, outage, foreign rule, or an error text (default: list all)")
    .addOption(formatFlag(["text", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExamples:\n  $ zoneform explain 1408\n  $ zoneform explain weakens-protection")
    .action(run(async () => (await import("../commands/explain.ts")).runExplain));
}

/** `zoneform schema NAME`: one self-contained JSON Schema, for editors and for checks elsewhere. */
export function schemaCommand(run: Run): Command {
  return new Command("schema")
    .description("print a JSON Schema of the configuration or of JSON output")
    .addArgument(
      new Argument("<name>", "the document or the kind").choices([
        ...SCHEMA_NAMES,
        ...OUTPUT_SCHEMA_NAMES.map((name) => `output-${name}`),
      ]),
    )
    .addHelpText("after", "\nExamples:\n  $ zoneform schema zone > zone.schema.json\n  $ zoneform schema output-plan")
    .action(run(async () => (await import("../commands/schema.ts")).runSchema));
}

/** `zoneform completion SHELL`: a script that completes commands, flags and values. */
export function completionCommand(run: Run): Command {
  return new Command("completion")
    .description("print a completion script for your shell")
    .addArgument(new Argument("<shell>", "the shell").choices([...SHELLS]))
    .addHelpText(
      "after",
      "\nExamples:\n  $ source <(zoneform completion bash)\n  $ zoneform completion fish > ~/.config/fish/completions/zoneform.fish",
    )
    .action(run(async () => (await import("../commands/completion.ts")).runCompletion));
}

/**
 * `zoneform complete SHELL -- WORD…`: called by the scripts of `zoneform completion` at each Tab. Not shown in the
 * help.
 */
export function completeCommand(run: Run): Command {
  return new Command("complete")
    .argument("[shell]")
    .argument("[words...]")
    .helpOption(false)
    .action(run(async () => (await import("../commands/completion.ts")).runComplete));
}
