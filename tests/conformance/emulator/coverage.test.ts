import { describe, expect, it } from "vitest";
import { startEmulator } from "../../../lib/emulator.ts";
import { at, code, seedOf, START, world, ZONE_ID, type Json } from "../../support/emulator.ts";

const BASE = "/custom_hostnames";
const ENTRY = "/rulesets/phases/http_request_firewall_managed/entrypoint";
const PENDING = `${ENTRY}?waf_migration=pending&phase_two=1`;
const EXECUTE = {
  action: "execute",
  expression: "true",
  action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" },
};

it("the base path ends in /client/v4, and the service answers only below it", async () => {
  const emulator = await startEmulator({ clock: "manual", startTime: START, seed: seedOf() });
  try {
    expect(new URL(emulator.url).pathname).toBe("/client/v4");
    const zone = `/zones/${ZONE_ID}/custom_hostnames`;
    const ask = (prefix: string): ReturnType<typeof emulator.handle> =>
      emulator.handle({ method: "GET", path: `${prefix}${zone}`, headers: { authorization: "Bearer all" } });
    expect([ask("/client/v4").status, ask("").status, ask("/client/v5").status]).toEqual([200, 404, 404]);
  } finally {
    await emulator.close();
  }
});

describe("every response of the migration", () => {
  it.each([
    ["GET", "/waf_migration/check?phase_two=1", undefined],
    ["GET", "/waf_migration/config?phase_two=1", undefined],
    ["GET", "/waf_migration/status", undefined],
    ["PUT", PENDING, { name: "default", rules: [EXECUTE] }],
  ] as [string, string, Json | undefined][])(
    "has result, success, errors and messages: %s %s",
    (method, path, body) => {
      const answer = world({ plan: "business" }).zone(method, path, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ result: expect.any(Object), success: true, errors: [], messages: [] });
    },
  );

  it("includes them in a refusal too", () => {
    const answer = world({ plan: "business" }).zone("PUT", PENDING, { name: "default", rules: [] });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ result: null, success: false, messages: [] });
    expect(at(answer, "errors.0.message")).toEqual(expect.any(String));
  });
});

describe("branding", () => {
  const long = { hostname: `${"a".repeat(60)}.customer.net` };
  const ssl = { method: "http", type: "dv" };
  const post = (behaviour: "described" | "public", body: { [key: string]: Json }): unknown =>
    code(world({}, { behaviour }).zone("POST", BASE, { ...long, ...body }));

  it("is read at the top level of a create as described, and only inside ssl as published", () => {
    expect(post("described", { ssl, cloudflare_branding: true })).toBeUndefined();
    expect(post("public", { ssl, cloudflare_branding: true })).toBe(1469);
    for (const behaviour of ["described", "public"] as const)
      expect(post(behaviour, { ssl: { ...ssl, cloudflare_branding: true } })).toBeUndefined();
  });

  it("false means none", () => {
    expect(post("described", { ssl, cloudflare_branding: false })).toBe(1469);
  });
});

describe("what only Enterprise has as published", () => {
  it.each([
    ["a wildcard", { hostname: "*.customer.net", ssl: { method: "txt", type: "dv", wildcard: true } }],
    ["custom metadata", { hostname: "a.customer.net", custom_metadata: { tier: "gold" } }],
  ])("%s: every subscription has it as described", (_what, body) => {
    const post = (behaviour: "described" | "public", plan: "business" | "enterprise"): number =>
      world({ plan }, { behaviour }).zone("POST", BASE, body).status;
    expect([post("described", "business"), post("public", "enterprise")]).toEqual([200, 201]);
    expect(post("public", "business")).toBeGreaterThanOrEqual(400);
  });
});
