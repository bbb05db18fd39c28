import { describe, expect, test } from "vitest";
import { logOf, propose, setUp } from "../support/ci/github/world.ts";
import { NO_CI } from "../support/ci/place.ts";
import { addComment, applyByHand, editInTwoParts, switchOffRule, switchRule, writes } from "../support/ci/story.ts";
import { IS_FULL } from "../support/full.ts";

describe.skipIf(NO_CI)(`what the first job of the apply on GitHub has decided${NO_CI ?? ""}`, () => {
  test("does not let through a hazard that somebody brings back before the second job: a reviewer is asked", async () => {
    const world = await setUp("built");
    const { place, github } = world;
    await applyByHand(place);
    const pull = await propose(world, "off", switchOffRule);
    expect(github.comments.at(-1)?.body).toContain("### Hazards: 1 weakens-protection\n");
    github.approve(pull);

    // Somebody on call does the same by hand, so the merge has nothing left to do, and its apply fails: the credential has expired.
    switchRule(place, { enabled: false });
    const { secrets } = github.environments["zoneform-apply"] ?? { secrets: {} };
    secrets["CLOUDFLARE_API_TOKEN"] = "revoked-token-of-last-year-0123456789abcd";
    const run = await github.merge(pull);
    expect(run.jobs["decide"]).toMatchObject({ status: "success", outputs: { approval: "merge" } });
    expect(run.jobs["apply"]).toMatchObject({ status: "failure", environment: "zoneform-apply", codes: { Apply: 1 } });

    // The edit is taken back.
    switchRule(place, { enabled: true });
    secrets["CLOUDFLARE_API_TOKEN"] = "demo-token";
    place.emulator.requests.reset();
    await github.rerun(run);
    expect(run.jobs["apply"]).toMatchObject({ status: "failure", environment: "zoneform-apply", codes: { Apply: 4 } });
    expect(run.jobs["apply"]?.log).toContain("--deny weakens-protection blocks it");
    expect(writes(place)).toEqual([]);

    if (!IS_FULL) return;
    run.jobs = {};
    await github.rerun(run);
    expect(logOf(run)).toContain("A reviewer has to approve its hazards: weakens-protection.\n");
    expect(run.jobs["apply"]).toMatchObject({ status: "waiting", environment: "zoneform-apply-reviewed" });
    expect(writes(place)).toEqual([]);
  });

  test.skipIf(!IS_FULL)(
    "goes on in a later hour with the part of a change that was held (npm run test:full)",
    async () => {
      const world = await setUp();
      const { place, github } = world;
      await applyByHand(place);
      editInTwoParts(place);
      const pull = await propose(world, "repair", addComment);
      github.approve(pull);
      const said = (): readonly string[] =>
        github.statuses.filter(({ place }) => place === pull.merge).map(({ body }) => body);

      const run = await github.merge(pull);
      expect(run.jobs["apply"]).toMatchObject({ status: "success", environment: "zoneform-apply" });
      expect(run.jobs["apply"]?.log).toMatch(/^Applied 1 change in \d+ s: 1 updated; 1 of them held in part\.$/m);
      expect(said()).toEqual(["zoneform apply: pending"]);

      place.emulator.advance(600_000);
      const hour = await github.schedule("zoneform-apply.yml");
      expect(hour.jobs["apply"]?.log).toMatch(/^Applied 1 change in \d+ s: 1 updated\.$/m);
      expect(said().at(-1)).toBe("zoneform apply: success");
      expect(github.refusals).toEqual([]);
    },
  );
});
