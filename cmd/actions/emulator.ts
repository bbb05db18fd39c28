import { defined } from "../../lib/core/defined.ts";
import { resolve } from "node:path";
import type { Command } from "commander";
import { errorCode } from "../../lib/core/file-system.ts";
import {
  type BehaviourName,
  type Emulator,
  type EmulatorOptions,
  type Seed,
  InputError,
  NotLoopbackError,
  parseSeed,
  startEmulator,
} from "../../lib/emulator.ts";
import { type CommonOptions, type Context, print } from "../context.ts";
import { errorText } from "../../lib/report/lines/error-text.ts";
import { escape } from "../../lib/report/escape/terminal.ts";
import { error, Refusal } from "../../lib/core/diagnostic.ts";
import { disk } from "../../lib/real/disk.ts";

interface EmulatorFlags extends CommonOptions {
  readonly port: number;
  readonly host: string;
  readonly seed?: string;
  readonly behaviour: BehaviourName;
  readonly clockRate: number;
  readonly startTime?: string;
  readonly persist?: string;
}

/** What `zoneform emulator` does. */
export async function runEmulator(context: Context, flags: EmulatorFlags, command: Command): Promise<void> {
  const seed = flags.seed === undefined ? {} : { seed: await seedFrom(context.cwd, flags.seed) };
  const { debug } = command.optsWithGlobals<CommonOptions>();
  const emulator = await startOrRefuse({
    report: (mistake) => {
      const told = debug ? errorText(mistake) : escape(`${String(mistake)}; --debug shows where`);
      print(context.stderr, `answered 500, by a mistake of the emulator: ${told}`);
    },
    host: flags.host,
    port: flags.port,
    behaviour: flags.behaviour,
    clockRate: flags.clockRate,
    ...seed,
    ...defined({ startTime: flags.startTime, persistFile: flags.persist }),
  });
  print(context.stdout, `listening on ${emulator.url}`);
  print(context.stdout, `admin API on ${emulator.adminUrl}`);
  await waitUntilStopped(context.signal);
  await emulator.close();
}

/** A seed is written by hand; a longer file is something else. */
const LARGEST_SEED_BYTES = 64 * 1024 * 1024;

/** Starts it; a port or an address that is not to be had becomes one clear refusal. */
async function startOrRefuse(options: EmulatorOptions): Promise<Emulator> {
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
async function seedFrom(cwd: string, file: string): Promise<Seed> {
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

function waitUntilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
