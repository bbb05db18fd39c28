import { describe, expect, it } from "vitest";
import { openDns } from "../../../lib/real/dns.ts";
import { makePlan } from "../../../lib/engine/plan.ts";
import type { Diagnostic } from "../../../lib/core/diagnostic.ts";
import type { SeedZone } from "../../../lib/emulator.ts";
import type { Scope } from "../../../lib/engine/checks/hostnames.ts";
import { type DnsServer, type Names, startDnsServer } from "../../support/dns-server.ts";
import { dnsRecords, FALLBACK, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { certificate } from "../../support/x509.ts";

const PATIENCE_MILLISECONDS = 100;
/** For tests in which every question is answered, however busy the machine is. */
const LONG_PATIENCE_MILLISECONDS = 60_000;
const SSL = { type: "dv", method: "http" };

interface Project {
  readonly entries: readonly object[];
  readonly authority?: string;
  readonly zone?: Partial<SeedZone>;
  /** What else the zone's file contains. */
  readonly more?: object;
}

function rigOf({ entries, authority, zone, more }: Project): Rig {
  const ssl = authority === undefined ? SSL : { ...SSL, certificate_authority: authority };
  const policies = [{ name: "baseline", set: { ssl } }];
  const file = {
    version: 1,
    zone: { id: ZONE.id, name: ZONE.name },
    fallback_origin: { origin: FALLBACK },
    custom_hostnames: { lifecycle: "zoneform", entries, policies },
    ...more,
  };
  const { fallback_origin, ...without } = file;
  const isWithout = fallback_origin === null;
  return openRig({ files: { "zones/a.yaml": isWithout ? without : file }, ...(zone ? { zone } : {}) });
}

async function findings(rig: Rig, server: DnsServer, scope: Scope = "changed"): Promise<readonly Diagnostic[]> {
  const timeoutMilliseconds = server.isSilent ? PATIENCE_MILLISECONDS : LONG_PATIENCE_MILLISECONDS;
  const dns = openDns({ servers: [server.address], timeoutMilliseconds });
  const plan = await rig.plan({ dnsCheck: { dns, scope } });
  return plan.zones.flatMap((section) => section.findings);
}

function codes(found: readonly Diagnostic[]): readonly string[] {
  return found.map(({ code }) => code);
}

async function checked(names: Names, project: Project): Promise<readonly Diagnostic[]> {
  return findings(rigOf(project), await startDnsServer(names));
}

const entry = (hostname: string, more: object = {}): object => ({ hostname, ...more });
const atZone = { cname: FALLBACK };

describe("preflight with a DNS server", () => {
  it("finds nothing if each hostname leads to a name of the zone and no CAA record forbids it", async () => {
    const found = await checked(
      {
        "app.customer.net": { cname: "edge.customer.net" },
        "edge.customer.net": { cname: "Any-Name.saas.net" },
        "customer.net": { caa: ['0 issue "pki.goog"', '0 iodef "mailto:security@customer.net"'] },
        "www.other.net": atZone,
      },
      { entries: [entry("app.customer.net"), entry("www.other.net")], authority: "google" },
    );
    expect(found).toEqual([]);
  });

  it("finds the CAA records of the nearest name that has any, and asks for no name above that", async () => {
    const server = await startDnsServer({
      "app.eu.customer.net": atZone,
      "eu.customer.net": { caa: ['0 issue "digicert.com"'] },
      "customer.net": { caa: ['0 issue "pki.goog"'] },
    });
    const found = await findings(rigOf({ entries: [entry("app.eu.customer.net")], authority: "google" }), server);
    expect(codes(found)).toEqual(["caa-blocks-ca"]);
    expect(found[0]?.message).toContain('CAA records of eu.customer.net (0 issue "digicert.com") block google');
    expect(found[0]?.remedy).toContain('eu.customer.net. CAA 0 issue "pki.goog"');
    expect(found[0]?.remedy).toContain('eu.customer.net. CAA 0 issuewild "pki.goog"');
    expect(server.questions).not.toContain("CAA customer.net");
  });

  it("names the end of an alias, because no CAA record can exist beside a CNAME", async () => {
    const found = await checked(
      {
        "app.customer.net": { cname: "lb.customer.net" },
        "lb.customer.net": { cname: FALLBACK },
        [FALLBACK]: { a: ["192.0.2.1"], caa: ['0 issue ";"'] },
      },
      { entries: [entry("app.customer.net")], authority: "google" },
    );
    expect(codes(found)).toEqual(["caa-blocks-ca"]);
    expect(found[0]?.message).toContain(`CAA records of ${FALLBACK} (0 issue ";")`);
  });

  it("judges a wildcard by issuewild, and what it also covers by issue", async () => {
    const names: Names = {
      "*.customer.net": atZone,
      "shop.net": atZone,
      "customer.net": { caa: ['0 issue "digicert.com"', '0 issuewild "pki.goog"'] },
      net: { caa: ['0 issue "pki.goog"', '0 issuewild "digicert.com"'] },
    };
    const txt = { ssl: { method: "txt" } };
    const wild = { ssl: { method: "txt", wildcard: true } };
    expect(await checked(names, { entries: [entry("*.customer.net", txt)], authority: "google" })).toEqual([]);
    expect(await checked(names, { entries: [entry("shop.net")], authority: "google" })).toEqual([]);
    expect(codes(await checked(names, { entries: [entry("shop.net", wild)], authority: "google" }))).toEqual([
      "caa-blocks-ca",
    ]);
  });

  it("calls the default blocked only if both google and lets_encrypt are", async () => {
    const names = (issuer: string): Names => ({ "a.net": { caa: [`0 issue "${issuer}"`] }, "www.a.net": atZone });
    const project = { entries: [entry("www.a.net")], authority: "default" };
    expect(await checked(names("letsencrypt.org"), project)).toEqual([]);
    expect(await checked(names("pki.goog"), project)).toEqual([]);
    const blocked = await checked(names("digicert.com"), project);
    expect(codes(blocked)).toEqual(["caa-blocks-ca"]);
    expect(blocked[0]?.message).toContain("block google and lets_encrypt, between which default chooses");
    expect(blocked[0]?.remedy).toContain('CAA 0 issue "pki.goog"');
  });

  it("asks nothing about CAA if a certificate is uploaded or none is wanted", async () => {
    const server = await startDnsServer({ "a.net": atZone, "b.net": atZone });
    const uploaded = { ssl: { custom_certificate: { env: "CERTIFICATE" }, custom_key: { env: "KEY" } } };
    const rig = rigOf({
      entries: [entry("a.net", uploaded), entry("b.net")],
      more: {
        custom_hostnames: {
          lifecycle: "zoneform",
          entries: [entry("a.net", { ssl: { ...SSL, ...uploaded.ssl } }), entry("b.net")],
        },
      },
    });
    const own = certificate({ subject: "a.net", issuer: ["Own", "CA"], sans: ["a.net"] });
    Object.assign(rig.env, { CERTIFICATE: own.certificate, KEY: own.key });
    expect(await findings(rig, server)).toEqual([]);
    expect(server.questions.filter((question) => question.startsWith("CAA"))).toEqual([]);
  });

  it("says for each hostname where it leads instead, with the record to set", async () => {
    const found = await checked(
      {
        "alias.net": { cname: "pages.other.net" },
        "pages.other.net": { a: ["192.0.2.99"] },
        "own.net": { a: ["192.0.2.98"], aaaa: ["2001:db8::98"] },
        [FALLBACK]: { a: ["192.0.2.1"] },
      },
      { entries: ["alias.net", "own.net", "none.net"].map((name) => entry(name)) },
    );
    expect(found.map(({ code, message, remedy, address }) => [code, message, remedy, address])).toEqual([
      [
        "no-cname",
        "no CNAME leads to saas.net: it is an alias of pages.other.net",
        "ask the customer to set: alias.net. CNAME fallback.saas.net.",
        'custom_hostname["alias.net"]',
      ],
      [
        "no-cname",
        "no CNAME leads to saas.net: it has no record",
        "ask the customer to set: none.net. CNAME fallback.saas.net.",
        'custom_hostname["none.net"]',
      ],
      [
        "no-cname",
        "no CNAME leads to saas.net: it has addresses of its own",
        "ask the customer to set: own.net. CNAME fallback.saas.net.",
        'custom_hostname["own.net"]',
      ],
    ]);
  });

  it("cannot tell if the addresses are the fallback origin's, which is what apex proxying looks like", async () => {
    const found = await checked(
      {
        "apex.net": { a: ["192.0.2.1"] },
        "six.net": { aaaa: ["2001:db8::1"] },
        [FALLBACK]: { a: ["192.0.2.1", "192.0.2.2"], aaaa: ["2001:db8::1"] },
      },
      { entries: [entry("apex.net"), entry("six.net")] },
    );
    expect(codes(found)).toEqual(["cname-unclear"]);
    expect(found[0]?.message).toContain("cannot tell whether 2 custom hostnames without CNAME lead to saas.net");
  });

  it("does not report a missing CNAME if the fallback origin's own addresses could not be looked up", async () => {
    const names: Names = { "apex.net": { a: ["192.0.2.1"] }, [FALLBACK]: "servfail" };
    const found = await checked(names, { entries: [entry("apex.net")] });
    expect(found.map(({ message }) => message)).toEqual([
      `1 custom hostname could not be checked: the DNS server failed (SERVFAIL) on ${FALLBACK}`,
    ]);
  });

  it("ends at aliases that go in circles", async () => {
    const names: Names = { "loop.net": { cname: "pool.net" }, "pool.net": { cname: "loop.net" } };
    const found = await checked(names, { entries: [entry("loop.net")] });
    expect(codes(found)).toEqual(["dns-unchecked"]);
  });

  it("stops at once when it is aborted", async () => {
    const server = await startDnsServer({ "a.net": "silence" });
    const rig = rigOf({ entries: [entry("a.net")] });
    const controller = new AbortController();
    const { signal } = controller;
    const dns = openDns({ servers: [server.address], timeoutMilliseconds: 3_600_000, signal });
    const ask: typeof dns.resolveCname = (name) => {
      setImmediate(() => controller.abort(new Error("told to")));
      return dns.resolveCname(name);
    };
    const options = { file: rig.file, dnsCheck: { dns: { ...dns, resolveCname: ask }, scope: "all" } } as const;
    await expect(makePlan({ ...rig.world(), signal }, options)).rejects.toThrow("told to");
    expect(server.questions.filter((question) => question !== "CNAME a.net")).toEqual([]);
  });

  it("never takes SERVFAIL, a refusal or silence for absence", async () => {
    const found = await checked(
      {
        "a.failing.net": atZone,
        "failing.net": "servfail",
        "b.failing.net": "servfail",
        "c.refusing.net": "refused",
        "d.silent.net": "silence",
      },
      { entries: ["a.failing.net", "b.failing.net", "c.refusing.net", "d.silent.net"].map((name) => entry(name)) },
    );
    expect(new Set(codes(found))).toEqual(new Set(["dns-unchecked"]));
    expect(found.map(({ message }) => message).sort()).toEqual([
      "1 custom hostname could not be checked: no DNS server answered in time for d.silent.net",
      "1 custom hostname could not be checked: the DNS server refused to answer for c.refusing.net",
      "2 custom hostnames could not be checked: the DNS server failed (SERVFAIL) on failing.net, b.failing.net",
    ]);
  });

  it("says so if there is no DNS server at all", async () => {
    const dns = openDns({ servers: ["127.0.0.1:1"], timeoutMilliseconds: PATIENCE_MILLISECONDS });
    const plan = await rigOf({ entries: [entry("a.net")] }).plan({ dnsCheck: { dns, scope: "changed" } });
    expect(plan.zones[0]?.findings.map(({ message }) => message)).toEqual([
      "1 custom hostname could not be checked: no DNS server could be reached for a.net",
    ]);
  });

  it("asks about hostnames that change, and about the others only on request", async () => {
    const server = await startDnsServer({ "new.net": atZone });
    const rig = rigOf({ entries: [entry("old.net"), entry("other.net")] });
    await rig.run();
    await rig.wait(3_600_000);
    expect(await findings(rig, server)).toEqual([]);
    expect(server.questions).toEqual([]);
    expect(codes(await findings(rig, server, "all"))).toEqual(["no-cname", "no-cname"]);
    rig.write("zones/a.yaml", {
      version: 1,
      zone: { id: ZONE.id, name: ZONE.name },
      custom_hostnames: {
        lifecycle: "zoneform",
        entries: ["old.net", "other.net", "new.net"].map((name) => entry(name, { ssl: SSL })),
      },
    });
    const before = server.questions.length;
    expect(await findings(rig, server)).toEqual([]);
    expect(server.questions.slice(before)).toContain("CNAME new.net");
    expect(server.questions.slice(before).filter((question) => /(old|other)\.net$/.test(question))).toEqual([]);
  });

  it("makes no change: the plan is the same with it and without", async () => {
    const server = await startDnsServer({});
    const rig = rigOf({ entries: [entry("a.net")], zone: { dns_records: [] } });
    const without = await rig.plan();
    const dns = openDns({ servers: [server.address] });
    const plan = await rig.plan({ dnsCheck: { dns, scope: "all" } });
    expect(plan.hash).toBe(without.hash);
    expect(plan.zones[0]?.findings.every(({ severity }) => severity === "warning")).toBe(true);
  });
});

describe("the fallback origin's record", () => {
  const names: Names = { "a.net": atZone };
  const project = (records: SeedZone["dns_records"]): Project => {
    return { entries: [entry("a.net")], zone: { dns_records: records ?? [] } };
  };

  it("is missing if the zone has none that could be proxied", async () => {
    const found = await checked(names, project([{ type: "TXT", name: FALLBACK, content: "v=1" }]));
    expect(codes(found)).toEqual(["fallback-record-missing"]);
    expect(found[0]).toMatchObject({ address: "fallback_origin", at: { file: "zones/a.yaml" } });
    expect(found[0]?.remedy).toContain(`${FALLBACK}. A, AAAA or CNAME`);
  });

  it("is reported if it is not proxied", async () => {
    const found = await checked(names, project([{ type: "A", name: FALLBACK, content: "192.0.2.10" }]));
    expect(codes(found)).toEqual(["fallback-record-unproxied"]);
    expect(found[0]?.message).toContain(`${FALLBACK}. A 192.0.2.10`);
  });

  it("is not checked, with a warning, if the token may not read DNS records", async () => {
    const rig = rigOf(project(dnsRecords()));
    rig.network((request, _index, pass) => {
      if (!request.url.includes("/dns_records")) return pass();
      const errors = [{ code: 10000, message: "Authentication error" }];
      const body = JSON.stringify({ success: false, errors, messages: [], result: null });
      return Promise.resolve({ status: 403, headers: { "content-type": "application/json" }, body });
    });
    const found = await findings(rig, await startDnsServer(names));
    expect(codes(found)).toEqual(["dns-records-unreadable"]);
    expect(found[0]?.remedy).toBe("give the token DNS Read for the zone");
  });

  it("is checked for the live fallback origin if the YAML declares none", async () => {
    const zone = { dns_records: [{ type: "A", name: FALLBACK, content: "192.0.2.10" }], fallback_origin: FALLBACK };
    const rig = rigOf({ entries: [entry("a.net")], zone, more: { fallback_origin: null } });
    expect(codes(await findings(rig, await startDnsServer(names)))).toEqual(["fallback-record-unproxied"]);
  });

  it("is not asked for without a fallback origin: then the hostnames without an origin are named", async () => {
    const own = entry("own.net", { custom_origin_server: "origin1.saas.net" });
    const rig = rigOf({ entries: [entry("a.net"), own], more: { fallback_origin: null } });
    const found = await findings(rig, await startDnsServer({ ...names, "own.net": atZone }));
    expect(codes(found)).toEqual(["no-fallback-origin"]);
    expect(found[0]?.message).toContain("and 1 custom hostname no origin of their own: a.net");
  });

  it("is only read", async () => {
    const rig = rigOf(project([]));
    const methods = new Set<string>();
    rig.network((request, _index, pass) => {
      methods.add(request.method);
      return pass();
    });
    await findings(rig, await startDnsServer(names), "all");
    expect([...methods]).toEqual(["GET"]);
  });
});

describe("10,000 hostnames", () => {
  it("are asked about once each, and the names above them once", async () => {
    const hostnames = Array.from({ length: 10_000 }, (_, index) => `app${index}.shared.net`);
    const server = await startDnsServer(Object.fromEntries(hostnames.map((name) => [name, atZone])));
    const found = await findings(rigOf({ entries: hostnames.map((name) => entry(name)) }), server);
    expect(found).toEqual([]);
    expect(server.questions).toHaveLength(20_002);
    expect(server.questions.filter((question) => question === "CAA shared.net")).toHaveLength(1);
  });
});

describe("a DNS server's address", () => {
  it.each(["localhost", "1.2.3.4:0", "1.2.3.4:99999", "::1:", "[1.2.3.4]:53", "1.2.3", ""])(
    "%j is refused before anything is asked",
    (text) => {
      expect(() => openDns({ servers: [text] })).toThrow(/is no address of a DNS server/);
    },
  );

  it.each(["127.0.0.1", "127.0.0.1:5353", "::1", "[::1]", "[::1]:5353"])("%j is accepted", (text) => {
    expect(() => openDns({ servers: [text] })).not.toThrow();
  });
});
