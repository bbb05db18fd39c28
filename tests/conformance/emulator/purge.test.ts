import { describe, expect, it } from "vitest";
import { at, code, world, ZONE_ID, type Answer, type Json, type World } from "../../support/emulator.ts";

function purge(made: World, body: Json): Answer {
  return made.zone("POST", "/purge_cache", body);
}

function hosts(count: number): { hosts: string[] } {
  return { hosts: Array.from({ length: count }, (_, n) => `a${n}.customer.net`) };
}

/** How many purges are accepted at once before the first is refused. */
function passing(made: World, body: Json = hosts(1)): number {
  for (let n = 0; n < 5000; n++) if (purge(made, body).status !== 200) return n;
  return Infinity;
}

describe("purging", () => {
  it("by one or more hosts is accepted, and shown by the admin API", () => {
    const made = world();
    const answer = purge(made, hosts(2));
    expect([answer.status, at(answer, "result")]).toEqual([200, { id: ZONE_ID }]);
    expect(made.admin.purges(ZONE_ID)).toEqual([
      { at: "2026-02-06T18:11:23.000000Z", by: "hosts", items: ["a0.customer.net", "a1.customer.net"] },
    ]);
  });

  it.each([
    [{ tags: ["a"] }],
    [{ prefixes: ["saas.net/a"] }],
    [{ purge_everything: true }],
    [{ files: ["https://saas.net/a", { url: "https://saas.net/b", headers: {} }] }],
  ])("accepts %j", (body) => {
    expect(purge(world(), body).status).toBe(200);
    const { zone } = world();
    expect(zone("POST", "/invalidate_cache", body).status).toBe(200);
    expect(zone("POST", "/environments/prod/purge_cache", body).status).toBe(200);
  });

  it.each([
    [{}, 1012],
    [{ purge_everything: false }, 1012],
    [{ hosts: ["a.net"], tags: ["b"] }, 1012],
    [{ hosts: ["a.net"], purge_everything: true }, 1012],
    [{ hosts: "a.net" }, 1014],
    [{ hosts: [] }, 1014],
    [{ tags: [7] }, 1014],
  ])("refuses %j with %i", (body, expected) => {
    const answer = purge(world(), body);
    expect([answer.status, code(answer)]).toEqual([400, expected]);
  });

  it("accepts 100 hosts in one request, and names the maximum for 101", () => {
    for (const plan of ["free", "enterprise"] as const) {
      const made = world({ plan });
      expect(purge(made, hosts(100)).status).toBe(200);
      const refused = purge(made, hosts(101));
      expect(refused.status).toBe(400);
      expect(at(refused, "errors.0.message")).toContain("100");
    }
  });

  it("accepts 500 files on Enterprise, 100 elsewhere", () => {
    const files = (count: number): Json => ({
      files: Array.from({ length: count }, (_, n) => `https://saas.net/${n}`),
    });
    expect([500, 501].map((count) => purge(world(), files(count)).status)).toEqual([200, 400]);
    expect([100, 101].map((count) => purge(world({ plan: "pro" }), files(count)).status)).toEqual([200, 400]);
  });

  it("needs a token with write permission", () => {
    const made = world();
    const headers = { authorization: "Bearer read" };
    expect(made.call("POST", `/zones/${ZONE_ID}/purge_cache`, hosts(1), headers).status).toBe(403);
    expect(made.admin.purges(ZONE_ID)).toEqual([]);
  });
});

describe("the purge limit", () => {
  const generous = { accounts: [{ api_requests: 100_000 }], tokens: [{ value: "all" }] };

  function worldOn(plan: "free" | "pro" | "business" | "enterprise"): World {
    return world({}, { seed: { ...generous, zones: [{ id: ZONE_ID, name: "saas.net", plan }] } });
  }

  it.each([
    ["free", 25],
    ["pro", 25],
    ["business", 50],
    ["enterprise", 500],
  ] as const)("on %s: a bucket of %i, then 429", (plan, size) => {
    expect(passing(worldOn(plan))).toBe(size);
  });

  it.each([
    ["free", 12],
    ["pro", 0.2],
    ["business", 0.1],
    ["enterprise", 0.02],
  ] as const)("on %s: one more exactly after %d seconds", (plan, seconds) => {
    const made = worldOn(plan);
    passing(made);
    made.wait(seconds - 0.001);
    expect(purge(made, hosts(1)).status).toBe(429);
    made.wait(0.001);
    expect(purge(made, hosts(1)).status).toBe(200);
    expect(purge(made, hosts(1)).status).toBe(429);
  });

  it("says in Retry-After when the next one passes, and does not count refused ones", () => {
    const made = worldOn("free");
    passing(made);
    const refused = purge(made, hosts(1));
    expect([code(refused), refused.headers["retry-after"]]).toEqual([971, "12"]);
    for (let n = 0; n < 10; n++) purge(made, {});
    made.wait(12);
    expect(purge(made, hosts(1)).status).toBe(200);
  });

  it("counts requests, not hosts; files by URL in a separate bucket", () => {
    const made = worldOn("free");
    expect(passing(made, hosts(100))).toBe(25);
    const files = { files: Array.from({ length: 100 }, (_, n) => `https://saas.net/${n}`) };
    expect(passing(made, files)).toBe(8);
    made.wait(1);
    expect(passing(made, files)).toBe(8);
  });

  it("is shared by the zones of one account, not between accounts", () => {
    const zones = ["a", "b", "c"].map((digit, n) => ({
      id: digit.repeat(32),
      name: `saas${n}.net`,
      plan: "free" as const,
      account: n === 2 ? "2" : "1",
    }));
    const accounts = [{ id: "1" }, { id: "2" }];
    const { call } = world({}, { seed: { accounts, tokens: [{ value: "all" }], zones } });
    const of = (digit: string): number => call("POST", `/zones/${digit.repeat(32)}/purge_cache`, hosts(1)).status;
    for (let n = 0; n < 25; n++) expect(of("a")).toBe(200);
    expect([of("b"), of("c")]).toEqual([429, 200]);
  });
});
