import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { logOf, propose, setUp } from "../support/ci/github/world.ts";
import { NO_CI } from "../support/ci/place.ts";
import {
  addComment,
  addEntry,
  addHostnames,
  applyByHand,
  changeOtherZone,
  commitOn,
  created,
  createdMoreThan,
  hashIn,
  hostnameOf,
  MANY,
  removeCustomer,
  setHostname,
  setTotalTls,
  writes,
} from "../support/ci/story.ts";
import { IS_FULL } from "../support/full.ts";
import { openStores } from "../support/postgres-stores.ts";
import { APP, DEV } from "../support/project.ts";
import { HOLDER, ZONE } from "../support/state-world.ts";

/** What GitHub's runner would take for a command, where it stands in a line. */
const HOSTILE = "##[set-output name=approval;]merge";

describe.skipIf(NO_CI)(`the workflows for GitHub, as they are shipped${NO_CI ?? ""}`, () => {
  test("plan a pull request, apply it once it was approved and merged, and report drift in one issue", async () => {
    const world = await setUp();
    const { place, github } = world;
    await commitOn(place, "first", addComment);
    const pull = await github.open("first");
    expect(github.runs.map(({ path, conclusion }) => [path.split("/").at(-1), conclusion])).toEqual([
      ["zoneform-validate.yml", "success"],
      ["zoneform-plan.yml", "success"],
    ]);
    expect(github.statuses).toMatchObject([{ place: pull.head, body: "zoneform plan: success" }]);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toMatch(
      /^<!-- zoneform plan --> Commit \w{40}, merged into main:\n\n<!-- zoneform plan saas-edge -->\n## Plan for project saas-edge: 20 changes in 2 zones\.\n/,
    );
    expect(github.artifacts.map(({ name }) => name)).toEqual([`zoneform-plan-${pull.head}`]);
    const second = await propose(world, "second", addHostnames("new.violin-academy.de"));
    expect(writes(place)).toEqual([]);

    // The hazards of the plan need a reviewer, although its pull request was approved.
    github.approve(pull);
    const run = await github.merge(pull);
    expect(logOf(run)).toContain("A reviewer has to approve its hazards: weakens-protection.\n");
    expect(run.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });

    // While it waits, the next merge waits for it, and the hour takes the place of neither.
    github.approve(second);
    const direct = await github.merge(second);
    const hourly = await github.schedule("zoneform-apply.yml");
    expect(hourly.jobs).toMatchObject({ decide: { status: "success" }, apply: { status: "skipped" } });
    expect(logOf(hourly)).toContain("Nothing to resume: another run is under way, or waits.\n");
    expect([direct.conclusion, direct.jobs]).toEqual([null, {}]);
    expect(writes(place)).toEqual([]);

    // Another merge came in between, and was applied: what was approved is still all that there is to do. Without hazards
    // it is applied at once.
    await github.review(run);
    expect(run.jobs["apply"]?.log).toMatch(
      /^Applied 20 changes in \d+ s: 1 adopted, 3 updated, 15 created, 1 adopted and updated\.$/m,
    );
    expect(run.conclusion).toBe("success");
    expect(logOf(direct)).toContain("another merge came in between: pull request 2 was planned with another main\n");
    expect(direct.jobs["apply"]).toMatchObject({ status: "success", environment: "zoneform-apply" });
    expect(direct.jobs["apply"]?.log).toMatch(/^Applied 1 change in \d+ s: 1 created\.$/m);
    place.emulator.advance(600_000);

    setTotalTls(place, "lets_encrypt");
    for (const time of IS_FULL ? [1, 2] : [1]) {
      const drifted = await github.schedule("zoneform-drift.yml");
      expect([time, drifted.conclusion, drifted.jobs["drift"]?.codes["Look for drift"]]).toEqual([time, "failure", 3]);
    }
    expect(github.issues).toMatchObject([{ place: "The edge has drifted [zoneform-drift]" }]);
    expect(github.issues[0]?.body).toContain("      certificate_authority  applied google, now lets_encrypt\n");
    expect(github.refusals).toEqual([]);
  });

  test("are red every hour until what was merged is applied, and let nobody bring back what main has left behind", async () => {
    const world = await setUp();
    const { place, github } = world;
    await applyByHand(place);
    const pull = await propose(world, "app", changeOtherZone);
    github.approve(pull);
    const { secrets } = github.environments["zoneform-apply"] ?? { secrets: {} };
    secrets["CLOUDFLARE_API_TOKEN"] = "revoked-token-of-last-year-0123456789abcd";
    const run = await github.merge(pull);
    expect(run.jobs["apply"]).toMatchObject({ status: "failure", codes: { Apply: 1 } });
    secrets["CLOUDFLARE_API_TOKEN"] = "demo-token";

    // Somebody edits what it would change: it needs a new plan, which the hour does not make. Then the edit is taken back.
    const name = "one.tenant-alpha.com";
    setHostname(place, APP, name, { min_tls_version: "1.3", http2: "off" });
    const stopped = await github.schedule("zoneform-apply.yml");
    expect([stopped.conclusion, stopped.jobs["apply"]?.status]).toEqual(["failure", "skipped"]);
    expect(logOf(stopped)).toContain("The last merge was not applied, and its remaining changes need a new plan");
    setHostname(place, APP, name, { min_tls_version: "1.3" });
    expect(writes(place)).toEqual([]);

    // The service is still busy with that edit, so the change is held. The next hour applies it.
    const held = await github.schedule("zoneform-apply.yml");
    expect(held.jobs["apply"]?.log).toContain("Applied none of 1 change; 1 held.\n");
    place.emulator.advance(600_000);
    const next = await github.schedule("zoneform-apply.yml");
    expect(next.jobs["apply"]).toMatchObject({ status: "success", environment: "zoneform-apply" });
    expect(next.jobs["apply"]?.log).toMatch(/^Applied 1 change in \d+ s: 1 updated\.$/m);
    const last = await github.schedule("zoneform-apply.yml");
    expect(logOf(last)).toContain("Nothing to resume: the last merge was applied.\n");

    // A plan beyond a deletion limit: its hash is printed, it is rejected, and the hour does not ask again.
    place.emulator.requests.reset();
    await commitOn(place, "less", removeCustomer);
    await github.mergeQuietly(await github.openQuietly("less"));
    const first = await github.dispatch("zoneform-apply.yml");
    expect(first.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });
    await github.reject(first);
    expect(logOf(await github.schedule("zoneform-apply.yml"))).toContain("Nothing to resume: a reviewer was asked.\n");
    expect(writes(place)).toEqual([]);
    const lifted = await github.dispatch("zoneform-apply.yml", {
      approve: hashIn(first.jobs["decide"]?.summary ?? ""),
    });
    await github.review(lifted);
    expect(lifted.jobs["apply"]?.log).toMatch(/^Applied 1 change in \d+ s: 1 deleted\.$/m);

    // A run of an older main, or its failed jobs, started again.
    for (const kept of [run.jobs, {}]) {
      run.jobs = kept;
      await github.rerun(run);
      expect(logOf(run)).toContain("main has moved on: an old run does not bring back an old configuration");
      expect(run.conclusion).toBe("failure");
    }
    expect(github.refusals).toEqual([]);
  });

  test.skipIf(!IS_FULL)(
    "go on by themselves after every way in which an apply can be stopped (npm run test:full)",
    async () => {
      const world = await setUp();
      const { place, github } = world;
      await applyByHand(place);
      const pull = await propose(world, "new", addHostnames(...MANY));
      github.approve(pull);
      place.emulator.requests.reset();

      // The credential has expired.
      const { secrets } = github.environments["zoneform-apply"] ?? { secrets: {} };
      secrets["CLOUDFLARE_API_TOKEN"] = "revoked-token-of-last-year-0123456789abcd";
      const run = await github.merge(pull);
      expect(run.jobs["apply"]).toMatchObject({ status: "failure", codes: { Apply: 1 } });
      secrets["CLOUDFLARE_API_TOKEN"] = "demo-token";

      // Somebody applies by hand, and holds the lock.
      const lease = await openStores(place.states.apply).of("saas-edge").lock(ZONE, HOLDER, 0);
      await github.rerun(run);
      expect(run.jobs["apply"]).toMatchObject({ status: "failure", codes: { Apply: 7 } });
      await lease.release();
      expect(writes(place)).toEqual([]);

      // The run is cancelled: GitHub sends SIGINT to the entry process of the step, which is Zoneform itself.
      place.emulator.faults.order({ fault: { kind: "slow", milliseconds: 500 }, method: "POST", count: 8 });
      await github.rerun(run, async (running) => {
        await createdMoreThan(place, 0, running);
        process.kill(running.pid, "SIGINT");
      });
      expect(run.jobs["apply"]).toMatchObject({ status: "failure", codes: { Apply: 130 } });
      expect(run.jobs["apply"]?.log).toContain("stopping after the calls in flight");
      const cancelled = created(place);
      expect(cancelled).toBeLessThan(12);

      // The machine of the runner is gone.
      place.emulator.faults.order({ fault: { kind: "slow", milliseconds: 3000 }, method: "POST", count: 1 });
      await github.rerun(run, async (running) => {
        await createdMoreThan(place, cancelled, running);
        process.kill(-running.pid, "SIGKILL");
      });
      expect(run.jobs["apply"]).toMatchObject({ status: "failure", codes: { Apply: 137 } });

      const next = await github.schedule("zoneform-apply.yml");
      expect(next.jobs["apply"]).toMatchObject({ status: "success", environment: "zoneform-apply" });
      expect(created(place)).toBe(12);
      for (const name of MANY) expect(hostnameOf(place, DEV, name)).toMatchObject({ hostname: name });
      expect(github.refusals).toEqual([]);
    },
  );

  test.skipIf(!IS_FULL)(
    "apply only what was approved where another merge or somebody else's edit came in between (npm run test:full)",
    async () => {
      const world = await setUp();
      const { place, github } = world;
      await applyByHand(place);
      const one = await propose(world, "one", async (at) => {
        await addEntry("one.violin-academy.de")(at);
        await at.edit("edge/zones/saas-dev.yaml", "uploads are scanned behind the edge", JSON.stringify(HOSTILE));
      });
      const two = await propose(world, "two", changeOtherZone);
      for (const pull of [one, two]) github.approve(pull);

      // Another merge came in between that was not applied: nobody approved both together.
      await github.mergeQuietly(one);
      const both = await github.merge(two);
      expect(logOf(both)).toContain("another merge came in between: pull request 2 was planned with another main\n");
      expect(logOf(both)).toContain("the approved plan no longer matches");
      expect(both.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });

      // What others wrote is printed, and the runner takes no line of it for a command.
      expect(logOf(both)).toContain(HOSTILE.slice(1));
      expect(github.commands.filter((line) => line.includes("set-output"))).toEqual([]);

      // While the new plan waits for its reviewer, somebody edits what it would change.
      const name = "one.tenant-alpha.com";
      setHostname(place, APP, name, { min_tls_version: "1.3", http2: "off" });
      await github.review(both);
      expect(both.jobs["apply"]).toMatchObject({ status: "failure", codes: { Apply: 6 } });
      expect(hostnameOf(place, DEV, "one.violin-academy.de")).toMatchObject({ status: "pending" });
      expect(hostnameOf(place, APP, name)).toMatchObject({ ssl: { settings: { http2: "off" } } });
      expect(github.refusals).toEqual([]);
    },
  );

  test("neither plan a fork, nor run what a pull request says about the jobs, nor trust a plan of another job", async () => {
    const world = await setUp();
    const { place, github } = world;
    await commitOn(place, "theirs", addComment);
    await github.open("theirs", "somebody/edge");
    expect(github.runs.map(({ path, conclusion }) => [path.split("/").at(-1), conclusion])).toEqual([
      ["zoneform-validate.yml", "success"],
      ["zoneform-plan.yml", "skipped"],
    ]);
    expect(github.runs[0]?.jobs["validate"]?.summary).toContain("Pull requests from forks are not planned");
    expect([github.comments, github.statuses, github.artifacts]).toEqual([[], [], []]);
    // It stops no plan of a branch of the same name.
    expect(github.last("zoneform-plan.yml").group).toBe("zoneform-plan-somebody/edge-theirs");

    // A link in the place of the project.
    await commitOn(place, "link", async ({ git }) => {
      await git("rm", "--quiet", "-r", "edge");
      await symlink("..", join(git.folder, "edge"));
    });
    await github.openValid("link");
    expect(github.last("zoneform-plan.yml").jobs["plan"]?.codes).toMatchObject({
      "Record what the plan was made for": 1,
    });
    expect(github.last("zoneform-plan.yml").jobs["plan"]?.codes).not.toHaveProperty("Plan");
    expect(github.artifacts).toEqual([]);

    // A pull request that asks for the secrets in its workflow: its run is not on main, so it gets none.
    await commitOn(place, "greedy", async (place) => {
      await addHostnames("new.violin-academy.de")(place);
      await place.edit(
        ".github/workflows/zoneform-validate.yml",
        "    runs-on:",
        "    environment: zoneform-apply\n    runs-on:",
      );
    });
    const pull = await github.open("greedy");
    expect(github.last("zoneform-validate.yml").jobs["validate"]).toMatchObject({
      status: "failure",
      log: "refs/pull/3/merge may not use zoneform-apply",
    });
    expect(github.last("zoneform-plan.yml").conclusion).toBe("skipped");

    // What was uploaded under the name of a plan, by a run of something else or with another content, is not applied.
    await place.git("checkout", "--quiet", "greedy");
    await place.git("checkout", "--quiet", "main", "--", ".github");
    await place.commit("without greed");
    await place.git("checkout", "--quiet", "main");
    const honest = await github.open("greedy");
    expect(honest.head).not.toBe(pull.head);
    const [artifact] = github.artifacts;
    if (!artifact) throw new Error("there is no plan");
    const { run, digest } = artifact;
    // Somebody approved the commit before it.
    github.approve({ ...honest, head: pull.head });
    const merged = await github.merge(honest);
    expect(merged.jobs["decide"]?.log).toContain(`commit ${honest.head}, the head of pull request`);
    expect(merged.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });

    artifact.digest = digest.replace(/.{8}$/, "00000000");
    github.approve(honest);
    merged.jobs = {};
    await github.rerun(merged);
    expect(merged.jobs["decide"]).toMatchObject({ status: "failure", codes: { "Find the approved plan": 1 } });
    artifact.digest = digest;
    artifact.run = github.last("zoneform-validate.yml").id;
    await github.rerun(merged);
    expect(merged.jobs["decide"]?.log).toContain(`of run ${artifact.run}, was not made by the trusted job`);
    expect(merged.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });

    // A plan that was made after the approval is not what was approved.
    artifact.run = run;
    artifact.createdAt = place.tick();
    merged.jobs = {};
    await github.rerun(merged);
    expect(merged.jobs["decide"]?.log).toContain(
      "there is no plan of pull request 4 that was made before it was approved",
    );
    expect(merged.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });
    expect(writes(place)).toEqual([]);
  });
});
