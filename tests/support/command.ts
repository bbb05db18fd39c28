import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { redactionOf } from "../../lib/real/credential-redaction.ts";
import { filterWrites } from "../../cmd/streams.ts";
import { run as runInside } from "../../cmd/program.ts";

/** The checkout. */
export const ROOT: string = resolve(import.meta.dirname, "../..");

/** The built command. `npm test` builds it before the tests. */
export const MAIN: string = resolve(ROOT, "dist/zoneform.js");

/** After this time a command is killed, and its test fails. Even on a busy machine no command takes nearly this long. */
const LIMIT_MILLISECONDS = 300_000;

/**
 * These turn off optimisation, because a command in a test ends before it pays off. Optimising the parser of HTTP alone, which is
 * WebAssembly, would be a quarter of the work of a plan.
 */
export const NODE_FLAGS: readonly string[] = ["--no-opt", "--liftoff-only"];

/** The text of a program that turns into the built command, as the file that npm installs does. */
export const LAUNCHER: string = `#!/bin/sh\nexec '${process.execPath}' ${NODE_FLAGS.join(" ")} '${MAIN}' "$@"\n`;

/** A line of a stack trace. No command prints one without `--debug`. */
const STACK = /\n\s+at /;

/** How a command ended. */
export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how a command runs. */
export interface Surroundings {
  readonly cwd: string;
  /** The whole environment except `PATH`. The command sees no other variables of this machine. */
  readonly env?: Readonly<Record<string, string>>;
  /** What to run instead of `node`, with the command and its arguments behind it. */
  readonly through?: readonly string[];
  /** The file of the command, if it is not the built one of the checkout. */
  readonly main?: string;
}

/** A running command. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves once the command has printed this text to either stream. Throws if it ends first. */
  said(text: string): Promise<void>;
  /** What the command has printed to standard output so far. */
  printed(): string;
  kill(signal: NodeJS.Signals): void;
}

/** Starts the built command. Standard input is closed, so nobody can answer a prompt. */
export function start(args: readonly string[], { cwd, env = {}, through = [], main = MAIN }: Surroundings): Running {
  const [program = process.execPath, ...rest] = [...through, process.execPath, ...NODE_FLAGS, main, ...args];
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const waiting = new Set<() => void>();
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (piece: string) => {
      output[name] += piece;
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MILLISECONDS);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(limit);
      if (STACK.test(output.stdout + output.stderr)) reject(new Error(`a stack trace:\n${output.stderr}`));
      resolve({ code, signal, ...output });
    });
  });
  // A caller may wait only for a text, and then a failure at the end must not become an unhandled rejection.
  ended.catch(() => undefined);

  const said = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!output.stdout.includes(text) && !output.stderr.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      child.on("close", () => reject(new Error(`ended without ${JSON.stringify(text)}:\n${output.stderr}`)));
    });

  return { pid: child.pid ?? 0, ended, said, printed: () => output.stdout, kill: (signal) => void child.kill(signal) };
}

/**
 * Runs the command to its end, from the sources and in the test's own process, because starting processes would take most of the
 * time of the tests. With `ZONEFORM_BUILT=1` (`npm run test:full`) it runs the built command as a process.
 */
export function run(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  return IS_BUILT || needsProcess(surroundings) ? runBuilt(args, surroundings) : runHere(args, surroundings);
}

/** Whether the command needs a process, for example because Node reads its own variables only at its start. */
function needsProcess({ through, main, env = {} }: Surroundings): boolean {
  return through !== undefined || main !== undefined || Object.keys(env).some((name) => name.startsWith("NODE_"));
}

/** Whether commands run as processes, also where their own process does not matter. */
export const IS_BUILT: boolean = process.env["ZONEFORM_BUILT"] === "1";

/** Runs the built command to its end, as a process. */
export function runBuilt(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  return start(args, surroundings).ended;
}

/** Runs the command from the sources in this process, as `cmd/main.ts` does but for what only a process can do. */
export async function runHere(args: readonly string[], { cwd, env = {} }: Surroundings): Promise<Ended> {
  const variables = { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env };
  const redaction = redactionOf(variables);
  const [stdout, stderr] = [collector(), collector()];
  const ends = [stdout, stderr].map(({ stream }) => filterWrites(stream, redaction));
  let code = 0;
  await runInside(
    {
      env: variables,
      cwd,
      stdin: Readable.from([]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      signal: new AbortController().signal,
      redaction,
      done: { isLiveChanged: false },
      exit: (given) => {
        code = given;
      },
    },
    args,
  );
  for (const end of ends) end();
  return withoutStack({ code, signal: null, stdout: stdout.text(), stderr: stderr.text() });
}

/** A stream, and what was written to it. */
function collector(): { stream: Writable; text: () => string } {
  let text = "";
  const stream = new Writable({
    decodeStrings: false,
    write: (piece: string | Uint8Array, _encoding, done) => {
      text += typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8");
      done();
    },
  });
  return { stream, text: () => text };
}

/** Throws if a stack trace was printed. */
function withoutStack(ended: Ended): Ended {
  if (STACK.test(ended.stdout + ended.stderr)) throw new Error(`a stack trace:\n${ended.stderr}`);
  return ended;
}
