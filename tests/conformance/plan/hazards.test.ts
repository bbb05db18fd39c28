import { describe, expect, it } from "vitest";
import type { Dns, DnsAnswer } from "../../../lib/core/dns.ts";
import type { SeedZone } from "../../../lib/emulator.ts";
import type { Change } from "../../../lib/plan/change.ts";
import { EVERYTHING } from "../../../lib/plan/inputs.ts";
import { planDocument } from "../../../lib/report/plan/json.ts";
import { planMarkdown } from "../../../lib/report/plan.ts";
import { planText } from "../../../lib/report/plan.ts";
import { changesOf, dnsRecords, failuresOf, FALLBACK, openRig, type Rig, ZONE } from "../../support/engine.ts";
import type { PlanOptions } from "../../../lib/engine/plan-input.ts";

const HOUR_MILLISECONDS = 3_600_000;
const PHASE = "http_request_firewall_custom";
const SSL = { method: "http", type: "dv" };
const UNBROKEN = { colour: false, columns: Number.MAX_SAFE_INTEGER };

function rigWith(file: object, zone: Partial<SeedZone> = {}): Rig {
  return openRig({ files: { "zones/a.yaml": { version: 1, zone: ZONE, ...file } }, zone });
}

function rewrite(rig: Rig, file: object): void {
  rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...file });
}

async function hazardsOf(
  rig: Rig,
  options: Partial<PlanOptions> = {},
): Promise<Readonly<Record<string, Change["hazards"]>>> {
  const changes = changesOf(await rig.plan(options));
  return Object.fromEntries(changes.map(({ address, hazards }) => [address, hazards]));
}

/** Entries with these names, and a policy for all of them. */
function hostnames(names: readonly string[], minimum: string, more: object = {}): object {
  const set = { ssl: { ...SSL, settings: { min_tls_version: minimum } } };
  return {
    custom_hostnames: {
      lifecycle: "zoneform",
      policies: [{ name: "floor", set }],
      entries: names.map((hostname) => ({ hostname })),
      ...more,
    },
  };
}

async function applied(file: object, zone: Partial<SeedZone> = {}): Promise<Rig> {
  const rig = rigWith(file, zone);
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  return rig;
}

