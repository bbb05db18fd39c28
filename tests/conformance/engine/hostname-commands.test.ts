import { describe, expect, it } from "vitest";
import { defined, isObject } from "../../../lib/core/json.ts";
import { inspect } from "../../../lib/engine/plan.ts";
import { readProject } from "../../../lib/engine/world.ts";
import { findHostnames, reasonToLeave, revalidate } from "../../../lib/engine/hostnames/revalidate.ts";
import { hostnames, readTarget } from "../../../lib/engine/hostnames/list.ts";
import { purge, purgesOf } from "../../../lib/engine/hostnames/purge.ts";
import { type FallbackHealth, originHealth } from "../../../lib/engine/hostnames/origin-health.ts";
import { readableZones, standaloneZones } from "../../../lib/engine/hostnames/standalone-zones.ts";
import { zoneId } from "../../../lib/core/brand.ts";
import { flat } from "../../support/text.ts";
import type { Dns, DnsAnswer } from "../../../lib/core/dns.ts";
import { type ZoneStatus, zoneStatus } from "../../../lib/engine/hostnames/status.ts";
import { type HostnameTodo, todoOf } from "../../../lib/engine/hostnames/todo.ts";
import type { DesiredZone } from "../../../lib/config/desired.ts";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import type { FreshClient } from "../../../lib/service/client.ts";
import { dnsRecords, failuresOf, FALLBACK, openRig, type Rig, type RigOptions, ZONE } from "../../support/engine.ts";
import { statusText } from "../../support/texts.ts";

const DAY = 24 * 60 * 60 * 1000;

/** A project with three hostnames; the outside world decides who is validated. */
function rigOf(more: Partial<RigOptions> = {}, zoneFile: object = {}): Rig {
  return openRig({
    zone: { validation: "world", dns_records: dnsRecords(), fallback_origin: FALLBACK },
    files: {
      "zones/saas.yaml": {
        version: 1,
        zone: ZONE,
        fallback_origin: { origin: FALLBACK },
        custom_hostnames: {
          lifecycle: "zoneform",
          entries: [{ hostname: "a.one.net" }, { hostname: "b.one.net" }, { hostname: "c.two.net" }],
          policies: [{ name: "all", set: { ssl: { type: "dv", method: "txt" } } }],
        },
        ...zoneFile,
      },
    },
    ...more,
  });
}

/** Every hostname points at the zone, and is applied and active. */
async function activeRig(zoneFile: object = {}): Promise<Rig> {
  const rig = rigOf({}, zoneFile);
  for (const name of ["a.one.net", "b.one.net", "c.two.net"]) rig.admin.setDns(name, { cname: FALLBACK });
  await rig.run();
  await rig.wait(DAY);
  await rig.run();
  return rig;
}

async function statusOf(rig: Rig, horizonMilliseconds = 30 * DAY): Promise<ZoneStatus> {
  const { made } = await inspect(rig.world(), { file: rig.file }, async ({ input, section }) =>
    zoneStatus(input, section, new Map(), horizonMilliseconds),
  );
  const [status] = made;
  if (!status) throw new Error("the project has no zone");
  return status;
}

/** The states of a certificate that only a person can end, and some that end by themselves. */
const CERTIFICATE_FINALS = [
  ["initializing_timed_out", true],
  ["validation_timed_out", true],
  ["issuance_timed_out", true],
  ["deployment_timed_out", true],
  ["deletion_timed_out", true],
  ["deleted", true],
  ["inactive", true],
  ["holding_deployment", true],
  ["expired", true],
  ["pending_expiration", true],
  ["initializing", false],
  ["pending_validation", false],
  ["pending_issuance", false],
  ["pending_deployment", false],
  ["pending_cleanup", false],
] as const;

