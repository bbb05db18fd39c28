import { expect, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import { makeUndo } from "../../lib/engine/undo.ts";
import { statuses } from "../support/approving.ts";
import { changesOf, failuresOf, type FileContent, inWords, openRig, type Rig, ZONE } from "../support/engine.ts";

const HOUR_MILLISECONDS = 3_600_000;

const PHASE = "http_request_firewall_custom";
const RULE = { ref: "sec/admin", action: "block", expression: 'http.request.uri.path eq "/admin"' };

function file(hostnames: readonly object[]): FileContent {
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: "fallback.saas.net" },
    custom_hostnames: { lifecycle: "zoneform", entries: hostnames },
    entry_points: { [PHASE]: { own: ["sec/"], rules: [RULE] } },
    deletion_limits: { custom_hostname: { percent: hostnames.length > 1 ? "50%" : "100%", count: 2 } },
  };
}

/** A zone with these hostnames and their fallback origin, all made by one run. */
async function rigWith(...hostnames: readonly object[]): Promise<Rig> {
  const rig = openRig({ files: { "zones/a.yaml": file(hostnames) } });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  return rig;
}

function fallbackStatus(rig: Rig): unknown {
  const answer = rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames/fallback_origin`);
  return JSON.parse(answer.body).result?.status;
}

function hasRules(rig: Rig): boolean {
  return rig.admin.dashboard("GET", `/zones/${ZONE.id}/rulesets/phases/${PHASE}/entrypoint`).body.includes(RULE.ref);
}

const SSL = { method: "http", type: "dv" };

test("the fallback origin and the rules of a protected hostname are not destroyed before it", async () => {
  const rig = await rigWith({ hostname: "a.net", ssl: SSL, protect: true }, { hostname: "b.net", ssl: SSL });
  const plan = await rig.plan({ isDestroy: true });
  expect(inWords(changesOf(plan))).toEqual([
    'delete custom_hostname["a.net"] config refused protected',
    'delete custom_hostname["b.net"] config',
    `delete ruleset["${PHASE}"] config refused still-serves`,
    "delete fallback_origin config refused still-serves",
  ]);
  await rig.apply(plan);
  expect([fallbackStatus(rig), hasRules(rig)]).toEqual(["active", true]);
});

test("an undo does not delete the fallback origin and the rules of hostnames that may not be deleted", async () => {
  const rig = await rigWith(...["a", "b", "c"].map((name) => ({ hostname: `${name}.net`, ssl: SSL })));
  const { plan } = await makeUndo(rig.world(), { file: rig.file, run: "last" });
  expect(inWords(changesOf(plan))).toContain("delete fallback_origin config refused still-serves");
  expect(inWords(changesOf(plan))).toContain(`delete ruleset["${PHASE}"] config refused still-serves`);
  await rig.apply(plan);
  expect([fallbackStatus(rig), hasRules(rig)]).toEqual(["active", true]);
});

test("the fallback origin and the rules of a hostname whose deletion failed stay, until a later run", async () => {
  const rig = await rigWith({ hostname: "a.net", ssl: SSL });
  let isDown = true;
  rig.network(async (request, _index, pass) => {
    const answer = isDown && request.method === "DELETE" ? undefined : await pass();
    return answer ?? { status: 403, headers: {}, body: '{"success":false,"errors":[{"code":10000,"message":"no"}]}' };
  });
  expect(statuses(await rig.apply(await rig.plan({ isDestroy: true })))).toEqual([
    'delete custom_hostname["a.net"] failed',
    `delete ruleset["${PHASE}"] not-started`,
    "delete fallback_origin not-started",
  ]);
  expect([fallbackStatus(rig), hasRules(rig)]).toEqual(["active", true]);
  isDown = false;
  expect(failuresOf(await rig.run({ isDestroy: true }))).toEqual([]);
  expect(fallbackStatus(rig)).not.toBe("active");
  expect(hasRules(rig)).toBe(false);
});

test("the rules of the application's hostnames stay while a deletion limit blocks another zone", async () => {
  const other = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "other.net" };
  const ofApp = { version: 1, zone: other, entry_points: { [PHASE]: { own: ["sec/"], rules: [RULE] } } };
  const policies = [{ name: "all", set: { ssl: SSL } }];
  const rig = openRig({
    zones: [ZONE, other].map((zone) => ({ ...zone, plan: "enterprise" as const })),
    files: {
      "zones/a.yaml": file(["a", "b", "c"].map((name) => ({ hostname: `${name}.net`, ssl: SSL }))),
      "zones/b.yaml": { ...ofApp, custom_hostnames: { lifecycle: "app", policies } },
    },
  });
  rig.admin.dashboard("POST", `/zones/${other.id}/custom_hostnames`, { hostname: "app.net", ssl: SSL });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  const [, blocked] = (await rig.plan({ isDestroy: true })).zones;
  const deletions = blocked?.changes.filter(({ action }) => action === "delete");
  expect(deletions).toMatchObject([{ kind: "ruleset", refused: { code: "deletion-limit" } }]);
  const [alone] = (await rig.plan({ isDestroy: true, zones: [other.name] })).zones;
  expect(alone?.changes.find(({ kind }) => kind === "ruleset")?.refused).toBeUndefined();
});
