import { describe, expect, it } from "vitest";
import { at, text, world, ZONE_ID, type Answer, type Json, type World } from "../../support/emulator.ts";

const CSR = {
  country: "NL",
  state: "NH",
  locality: "Amsterdam",
  organization: "Customer",
  common_name: "app.customer.net",
  sans: ["app.customer.net"],
  key_type: "p256v1",
};

/** Every list. If it can be written to: a write that adds to it, and one that changes or removes its last member. */
const LISTS: Readonly<
  Record<
    string,
    { path: string; id: string; add?: (made: World) => Answer; change?: (made: World, id: string) => Answer }
  >
> = {
  zones: { path: "/zones?per_page=50", id: "id" },
  "custom hostnames": {
    path: `/zones/${ZONE_ID}/custom_hostnames?per_page=50`,
    id: "id",
    add: (made) => made.zone("POST", "/custom_hostnames", { hostname: "new.customer.net" }),
    change: (made, id) => made.zone("DELETE", `/custom_hostnames/${id}`),
  },
  "DNS records": {
    path: `/zones/${ZONE_ID}/dns_records?per_page=50`,
    id: "id",
    add: (made) => made.zone("POST", "/dns_records", { type: "A", name: "new", content: "192.0.2.1" }),
    change: (made, id) => made.zone("PATCH", `/dns_records/${id}`, { comment: "changed" }),
  },
  "certificate packs": {
    path: `/zones/${ZONE_ID}/ssl/certificate_packs?per_page=50&status=all`,
    id: "id",
    add: (made) =>
      made.zone("POST", "/ssl/certificate_packs/order", {
        type: "advanced",
        hosts: ["saas.net"],
        validation_method: "txt",
        validity_days: 90,
        certificate_authority: "google",
      }),
    change: (made, id) => made.zone("DELETE", `/ssl/certificate_packs/${id}`),
  },
  "custom certificates": {
    path: `/zones/${ZONE_ID}/custom_certificates?per_page=50`,
    id: "id",
    change: (made, id) => made.zone("PATCH", `/custom_certificates/${id}`, { bundle_method: "force" }),
  },
  rulesets: {
    path: `/zones/${ZONE_ID}/rulesets?per_page=50`,
    id: "id",
    add: (made) =>
      made.zone("POST", "/rulesets", { name: "new", kind: "custom", phase: "http_request_firewall_custom" }),
    change: (made, id) => made.zone("PUT", `/rulesets/${id}`, { description: "changed" }),
  },
  "custom CSRs": {
    path: `/zones/${ZONE_ID}/custom_csrs?per_page=50`,
    id: "id",
    add: (made) => made.zone("POST", "/custom_csrs", CSR),
    change: (made, id) => made.zone("DELETE", `/custom_csrs/${id}`),
  },
};

/** A world in which every list has at least three members. */
function full(): World {
  const zone = (digit: string): { id: string; name: string } => ({ id: digit.repeat(32), name: `z${digit}.net` });
  const seed = {
    tokens: [{ value: "all" }],
    zones: [
      {
        id: ZONE_ID,
        name: "saas.net",
        dns_records: [1, 2, 3].map((n) => ({ type: "A", name: `h${n}.saas.net`, content: "192.0.2.1" })),
        certificate_packs: [{}, {}, {}],
        custom_certificates: [{ hosts: ["a.saas.net"] }, { hosts: ["b.saas.net"] }, { hosts: ["c.saas.net"] }],
        generate: [{ count: 3, pattern: "app{n}.customer.net", ssl: null }],
        rulesets: [
          { phase: "http_request_firewall_custom", kind: "custom" as const, rules: [] },
          { phase: "http_ratelimit", rules: [] },
        ],
      },
      zone("a"),
      zone("b"),
      zone("c"),
    ],
  };
  const made = world({}, { seed });
  for (let n = 0; n < 3; n++) made.zone("POST", "/custom_csrs", CSR);
  return made;
}

function items(made: World, path: string, fault?: string): Json[] {
  const headers = fault === undefined ? {} : { "x-emulator-fault": fault };
  const result = at(made.call("GET", path, undefined, headers), "result");
  return Array.isArray(result) ? result : [];
}

