import { execFile, execFileSync } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { onTestFinished } from "vitest";
import { type Emulator, parseSeed, startEmulator } from "../../../lib/emulator.ts";
import { MAIN, ROOT } from "../command.ts";
import { NO_POSTGRES } from "../postgres-server.ts";
import { serverAddress } from "../postgres-stores.ts";

const execute = promisify(execFile);

/** What the scripts of the examples call, beside Zoneform. */
const PROGRAMS = ["bash", "curl", "git", "jq", "unzip", "zip"];

/** Why the examples are not run, for the title of their tests; undefined if they are. */
export const NO_CI: string | undefined =
  NO_POSTGRES ?? (PROGRAMS.every(isThere) ? undefined : `, skipped: one of ${PROGRAMS.join(", ")} is missing`);

/** Somebody who writes to the repository. */
export interface Git {
  /** Runs git, and gives what it prints without the last line end. */
  (...args: readonly string[]): Promise<string>;
  readonly folder: string;
}

/** A repository with the example project in `edge`, its zones, and a database for its states. */
export interface Place {
  /** Removed with the test. */
  readonly folder: string;
  /** The repository of the host. */
  readonly origin: string;
  /** A clone, in which people work. */
  readonly git: Git;
  readonly emulator: Emulator;
  /** The addresses of the states, for a role that only reads and one that applies. */
  readonly states: { readonly read: string; readonly apply: string };
  /** Seconds of the host's clock: each look at it is a second later, so that no two events are at once. */
  readonly tick: () => string;
  /** The environment that a machine of the host gives to every job, with these programs first on its path. */
  readonly machine: (tools: readonly string[]) => Promise<Readonly<Record<string, string>>>;
  /** Changes a file of the clone; the text must be there. */
  readonly edit: (file: string, from: string | RegExp, to: string) => Promise<void>;
  /** Commits everything in the clone, and gives the commit. */
  readonly commit: (message: string) => Promise<string>;
  /** Merges a commit into main as the host does, pushes it, and gives the merge. */
  readonly merge: (head: string, message: string) => Promise<string>;
}

/** Makes a place with these files beside the project, as path and source. */
export async function makePlace(files: Readonly<Record<string, string>>): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-ci-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const seed = parseSeed(await readFile(join(ROOT, "examples/emulator.yaml"), "utf8"));
  const emulator = await startEmulator({ clock: "manual", seed });
  onTestFinished(() => emulator.close());

  let seconds = Date.parse("2026-11-20T08:00:00Z") / 1000;
  const tick = (): string => {
    seconds += 1;
    return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
  };
  const [origin, clone] = [join(folder, "origin.git"), join(folder, "clone")];
  const git: Git = Object.assign(
    async (...args: readonly string[]) => {
      const env = { ...process.env, ...AUTHOR, GIT_AUTHOR_DATE: tick(), GIT_COMMITTER_DATE: tick(), HOME: folder };
      return (await execute("git", args, { cwd: clone, env })).stdout.trimEnd();
    },
    { folder: clone },
  );
  await mkdir(clone);
  await execute("git", ["init", "--quiet", "--bare", "--initial-branch=main", origin]);
  await git("init", "--quiet", "--initial-branch=main");
  await git("remote", "add", "origin", `file://${origin}`);
  await cp(join(ROOT, "examples/saas"), join(clone, "edge"), { recursive: true });
  for (const [path, from] of Object.entries(files)) {
    await mkdir(dirname(join(clone, path)), { recursive: true });
    await cp(join(ROOT, from), join(clone, path));
  }

  const place: Place = {
    folder,
    origin,
    git,
    emulator,
    states: await makeDatabase(),
    tick,
    machine: async (tools) => {
      const bin = await mkdtemp(join(folder, "bin-"));
      for (const tool of tools) await symlink(join(ROOT, "tests/support/ci/tools", tool), join(bin, tool));
      await writeFile(join(bin, "zoneform"), LAUNCHER);
      await chmod(join(bin, "zoneform"), 0o755);
      return {
        PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
        HOME: folder,
        LANG: "C.UTF-8",
        CLOUDFLARE_BASE_URL: emulator.url,
        ZONEFORM_TESTED: join(bin, "zoneform"),
      };
    },
    edit: async (file, from, to) => {
      const path = join(clone, file);
      const before = await readFile(path, "utf8");
      const after = before.replace(from, to);
      if (after === before) throw new Error(`${file} does not hold ${String(from)}`);
      await writeFile(path, after);
    },
    commit: async (message) => {
      await git("add", "--all");
      await git("commit", "--quiet", "--message", message);
      return git("rev-parse", "HEAD");
    },
    merge: async (head, message) => {
      await git("checkout", "--quiet", "main");
      await git("merge", "--quiet", "--no-ff", "--message", message, head);
      await git("push", "--quiet", "origin", "main");
      return git("rev-parse", "HEAD");
    },
  };
  return place;
}

const AUTHOR = {
  GIT_AUTHOR_NAME: "dev",
  GIT_AUTHOR_EMAIL: "dev@example.org",
  GIT_COMMITTER_NAME: "dev",
  GIT_COMMITTER_EMAIL: "dev@example.org",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** Replaced by the process of the command, as the file that npm installs is. */
const LAUNCHER = `#!/usr/bin/env bash\nexec node --no-opt ${JSON.stringify(MAIN)} "$@"\n`;

/** A database of its own with the roles that docs/postgres.md describes. */
async function makeDatabase(): Promise<Place["states"]> {
  const server = new URL(await serverAddress());
  const name = `ci_${crypto.randomUUID().replaceAll("-", "_")}`;
  const within = new URL(`/${name}`, server);
  const page = await readFile(join(ROOT, "docs/postgres.md"), "utf8");
  const [, roles = ""] = /<!-- before the first apply -->\n```sql\n(.*?)```/s.exec(page) ?? [];
  await ask(server, `CREATE DATABASE ${name}`);
  await ask(
    within,
    roles.replaceAll(/zoneform_\w+/g, (role) => `${role}_${name}`),
  );
  const as = (role: string): string => `postgres://zoneform_${role}_${name}@${within.host}/${name}`;
  return { read: as("observe"), apply: as("apply") };
}

async function ask(address: URL, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function isThere(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
