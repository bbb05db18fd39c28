import { describe, expect, it } from "vitest";
import { adminRoutes } from "../../../lib/emulator/admin/routes.ts";
import type { Route } from "../../../lib/emulator/call.ts";
import { createApiRouter } from "../../../lib/emulator/router.ts";
import { apiRoutes } from "../../../lib/emulator/routes.ts";
import { PACKAGES } from "../../../lib/emulator/waf/catalogue.ts";
import {
  at,
  code,
  hostnameBody,
  seedOf,
  world,
  ZONE_ID,
  type Answer,
  type Json,
  type World,
} from "../../support/emulator.ts";

/** Names of parameters that no route reads, or that only a loop over the whole query sees. */
const NAMES = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "order[]",
  "order[__proto__]",
  "name.constructor",
  "content.__proto__",
  "comment.toString",
  "tag",
  "type",
  "\0",
  "n".repeat(10_000),
];

const VALUES = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__proto__:x",
  "constructor:x",
  "toString:",
  ":",
  "[]",
  "%",
  "%zz",
  "%00",
  "%E0%A4%A",
  "\0",
  "\ud800",
  "-1",
  "NaN",
  "1e999",
  "+275760-09-13T00:00:00.000Z",
  "v".repeat(10_000),
];

const PACKAGE = PACKAGES[0]?.id ?? "";
const ACCOUNT = "a".repeat(32);

/** Records which parameters a route reads, so that each filter gets hostile values, also one that is added later. */
class Watched extends URLSearchParams {
  readonly asked: Set<string> = new Set();

  override get(name: string): string | null {
    this.asked.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.asked.add(name);
    return super.has(name);
  }
}

/** A service with something in every list, and no limit on requests. */
function full(): World {
  return world(
    {},
    {
      seed: seedOf(
        {
          plan: "business",
          waf: {
            firewall_rules: [{ action: "block", expression: "true" }],
            page_rules: [{ url: "a.saas.net/*", waf: "off" }],
            uri_overrides: [{ urls: ["a.saas.net/x"] }],
          },
          custom_hostnames: [{ hostname: "a.customer.net" }, { hostname: "b.customer.net" }],
          rulesets: [{ phase: "http_request_firewall_custom", rules: [{ action: "block", expression: "true" }] }],
          certificate_packs: [{ certificate_authority: "google" }],
          custom_certificates: [{ hosts: ["saas.net"] }],
        },
        { accounts: [{ id: ACCOUNT, api_requests: 1_000_000 }] },
      ),
    },
  );
}

/** The path of a GET below a prefix. Its parameters are real if lists lie behind them, else `other`. */
function get(made: World, path: string, query: URLSearchParams, other = "x"): Answer {
  const real: ReadonlyMap<string, string> = new Map([
    ["zone", ZONE_ID],
    ["account", ACCOUNT],
    ["package", PACKAGE],
  ]);
  const filled = path.replace(/:(\w+)|\*/g, (_, name: string) => real.get(name) ?? escaped(other));
  const raw = made.service.handle({ method: "GET", path: filled, query, headers: { authorization: "Bearer all" } });
  return { status: raw.status, headers: raw.headers, body: JSON.parse(raw.body), raw };
}

/** The value as a part of a path. A value that begins with a percent sign is sent as it is. */
function escaped(value: string): string {
  return value.startsWith("%") ? value : encodeURIComponent(value.replaceAll("\ud800", "?"));
}

function expectAnswer({ status, body }: Answer, about: string): void {
  const isEnvelope =
    typeof at(body, "success") === "boolean" &&
    Array.isArray(at(body, "errors")) &&
    Array.isArray(at(body, "messages")) &&
    at(body, "result") !== undefined;
  expect([about, status < 500, isEnvelope]).toEqual([about, true, true]);
}

describe("every GET route of the API and of the admin API", () => {
  const made = full();
  const paths = [
    // An export is a zone file, in no envelope.
    ...pathsOf(apiRoutes(), "/client/v4").filter((path) => !path.endsWith("/export")),
    ...pathsOf(
      adminRoutes(made.service.core, createApiRouter([]), () => undefined),
      "/_admin",
    ),
  ];

  it("finds something to filter in each list with filters", () => {
    const lengths = [
      "/custom_hostnames",
      "/firewall/waf/packages",
      "/firewall/rules",
      "/pagerules",
      "/dns_records",
    ].map((path) => at(made.zone("GET", path), "result.length"));
    expect(lengths).not.toContain(0);
    expect(paths.length).toBeGreaterThan(50);
  });

  it.each(paths)("%s answers with the envelope, whatever the query", (path) => {
    made.service.core.log.reset();
    const watched = new Watched();
    get(made, path, watched);
    for (const name of new Set([...watched.asked, ...NAMES])) {
      for (const value of VALUES) {
        const about = `${path}?${name.slice(0, 40)}=${value.slice(0, 40)}`;
        expectAnswer(get(made, path, new URLSearchParams([[name, value]])), about);
      }
      const twice: [string, string][] = [
        [name, "__proto__"],
        [name, "constructor"],
        ["match", "any"],
        ["direction", "desc"],
      ];
      expectAnswer(get(made, path, new URLSearchParams(twice)), `${path}?${name} twice`);
    }
  });

  it.each(paths.filter((path) => path.includes(":")))("%s answers in the envelope, whatever its path says", (path) => {
    for (const value of VALUES) expectAnswer(get(made, path, new URLSearchParams(), value), `${path} ${value}`);
  });
});

describe("a name that every JavaScript object has is no filter, no order and no operator", () => {
  const made = full();
  const ids = (path: string): Json[] => {
    const result = at(made.call("GET", path), "result");
    return Array.isArray(result) ? result.map((item) => at(item, "id") ?? null) : [];
  };
  const zone = `/zones/${ZONE_ID}`;

  it.each(["constructor:x", "__proto__:x", "toString:x", "valueOf:x", "hasOwnProperty:x"])(
    "zones?name=%s matches no zone",
    (wanted) => {
      expect(ids("/zones")).toHaveLength(1);
      expect(ids(`/zones?name=${wanted}`)).toEqual([]);
    },
  );

  it.each([
    "/zones",
    `${zone}/firewall/waf/packages`,
    `${zone}/firewall/waf/packages/${PACKAGE}/groups`,
    `${zone}/firewall/waf/packages/${PACKAGE}/rules`,
  ])("%s keeps its usual order", (path) => {
    const usual = ids(path);
    expect(usual).not.toEqual([]);
    for (const order of ["__proto__", "constructor", "toString"]) expect(ids(`${path}?order=${order}`)).toEqual(usual);
  });

  it("a setting with such a name is unknown (1434)", () => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      const settings: Json = JSON.parse(`{"${name}": "on"}`);
      const body = hostnameBody("c.customer.net", { ssl: { method: "http", type: "dv", settings } });
      expect([name, code(made.zone("POST", "/custom_hostnames", body))]).toEqual([name, 1434]);
    }
  });

  it("an outside DNS name like that is stored under that name", () => {
    for (const name of ["__proto__", "constructor"]) made.admin.setDns(name, { cname: "elsewhere.net" });
    const dns = at(JSON.parse(made.service.handle({ method: "GET", path: "/_admin/world" }).body), "result.dns");
    expect(Object.keys(Object(dns))).toEqual(["__proto__", "constructor"]);
  });
});

/** The paths of the GET routes, each once. */
function pathsOf(routes: readonly Route[], prefix: string): string[] {
  return [...new Set(routes.flatMap(({ method, path }) => (method === "GET" ? [`${prefix}${path}`] : [])))];
}
