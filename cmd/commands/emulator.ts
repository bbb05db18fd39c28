import { Command, InvalidArgumentError, Option } from "commander";
import type { Run } from "../context.ts";

/** `zoneform emulator`: the whole service on loopback, with a clock that can be moved. */
export function emulatorCommand(run: Run): Command {
  return new Command("emulator")
    .description("run the built-in emulator of the service until it is stopped")
    .option("--port <port>", "where to listen; 0 takes any free port", port, 8787)
    .option("--host <host>", "the loopback address to listen on", "127.0.0.1")
    .option("--seed <file>", "a YAML file with accounts, tokens and zones to start with")
    .addOption(
      new Option("--behaviour <name>", "which reading of the service")
        .choices(["described", "public"])
        .default("described"),
    )
    .option("--clock-rate <n>", "emulated seconds for each real second", positive, 1)
    .option("--start-time <time>", "the clock's first reading, as in 2026-11-21T08:00:00Z", time)
    .option("--persist <file>", "keep everything in this file between runs")
    .addHelpText("after", "\nExample:\n  $ zoneform emulator --seed examples/emulator.yaml --clock-rate 60")
    .action(run(async () => (await import("../actions/emulator.ts")).runEmulator));
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= MOST_PORTS)) throw new InvalidArgumentError(`a port from 0 to ${MOST_PORTS} is wanted`);
  return value;
}

const MOST_PORTS = 65_535;

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError("a number above 0 is wanted");
  return value;
}

function time(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError("a time such as 2026-11-21T08:00:00Z is wanted");
  return text;
}
