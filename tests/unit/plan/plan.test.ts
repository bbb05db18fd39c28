import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../lib/core/address.ts";
import { driftExit, planExit } from "../../../lib/engine/exit.ts";
import { planHash } from "../../../lib/plan/digest.ts";
import { EVERYTHING, type PlanInput } from "../../../lib/plan/inputs.ts";
import { type Given, inputOf, judged, known, live, liveHostname, planned, policy, wanted } from "./inputs.ts";

const HTTP = { ssl: { method: "http" } };
const RULES = { rules: [{ ref: "a", action: "log", expression: "true", enabled: true }] };

/** A zone in which there is something to do of every kind. */
const MANY: Given = {
  objects: [
    wanted("total_tls", "", { enabled: true }),
    wanted("ruleset", "http_ratelimit", RULES),
    wanted("custom_hostname", "b.net", HTTP),
    wanted("custom_hostname", "a.net", HTTP),
    wanted("custom_hostname", "c.net", { ssl: { method: "txt" } }),
    wanted("fallback_origin", "", { origin: "fallback.saas.net" }),
  ],
  known: [
    known("custom_hostname", "y.net", HTTP),
    known("custom_hostname", "x.net", HTTP),
    known("custom_hostname", "c.net", HTTP),
  ],
  live: [
    live("total_tls", "", { enabled: false, certificate_authority: "google" }),
    liveHostname("y.net", HTTP),
    liveHostname("x.net", HTTP),
    liveHostname("c.net", HTTP),
    liveHostname("foreign.net", HTTP),
  ],
};

function addresses(given: Given): readonly string[] {
  return planned(given).changes.map(({ action, address }) => `${action} ${address}`);
}

describe("the order of changes", () => {
  it("is that of what depends on what: fallback origin, hostnames, rulesets, CA of the zone, and deletes behind them", () => {
    expect(addresses(MANY)).toEqual([
      "create fallback_origin",
      'create custom_hostname["a.net"]',
      'create custom_hostname["b.net"]',
      'update custom_hostname["c.net"]',
      'create ruleset["http_ratelimit"]',
      "update total_tls",
      'delete custom_hostname["x.net"]',
      'delete custom_hostname["y.net"]',
    ]);
  });

  it("turns round when everything is destroyed", () => {
    const order = addresses({
      known: [
        known("fallback_origin", "", { origin: "fallback.saas.net" }),
        known("custom_hostname", "a.net", HTTP),
        known("ruleset", "http_ratelimit", RULES),
        known("total_tls", "", { enabled: true }),
      ],
      live: [
        live("fallback_origin", "", { origin: "fallback.saas.net" }),
        liveHostname("a.net", HTTP),
        live("ruleset", "http_ratelimit", RULES),
        live("total_tls", "", { enabled: true }),
      ],
      input: { isDestroy: true },
    });
    expect(order).toEqual([
      "forget total_tls",
      'delete ruleset["http_ratelimit"]',
      'delete custom_hostname["a.net"]',
      "delete fallback_origin",
    ]);
  });
});

describe("the same input", () => {
  it("gives the same bytes, in whatever order it was collected", () => {
    const turned: Given = {
      ...MANY,
      objects: (MANY.objects ?? []).toReversed(),
      known: (MANY.known ?? []).toReversed(),
      live: (MANY.live ?? []).toReversed(),
    };
    const again: Given = { ...MANY };
    expect(JSON.stringify(planned(again))).toBe(JSON.stringify(planned(MANY)));
    expect(JSON.stringify(planned(turned).changes)).toBe(JSON.stringify(planned(MANY).changes));
    expect(planned(turned).findings).toEqual(planned(MANY).findings);
  });
});

describe("the hash of a plan", () => {
  const hashOf = (given: Given): string => planHash([planned(given)]);
  const hash = hashOf(MANY);

  it("does not change with what is no part of an approval", () => {
    const status = (MANY.live ?? []).map(
      ([kind, object]) => [kind, { ...object, status: { ...object.status, created_at: NOW_ELSE } }] as const,
    );
    expect(hashOf({ ...MANY, live: status })).toBe(hash);
    expect(hashOf({ ...MANY, input: { now: NOW_ELSE } })).toBe(hash);
    const moved = (MANY.objects ?? []).map((object) => ({
      ...object,
      at: { file: "other.yaml", line: 99, column: 1 },
    }));
    expect(hashOf({ ...MANY, objects: moved })).toBe(hash);
  });

  it("changes with a value, with an object more, and with one less", () => {
    const [first, ...others] = MANY.objects ?? [];
    if (!first) throw new Error("there are objects");
    expect(hashOf({ ...MANY, objects: others })).not.toBe(hash);
    expect(
      hashOf({
        ...MANY,
        objects: [...others, { ...first, values: { enabled: true, certificate_authority: "ssl_com" } }],
      }),
    ).not.toBe(hash);
    expect(hashOf({ ...MANY, objects: [...(MANY.objects ?? []), wanted("custom_hostname", "d.net", HTTP)] })).not.toBe(
      hash,
    );
  });
});