/** The status of a zone with a wildcard hostname, seen by a token of the owner of `customer.net` too, or not. */
async function wildcardStatus(zones: readonly string[], isAllowed = true): Promise<string> {
  const hostname = "*.shop.customer.net";
  const rig = openRig({
    zones: [
      { id: ZONE.id, name: ZONE.name, plan: "enterprise", dns_records: dnsRecords() },
      ...zones.map((name, index) => ({ id: zoneId(String(index + 1).repeat(32)), name })),
    ],
    files: {
      "zones/saas.yaml": {
        version: 1,
        zone: ZONE,
        custom_hostnames: {
          lifecycle: "zoneform",
          entries: [{ hostname, ssl: { method: "txt", type: "dv" } }, { hostname: "www.other.net" }],
        },
      },
    },
  });
  await rig.run();
  let calls = 0;
  rig.network(async (request, _index, pass) => {
    if (!/\/zones\?/.test(request.url)) return pass();
    calls += 1;
    return isAllowed
      ? pass()
      : { ...(await pass()), status: 403, body: '{"success":false,"errors":[{"code":9109,"message":"no"}]}' };
  });
  const { made } = await inspect(rig.world(), { file: rig.file }, async ({ input, section, client }) => ({
    ...zoneStatus(input, section, new Map(), DAY),
    ...defined({ standalone: await standaloneZones(input, () => readableZones(client)) }),
  }));
  expect(calls).toBe(1);
  return statusText(made, { colour: false });
}

describe("status finds wildcard hostnames whose domain is a zone of its own", () => {
  it("among the zones that the token can read, with one call", async () => {
    const text = await wildcardStatus(["customer.net", "other.net"]);
    expect(text).toContain("error 1016 for visitors of 1 wildcard hostname\n");
    expect(flat(text)).toContain(
      "*.shop.customer.net: customer.net is also a zone at Cloudflare, which takes precedence over the wildcard to do: declare each hostname too, beside the wildcard",
    );
  });

  it("and says how far it could look", async () => {
    const text = flat(await wildcardStatus([]));
    expect(text).not.toContain("1016");
    expect(text).toContain(
      "1 wildcard hostname compared with the 1 zone that the token can read; other people's zones cannot be seen",
    );
    expect(flat(await wildcardStatus(["customer.net"], false))).toContain(
      "1 wildcard hostname not compared with zones at Cloudflare: the token may not list zones (Zone Read)",
    );
  });
});

async function healthOf(rig: Rig, answer?: DnsAnswer<string>["status"]): Promise<FallbackHealth | undefined> {
  const { made } = await inspect(rig.world(), { file: rig.file }, async ({ input, client }) =>
    originHealth(client, input, answer && dnsThatSays(answer)),
  );
  return made[0]?.fallback;
}

/** What status prints of the zone, and how often it reads DNS records for that. */
async function originsOf(rig: Rig): Promise<{ printed: string; calls: number }> {
  let calls = 0;
  rig.network(async (request, _index, pass) => {
    if (request.url.includes("/dns_records")) calls += 1;
    return pass();
  });
  const { made } = await inspect(rig.world(), { file: rig.file }, async ({ input, section, client }) => ({
    ...zoneStatus(input, section, new Map(), DAY),
    origins: await originHealth(client, input, undefined),
  }));
  return { printed: statusText(made, { colour: false }), calls };
}

