import { describe, expect, it } from "vitest";
import type { ApplyReport } from "../../../lib/apply/outcome.ts";
import { isObject, type JsonObject } from "../../../lib/core/json.ts";
import type { HttpResponse } from "../../../lib/service/http.ts";
import { changesOf, dnsRecords, endingsOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";

const LATER = "2126-01-31T00:00:00Z";

/** A zone whose file was applied with `before`, and now says `after`. */
async function rigOf(before: object, after: object): Promise<Rig> {
  const file = (content: object): object => ({ version: 1, zone: ZONE, ...content });
  const rig = openRig({
    zone: { plan: "enterprise", dns_records: dnsRecords() },
    files: { "zones/a.yaml": file(before) },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  rig.write("zones/a.yaml", file(after));
  return rig;
}

function answered(result: object): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ success: true, errors: [], messages: [], result }),
  };
}

/** Plans and applies; writes are dropped, and answered with `result` as if they had been carried out. */
async function runSwallowed(rig: Rig, result: object): Promise<ApplyReport> {
  let swallowed = 0;
  rig.network((request, _index, pass) => {
    if (request.method === "GET") return pass();
    swallowed += 1;
    return Promise.resolve(answered(result));
  });
  const report = await rig.run();
  expect(swallowed).toBe(1);
  rig.network((_request, _index, pass) => pass());
  return report;
}

function shown(rig: Rig, path: string): JsonObject {
  const { result } = JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}${path}`).body);
  if (!isObject(result)) throw new Error("the emulator answers with an object");
  return result;
}

const HELD = { zone_hold: { hold: true } };
const switched = (value: string): object => ({ zone_settings: { always_use_https: { value } } });

const SWALLOWED: readonly (readonly [string, object, object, object])[] = [
  ["another setting", switched("off"), switched("on"), { id: "tls_1_3", value: "on" }],
  ["a setting without a name", switched("off"), switched("on"), { value: "on" }],
  [
    "a hold that is not suspended",
    HELD,
    { zone_hold: { hold: true, hold_after: LATER } },
    { hold: true, hold_after: "", include_subdomains: false },
  ],
  ["an empty result for the hold", HELD, { zone_hold: { hold: false } }, {}],
  ["an empty result for Total TLS", { total_tls: { enabled: true } }, { total_tls: { enabled: false } }, {}],
];

describe("a write of a setting that never took effect", () => {
  it.each(SWALLOWED)("does not count as done when the response is %s", async (_what, before, after, answer) => {
    const rig = await rigOf(before, after);
    await rig.wait(3_600_000);
    const report = await runSwallowed(rig, answer);
    expect(endingsOf(report).map(({ outcome }) => outcome.status)).not.toContain("done");
    expect(changesOf(await rig.plan())).toHaveLength(1);
  });
});

const CARRIED_OUT: readonly (readonly [string, object, object, object])[] = [
  ["another setting", switched("off"), switched("on"), { id: "tls_1_3", value: "on" }],
  ["an empty result for the hold", HELD, { zone_hold: { hold: false } }, {}],
];

describe("a write of a setting that took effect", () => {
  it.each(CARRIED_OUT)("is looked up and done when the response is %s", async (_what, before, after, answer) => {
    const rig = await rigOf(before, after);
    rig.network(async (request, _index, pass) => {
      const said = await pass();
      return request.method === "GET" ? said : answered(answer);
    });
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.network((_request, _index, pass) => pass());
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});

const STRANGE: readonly (readonly [string, object, string, object])[] = [
  ["another setting", switched("off"), "/settings/always_use_https", { id: "tls_1_3", value: "off" }],
  ["a setting without its name", switched("off"), "/settings/always_use_https", { value: "off" }],
  ["an empty hold", HELD, "/hold", {}],
  ["a hold that is a text", HELD, "/hold", { hold: "true" }],
  ["a hold that is a number", HELD, "/hold", { hold: 1 }],
  ["names below it that are a number", HELD, "/hold", { hold: true, include_subdomains: 1 }],
  ["an end of its suspension that is not a time", HELD, "/hold", { hold: false, hold_after: "soon" }],
  ["an empty Total TLS", { total_tls: { enabled: true } }, "/acm/total_tls", {}],
];

describe("a read of a setting", () => {
  it.each(STRANGE)(
    "that shows %s is reported as a strange response, and not as a value",
    async (_what, file, path, answer) => {
      const rig = await rigOf(file, file);
      rig.network((request, _index, pass) =>
        request.method === "GET" && request.url.endsWith(path) ? Promise.resolve(answered(answer)) : pass(),
      );
      const strange = { diagnostics: [{ code: "strange-answer" }] };
      await expect(rig.drift()).rejects.toMatchObject(strange);
      await expect(rig.plan()).rejects.toMatchObject(strange);
    },
  );

  it.each([
    ["without names below it", { hold: true }],
    ["with a text instead of a boolean", { hold: true, hold_after: null, include_subdomains: "false" }],
  ])("of the hold is understood %s", async (_what, answer) => {
    const rig = await rigOf(HELD, HELD);
    rig.network((request, _index, pass) =>
      request.method === "GET" && request.url.endsWith("/hold") ? Promise.resolve(answered(answer)) : pass(),
    );
    expect(await rig.drift()).toEqual([]);
    expect(shown(rig, "/hold")).toMatchObject({ hold: true });
  });
});

it("a response that still shows the deletion of a fallback origin does not confirm that it was set again", async () => {
  const declared = { fallback_origin: { origin: "fallback.saas.net" } };
  const rig = await rigOf(declared, declared);
  rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/fallback_origin`);
  const report = await runSwallowed(rig, { origin: "fallback.saas.net", status: "pending_deletion" });
  expect(endingsOf(report).map(({ outcome }) => outcome.status)).toEqual(["unconfirmed"]);
});
