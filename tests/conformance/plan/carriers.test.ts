import { expect, test } from "vitest";
import { makeUndo } from "../../../lib/engine/undo.ts";
import { statuses } from "../../support/approving.ts";
import { changesOf, failuresOf, type FileContent, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";

const HOUR_MILLISECONDS = 3_600_000;

function file(hostnames: readonly object[]): FileContent {
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: "fallback.saas.net" },
    custom_hostnames: { lifecycle: "zoneform", entries: hostnames },
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

const SSL = { method: "http", type: "dv" };

test("the fallback origin of a protected hostname is not destroyed before it", async () => {
  const rig = await rigWith({ hostname: "a.net", ssl: SSL, protect: true }, { hostname: "b.net", ssl: SSL });
  const plan = await rig.plan({ isDestroy: true });
  expect(inWords(changesOf(plan))).toEqual([
    'delete custom_hostname["a.net"] config refused protected',
    'delete custom_hostname["b.net"] config',
    "delete fallback_origin config refused still-serves",
  ]);
  await rig.apply(plan);
  expect(fallbackStatus(rig)).toBe("active");
});

test("an undo does not delete the fallback origin of hostnames that may not be deleted", async () => {
  const rig = await rigWith(...["a", "b", "c"].map((name) => ({ hostname: `${name}.net`, ssl: SSL })));
  const { plan } = await makeUndo(rig.world(), { file: rig.file, run: "last" });
  expect(inWords(changesOf(plan))).toContain("delete fallback_origin config refused still-serves");
  await rig.apply(plan);
  expect(fallbackStatus(rig)).toBe("active");
});

test("the fallback origin of a hostname whose deletion failed stays, until a later run", async () => {
  const rig = await rigWith({ hostname: "a.net", ssl: SSL });
  let isDown = true;
  rig.network(async (request, _index, pass) => {
    const answer = isDown && request.method === "DELETE" ? undefined : await pass();
    return answer ?? { status: 403, headers: {}, body: '{"success":false,"errors":[{"code":10000,"message":"no"}]}' };
  });
  expect(statuses(await rig.apply(await rig.plan({ isDestroy: true })))).toEqual([
    'delete custom_hostname["a.net"] failed',
    "delete fallback_origin not-started",
  ]);
  expect(fallbackStatus(rig)).toBe("active");
  isDown = false;
  expect(failuresOf(await rig.run({ isDestroy: true }))).toEqual([]);
  expect(fallbackStatus(rig)).not.toBe("active");
});
