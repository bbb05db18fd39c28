import { Command, InvalidArgumentError, Option } from "commander";
import type { Run } from "../context.ts";

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
    .action(run(async () => (await import("../actions/emulator.ts")).runEmulator));
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
