import { appendFile, cp, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitAll, git } from "../support/git.ts";
import { appliedWorlds, DEV, freshWorld, type World } from "../support/project.ts";

const appliedWorld = appliedWorlds();

/** Rows of the example's source, and the same with another origin. */
const NORTHWIND = "www.northwind-books.com,gold,,eu";
const HARBOUR = "status.harbour-coffee.com,silver,,us";
const atOrigin = (row: string): string => row.replace(",,", ",pool-us.saas.dev,");

/** A repository with the example in it, applied and committed as `main`. */
async function repository(world?: World): Promise<World> {
  const made = world ?? (await appliedWorld());
  await writeFile(join(made.folder, ".gitignore"), ".zoneform/\nservice.json\n*.zfplan\n");
  git(made.folder, "init", "--quiet", "--initial-branch=main");
  commitAll(made.folder, "the project");
  return made;
}

/** The same, with a change on `main` that nobody applied, and a branch for the test's own changes. */
async function withPendingChange(): Promise<World> {
  const world = await repository();
  await world.edit("data/customers.csv", NORTHWIND, atOrigin(NORTHWIND));
  commitAll(world.folder, "another origin for one customer");
  git(world.folder, "switch", "--quiet", "--create", "feature");
  return world;
}

const limits = (count: number): string =>
  `deletion_limits: { custom_hostname: { percent: 10%, count: ${count} } }\n\ntotal_tls:`;

/** The text without the breaks of its lines. */
function unbroken(text: string): string {
  return text.replaceAll(/\n +/g, " ");
}

function hostname(name: string): string {
  return `saas.dev/custom_hostname["${name}"]`;
}

