import { Command, InvalidArgumentError, Option } from "commander";
import type { Run } from "../context.ts";

/** `zoneform emulator`: the whole service on loopback, with a clock that can be moved. */
export function emulatorCommand(run: Run): Command {
  return new Command("emulator")
    .description("run the built-in emulator of the service until you stop it")
    .option("--port <port>", "the port to listen on; 0 takes any free port", port, 8787)
    .option("--host <host>", "the loopback address to listen on", "127.0.0.1")
    .option("--seed <file>", "a YAML file with accounts, tokens and zones to start with")
    .addOption(
      new Option("--behaviour <name>", "which behaviour of the service to emulate")
        .choices(["described", "public"])
        .default("described"),
    )
    .option("--clock-rate <n>", "how many emulated seconds pass in each real second", positive, 1)
    .option("--start-time <time>", "the time at which the emulated clock starts, such as 2026-11-21T08:00:00Z", time)
    .option("--persist <file>", "keep everything in this file between starts")
    .addHelpText("after", "\nExample:\n  $ zoneform emulator --seed examples/emulator.yaml --clock-rate 60")
    .action(run(async () => (await import("../actions/emulator.ts")).runEmulator));
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= MOST_PORTS)) throw new InvalidArgumentError(`Expected a port from 0 to ${MOST_PORTS}.`);
  return value;
}

const MOST_PORTS = 65_535;

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError("Expected a number above 0.");
  return value;
}

function time(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError("Expected a time such as 2026-11-21T08:00:00Z.");
  return text;
}