describe.each(Object.entries(LISTS))("a list of %s", (_name, { path, id, add, change }) => {
  const ids = (found: readonly Json[]): string[] => found.map((item) => text(item, id));

  it("has the same order in each response, and another one after an ordered fault", () => {
    const made = full();
    const usual = ids(items(made, path));
    expect(usual.length).toBeGreaterThan(2);
    expect(ids(items(made, path))).toEqual(usual);
    const orders = Array.from({ length: 10 }, () => ids(items(made, path, "reordered-list")).join());
    expect(new Set(orders).size).toBeGreaterThan(1);
    expect(new Set(orders[0]?.split(","))).toEqual(new Set(usual));
  });

  it("can be ordered to begin late or early", () => {
    const made = full();
    const usual = ids(items(made, path));
    expect(ids(items(made, path, '{"kind":"shifted-list","by":1}'))).toEqual(usual.slice(1));
    expect(ids(items(made, path, '{"kind":"shifted-list","by":-1}'))).toEqual(usual);
  });

  it.runIf(add !== undefined || change !== undefined)("can be ordered to lag behind its last writes", () => {
    const made = full();
    const before = items(made, path);
    const written = [add?.(made), change?.(made, ids(before).at(changedAt(path)) ?? "")];
    const writes = written.filter((answer) => answer !== undefined);
    expect(writes.map((answer) => answer.status)).toEqual(writes.map(() => 200));
    const stale = items(made, path, `{"kind":"stale-list","writes":${writes.length}}`);
    expect(new Set(stale.map((item) => JSON.stringify(item)))).toEqual(
      new Set(before.map((item) => JSON.stringify(item))),
    );
    expect(items(made, path)).not.toEqual(before);
  });
});

/** Which member to change: the last one, but the first of the rulesets, because nobody can change the managed ones at the end. */
function changedAt(path: string): number {
  return path.includes("/rulesets") ? 0 : -1;
}

/** What a client sees of an answer, without the headers, which differ each time. */
function inShort({ raw }: Answer): unknown[] {
  return [raw.status, raw.body, raw.connection, raw.delayMilliseconds];
}

describe("every kind of fault", () => {
  const KINDS = [
    '{"kind":"throttle","code":10100}',
    '{"kind":"throttle","code":971}',
    '{"kind":"throttle","code":971,"status":200}',
    '{"kind":"status","status":500}',
    '{"kind":"status","status":502}',
    '{"kind":"status","status":504,"after":true}',
    "lost-request",
    "lost-reply",
    '{"kind":"slow","milliseconds":20}',
    "truncated",
    "html",
  ];
  const get = (made: World): Answer => made.zone("GET", "/ssl/certificate_packs");

  it.each(KINDS)("%s can be ordered by header and with the admin API", (fault) => {
    const byHeader = world().call("GET", `/zones/${ZONE_ID}/ssl/certificate_packs`, undefined, {
      "x-emulator-fault": fault,
    });
    const made = world();
    const body = JSON.stringify({ fault: fault.startsWith("{") ? JSON.parse(fault) : fault });
    const headers = { "content-type": "application/json" };
    made.service.handle({ method: "POST", path: "/_admin/faults", headers, body });
    const byOrder = get(made);
    const plain = get(made);
    expect(byOrder.raw).toEqual(byHeader.raw);
    expect(inShort(byOrder)).not.toEqual(inShort(plain));
    expect(plain.status).toBe(200);
  });

  it("a lost response to a purge, an order or an upload does not undo its effect", () => {
    const made = world();
    made.service.core.faults.order({ fault: { kind: "lost-reply" }, method: "POST", count: 2 });
    made.zone("POST", "/purge_cache", { hosts: ["a.customer.net"] });
    const order = { type: "advanced", hosts: ["saas.net"], validation_method: "txt", validity_days: 90 };
    made.zone("POST", "/ssl/certificate_packs/order", { ...order, certificate_authority: "google" });
    expect(made.admin.purges(ZONE_ID)).toHaveLength(1);
    expect(text(made.zone("GET", "/ssl/certificate_packs?status=all"), "result.1.type")).toBe("advanced");
  });
});