describe("plan --since", () => {
  test("shows what the branch changes first, and what was pending before below it", async () => {
    const world = await withPendingChange();
    await world.edit("data/customers.csv", HARBOUR, atOrigin(HARBOUR));
    commitAll(world.folder, "the same for another one");
    const { code, stdout, stderr } = await world.zoneform("plan", "--since", "main");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(unbroken(stdout)).toContain(
      "Plan for project saas-edge: 2 changes in zone saas.dev (1 by this branch since main, 1 pending before).",
    );
    const commit = git(world.folder, "rev-parse", "main");
    expect(stdout).toContain(`Compared with main (${commit.slice(0, 12)}).`);
    const places = [
      "~ update status.harbour-coffee.com",
      "Pending before this branch",
      "~ update www.northwind-books.com",
    ];
    const found = places.map((text) => stdout.indexOf(text));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((left, right) => left - right));
  });

  test("makes no other request, and the plan has the same hash and the same file", async () => {
    const world = await withPendingChange();
    await world.edit("data/customers.csv", HARBOUR, atOrigin(HARBOUR));
    const requests = async (...args: string[]): Promise<{ readonly count: number; readonly document: unknown }> => {
      const before = world.emulator.requests.total();
      const { stdout } = await world.zoneform("plan", "--json", ...args);
      return { count: world.emulator.requests.total() - before, document: JSON.parse(stdout) };
    };
    const plain = await requests();
    const compared = await requests("--since", "main", "--out", "plan.zfplan");
    expect(compared.count).toBe(plain.count);
    expect(compared.document).toMatchObject({ hash: Object(plain.document).hash });
    expect(await readFile(join(world.folder, "plan.zfplan"), "utf8")).not.toContain('"since"');
  });

  test("says in JSON of each change whether it was pending before, and of a mixed one which fields", async () => {
    const world = await withPendingChange();
    await world.edit(
      "zones/saas-dev.yaml",
      "certificate_authority: google } }",
      "certificate_authority: lets_encrypt } }",
    );
    await world.edit("data/customers.csv", HARBOUR, atOrigin(HARBOUR));
    const { stdout } = await world.zoneform("plan", "--json", "--since", "main");
    const { since, zones } = JSON.parse(stdout);
    const { changes } = zones.find(({ zone }: { zone: { id: string } }) => zone.id === DEV);
    const parts = Object.fromEntries(
      changes.map((each: { address: string; since: unknown }) => [each.address, each.since]),
    );
    expect(parts[hostname("www.northwind-books.com")]).toEqual({
      part: "both",
      branch: ["ssl.certificate_authority"],
      pending: ["custom_origin_server"],
    });
    expect(parts[hostname("status.harbour-coffee.com")]).toEqual({ part: "branch" });
    expect(since).toMatchObject({
      ref: "main",
      commit: git(world.folder, "rev-parse", "main"),
      is_behind: false,
      counts: { both: 1, pending: 0 },
    });
    const text = unbroken((await world.zoneform("plan", "--since", "main")).stdout);
    expect(text).toContain("by this branch: ssl.certificate_authority; pending before: custom_origin_server");
  });

  test("the hazards of the branch come first, and drift was pending before", async () => {
    const world = await repository();
    await world.edit("zones/saas-dev.yaml", 'min_tls_version: "1.3", http2', 'min_tls_version: "1.2", http2');
    commitAll(world.folder, "older clients");
    git(world.folder, "switch", "--quiet", "--create", "feature");
    world.dashboard(DEV, "POST", "acm/total_tls", { enabled: true, certificate_authority: "lets_encrypt" });
    await world.edit("zones/saas-dev.yaml", '"/upload"', '"/"');
    // It also changes one of the hostnames, but not what is dangerous about it.
    await world.edit("data/customers.csv", NORTHWIND, atOrigin(NORTHWIND));
    const { stdout } = await world.zoneform("plan", "--since", "main");
    const places = [
      "(2 by this branch since main, ",
      "Hazards of this branch: 1 weakens-protection",
      "Hazards pending before this branch: 4 weakens-protection",
      "~ change rule #1",
      "\nPending before this branch: saas.dev\n",
      "~ update 3 hostnames, DANGER (config)",
      "certificate_authority  lets_encrypt -> google",
    ];
    const found = places.map((text) => stdout.indexOf(text));
    expect(found, stdout).not.toContain(-1);
    expect(found, stdout).toEqual(found.toSorted((left, right) => left - right));
  });

  test("a deletion that the branch allows is the branch's, although it was pending and blocked before", async () => {
    const world = await repository();
    await world.edit("data/customers.csv", /^(?:portal\.alpine|track\.meridian).*\n/gm, "");
    await world.edit("zones/saas-dev.yaml", "total_tls:", limits(1));
    commitAll(world.folder, "two customers less");
    git(world.folder, "switch", "--quiet", "--create", "feature");
    const before = await world.zoneform("plan", "--since", "main");
    expect(unbroken(before.stdout)).toContain("(none by this branch since main, all pending before)");
    await world.edit("zones/saas-dev.yaml", "count: 1", "count: 25");
    await world.edit("zones/saas-dev.yaml", "percent: 10%", "percent: 50%");
    commitAll(world.folder, "a higher limit");
    const { stdout } = await world.zoneform("plan", "--since", "main");
    expect(unbroken(stdout)).toContain(
      "Plan for project saas-edge: 2 changes in zone saas.dev (all by this branch since main)",
    );
    expect(stdout).toContain("Hazards of this branch: 2 outage\n");
  });

  test("compares with the last common commit, and says that the revision has newer ones", async () => {
    const world = await withPendingChange();
    git(world.folder, "switch", "--quiet", "main");
    await world.edit("data/customers.csv", HARBOUR, atOrigin(HARBOUR));
    commitAll(world.folder, "main goes on");
    git(world.folder, "switch", "--quiet", "feature");
    const { stdout } = await world.zoneform("plan", "--since", "main");
    const text = unbroken(stdout);
    expect(text).toContain("1 change in zone saas.dev (none by this branch since main, all pending before).");
    const base = git(world.folder, "merge-base", "HEAD", "main").slice(0, 12);
    expect(text).toContain(`Compared with ${base}, the last commit that this branch has in common with main.`);
    expect(text).toContain("main has newer commits");
  });

  test("a change that the branch takes back is no longer planned", async () => {
    const world = await withPendingChange();
    await world.edit("data/customers.csv", HARBOUR, atOrigin(HARBOUR));
    commitAll(world.folder, "the same for another one");
    await world.edit("data/customers.csv", atOrigin(HARBOUR), HARBOUR.replace(",,", ",fallback.saas.dev,"));
    const taken = await world.zoneform("plan", "--json", "--since", "HEAD");
    expect(JSON.parse(taken.stdout).since.counts).toEqual({ branch: 1, both: 0, pending: 1 });
    await world.edit("data/customers.csv", HARBOUR.replace(",,", ",fallback.saas.dev,"), HARBOUR);
    const { stdout } = await world.zoneform("plan", "--json", "--since", "HEAD");
    expect(JSON.parse(stdout).since).toMatchObject({
      counts: { branch: 0, both: 0, pending: 1 },
      no_longer_planned: [hostname("status.harbour-coffee.com")],
    });
    expect(unbroken((await world.zoneform("plan", "--since", "HEAD")).stdout)).toContain(
      "1 change that was pending before is no longer planned: status.harbour-coffee.com",
    );
  });

  test("a zone that only the branch has is all of the branch, and one that only the revision has is no error", async () => {
    const world = await repository(await freshWorld());
    git(world.folder, "switch", "--quiet", "--create", "feature");
    await rename(join(world.folder, "zones/saas-app.yaml"), join(world.folder, "app.yaml"));
    const only = JSON.parse((await world.zoneform("plan", "--json", "--since", "main")).stdout);
    expect(only.since.counts).toMatchObject({ branch: 0, both: 0 });
    commitAll(world.folder, "one zone");
    await rename(join(world.folder, "app.yaml"), join(world.folder, "zones/saas-app.yaml"));
    const again = JSON.parse((await world.zoneform("plan", "--json", "--since", "HEAD")).stdout);
    for (const { zone, changes } of again.zones) {
      const parts = new Set(changes.map(({ since }: { since: { part: string } }) => since.part));
      expect([...parts]).toEqual([zone.id === DEV ? "pending" : "branch"]);
    }
  });

  test("a project that the commit does not have is all of the branch", async () => {
    const world = await freshWorld();
    await mkdir(join(world.folder, "edge"));
    for (const name of ["zoneform.yaml", "zones", "profiles", "data"])
      await rename(join(world.folder, name), join(world.folder, "edge", name));
    git(world.folder, "init", "--quiet", "--initial-branch=main");
    git(world.folder, "commit", "--quiet", "--allow-empty", "--message", "nothing");
    const { stdout } = await world.zoneform("plan", "--config", "edge/zoneform.yaml", "--since", "HEAD");
    expect(unbroken(stdout)).toContain("(all by this branch since HEAD)");
    expect(unbroken(stdout)).toContain("That commit has no such project, so every change is by this branch.");
  });

  test("finds the repository of the project, also in a hook, for which git names one", async () => {
    const world = await withPendingChange();
    await mkdir(join(world.folder, "edge"));
    for (const name of ["zoneform.yaml", "zones", "profiles", "data", ".zoneform"])
      await rename(join(world.folder, name), join(world.folder, "edge", name));
    commitAll(world.folder, "in a folder");
    const args = ["plan", "--json", "--config", "edge/zoneform.yaml", "--since", "HEAD"];
    const { stdout } = await world.zoneformWith({ GIT_DIR: join(world.folder, ".git") }, ...args);
    expect(JSON.parse(stdout).since).toMatchObject({
      is_new_project: false,
      counts: { branch: 0, both: 0, pending: 1 },
    });
  });

  test("the comment of a pull request has both parts, and a hostile name of a branch is inert", async () => {
    const world = await withPendingChange();
    const name = "x`</details>@all";
    git(world.folder, "branch", name, "main");
    await world.edit("data/customers.csv", HARBOUR, atOrigin(HARBOUR));
    const { code } = await world.zoneform("plan", "--since", name, "--report", "markdown=comment.md");
    expect(code).toBe(0);
    const comment = await readFile(join(world.folder, "comment.md"), "utf8");
    expect(comment.indexOf("status.harbour-coffee.com")).toBeLessThan(
      comment.indexOf("### Pending before this branch: saas.dev"),
    );
    expect(comment.indexOf("### Pending before this branch: saas.dev")).toBeLessThan(
      comment.indexOf("northwind-books.com"),
    );
    expect(comment).not.toContain("x`</details>");
    expect(comment).not.toContain("@all");
  });

  test("a source of the command line that git does not have is the same for both", async () => {
    const world = await withPendingChange();
    await cp(join(world.folder, "data/customers.csv"), join(world.folder, "export.csv"));
    await appendFile(join(world.folder, ".gitignore"), "export.csv\n");
    await writeFile(
      join(world.folder, "export.csv"),
      (await readFile(join(world.folder, "export.csv"), "utf8")).replace(HARBOUR, atOrigin(HARBOUR)),
    );
    const { stdout } = await world.zoneform("plan", "--json", "--since", "main", "--source", "customers=export.csv");
    expect(JSON.parse(stdout).since.counts).toEqual({ branch: 0, both: 0, pending: 2 });
  });

  test("follows links inside of the repository", async () => {
    const world = await withPendingChange();
    await rename(join(world.folder, "data/customers.csv"), join(world.folder, "data/all.csv"));
    await symlink("all.csv", join(world.folder, "data/customers.csv"));
    commitAll(world.folder, "a link");
    const { stdout } = await world.zoneform("plan", "--json", "--since", "HEAD");
    expect(JSON.parse(stdout).since.counts).toEqual({ branch: 0, both: 0, pending: 1 });
  });
});

