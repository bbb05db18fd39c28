import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { errorCode } from "../../lib/core/file-system.ts";
import type { BehaviourName, Emulator, EmulatorOptions } from "../../lib/emulator.ts";
import { type CommonOptions, print, type Run } from "../context.ts";

/** A seed is written by hand; a longer file is something else. */
const LARGEST_SEED_BYTES = 64 * 1024 * 1024;

interface EmulatorFlags extends CommonOptions {
  readonly port: number;
  readonly host: string;
  readonly seed?: string;
  readonly behaviour: BehaviourName;
  readonly clockRate: number;
  readonly startTime?: string;
  readonly persist?: string;
}

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
    .action(
      run(async (context, flags: EmulatorFlags, command: Command) => {
        const seed = flags.seed === undefined ? {} : { seed: await seedFrom(context.cwd, flags.seed) };
        const { errorText } = await import("../../lib/report/lines/error-text.ts");
        const { escape } = await import("../../lib/report/escape/terminal.ts");
        const { debug } = command.optsWithGlobals<CommonOptions>();
        const emulator = await started({
          report: (mistake) => {
            const told = debug ? errorText(mistake) : escape(`${String(mistake)}; --debug shows where`);
            print(context.stderr, `answered 500, by a mistake of the emulator: ${told}`);
          },
          host: flags.host,
          port: flags.port,
          behaviour: flags.behaviour,
          clockRate: flags.clockRate,
          ...seed,
          ...(flags.startTime === undefined ? {} : { startTime: flags.startTime }),
          ...(flags.persist === undefined ? {} : { persistFile: flags.persist }),
        });
        print(context.stdout, `listening on ${emulator.url}`);
        print(context.stdout, `admin API on ${emulator.adminUrl}`);
        await stopped(context.signal);
        await emulator.close();
      }),
    );
}

/** Starts it; a port or an address that is not to be had becomes one clear refusal. */
async function started(options: EmulatorOptions): Promise<Emulator> {
  const { NotLoopbackError, startEmulator } = await import("../../lib/emulator.ts");
  const { error, Refusal } = await import("../../lib/core/diagnostic.ts");
  try {
    return await startEmulator(options);
  } catch (cause) {
    if (cause instanceof NotLoopbackError) {
      const { message } = cause;
      const remedy =
        "leave --host out, or choose 127.0.0.1, ::1 or localhost; in a container, run the client beside it";
      throw new Refusal([error({ code: "not-loopback", message, remedy })], 1, { cause });
    }
    const why = NOT_TO_BE_HAD.get(errorCode(cause) ?? "");
    if (why === undefined) throw cause;
    const message = `cannot listen on ${options.host ?? ""}:${options.port ?? 0}: ${why}`;
    const remedy = "choose another --port (0 takes any free one) or --host";
    throw new Refusal([error({ code: "cannot-listen", message, remedy })], 1, { cause });
  }
}

const NOT_TO_BE_HAD: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "somebody listens there already"],
  ["EADDRNOTAVAIL", "the address is none of this machine"],
  ["EACCES", "permission denied"],
  ["ENOTFOUND", "there is no such address"],
]);

/** Reads a seed file; what is wrong with it becomes one clear refusal. */
async function seedFrom(
  cwd: string,
  file: string,
): Promise<ReturnType<typeof import("../../lib/emulator.ts").parseSeed>> {
  const { InputError, parseSeed } = await import("../../lib/emulator.ts");
  const { error, Refusal } = await import("../../lib/core/diagnostic.ts");
  const { disk } = await import("../../lib/real/disk.ts");
  try {
    return parseSeed(Buffer.from(await disk().read(resolve(cwd, file), LARGEST_SEED_BYTES)).toString("utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const remedy =
      cause instanceof InputError ? "correct the seed; examples/emulator.yaml shows its shape" : "check the path";
    throw new Refusal([error({ code: "bad-seed", message: `the seed ${file} cannot be used: ${why}`, remedy })], 1, {
      cause,
    });
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
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
