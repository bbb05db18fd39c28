import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { propose, setUp } from "../support/ci/gitlab/world.ts";
import { NO_CI } from "../support/ci/place.ts";
import {
  addComment,
  addEntry,
  addHostnames,
  applyByHand,
  changeOtherZone,
  changeTotalTls,
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
import { ROOT } from "../support/command.ts";
import { IS_FULL } from "../support/full.ts";
import { openStores } from "../support/postgres-stores.ts";
import { APP, DEV } from "../support/project.ts";
import { HOLDER, ZONE } from "../support/state-world.ts";

describe.skipIf(NO_CI)(`the jobs for GitLab, as they are shipped${NO_CI ?? ""}`, () => {
  test("plan a merge request, apply it once it was approved and merged, and report drift in an issue", async () => {
    const world = await setUp("built");
    const { place, gitlab } = world;
    await applyByHand(place);
    const request = await propose(world, "new", addHostnames("new.violin-academy.de"));
    expect(gitlab.notes).toHaveLength(1);
    expect(gitlab.notes[0]?.body).toMatch(
      /^<!-- zoneform plan --> Commit \w{40}, merged into main:\n\n<!-- zoneform plan saas-edge -->\n## Plan for project saas-edge: 1 change in zone saas\.dev\.\n/,
    );
    expect(writes(place)).toEqual([]);
    gitlab.approve(request);
    const { jobs } = await gitlab.merge(request);
    expect(jobs["apply"]?.log).toMatch(/^Applied 1 change in \d+ s: 1 created\.$/m);
    expect(jobs).toMatchObject({ apply: { status: "success" }, "apply-reviewed": { status: "manual" } });

    // Beyond a deletion limit there is no plan to approve: a new one waits, and its hash lifts the limit.
    await commitOn(place, "less", removeCustomer);
    const less = await gitlab.open("less");
    expect(less.pipeline.jobs).toMatchObject({ plan: { status: "failed", code: 4 } });
    place.emulator.requests.reset();
    const beyond = await gitlab.merge(less.request);
    expect(beyond.jobs).toMatchObject({
      apply: { status: "warning", code: 75 },
      "apply-reviewed": { status: "manual" },
    });
    expect(beyond.jobs["apply"]?.log).toContain(
      "this plan is new, and somebody has to approve it: start the job apply-reviewed\n",
    );
    expect(writes(place)).toEqual([]);
    gitlab.variables["ZONEFORM_APPROVE"] = hashIn(beyond.jobs["apply"]?.artifacts["plan/plan.md"] ?? "");
    const reviewed = await gitlab.play(beyond, "apply-reviewed");
    expect(reviewed.log).toMatch(/^Applied 1 change in \d+ s: 1 deleted\.$/m);

    setTotalTls(place, "lets_encrypt");
    expect((await gitlab.schedule()).jobs).toMatchObject({ drift: { status: "failed", code: 3 } });
    expect(gitlab.issues).toMatchObject([{ place: "The edge has drifted [zoneform-drift]" }]);
    expect(gitlab.issues[0]?.body).toContain("      certificate_authority  applied google, now lets_encrypt\n");
  });

  test.skipIf(!IS_FULL)(
    "wait for a person if there are hazards, and keep one comment and one issue (npm run test:full)",
    async () => {
      const world = await setUp();
      const { place, gitlab } = world;
      const request = await propose(world, "first", addComment);
      gitlab.approve(request);
      const pipeline = await gitlab.merge(request);
      expect(pipeline.jobs).toMatchObject({
        apply: { status: "warning", code: 75 },
        "apply-reviewed": { status: "manual" },
      });
      expect(pipeline.jobs["apply"]?.log).toContain(
        "the plan was approved in merge request 1, and somebody has to approve its hazards: weakens-protection: start the job apply-reviewed\n",
      );
      expect(writes(place)).toEqual([]);
      const reviewed = await gitlab.play(pipeline, "apply-reviewed");
      expect(reviewed.log).toMatch(
        /^Applied 20 changes in \d+ s: 1 adopted, 3 updated, 15 created, 1 adopted and updated\.$/m,
      );
      expect(reviewed.status).toBe("success");
      place.emulator.advance(600_000);

      expect((await gitlab.schedule()).jobs).toMatchObject({ drift: { status: "success" } });
      setTotalTls(place, "lets_encrypt");
      for (const time of [1, 2]) {
        const { jobs } = await gitlab.schedule();
        expect([time, jobs["drift"]?.code]).toEqual([time, 3]);
      }
      expect(gitlab.issues).toHaveLength(1);
    },
  );

  test("neither plan a fork nor run what a branch says about the jobs", async () => {
    const world = await setUp();
    const { place, gitlab } = world;
    await commitOn(place, "theirs", async ({ edit, git }) => {
      await edit("edge/zoneform.yaml", /$/, "# theirs\n");
      await git("rm", "--quiet", "--cached", ".gitlab/CODEOWNERS");
    });
    const { pipeline } = await gitlab.open("theirs", "77");
    expect(Object.keys(pipeline.jobs)).toEqual(["validate"]);
    expect(pipeline.jobs["validate"]?.secrets).toEqual([]);
    expect(gitlab.notes).toEqual([]);

    // A link in the place of the project.
    await commitOn(place, "link", async ({ git }) => {
      await git("rm", "--quiet", "-r", "edge");
      await mkdir(join(git.folder, "other"));
      await cp(join(ROOT, "examples/saas"), join(git.folder, "other"), { recursive: true });
      await symlink("other", join(git.folder, "edge"));
    });
    const { jobs } = (await gitlab.open("link")).pipeline;
    expect(jobs["plan"]).toMatchObject({ status: "failed", log: "edge is no folder\n", artifacts: {} });
  });

  test.skipIf(!IS_FULL)("go on after every way in which an apply can be stopped (npm run test:full)", async () => {
    const world = await setUp();
    const { place, gitlab } = world;
    await applyByHand(place);
    const request = await propose(world, "new", addHostnames(...MANY));
    gitlab.approve(request);
    place.emulator.requests.reset();

    const secrets = gitlab.environments["zoneform-apply"] ?? {};
    secrets["CLOUDFLARE_API_TOKEN"] = "revoked-token-of-last-year-0123456789abcd";
    const pipeline = await gitlab.merge(request);
    expect(pipeline.jobs["apply"]).toMatchObject({ status: "failed", code: 1 });
    secrets["CLOUDFLARE_API_TOKEN"] = "demo-token";

    const lease = await openStores(place.states.apply).of("saas-edge").lock(ZONE, HOLDER, 0);
    expect(await gitlab.play(pipeline, "apply")).toMatchObject({ status: "failed", code: 7 });
    await lease.release();
    expect(writes(place)).toEqual([]);

    place.emulator.faults.order({ fault: { kind: "slow", milliseconds: 500 }, method: "POST", count: 8 });
    const cancelled = await gitlab.play(pipeline, "apply", async (running) => {
      await createdMoreThan(place, 0, running);
      process.kill(-running.pid, "SIGTERM");
    });
    expect(cancelled.code).not.toBe(0);
    const before = created(place);
    place.emulator.faults.order({ fault: { kind: "slow", milliseconds: 3000 }, method: "POST", count: 1 });
    const killed = await gitlab.play(pipeline, "apply", async (running) => {
      await createdMoreThan(place, before, running);
      process.kill(-running.pid, "SIGKILL");
    });
    expect(killed).toMatchObject({ status: "failed", code: 137 });

    expect(await gitlab.play(pipeline, "apply")).toMatchObject({ status: "success" });
    expect(created(place)).toBe(12);
    for (const name of MANY) expect(hostnameOf(place, DEV, name)).toMatchObject({ hostname: name });
  });

  test.skipIf(!IS_FULL)("apply only what was approved if something came in between (npm run test:full)", async () => {
    const world = await setUp();
    const { place, gitlab } = world;
    await applyByHand(place);
    const [one, two, three, four] = [
      await propose(world, "one", addHostnames("one.violin-academy.de")),
      await propose(world, "two", changeTotalTls),
      await propose(world, "three", addEntry("three.violin-academy.de")),
      await propose(world, "four", changeOtherZone),
    ];
    for (const request of [one, two, three, four]) gitlab.approve(request);

    await gitlab.merge(one);
    const between = await gitlab.merge(two);
    expect(between.jobs["apply"]).toMatchObject({
      status: "success",
      log: expect.stringContaining("another merge came in between: merge request 2 was planned with another main\n"),
    });

    await gitlab.mergeQuietly(three);
    const both = await gitlab.merge(four);
    expect(both.jobs["apply"]).toMatchObject({
      status: "warning",
      log: expect.stringContaining("the approved plan no longer matches"),
    });
    const name = "one.tenant-alpha.com";
    setHostname(place, APP, name, { min_tls_version: "1.3", http2: "off" });
    expect(await gitlab.play(both, "apply-reviewed")).toMatchObject({ status: "failed", code: 6 });
    expect(hostnameOf(place, DEV, "three.violin-academy.de")).toMatchObject({ status: "pending" });
    expect(hostnameOf(place, APP, name)).toMatchObject({ ssl: { settings: { http2: "off" } } });
  });
});