function deleteRecord(rig: Rig, name: string): void {
  for (const id of recordsOf(rig, name)) rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/dns_records/${id}`);
}

function dnsThatSays(status: DnsAnswer<string>["status"]): Dns {
  const nothing = { status: "no-answer" } as const;
  const answer: DnsAnswer<string> =
    status === "found"
      ? { status, records: ["192.0.2.1"] }
      : status === "failed"
        ? { status, fault: "timed-out" }
        : { status };
  return {
    resolveCname: async () => nothing,
    resolveCaa: async () => nothing,
    resolveAddresses: async () => answer,
  };
}

/** The ids of the zone's DNS records with a name. */
function recordsOf(rig: Rig, name = FALLBACK): readonly string[] {
  const { body } = rig.admin.dashboard("GET", `/zones/${ZONE.id}/dns_records?name=${name}`);
  const found: { readonly result: readonly { readonly id: string }[] } = JSON.parse(body);
  return found.result.map(({ id }) => id);
}

async function calling(rig: Rig): Promise<{ client: FreshClient; zone: DesiredZone }> {
  const { project } = await readProject(rig.world(), { file: rig.file });
  const [zone] = project.desired.zones;
  if (!zone) throw new Error("the project has no zone");
  return { client: rig.world().connect(project.desired.budget), zone };
}

async function todosOf(rig: Rig): Promise<readonly HostnameTodo[]> {
  const { client, zone } = await calling(rig);
  const target = await readTarget(client, zone);
  const left: HostnameTodo[] = [];
  for await (const record of hostnames(client, zone, { patterns: [] }))
    left.push(...[todoOf(record, target) ?? []].flat());
  return left;
}

describe("status", () => {
  it("finds nothing if all is well, and writes nothing", async () => {
    const rig = await activeRig();
    const before = await rig.state();
    rig.service.core.log.reset();
    expect(await statusOf(rig)).toMatchObject({
      live: 3,
      byStatus: { active: 3 },
      held: [],
      blocked: [],
      moved: [],
      expired: [],
      expiring: [],
      dnsLeft: [],
      checks: [],
      foreign: 0,
    });
    expect(Object.keys(rig.service.core.log.counts()).filter((call) => !call.startsWith("GET "))).toEqual([]);
    expect(await rig.state()).toEqual(before);
  });

  it("names a hostname that moved, with the day on which the service deletes it, and one whose DNS points away", async () => {
    const rig = await activeRig();
    rig.admin.setDns("a.one.net", { cname: "elsewhere.test" });
    await rig.wait(DAY / 24);
    const seenOn = new Date(rig.clock.now()).toISOString();
    // Nobody saw when it moved: a date would be made up.
    expect((await statusOf(rig)).moved).toEqual([{ hostname: "a.one.net" }]);
    await rig.run();
    await rig.wait(DAY);
    const status = await statusOf(rig);
    const [moved] = status.moved;
    expect(moved).toMatchObject({ hostname: "a.one.net", seenOn: expect.stringContaining(seenOn.slice(0, 16)) });
    expect(status.dnsLeft).toEqual([{ hostname: "a.one.net", status: "moved" }]);
    // The named day is right: the service has deleted it by then.
    await rig.wait(Date.parse(moved?.deletedBy ?? "") - rig.clock.now());
    const after = await statusOf(rig);
    expect(after).toMatchObject({ live: 2, moved: [], expired: ["a.one.net"] });
  });

  it("names a hostname of a held zone with the service's text", async () => {
    const rig = rigOf();
    rig.admin.setDns("one.net", { held: "subdomains" });
    await rig.run();
    await rig.wait(DAY / 24);
    expect((await statusOf(rig)).blocked).toEqual([
      { hostname: "a.one.net", said: [expect.stringContaining("held zone")] },
      { hostname: "b.one.net", said: [expect.stringContaining("held zone")] },
    ]);
  });

  it("names what is held, and why", async () => {
    const rig = rigOf();
    await rig.run();
    const text = rig.read("zones/saas.yaml");
    rig.write("zones/saas.yaml", text.replace("method: txt", "method: http"));
    const { held } = await statusOf(rig);
    expect(held).toHaveLength(3);
    expect(held[0]).toMatchObject({ reason: expect.stringContaining("pending") });
  });

  it("names what does not continue by itself, each once with its reason, and counts what does", async () => {
    const rig = await activeRig();
    rig.admin.forceHostname(ZONE.id, "a.one.net", { status: "pending", sslStatus: "issuance_timed_out" });
    const text = "caa_error: two.net";
    rig.admin.forceHostname(ZONE.id, "b.one.net", { sslStatus: "pending_issuance", validationErrors: [text] });
    rig.admin.forceHostname(ZONE.id, "c.two.net", { sslStatus: "pending_validation" });
    const status = await statusOf(rig);
    expect(status.stuck).toMatchObject([
      { subject: "a.one.net", reason: "issuance_timed_out" },
      { subject: "b.one.net", reason: "caa_error", said: [text] },
    ]);
    expect(status.underWay).toBe(1);
    const printed = statusText([status], { colour: false });
    expect(printed).toContain("  1 stuck in issuance_timed_out\n    a.one.net");
    expect(printed).not.toContain("nothing needs attention");
  });

  it.each(CERTIFICATE_FINALS)(
    "says for a certificate that is %s whether it waits for a person: %s",
    async (word, waits) => {
      const rig = await activeRig();
      rig.admin.forceHostname(ZONE.id, "a.one.net", { sslStatus: word });
      const status = await statusOf(rig, 0);
      expect([status.stuck.map(({ subject }) => subject), status.underWay]).toEqual(
        waits ? [["a.one.net"], 0] : [[], 1],
      );
      expect(statusText([status], { colour: false }).includes("to do: ")).toBe(waits);
    },
  );

  it("reports the fallback origin as the service, the zone and DNS see it", async () => {
    const rig = await activeRig();
    expect(await healthOf(rig)).toEqual({
      origin: FALLBACK,
      status: "active",
      errors: [],
      record: "proxied",
      hostnames: 3,
      isDeclared: true,
    });
    expect(await healthOf(rig, "not-found")).toMatchObject({ resolves: "no" });
    expect(await healthOf(rig, "found")).toMatchObject({ resolves: "yes" });
    expect(await healthOf(rig, "failed")).toMatchObject({ resolves: "unknown" });
    const [record] = recordsOf(rig);
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/dns_records/${record}`, { proxied: false });
    expect(await healthOf(rig)).toMatchObject({ record: "unproxied" });
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/dns_records/${record}`, { name: "elsewhere.saas.net" });
    const missing = await healthOf(rig);
    expect(missing).toMatchObject({ record: "missing" });
    const status = {
      ...(await statusOf(rig)),
      ...(missing ? { origins: { fallback: missing, customOrigins: [] } } : {}),
    };
    const printed = statusText([status], { colour: false });
    expect(printed).toContain(`fallback origin ${FALLBACK}, used by 3 hostnames\n    the zone has no record of it`);
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/fallback_origin`);
    await rig.wait(DAY);
    expect(await healthOf(rig)).toEqual({ status: "none", errors: [], hostnames: 3, isDeclared: true });
  });

  it("names a custom origin whose DNS record was deleted, and reads the records of the zone once", async () => {
    const entries = [
      { hostname: "a.one.net", custom_origin_server: "pool.saas.net" },
      { hostname: "b.one.net", custom_origin_server: "pool.saas.net" },
      { hostname: "c.two.net", custom_origin_server: "any.apps.saas.net" },
    ];
    const rig = rigOf(
      {
        zone: {
          validation: "world",
          fallback_origin: FALLBACK,
          dns_records: [
            ...dnsRecords(),
            { type: "A", name: "pool.saas.net", content: "192.0.2.7", proxied: false },
            { type: "A", name: "any.apps.saas.net", content: "192.0.2.8", proxied: true },
          ],
        },
      },
      { custom_hostnames: { lifecycle: "zoneform", entries } },
    );
    for (const { hostname } of entries) rig.admin.setDns(hostname, { cname: FALLBACK });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(DAY);
    const before = await originsOf(rig);
    expect(before.calls).toBe(1);
    expect(before.printed).toContain("2 custom origins of the zone: all have a DNS record");
    deleteRecord(rig, "pool.saas.net");
    deleteRecord(rig, "any.apps.saas.net");
    rig.admin.dashboard("POST", `/zones/${ZONE.id}/dns_records`, {
      type: "A",
      name: "*.apps.saas.net",
      content: "192.0.2.8",
      proxied: true,
    });
    const { calls, printed } = await originsOf(rig);
    expect(calls).toBe(1);
    expect(printed).toMatch(/: 1 problem needs attention\n/);
    expect(printed).toContain(
      "1 custom origin has no DNS record in the zone\n    pool.saas.net: error 1016 for visitors of 2 hostnames\n",
    );
  });

  it("names certificates that expire within the time, and no others", async () => {
    const rig = await activeRig();
    const [first, ...others] = (await statusOf(rig, 91 * DAY)).expiring;
    expect([first?.hostname, ...others.map(({ hostname }) => hostname)]).toEqual([
      "a.one.net",
      "b.one.net",
      "c.two.net",
    ]);
    const left = Date.parse(first?.expiresOn ?? "") - rig.clock.now();
    expect((await statusOf(rig, left)).expiring[0]?.hostname).toBe("a.one.net");
    expect((await statusOf(rig, left - 1)).expiring.map(({ hostname }) => hostname)).not.toContain("a.one.net");
  });

  it("names what a check finds, and counts foreign hostnames", async () => {
    const checks = [{ name: "no-google", deny: { certificate_authority: "google" }, in: ["live"] }];
    const rig = await activeRig({ checks });
    rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, {
      hostname: "foreign.net",
      ssl: { method: "txt", type: "dv", certificate_authority: "ssl_com" },
    });
    const status = await statusOf(rig);
    expect(status.checks).toEqual([{ check: "no-google", hostnames: ["a.one.net", "b.one.net", "c.two.net"] }]);
    expect(status.foreign).toBe(1);
  });
});

