import { execFileSync } from "node:child_process";

/** Nothing of this machine's settings, and always the same author and time. */
const SETTINGS = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A. Author",
  GIT_AUTHOR_EMAIL: "author@example.com",
  GIT_AUTHOR_DATE: "2026-11-01T12:00:00Z",
  GIT_COMMITTER_NAME: "A. Author",
  GIT_COMMITTER_EMAIL: "author@example.com",
  GIT_COMMITTER_DATE: "2026-11-01T12:00:00Z",
} as const;

/** Runs git in a folder and returns its output. Throws if it fails. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, ...SETTINGS };
  return execFileSync("git", args, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** Commits every file of a folder. */
export function commitAll(folder: string, message: string): void {
  git(folder, "add", "--all", ".");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", message);
}