describe("weakens-protection", () => {
  it("is reported for TLS that is lowered on 46 hostnames, and can be denied", async () => {
    const names = Array.from({ length: 46 }, (_item, index) => `shop-${index}.net`);
    const rig = await applied(hostnames(names, "1.2"));
    rewrite(rig, hostnames(names, "1.1"));
    const plan = await rig.plan();
    expect(planText(plan, UNBROKEN)).toContain("Hazards: 46 weakens-protection\n");
    const denied = await rig.plan({ selection: { ...EVERYTHING, deny: ["weakens-protection"] } });
    expect(changesOf(denied).every(({ refused }) => refused?.code === "denied-by-flag")).toBe(true);
  });

  it("is reported for a rule that changes from block to log, and for a skip that is widened", async () => {
    const rules = (action: string, path: string): object => ({
      entry_points: {
        [PHASE]: {
          rules: [
            {
              ref: "health",
              action: "skip",
              expression: path,
              action_parameters: { phases: ["http_ratelimit"] },
            },
            { ref: "admin", action, expression: 'starts_with(http.request.uri.path, "/admin")' },
          ],
        },
      },
    });
    const HEALTH = 'http.request.uri.path eq "/healthz"';
    const rig = await applied(rules("block", HEALTH));
    for (const weaker of [rules("log", HEALTH), rules("block", 'starts_with(http.request.uri.path, "/")')]) {
      rewrite(rig, weaker);
      expect(await hazardsOf(rig)).toEqual({ [`ruleset["${PHASE}"]`]: ["weakens-protection"] });
    }
    rewrite(rig, rules("block", `(${HEALTH}) and ip.src eq 192.0.2.1`));
    expect(await hazardsOf(rig)).toEqual({ [`ruleset["${PHASE}"]`]: [] });
  });

  it("is reported if the first rule of the DDoS phase softens what runs by itself", async () => {
    const ddos = (sensitivity: string): object => ({
      entry_points: {
        ddos_l7: {
          rules: [
            {
              ref: "ddos",
              action: "execute",
              expression: "true",
              action_parameters: { id: "http_ddos", overrides: { sensitivity_level: sensitivity } },
            },
          ],
        },
      },
    });
    const rig = rigWith(ddos("low"));
    expect(await hazardsOf(rig)).toEqual({ 'ruleset["ddos_l7"]': ["weakens-protection"] });
    rewrite(rig, ddos("default"));
    expect(await hazardsOf(rig)).toEqual({ 'ruleset["ddos_l7"]': [] });
  });

  it("is reported if the entry point is deleted with its blocking rules", async () => {
    const rule = { ref: "admin", action: "block", expression: "true" };
    const rig = await applied({ entry_points: { [PHASE]: { rules: [rule] } } });
    expect(await hazardsOf(rig, { isDestroy: true })).toEqual({ [`ruleset["${PHASE}"]`]: ["weakens-protection"] });
  });

  it("is reported for a new hostname below what its policy wants, and for no other", async () => {
    const entries = [
      { hostname: "old.net", ssl: { settings: { min_tls_version: "1.0" } } },
      { hostname: "new.net" },
      { hostname: "hard.net", ssl: { settings: { min_tls_version: "1.3" } } },
    ];
    const rig = rigWith(hostnames([], "1.2", { entries }));
    expect(await hazardsOf(rig)).toEqual({
      'custom_hostname["old.net"]': ["weakens-protection"],
      'custom_hostname["new.net"]': [],
      'custom_hostname["hard.net"]': [],
    });
  });

  it("is reported for every hostname that a broader exception covers, live or new", async () => {
    const exceptions = (pattern: string): object => ({
      exceptions: [
        {
          reason: "old terminals",
          match: { hostname: [pattern] },
          set: { ssl: { settings: { min_tls_version: "1.0" } } },
        },
      ],
    });
    const rig = await applied(hostnames(["a.old.net", "b.net"], "1.2", exceptions("*.old.net")));
    rewrite(rig, hostnames(["a.old.net", "b.net", "c.net"], "1.2", exceptions("*.net")));
    expect(await hazardsOf(rig)).toEqual({
      'custom_hostname["b.net"]': ["weakens-protection"],
      'custom_hostname["c.net"]': ["weakens-protection"],
    });
  });

  it("is reported for foreign edits of live, but then is not part of the digest", async () => {
    const rig = await applied(hostnames(["a.net"], "1.2"));
    const [record] = JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`).body).result;
    const ssl = { ...SSL, settings: { min_tls_version: "1.0" } };
    rig.admin.dashboard("PATCH", `/zones/${ZONE.id}/custom_hostnames/${record.id}`, { ssl });
    await rig.wait(HOUR_MILLISECONDS);
    const [change] = changesOf(await rig.plan());
    expect([change?.dangers, change?.hazards]).toEqual([["weakens-protection"], []]);
    expect(await rig.drift()).toMatchObject([{ what: "changed", hazards: ["weakens-protection"] }]);
  });
});

const fallback = (origin: string): object => ({ fallback_origin: { origin } });

describe("a fallback origin that would not serve", () => {
  it("is an outage that is observed, whatever the hash", async () => {
    const good = await applied(fallback(FALLBACK));
    rewrite(good, fallback("new.saas.net"));
    const missing = await good.plan();
    expect(changesOf(missing)[0]).toMatchObject({
      hazards: [],
      observed: [{ hazard: "outage", because: "saas.net has no A, AAAA or CNAME record for new.saas.net" }],
    });
    const record = { type: "A", name: "new.saas.net", content: "192.0.2.9", proxied: false };
    good.admin.dashboard("POST", `/zones/${ZONE.id}/dns_records`, record);
    const unproxied = await good.plan();
    expect(changesOf(unproxied)[0]?.observed?.[0]?.because).toBe("the record of new.saas.net is not proxied");
    const [{ id }] = JSON.parse(
      good.admin.dashboard("GET", `/zones/${ZONE.id}/dns_records?name=new.saas.net`).body,
    ).result;
    good.admin.dashboard("PATCH", `/zones/${ZONE.id}/dns_records/${id}`, { proxied: true });
    const well = await good.plan();
    expect(changesOf(well)[0]).not.toHaveProperty("observed");
    expect(new Set([missing.hash, unproxied.hash, well.hash]).size).toBe(1);
  });

  it("is reported in every format, and refused by --deny outage", async () => {
    const rig = rigWith(fallback("new.saas.net"));
    const plan = await rig.plan();
    const said = "fallback_origin: saas.net has no A, AAAA or CNAME record for new.saas.net (seen now, not part of";
    expect(planText(plan, UNBROKEN)).toContain(said);
    expect(planMarkdown(plan)).toContain(said);
    expect(planDocument(plan)).toMatchObject({
      hazards: [{ hazard: "outage", count: 1, addresses: ["fallback_origin"] }],
    });
    const denied = changesOf(await rig.plan({ selection: { ...EVERYTHING, deny: ["outage"] } }));
    expect(denied[0]?.refused?.code).toBe("denied-by-flag");
  });

  it("is looked up in DNS if the token may not read the records, and otherwise reported as unknown", async () => {
    const rig = rigWith(fallback("new.saas.net"));
    rig.network((request, _index, pass) =>
      request.url.includes("/dns_records")
        ? Promise.resolve({
            status: 403,
            headers: {},
            body: '{"success":false,"errors":[{"code":10000,"message":"no"}]}',
          })
        : pass(),
    );
    const [blind] = changesOf(await rig.plan());
    expect(blind).not.toHaveProperty("observed");
    expect(blind?.notes.join()).toContain("the token lacks DNS Read");
    const [seen] = changesOf(await rig.plan({ dnsCheck: { dns: emptyDns(), scope: "changed" } }));
    expect(seen?.observed?.[0]?.because).toBe("new.saas.net does not resolve");
  });
});

/** A DNS without any name. */
function emptyDns(): Dns {
  const nothing = <T>(): Promise<DnsAnswer<T>> => Promise.resolve({ status: "not-found" });
  return { resolveCname: nothing, resolveCaa: nothing, resolveAddresses: nothing };
}

describe("a fallback origin that is deleted", () => {
  it("is an outage, with the number of remaining hostnames that it serves, which is in no digest", async () => {
    const app = {
      ...fallback(FALLBACK),
      custom_hostnames: { lifecycle: "app", policies: [{ name: "all", set: { ssl: SSL } }] },
    };
    const rig = rigWith(app, { dns_records: dnsRecords() });
    const create = (hostname: string, more: object = {}): void => {
      rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, { hostname, ssl: SSL, ...more });
    };
    ["a.net", "b.net"].forEach((name) => create(name));
    create("own.net", { custom_origin_server: "origin1.saas.net" });
    await rig.run();
    const two = changesOf(await rig.plan({ isDestroy: true })).find(({ kind }) => kind === "fallback_origin");
    expect(two).toMatchObject({
      action: "delete",
      hazards: ["outage"],
      notes: ["2 live hostnames use it and would answer with error 1016"],
    });
    create("c.net");
    const three = changesOf(await rig.plan({ isDestroy: true })).find(({ kind }) => kind === "fallback_origin");
    expect(three?.notes.join()).toContain("3 live hostnames");
    expect(three?.digest).toBe(two?.digest);
  });

  it("is no outage in a zone where no hostname is live, or where each has an origin of its own", async () => {
    const app = {
      ...fallback(FALLBACK),
      custom_hostnames: { lifecycle: "app", policies: [{ name: "all", set: { ssl: SSL } }] },
    };
    const rig = rigWith(app, { dns_records: dnsRecords() });
    await rig.run();
    const deletion = async (): Promise<unknown> =>
      changesOf(await rig.plan({ isDestroy: true })).find(({ kind }) => kind === "fallback_origin");
    expect(await deletion()).toMatchObject({ action: "delete", hazards: [] });
    const own = { hostname: "own.net", ssl: SSL, custom_origin_server: "origin1.saas.net" };
    rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, own);
    expect(await deletion()).toMatchObject({ action: "delete", hazards: [] });
    rig.admin.dashboard("POST", `/zones/${ZONE.id}/custom_hostnames`, { hostname: "a.net", ssl: SSL });
    expect(await deletion()).toMatchObject({ action: "delete", hazards: ["outage"] });
  });

  it("is an outage if the hostnames were not read, because there may be some", async () => {
    const rig = rigWith(fallback(FALLBACK), { dns_records: dnsRecords() });
    await rig.run();
    expect(changesOf(await rig.plan({ isDestroy: true }))).toMatchObject([{ action: "delete", hazards: ["outage"] }]);
  });
});

describe("a deletion", () => {
  it("says what is lost, and is not called irreversible", async () => {
    const rig = await applied(hostnames(["a.net"], "1.2"));
    rewrite(rig, hostnames([], "1.2", { policies: [] }));
    const text = planText(await rig.plan(), UNBROKEN);
    expect(text).not.toContain("irreversible");
    expect(text).toMatch(/DANGER {2}a\.net goes offline +outage\n/);
    expect(text).toContain(
      "Deleting removes the certificate and the validation, and takes the hostname offline until it is created and validated again\n",
    );
  });
});

describe("irreversible", () => {
  it("is not reported for a Free zone without previous rules, because nothing is sent", async () => {
    const rig = rigWith({ waf_migration: { target: "new" } }, { plan: "free" });
    const plan = await rig.plan({ selection: { ...EVERYTHING, deny: ["irreversible"] } });
    expect(changesOf(plan).map(({ action, hazards, refused }) => [action, hazards, refused])).toEqual([
      ["adopt", [], undefined],
    ]);
  });
});
