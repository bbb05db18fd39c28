import type { CommonOptions } from "./flags.ts";
import type { Readable, Writable } from "node:stream";
import { EXIT, type ExitCode } from "../lib/core/exit-code.ts";
import type { Redaction } from "../lib/core/redaction.ts";
import type { Complete, Printing } from "../lib/report/printers/text.ts";
import { completeCommand, type Where } from "./printed-commands.ts";

/**
 * What a command gets from outside: streams, environment, folder. They are parameters so that tests can run commands.
 */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** The secrets of this process. The streams above already hide them. */
  readonly redaction: Redaction;
  /** Closes something once the command has ended, however it ended. */
  readonly atEnd: (close: () => Promise<void>) => void;
  /** What this process did: as long as it has changed nothing live, it may exit with 1. */
  readonly done: { isLiveChanged: boolean };
  /** Sets the exit code of the process. */
  exit(code: number): void;
}

/** The exit code of an error: 1 promises that nothing live was changed (docs/semantics.md#exit-codes). */
export function errorExit({ done }: Pick<Context, "done">): ExitCode {
  return done.isLiveChanged ? EXIT.partial : EXIT.error;
}

/**
 * Makes the action of a command. It gets a function that loads the command's code when it is called, and turns what
 * that throws into an exit code.
 */
export type Run = <Arguments extends readonly unknown[]>(
  door: () => Promise<(context: Context, ...given: Arguments) => Promise<void>>,
) => (...given: Arguments) => Promise<void>;

/** What the process provides; each command gets its own context from it. */
export type Surroundings = Omit<Context, "atEnd">;

/** A stream that may be a terminal. */
type Sink = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Whether to colour output on a stream (docs/terminal.md#colour); standard output by default. */
function isColoured({ stdout, env }: Context, { color }: CommonOptions, stream: Sink = stdout): boolean {
  return color && wantsColour(env, stream.isTTY === true);
}

/** If a terminal reports fewer columns than this, it is assumed to be wrong. */
const NARROWEST_COLUMNS = 40;

/** The width of a terminal that does not report one. */
const USUAL_COLUMNS = 80;

/** The width of a stream; absent if it is no terminal. */
export function columnsOf({ isTTY, columns = 0 }: Sink): { columns?: number } {
  if (isTTY !== true) return {};
  return { columns: columns >= NARROWEST_COLUMNS ? columns : USUAL_COLUMNS };
}

/** How to print on a stream: as wide as the terminal, and unwrapped for logs and files; standard output by default. */
export function printingOn(
  context: Context,
  options: CommonOptions & Where & { readonly full?: boolean },
  stream: Sink = context.stdout,
): Printing & { readonly complete: Complete } {
  return {
    colour: isColoured(context, options, stream),
    ...columnsOf(stream),
    isFull: options.full === true,
    complete: completing(options),
  };
}

/** Completes printed commands with the place where this one found its project and its service. */
export function completing(where: Where): Complete {
  return (command) => completeCommand(command, where);
}

/** Writes a text and ends its last line. */
export function print(stream: Writable, text: string): void {
  stream.write(text.endsWith("\n") ? text : `${text}\n`);
}

/**
 * Whether the environment asks for colour, without `--no-color`. The first variable that is set decides: NO_COLOR,
 * FORCE_COLOR, CLICOLOR_FORCE, TERM=dumb, CLICOLOR; without any, a terminal is coloured (docs/terminal.md#colour).
 */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM, CLICOLOR } = env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (CLICOLOR_FORCE !== undefined && CLICOLOR_FORCE !== "0") return true;
  if (TERM === "dumb" || CLICOLOR === "0") return false;
  return isTerminal;
}
