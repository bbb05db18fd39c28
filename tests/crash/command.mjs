// The built command as a process of its own.
import { spawn } from "node:child_process";
import { resolve } from "node:path";

const MAIN = resolve(import.meta.dirname, "../../dist/zoneform.js");

/** A command that takes longer hangs; it is killed, and whatever waits for it fails. */
const LIMIT_MILLISECONDS = 300_000;

/** A command here ends before optimising its code, or the parser of HTTP, could pay off. */
const NODE_FLAGS = ["--no-opt", "--liftoff-only"];

/** The command line, to put behind a program that watches it. */
export function commandLine(args) {
  return [process.execPath, ...NODE_FLAGS, MAIN, ...args];
}

/** Starts a command line; `ended` resolves to code, signal and output. This machine's environment does not get in. */
export function start([program, ...args], { cwd, env }) {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C reaches only the script, which ends its commands as it wants.
    detached: true,
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MILLISECONDS);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece) => {
      printed += piece;
    });
  }
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(limit);
      resolve({ code, signal, printed });
    });
  });
  return { ended, kill: () => child.kill("SIGKILL") };
}