describe("plan --since says what to do, before it calls the service,", () => {
  async function refused(world: World, ref: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, stdout, stderr } = await world.zoneformWith(env, "plan", "--since", ref);
    expect({ code, stdout, requests: world.emulator.requests.total() }).toEqual({ code: 1, stdout: "", requests: 0 });
    return unbroken(stderr);
  }

  test("outside of a repository", async () => {
    const said = await refused(await freshWorld(), "main", { GIT_CEILING_DIRECTORIES: "/" });
    expect(said).toMatch(/error: git failed in ".*": .*not a git repository.* \[git-failed\]/);
    expect(said).toContain("run the command in a checkout of the repository, or leave out --since");
  });

  test("without git", async () => {
    const said = await refused(await repository(await freshWorld()), "main", { PATH: "/nowhere" });
    expect(said).toContain("--since needs git, and there is none on the PATH [git-missing]");
  });

  test("for an unknown revision, with the command that fetches it", async () => {
    const world = await repository(await freshWorld());
    expect(await refused(world, "nothing")).toContain('git knows no commit "nothing" [unknown-revision]');
    git(world.folder, "remote", "add", "origin", "/nowhere");
    expect(await refused(world, "origin/main")).toContain(
      "git fetch origin '+refs/heads/main:refs/remotes/origin/main'",
    );
    git(world.folder, "update-ref", "refs/remotes/origin/release", "HEAD");
    expect(await refused(world, "release")).toContain("did you mean origin/release?");
  });

  test("for a revision that looks like a flag, which git gets as a name", async () => {
    const world = await repository(await freshWorld());
    const { code, stderr } = await world.zoneform("plan", "--since=--output=stolen");
    expect(code).toBe(1);
    expect(stderr).toContain("[unknown-revision]");
    await expect(readFile(join(world.folder, "stolen"))).rejects.toThrow("ENOENT");
  });

  test("in a shallow clone, which lacks the common commit", async () => {
    const world = await repository(await freshWorld());
    git(world.folder, "switch", "--quiet", "--create", "feature");
    commitAll(world.folder, "one more");
    const away = join(world.folder, "../", `${world.folder.split("/").at(-1)}-origin`);
    await cp(world.folder, away, { recursive: true });
    try {
      await rm(join(world.folder, ".git"), { recursive: true });
      git(world.folder, "init", "--quiet", "--initial-branch=none");
      git(world.folder, "remote", "add", "origin", `file://${away}`);
      git(world.folder, "fetch", "--quiet", "--depth=1", "origin");
      git(world.folder, "reset", "--quiet", "--hard", "origin/feature");
      const said = await refused(world, "origin/main");
      expect(said).toContain('HEAD and "origin/main" have no commit in common here [no-common-commit]');
      const command = "git fetch --unshallow origin '+refs/heads/main:refs/remotes/origin/main'";
      expect(said).toContain(command);
      git(world.folder, "fetch", "--quiet", "--unshallow", "origin", "+refs/heads/main:refs/remotes/origin/main");
      expect((await world.zoneform("plan", "--since", "origin/main")).code).toBe(0);
    } finally {
      await rm(away, { recursive: true });
    }
  });

  test("for errors of the earlier configuration, with their places in that commit", async () => {
    const world = await freshWorld();
    const yaml = await readFile(join(world.folder, "zones/saas-dev.yaml"), "utf8");
    await world.edit("zones/saas-dev.yaml", "foreign: report", "foreign: reprot");
    await repository(world);
    await writeFile(join(world.folder, "zones/saas-dev.yaml"), yaml);
    const said = await refused(world, "HEAD");
    const commit = git(world.folder, "rev-parse", "--short=12", "HEAD");
    expect(said).toMatch(new RegExp(`${commit}:zones/saas-dev.yaml:\\d+:\\d+: error: `));
    expect(said).toContain(
      `the configuration of ${commit} has errors, so --since HEAD cannot say what was pending before`,
    );
  });

  test("for a source that git does not have", async () => {
    const world = await freshWorld();
    await writeFile(join(world.folder, ".gitignore"), "data/\n.zoneform/\n");
    git(world.folder, "init", "--quiet", "--initial-branch=main");
    commitAll(world.folder, "without the data");
    const said = await refused(world, "HEAD");
    expect(said).toContain('there is no file "data/customers.csv"');
    expect(said).toContain("a source that git does not have is read with --source NAME=FILE");
  });
});
