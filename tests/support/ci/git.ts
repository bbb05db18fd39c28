import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs git, and gives what it prints without the last line end. */
export type Git = (...args: readonly string[]) => Promise<string>;

/** Git in a folder, each time with the environment of that moment. */
export function gitIn(folder: string, env: () => Readonly<Record<string, string | undefined>>): Git {
  return async (...args) => (await execute("git", args, { cwd: folder, env: env() })).stdout.trimEnd();
}

/** Somebody who commits, at a moment. */
export function committer(name: string, at: () => string): Readonly<Record<string, string>> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: `${name}@example.org`,
    GIT_AUTHOR_DATE: at(),
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: `${name}@example.org`,
    GIT_COMMITTER_DATE: at(),
    GIT_CONFIG_NOSYSTEM: "1",
  };
}
