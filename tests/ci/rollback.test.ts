import { describe, expect, test } from "vitest";
import { object, optionalText } from "../../lib/core/decode.ts";
import * as onGitHub from "../support/ci/github/world.ts";
import * as onGitLab from "../support/ci/gitlab/world.ts";
import { NO_CI, type Place } from "../support/ci/place.ts";
import {
  addComment,
  applyByHand,
  changeOtherZone,
  editInTwoParts,
  hostnameOf,
  setHostname,
  setMetadata,
  writes,
} from "../support/ci/story.ts";
import { APP, DEV } from "../support/project.ts";

const NAME = "one.tenant-alpha.com";
const PARTLY_HELD = "lessons.violin-academy.de";

describe.skipIf(NO_CI)(`what was set back after an apply${NO_CI ?? ""}`, () => {
  test("stays so on GitHub until a reviewer approves a new plan, whatever is started again", async () => {
    const world = await onGitHub.setUp();
    const { place, github } = world;
    await applyByHand(place);
    const pull = await onGitHub.propose(world, "app", changeOtherZone);
    github.approve(pull);
    const run = await github.merge(pull);
    expect(run.conclusion).toBe("success");
    setBack(place);

    const drifted = await github.schedule("zoneform-drift.yml");
    expect(drifted.jobs["drift"]?.codes).toMatchObject({ "Look for drift": 3 });
    expect(github.issues[0]?.body).toContain(NAME);
    expect(onGitHub.logOf(await github.schedule("zoneform-apply.yml"))).toContain(
      "Nothing to resume: the last merge was applied.\n",
    );
    // The second job alone, then the whole run.
    const { apply: _apply, ...decided } = run.jobs;
    run.jobs = decided;
    await github.rerun(run);
    expect(onGitHub.logOf(run)).toContain("this was applied: start the workflow by hand for a new plan");
    run.jobs = {};
    await github.rerun(run);
    expect(onGitHub.logOf(run)).toContain("pull request 1 was applied, so further changes need a new plan");
    expect(run.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });
    await github.reject(run);
    const byHand = await github.dispatch("zoneform-apply.yml");
    expect(byHand.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });
    expect([writes(place), isSetBack(place)]).toEqual([[], true]);

    await github.review(byHand);
    expect(byHand.jobs["apply"]?.log).toMatch(/^Applied 1 change in \d+ s: 1 updated\.$/m);
    expect(isSetBack(place)).toBe(false);
    expect(github.refusals).toEqual([]);
  });

  test("stays so on GitHub while the rest of its change is held, and the run of the hour is red", async () => {
    const world = await onGitHub.setUp();
    const { place, github } = world;
    await applyByHand(place);
    editInTwoParts(place);
    const pull = await onGitHub.propose(world, "repair", addComment);
    github.approve(pull);
    const run = await github.merge(pull);
    expect(run.jobs["apply"]?.log).toContain("1 of them held in part");
    setTierBack(place);

    const hour = await github.schedule("zoneform-apply.yml");
    expect(onGitHub.logOf(hour)).toContain("The last merge was not applied, and its remaining changes need a new plan");
    expect([hour.conclusion, writes(place), tierOf(place)]).toEqual(["failure", [], "lead"]);
    const byHand = await github.dispatch("zoneform-apply.yml");
    await github.review(byHand);
    expect(byHand.jobs["apply"]?.status).toBe("success");
    expect(tierOf(place)).not.toBe("lead");
  });

  test("stays so on GitLab until somebody starts apply-reviewed, whatever is started again", async () => {
    const world = await onGitLab.setUp();
    const { place, gitlab } = world;
    await applyByHand(place);
    const request = await onGitLab.propose(world, "app", changeOtherZone);
    gitlab.approve(request);
    const pipeline = await gitlab.merge(request);
    expect(pipeline.jobs).toMatchObject({ apply: { status: "success" } });
    setBack(place);

    expect((await gitlab.schedule()).jobs).toMatchObject({ drift: { status: "failed", code: 3 } });
    expect(gitlab.issues[0]?.body).toContain(NAME);
    for (const job of [await gitlab.play(pipeline, "apply"), (await gitlab.start()).jobs["apply"]]) {
      expect(job).toMatchObject({ status: "warning", code: 75, log: expect.stringContaining("this plan is new") });
    }
    expect([writes(place), isSetBack(place)]).toEqual([[], true]);

    const reviewed = await gitlab.play(pipeline, "apply-reviewed");
    expect(reviewed.log).toMatch(/^Applied 1 change in \d+ s: 1 updated\.$/m);
    expect(isSetBack(place)).toBe(false);
    setBack(place);
    expect((await gitlab.play(pipeline, "apply-reviewed")).log).toContain("this plan was applied");
    expect([writes(place), isSetBack(place)]).toEqual([[], true]);
  });

  test("stays so on GitLab while the rest of its change is held", async () => {
    const world = await onGitLab.setUp();
    const { place, gitlab } = world;
    await applyByHand(place);
    editInTwoParts(place);
    const request = await onGitLab.propose(world, "repair", addComment);
    gitlab.approve(request);
    const pipeline = await gitlab.merge(request);
    expect(pipeline.jobs).toMatchObject({ apply: { status: "warning", code: 75 } });
    expect(pipeline.jobs["apply"]?.log).toContain("some changes are held: press Retry once Cloudflare is done");
    setTierBack(place);
    expect(await gitlab.play(pipeline, "apply")).toMatchObject({
      code: 75,
      log: expect.stringContaining("the approved plan no longer matches"),
    });
    expect([writes(place), tierOf(place)]).toEqual([[], "lead"]);
  });
});

/** Somebody sets back in the dashboard what `changeOtherZone` has changed. */
function setBack(place: Place): void {
  place.emulator.advance(600_000);
  setHostname(place, APP, NAME, { min_tls_version: "1.3" });
  place.emulator.advance(600_000);
  place.emulator.requests.reset();
}

function isSetBack(place: Place): boolean {
  const ssl = object(hostnameOf(place, APP, NAME), "ssl");
  return optionalText(object(ssl, "settings"), "http2") === undefined;
}

/** Somebody sets back the part that was not held. */
function setTierBack(place: Place): void {
  setMetadata(place, DEV, PARTLY_HELD, { tier: "lead" });
  place.emulator.advance(600_000);
  place.emulator.requests.reset();
}

function tierOf(place: Place): string | undefined {
  return optionalText(object(hostnameOf(place, DEV, PARTLY_HELD), "custom_metadata"), "tier");
}
