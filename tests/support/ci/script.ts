import { spawn } from "node:child_process";

/** A script that runs. */
export interface RunningScript {
  /** Its entry process, which is also the group of all that it starts. */
  readonly pid: number;
  readonly ended: Promise<EndedScript>;
}

/** How a script ended. */
export interface EndedScript {
  /** Its exit code; 128 and the number of the signal if one ended it. */
  readonly code: number;
  /** What it printed to both of its streams. */
  readonly output: string;
}

const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Starts bash in a process group of its own. Standard input is the text; what is not in `env` is not there. */
export function startScript(
  flags: readonly string[],
  { cwd, env, input = "" }: { cwd: string; env: Readonly<Record<string, string>>; input?: string },
): RunningScript {
  const child = spawn("bash", flags, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  }
  // A script that ends before it has read everything is none of our business.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<EndedScript>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code: code ?? 128 + (SIGNALS[signal ?? ""] ?? 0), output });
    });
  });
  return { pid: child.pid ?? 0, ended };
}

/** Looks on while a step runs, and may send it signals. */
export type Onlooker = (running: RunningScript) => Promise<void>;
