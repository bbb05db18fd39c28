#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import type { Surroundings } from "./context.ts";
import { watchOutput, filterWrites } from "./streams.ts";
import { redactionOf } from "../lib/real/credential-redaction.ts";
import { run } from "./program.ts";

const INTERRUPTED = 130;

// A command runs for seconds. By default the V8 of Node 20 spends more time on optimising its code than that saves;
// later versions have another flag and less need of it (docs/dependencies.md#node).
if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=500000");

// With --debug, stack traces name the sources, not the bundle.
if (process.argv.includes("--debug")) process.setSourceMapsEnabled(true);

const controller = new AbortController();

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort(new Error("interrupted"));
  });
}

// Exceeding a limit on the size of files should be an error of that write, like a full disk, and not end the process.
process.on("SIGXFSZ", () => undefined);

const done = { isLiveChanged: false };
watchOutput(process, done);

// Everything that is printed goes through this; at the very end it writes an unfinished line that still waits.
const redaction = redactionOf(process.env);
for (const stream of [process.stdout, process.stderr]) {
  process.on("exit", filterWrites(stream, redaction));
}

// Node would print an uncaught error past the filtered streams, with every secret in it.
process.on("uncaughtException", (thrown: unknown) => {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const stack = process.argv.includes("--debug") && thrown instanceof Error ? `${thrown.stack ?? ""}\n` : "";
  process.stderr.write(`${stack}error: unexpected failure (${JSON.stringify(message)})\n`);
  process.exit(1);
});

const context: Surroundings = {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
  redaction,
  done,
  exit: (code) => {
    process.exitCode = code;
  },
};

await run(context, process.argv.slice(2));