describe("the list of what is left to do", () => {
  it("is enough: a customer who sets the required records becomes active", async () => {
    const rig = rigOf();
    await rig.run();
    await rig.wait(10_000);
    for (const { records } of await todosOf(rig)) {
      for (const { need, type, name, value } of records) {
        if (need !== "required") continue;
        rig.admin.setDns(name, type === "CNAME" ? { cname: value } : { txt: [value] });
      }
    }
    await rig.wait(DAY);
    expect((await statusOf(rig)).byStatus).toEqual({ active: 3 });
    expect(await todosOf(rig)).toEqual([]);
  });

  it("contains only valid proofs of ownership", async () => {
    const rig = rigOf();
    await rig.run();
    await rig.wait(10_000);
    const [first, second] = await todosOf(rig);
    const proof = (todo: HostnameTodo | undefined, type: string): { name: string; value: string } => {
      const found = todo?.records.find((record) => record.purpose === "ownership" && record.type === type);
      return { name: found?.name ?? "", value: found?.value ?? "" };
    };
    const [txt, http] = [proof(first, "TXT"), proof(second, "HTTP")];
    rig.admin.setDns(txt.name, { txt: [txt.value] });
    rig.admin.setHttp(http.name, http.value);
    await rig.wait(DAY);
    expect((await statusOf(rig)).byStatus).toEqual({ active: 2, pending: 1 });
  });
});

