import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { program } from "../../cmd/program.ts";
import { redactionOf } from "../../lib/real/credential-redaction.ts";

/** The program for tests of its flags and help: without an environment, and with streams that nobody reads. */
export function programAlone(words: readonly string[] = []): Command {
  return program(
    {
      env: {},
      cwd: "/",
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      signal: new AbortController().signal,
      redaction: redactionOf({}),
      done: { isLiveChanged: false },
      exit: () => undefined,
    },
    words,
  );
}