const NOW_ELSE = "2027-01-01T00:00:00.000Z";

describe("a selection", () => {
  const select = (selection: Partial<PlanInput["selection"]>): readonly string[] =>
    planned({ ...MANY, input: { selection: { ...EVERYTHING, ...selection } } }).changes.map(({ address }) => address);

  it("plans only what is named, by kind, address or address with the zone", () => {
    expect(select({ target: ["fallback_origin"] })).toEqual(["fallback_origin"]);
    expect(select({ target: ['custom_hostname["a.net"]', "total_tls"] })).toEqual([
      'custom_hostname["a.net"]',
      "total_tls",
    ]);
    expect(select({ target: ["saas.net/total_tls"] })).toEqual(["total_tls"]);
    expect(select({ target: ["other.net/total_tls"] })).toEqual([]);
    expect(select({ target: ["custom_hostname"] })).toHaveLength(5);
  });

  it("leaves out what is excluded, even of what is named", () => {
    expect(select({ target: ["custom_hostname"], exclude: ["custom_hostname[x.net]"] })).toHaveLength(4);
    expect(select({ exclude: ["custom_hostname"] })).toEqual([
      "fallback_origin",
      'ruleset["http_ratelimit"]',
      "total_tls",
    ]);
  });

  it("of a part remembers what the sources gave, and a destruction does not", () => {
    const seen = { rows: 3, first: "a.net", end: ["a.net", "b.net", "c.net"] };
    const sources = { customers: { ...seen, has: () => true } };
    const plan = (input: Pick<PlanInput, "selection"> & Partial<PlanInput>): unknown =>
      planned({ ...MANY, input: { sources, ...input } }).bookkeeping.sources;
    expect(plan({ selection: EVERYTHING })).toEqual({ customers: seen });
    expect(plan({ selection: { ...EVERYTHING, target: ["fallback_origin"] } })).toEqual({ customers: seen });
    expect(plan({ selection: EVERYTHING, isDestroy: true })).toBeUndefined();
  });

  it("refuses denied hazards and actions, and only those", () => {
    const { changes } = planned({ ...MANY, input: { selection: { ...EVERYTHING, deny: ["delete", "reissue"] } } });
    const refused = changes.filter((change) => change.refused).map(({ address }) => address);
    expect(refused).toEqual(['custom_hostname["c.net"]', 'custom_hostname["x.net"]', 'custom_hostname["y.net"]']);
  });
});

describe("the exit code of a plan", () => {
  it("is 0 without changes, 2 with them where that is asked for, 4 where one is refused", () => {
    const empty = planned({});
    expect([planExit(empty, true), planExit(planned(MANY), false), planExit(planned(MANY), true)]).toEqual([0, 0, 2]);
    const denied = planned({ ...MANY, input: { selection: { ...EVERYTHING, deny: ["create"] } } });
    expect([planExit(denied, false), planExit(denied, true)]).toEqual([4, 4]);
  });

  it("is not 2 for what is only held, and 3 for drift, held or not", () => {
    const held: Given = {
      objects: [wanted("custom_hostname", "a.net", { ssl: { method: "txt" } })],
      known: [known("custom_hostname", "a.net", { ssl: { method: "txt" } })],
      live: [liveHostname("a.net", HTTP, { status: "pending", ssl_status: "pending_validation" })],
    };
    expect([planExit(planned(held), true), driftExit(judged(held))]).toEqual([0, 3]);
    const drifted = { ...held, live: [liveHostname("a.net", HTTP)] };
    expect([planExit(planned(drifted), true), driftExit(judged(drifted))]).toEqual([2, 3]);
    expect(driftExit(judged(MANY))).toBe(0);
  });
});

describe("an address", () => {
  it("has the zone's name in front where a project has several zones", () => {
    const { changes } = planned({ ...MANY, input: { isOneOfMany: true } });
    expect(changes.map(({ address }) => parseAddress(address)?.zone)).toEqual(changes.map(() => "saas.net"));
  });
});

describe("hostnames by policy", () => {
  it("are as many as live says, and each is known afterwards", () => {
    const plan = planned({
      hostnames: { lifecycle: "app", policies: [policy(HTTP)] },
      live: [liveHostname("a.net", HTTP), liveHostname("b.net", { ssl: { method: "txt" } })],
    });
    expect(plan.changes.map(({ key }) => key)).toEqual(["b.net"]);
    expect(plan.bookkeeping.remember.map(({ key, undeclared }) => [key, undeclared])).toEqual([["a.net", true]]);
    expect(inputOf({}).selection).toEqual(EVERYTHING);
  });
});