describe("a list of hostnames", () => {
  it("filters by status and pattern", async () => {
    const rig = await activeRig();
    rig.admin.forceHostname(ZONE.id, "b.one.net", { status: "moved", sslStatus: "validation_timed_out" });
    const { client, zone } = await calling(rig);
    const names = async (filter: Partial<Parameters<typeof hostnames>[2]>): Promise<string[]> => {
      const found: string[] = [];
      for await (const { live } of hostnames(client, zone, { patterns: [], ...filter })) found.push(live.key);
      return found;
    };
    expect(await names({})).toEqual(["a.one.net", "b.one.net", "c.two.net"]);
    expect(await names({ status: "moved" })).toEqual(["b.one.net"]);
    expect(await names({ sslStatus: "active" })).toEqual(["a.one.net", "c.two.net"]);
    expect(await names({ patterns: ["*.one.net"] })).toEqual(["a.one.net", "b.one.net"]);
    expect(await names({ patterns: ["c.two.net", "b.*"] })).toEqual(["b.one.net", "c.two.net"]);
  });
});

describe("hostname retry", () => {
  it("brings back a hostname that moved, with one edit that changes nothing", async () => {
    const rig = await activeRig();
    rig.admin.setDns("a.one.net", { cname: "elsewhere.test" });
    await rig.wait(DAY / 24);
    rig.admin.setDns("a.one.net", { cname: FALLBACK });
    const { client, zone } = await calling(rig);
    const found = await findHostnames(client, [zone], ["A.one.net."]);
    const before = found[0]?.live.values;
    expect(found.map(({ live }) => reasonToLeave(live, "retry"))).toEqual([undefined]);
    rig.service.core.log.reset();
    const outcomes = [];
    for await (const { outcome } of revalidate(client, found, "revalidate")) outcomes.push(outcome.status);
    expect(outcomes).toEqual(["done"]);
    expect(rig.service.core.log.counts()).toEqual({
      "GET /zones/:zone/custom_hostnames/:id": 1,
      "PATCH /zones/:zone/custom_hostnames/:id": 1,
    });
    await rig.wait(DAY);
    const [after] = await findHostnames(client, [zone], ["a.one.net"]);
    expect(after?.live.status).toMatchObject({ status: "active", ssl_status: "active" });
    expect(after?.live.values).toEqual(before);
    expect(await rig.drift()).toEqual([]);
  });

  it("continues after a failure, and reports it", async () => {
    const rig = rigOf();
    await rig.run();
    const { client, zone } = await calling(rig);
    const found = await findHostnames(client, [zone], ["a.one.net", "b.one.net"]);
    const id = found[0]?.live.id ?? "";
    rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/custom_hostnames/${id}`);
    const outcomes = [];
    for await (const { outcome } of revalidate(client, found, "revalidate"))
      outcomes.push(outcome.status === "failed" ? outcome.diagnostic.code : outcome.status);
    expect(outcomes).toEqual(["unknown-hostname", "done"]);
  });

  it("starts nothing more after an interruption", async () => {
    const rig = rigOf();
    await rig.run();
    const { client, zone } = await calling(rig);
    const found = await findHostnames(client, [zone], ["a.one.net", "b.one.net"]);
    const controller = new AbortController();
    const outcomes = [];
    for await (const { outcome } of revalidate(client, found, "revalidate", controller.signal)) {
      outcomes.push(outcome.status);
      controller.abort();
    }
    expect(outcomes).toEqual(["done", "not-started"]);
  });

  it.each([
    ["moved", "active", "retry", true],
    ["blocked", "pending_validation", "retry", true],
    ["pending", "validation_timed_out", "retry", true],
    ["active", "expired", "retry", true],
    ["pending", "pending_validation", "retry", false],
    ["pending", "pending_validation", "revalidate", true],
    ["active", "active", "revalidate", false],
    ["active", "active", "retry", false],
  ] as const)("on a hostname that is %s with a certificate %s: %s is %s", (status, sslStatus, how, isDone) => {
    const values = { ssl: { method: "txt", type: "dv" } };
    const live = { id: "1", key: "a.net", values, status: { status, ssl_status: sslStatus } };
    expect(reasonToLeave(live, how) === undefined).toBe(isDone);
  });

  it("leaves a hostname without a certificate alone", () => {
    const live = { id: "1", key: "a.net", values: {}, status: { status: "pending" } };
    expect(reasonToLeave(live, "revalidate")).toContain("no certificate");
  });

  it("refuses all names at once that are not live", async () => {
    const rig = await activeRig();
    const { client, zone } = await calling(rig);
    const refusal = await findHostnames(client, [zone], ["a.one.net", "x.net", "y.net"]).catch(
      (thrown: unknown) => thrown,
    );
    expect(refusal instanceof Refusal && refusal.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining("x.net"),
      expect.stringContaining("y.net"),
    ]);
  });
});

describe("a purge", () => {
  it("names each host once, and no more of them in a call than the service accepts", async () => {
    const rig = await activeRig();
    const { client, zone } = await calling(rig);
    const hosts = Array.from({ length: 101 }, (_each, index) => `h${index}.saas.net`);
    const statuses = [];
    for await (const { outcome } of purge(client, purgesOf([zone], [...hosts, ...hosts])))
      statuses.push(outcome.status);
    expect(statuses).toEqual(["done", "done"]);
    const purged = rig.admin.purges(ZONE.id).map((each) => each["items"]);
    expect(purged.map((items) => (Array.isArray(items) ? items.length : 0))).toEqual([100, 1]);
    expect(new Set(purged.flat())).toEqual(new Set(hosts));
  });

  it("respects the old limits on request", async () => {
    const { zone } = await calling(await activeRig());
    const hosts = Array.from({ length: 61 }, (_each, index) => `h${index}.saas.net`);
    expect(purgesOf([zone], hosts, 30).map((each) => each.hosts.length)).toEqual([30, 30, 1]);
  });

  it("reports what the service refused, and why", async () => {
    const rig = await activeRig();
    const { client, zone } = await calling(rig);
    const hosts = Array.from({ length: 101 }, (_each, index) => `h${index}.saas.net`);
    const outcomes = [];
    for await (const { outcome } of purge(client, purgesOf([zone], hosts, 101))) outcomes.push(outcome);
    expect(outcomes).toMatchObject([
      { status: "failed", diagnostic: { remedy: expect.stringContaining("--hosts-per-call") } },
    ]);
  });

  it("refuses text that is not a host, and hosts that could be in any zone", async () => {
    const { zone } = await calling(await activeRig());
    const other = { ...zone, id: zone.id, name: "saas.org", objects: [] };
    const codes = (zones: readonly DesiredZone[], hosts: readonly string[]): readonly unknown[] => {
      try {
        return purgesOf(zones, hosts);
      } catch (thrown) {
        return thrown instanceof Refusal ? thrown.diagnostics.map(({ code }) => code) : [thrown];
      }
    };
    expect(codes([zone], ["https://a.net/x", "*.a.net", "a.net:80"])).toEqual([
      "not-a-host",
      "not-a-host",
      "not-a-host",
    ]);
    expect(codes([zone, other], ["unknown.net"])).toEqual(["unknown-hostname"]);
    const [declared, below] = [codes([other, zone], ["c.two.net"]), codes([zone, other], ["x.saas.org"])];
    expect(
      [declared[0], below[0]].map((each) => isObject(each) && isObject(each["zone"]) && each["zone"]["name"]),
    ).toEqual(["saas.net", "saas.org"]);
  });
});
