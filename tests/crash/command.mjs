// Starts the built command as a process.
import { spawn } from "node:child_process";
import { resolve } from "node:path";

const MAIN = resolve(import.meta.dirname, "../../dist/zoneform.js");

/** A command that takes longer is taken to hang. It is killed, and what waits for it fails. */
const LIMIT_MILLISECONDS = 300_000;

/** These turn off optimisation, of the HTTP parser too: our commands end before it pays off. */
const NODE_FLAGS = ["--no-opt", "--liftoff-only"];

/** The command line of zoneform with these arguments. */
export function commandLine(args) {
  return [process.execPath, ...NODE_FLAGS, MAIN, ...args];
}

/** Starts a command line without this machine's environment. `ended` resolves to its code, signal and output. */
export function start([program, ...args], { cwd, env }) {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C then reaches only the script, which decides when its commands end.
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
