import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Emulator, parseSeed, startEmulator } from "../../../lib/emulator.ts";
import { IS_BUILT, LAUNCHER, ROOT, runHere } from "../command.ts";
import { IS_FULL } from "../full.ts";
import { NO_POSTGRES } from "../postgres-server.ts";
import { ask, serverAddress } from "../postgres-stores.ts";
import { committer, type Git, gitIn } from "./git.ts";
import { type Program, servePrograms } from "./programs.ts";

/** What the scripts of the examples call, beside Zoneform. */
const PROGRAMS = ["bash", "curl", "git", "jq", "unzip", "zip"];

/** Why the examples are not run, for the title of their tests; undefined if they are. */
export const NO_CI: string | undefined =
  NO_POSTGRES ?? (PROGRAMS.every(isThere) ? undefined : `, skipped: one of ${PROGRAMS.join(", ")} is missing`);

/** Programs that stand first on the path of the jobs. */
const TOOLS = join(ROOT, "tests/support/ci/tools");

/** A clone, in which people work. */
interface Clone extends Git {
  readonly folder: string;
}

/** A repository with the example project in `edge`, its zones, and a database for its states. */
export interface Place {
  /** Removed with the test. */
  readonly folder: string;
  /** The repository of the host. */
  readonly origin: string;
  /** Git in the repository, as the host. */
  readonly host: Git;
  /** Git in a clone, as somebody who works there. */
  readonly git: Clone;
  readonly emulator: Emulator;
  /** The addresses of the states, for a role that only reads and one that applies. */
  readonly states: { readonly read: string; readonly apply: string };
  /** Seconds of the host's clock: each look at it is a second later, so that no two events are at once. */
  readonly tick: () => string;
  /** The environment that a machine of the host gives to every job, with these scripts and programs first on its path. */
  readonly machine: (
    scripts: readonly string[],
    programs: Readonly<Record<string, Program>>,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Changes a file of the clone; the text must be there. */
  readonly edit: (file: string, from: string | RegExp, to: string) => Promise<void>;
  /** Commits everything in the clone, and gives the commit. */
  readonly commit: (message: string) => Promise<string>;
  /** Merges a commit into main as the host does, pushes it, and gives the merge. */
  readonly merge: (head: string, message: string) => Promise<string>;
}

/** Where the command runs that the jobs call: as a process of its own, as they are shipped, or within that of the tests. */
export type Command = "built" | "within";

/** The stories of `npm run test:full` stop the command by signals. */
const USUAL: Command = IS_BUILT || IS_FULL ? "built" : "within";

/** Makes a place whose main branch has the project and these files beside it, as path and source. */
export async function makePlace(files: Readonly<Record<string, string>>, command: Command = USUAL): Promise<Place> {
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
  const as = (name: string) => (): Readonly<Record<string, string | undefined>> => ({
    ...process.env,
    ...committer(name, tick),
    HOME: folder,
  });
  const host = gitIn(origin, as("host"));
  const git: Clone = Object.assign(gitIn(clone, as("dev")), { folder: clone });
  await mkdir(origin);
  await mkdir(clone);
  await writeFile(join(folder, ".gitconfig"), HASTY_GIT);
  await host("init", "--quiet", "--bare", "--initial-branch=main");
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
    host,
    git,
    emulator,
    states: await makeDatabase(),
    tick,
    machine: async (scripts, given) => {
      const bin = await mkdtemp(join(folder, "bin-"));
      const programs = command === "within" ? { ...given, zoneform: runHere } : given;
      if (command === "built") await writeFile(join(bin, "zoneform"), LAUNCHER, { mode: 0o755 });
      for (const name of Object.keys(programs)) await symlink(join(TOOLS, "within"), join(bin, name));
      for (const name of scripts) await symlink(join(TOOLS, name), join(bin, name));
      return {
        TESTS_PORT: String(await servePrograms(programs, folder)),
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
  await place.commit("the project and its jobs");
  await git("push", "--quiet", "origin", "main");
  return place;
}

/** The secrets of each environment, as docs/ci.md says. */
export function secretsOf({ states }: Place): Readonly<Record<string, Record<string, string>>> {
  const write = { CLOUDFLARE_API_TOKEN: "demo-token", ZONEFORM_STATE: states.apply };
  return {
    "zoneform-plan": { CLOUDFLARE_API_TOKEN: "demo-read-only", ZONEFORM_STATE: states.read },
    "zoneform-apply": { ...write },
    "zoneform-apply-reviewed": { ...write },
  };
}

/** What git may leave out in a folder that is removed with the test: it syncs nothing, and tidies nothing up. */
const HASTY_GIT =
  "[core]\n\tfsync = none\n[maintenance]\n\tauto = false\n[receive]\n\tautogc = false\n[fetch]\n\tunpackLimit = 1\n";

/** A database of its own with the roles that docs/postgres.md describes. */
async function makeDatabase(): Promise<Place["states"]> {
  const server = new URL(await serverAddress());
  const name = `ci_${crypto.randomUUID().replaceAll("-", "_")}`;
  const within = new URL(`/${name}`, server);
  const page = await readFile(join(ROOT, "docs/postgres.md"), "utf8");
  const [, roles = ""] = /<!-- before the first apply -->\n```sql\n(.*?)```/s.exec(page) ?? [];
  await ask(server.href, `CREATE DATABASE ${name}`);
  await ask(
    within.href,
    roles.replaceAll(/zoneform_\w+/g, (role) => `${role}_${name}`),
  );
  const as = (role: string): string => `postgres://zoneform_${role}_${name}@${within.host}/${name}`;
  return { read: as("observe"), apply: as("apply") };
}

function isThere(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
