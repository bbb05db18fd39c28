import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../lib/apply/outcome.ts";
import { formatPath } from "../../../lib/core/json.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import { KINDS } from "../../../lib/kinds/registry.ts";
import { changesOf, dnsRecords, endingsOf, openRig, type Rig, ZONE } from "../../support/engine.ts";

const ONE = "one.customer.net";
const BESIDE = "beside.customer.net";
const PATH = `/zones/${ZONE.id}`;
const MANAGED = `${PATH}/rulesets/phases/http_request_firewall_managed/entrypoint`;

const SSL = { method: "http", type: "dv", settings: { min_tls_version: "1.0", http2: "on" } };
const RULE = {
  ref: "ours",
  action: "execute",
  expression: "true",
  action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" },
};
const OTHERS = {
  ref: "theirs",
  action: "skip",
  expression: 'http.host eq "a.net"',
  action_parameters: { ruleset: "current" },
};

/** A zone with an object of every kind, and one extra hostname, whose change nobody disturbs. */
function rigFor(zoneFile: object, live: object = {}): Rig {
  return openRig({
    zone: {
      plan: "enterprise",
      dns_records: dnsRecords(),
      fallback_origin: "fallback.saas.net",
      custom_hostnames: [
        {
          hostname: ONE,
          ssl: SSL,
          custom_metadata: { tier: "silver", since: "2020" },
          custom_origin_server: "origin1.saas.net",
        },
        { hostname: BESIDE, ssl: SSL },
      ],
      rulesets: [{ phase: "http_request_firewall_managed", rules: [RULE, OTHERS] }],
      total_tls: { enabled: false, certificate_authority: "google" },
      ...live,
    },
    files: { "zones/a.yaml": { version: 1, zone: ZONE, ...zoneFile } },
  });
}

/** The YAML's hostnames; `values` are for the disturbed one. */
function hostnames(values: object): object {
  return {
    custom_hostnames: {
      lifecycle: "zoneform",
      entries: [
        { hostname: ONE, ...values },
        { hostname: BESIDE, custom_metadata: { tier: "gold" } },
      ],
    },
  };
}

function idOf(rig: Rig, name: string): string {
  const record = rig.service.core.store.zones.get(ZONE.id)?.hostnames.named(name);
  if (!record) throw new Error(`${name} is not live`);
  return record.id;
}

/** Edits in the dashboard. Fails the test if the service refuses. */
function edit(rig: Rig, method: string, path: string, body?: object): void {
  const answer = rig.admin.dashboard(method, path, body === undefined ? undefined : JSON.parse(JSON.stringify(body)));
  expect(answer.status, answer.body).toBeLessThan(300);
}

function editOne(rig: Rig, body: object): void {
  edit(rig, "PATCH", `${PATH}/custom_hostnames/${idOf(rig, ONE)}`, body);
}

/** Plans, lets somebody act, applies; returns the outcome of the disturbed object, and checks that the other one is done. */
async function outcomeOf(rig: Rig, address: string, act: (rig: Rig) => void): Promise<Outcome | undefined> {
  const plan = await rig.plan();
  expect(changesOf(plan).map((change) => change.address)).toContain(address);
  act(rig);
  const report = await rig.apply(plan);
  const endings = endingsOf(report);
  const beside = endings.find((each) => each.address !== address);
  if (beside) expect(beside.outcome).toMatchObject({ status: "done" });
  const ended = endings.find((each) => each.address === address)?.outcome;
  if (ended?.status === "conflict") expect(applyExit(report).code).toBe(beside ? 6 : 5);
  return ended;
}

/** The fields of a conflict, each in a line: path, planned from, live, wanted. */
function fieldsOf(outcome: Outcome | undefined): readonly string[] {
  if (outcome?.status !== "conflict") throw new Error(`it is no conflict, but ${JSON.stringify(outcome)}`);
  return outcome.fields.map(({ path, planned, live, wanted }) =>
    [formatPath(path), ...[planned, live, wanted].map((value) => JSON.stringify(value) ?? "-")].join(" "),
  );
}

const STRICT = { ssl: { method: "http", settings: { min_tls_version: "1.2" } } };

interface Case {
  readonly kind: (typeof KINDS)[number]["name"];
  readonly what: string;
  readonly zoneFile: object;
  readonly live?: object;
  readonly address: string;
  readonly act: (rig: Rig) => void;
  readonly fields: readonly string[];
}

const CASES: readonly Case[] = [
  {
    kind: "custom_hostname",
    what: "a managed field",
    zoneFile: hostnames(STRICT),
    address: `custom_hostname["${ONE}"]`,
    act: (rig) => editOne(rig, { ssl: { ...SSL, settings: { min_tls_version: "1.1", http2: "on" } } }),
    fields: ['ssl.settings.min_tls_version "1.0" "1.1" "1.2"'],
  },
  {
    kind: "custom_hostname",
    what: "an unmanaged field that the write also sends",
    zoneFile: hostnames(STRICT),
    address: `custom_hostname["${ONE}"]`,
    act: (rig) => editOne(rig, { ssl: { ...SSL, settings: { min_tls_version: "1.0", http2: "off" } } }),
    fields: ['ssl.settings.http2 "on" "off" -'],
  },
  {
    kind: "custom_hostname",
    what: "managed metadata",
    zoneFile: hostnames({ custom_metadata: { tier: "gold" } }),
    address: `custom_hostname["${ONE}"]`,
    act: (rig) => editOne(rig, { custom_metadata: { tier: "bronze", since: "2020" } }),
    fields: ['custom_metadata.tier "silver" "bronze" "gold"'],
  },
  {
    kind: "fallback_origin",
    what: "the origin",
    zoneFile: { fallback_origin: { origin: "fallback2.saas.net" } },
    address: "fallback_origin",
    act: (rig) => edit(rig, "PUT", `${PATH}/custom_hostnames/fallback_origin`, { origin: "origin1.saas.net" }),
    fields: ['origin "fallback.saas.net" "origin1.saas.net" "fallback2.saas.net"'],
  },
  {
    kind: "ruleset",
    what: "a rule of ours",
    zoneFile: entryPoint([{ ...RULE, enabled: false }]),
    address: 'ruleset["http_request_firewall_managed"]',
    act: (rig) => edit(rig, "PUT", MANAGED, { rules: [{ ...RULE, expression: "false" }, OTHERS] }),
    fields: ['rules.ours.expression "true" "false" "true"'],
  },
  {
    kind: "ruleset",
    what: "a foreign rule, which the write also sends",
    zoneFile: entryPoint([{ ...RULE, enabled: false }]),
    address: 'ruleset["http_request_firewall_managed"]',
    act: (rig) => edit(rig, "PUT", MANAGED, { rules: [RULE, { ...OTHERS, enabled: false }] }),
    fields: ["rules.theirs.enabled true false -"],
  },
  {
    kind: "certificate_pack",
    what: "its branding, before its replacement",
    zoneFile: {
      certificate_packs: [
        {
          hosts: ["saas.net", "*.saas.net"],
          validation_method: "txt",
          validity_days: 90,
          certificate_authority: "ssl_com",
        },
      ],
    },
    live: { certificate_packs: [{}] },
    address: 'certificate_pack["*.saas.net,saas.net"]',
    act: (rig) => {
      const packs = rig.service.core.store.zones.get(ZONE.id)?.packs.values() ?? [];
      const id = [...packs].find(({ type }) => type === "advanced")?.id ?? "";
      edit(rig, "PATCH", `${PATH}/ssl/certificate_packs/${id}`, { cloudflare_branding: true });
    },
    fields: ["cloudflare_branding false true -"],
  },
  {
    kind: "total_tls",
    what: "the CA",
    zoneFile: { total_tls: { enabled: true, certificate_authority: "lets_encrypt" } },
    address: "total_tls",
    act: (rig) => edit(rig, "POST", `${PATH}/acm/total_tls`, { enabled: false, certificate_authority: "ssl_com" }),
    fields: ['certificate_authority "google" "ssl_com" "lets_encrypt"'],
  },
  {
    kind: "waf_migration",
    what: "the step of the migration",
    zoneFile: { ...entryPoint([RULE]), waf_migration: { target: "new", confirm_irreversible: ZONE.id } },
    live: { waf: { migration: "start" }, rulesets: [] },
    address: "waf_migration",
    act: (rig) => {
      edit(rig, "PUT", `${MANAGED}?waf_migration=validation&phase_two=1`, { rules: [] });
      rig.service.core.clock.advance(60_000);
    },
    fields: ['target "previous" "validation" "new"'],
  },
  {
    kind: "zone_setting",
    what: "the value",
    zoneFile: { zone_settings: { min_tls_version: { value: "1.3" } } },
    address: 'zone_setting["min_tls_version"]',
    act: (rig) => edit(rig, "PATCH", `${PATH}/settings/min_tls_version`, { value: "1.1" }),
    fields: ['value "1.0" "1.1" "1.3"'],
  },
  {
    kind: "zone_hold",
    what: "the hold, which somebody also sets, without the names below",
    zoneFile: { zone_hold: { hold: true, include_subdomains: true } },
    address: "zone_hold",
    act: (rig) => edit(rig, "POST", `${PATH}/hold`, {}),
    fields: ["hold false true true"],
  },
];

function entryPoint(rules: readonly object[]): object {
  return { entry_points: { http_request_firewall_managed: { own: ["ours"], adopt: true, rules } } };
}

describe("a foreign edit between plan and apply is refused, object by object, with the three sides", () => {
  it.each(CASES)("$kind: $what", async ({ kind, zoneFile, live, address, act, fields }) => {
    // A second hostname changes too, and is applied.
    const beside = kind === "custom_hostname" ? {} : hostnames({});
    const rig = rigFor({ ...beside, ...zoneFile }, live);
    const outcome = await outcomeOf(rig, address, act);
    expect(fieldsOf(outcome)).toEqual(fields);
  });

  it("every kind has its case", () => {
    expect(new Set(CASES.map(({ kind }) => kind))).toEqual(new Set(KINDS.map(({ name }) => name)));
  });
});

describe("a hostname that is to be deleted", () => {
  const WITHOUT = {
    custom_hostnames: { lifecycle: "zoneform", entries: [{ hostname: BESIDE, custom_metadata: { tier: "gold" } }] },
  };

  async function withoutOne(): Promise<Rig> {
    const rig = rigFor({
      custom_hostnames: { lifecycle: "zoneform", entries: [{ hostname: ONE }, { hostname: BESIDE }] },
    });
    await rig.run();
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...WITHOUT });
    return rig;
  }

  it("stays if any part of it was changed since the plan, managed or not", async () => {
    const rig = await withoutOne();
    const outcome = await outcomeOf(rig, `custom_hostname["${ONE}"]`, (each) =>
      editOne(each, { custom_origin_server: "origin2.saas.net" }),
    );
    expect(fieldsOf(outcome)).toEqual(['custom_origin_server "origin1.saas.net" "origin2.saas.net" -']);
    expect(idOf(rig, ONE)).toBeDefined();
  });

  it("is not replaced either", async () => {
    const branded = (isBranded: boolean): object =>
      hostnames({ ssl: { method: "http", cloudflare_branding: isBranded } });
    const rig = rigFor(branded(false));
    await rig.run();
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...branded(true) });
    const id = idOf(rig, ONE);
    const outcome = await outcomeOf(rig, `custom_hostname["${ONE}"]`, (each) =>
      editOne(each, { custom_metadata: { tier: "bronze", since: "2020" } }),
    );
    expect(fieldsOf(outcome)).toEqual(['custom_metadata.tier "silver" "bronze" -']);
    expect(idOf(rig, ONE)).toBe(id);
  });

  it("counts as done if it was deleted already", async () => {
    const rig = await withoutOne();
    const outcome = await outcomeOf(rig, `custom_hostname["${ONE}"]`, (each) =>
      edit(each, "DELETE", `${PATH}/custom_hostnames/${idOf(each, ONE)}`),
    );
    expect(outcome).toMatchObject({ status: "done", note: "was already gone" });
  });
});

describe("there is no conflict if", () => {
  const ADDRESS = `custom_hostname["${ONE}"]`;

  it("a field that is neither managed nor sent is edited: it stays", async () => {
    const rig = rigFor(hostnames(STRICT));
    const outcome = await outcomeOf(rig, ADDRESS, (each) =>
      editOne(each, { custom_origin_server: "origin2.saas.net", custom_metadata: { tier: "bronze" } }),
    );
    expect(outcome).toMatchObject({ status: "done" });
    const record = rig.service.core.store.zones.get(ZONE.id)?.hostnames.named(ONE);
    expect(record).toMatchObject({ customOriginServer: "origin2.saas.net", customMetadata: { tier: "bronze" } });
  });

  it("metadata beside the managed is edited: both are live afterwards", async () => {
    const rig = rigFor(hostnames({ custom_metadata: { tier: "gold" } }));
    const outcome = await outcomeOf(rig, ADDRESS, (each) =>
      editOne(each, { custom_metadata: { tier: "silver", since: "2026", by: "app" } }),
    );
    expect(outcome).toMatchObject({ status: "done" });
    const record = rig.service.core.store.zones.get(ZONE.id)?.hostnames.named(ONE);
    expect(record?.customMetadata).toEqual({ tier: "gold", since: "2026", by: "app" });
  });

  it("live was changed to exactly the wanted value", async () => {
    const rig = rigFor(hostnames({ custom_metadata: { tier: "gold" } }));
    const outcome = await outcomeOf(rig, ADDRESS, (each) =>
      editOne(each, { custom_metadata: { tier: "gold", since: "2020" } }),
    );
    expect(outcome).toMatchObject({ status: "done", note: "was already so" });
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("an entry point has another version with the same rules", async () => {
    const rig = rigFor({ ...hostnames({}), ...entryPoint([{ ...RULE, enabled: false }]) });
    const outcome = await outcomeOf(rig, 'ruleset["http_request_firewall_managed"]', (each) => {
      const { rules } = JSON.parse(each.admin.dashboard("GET", MANAGED).body).result;
      edit(each, "PUT", MANAGED, { rules: [...rules].reverse() });
      edit(each, "PUT", MANAGED, { rules });
    });
    expect(outcome).toMatchObject({ status: "done" });
  });
});

describe("what the service does by itself between plan and apply", () => {
  const ADDRESS = `custom_hostname["${ONE}"]`;

  it("holds a change of ssl if the hostname is being validated again, instead of restarting that", async () => {
    const rig = rigFor(hostnames(STRICT));
    const outcome = await outcomeOf(rig, ADDRESS, (each) =>
      each.admin.forceHostname(ZONE.id, ONE, { status: "pending" }),
    );
    expect(outcome).toMatchObject({ status: "held" });
    expect(changesOf(await rig.plan()).map(({ action, cause }) => [action, cause])).toEqual([["adopt", "config"]]);
  });

  it("is no conflict if ssl is changed whatever the status is", async () => {
    const rig = rigFor(hostnames(STRICT));
    rig.write(
      "zones/a.yaml",
      rig.read("zones/a.yaml").replace("lifecycle: zoneform", "lifecycle: zoneform\n  ssl_updates: always"),
    );
    const outcome = await outcomeOf(rig, ADDRESS, (each) =>
      each.admin.forceHostname(ZONE.id, ONE, { status: "pending" }),
    );
    expect(outcome).toMatchObject({ status: "done" });
  });

  it("is no conflict if it issued the certificate from another CA", async () => {
    const rig = rigFor(hostnames(STRICT));
    const outcome = await outcomeOf(rig, ADDRESS, (each) => {
      const ssl = each.service.core.store.zones.get(ZONE.id)?.hostnames.named(ONE)?.ssl;
      if (ssl?.issued) ssl.issued = { ...ssl.issued, authority: "lets_encrypt", issuer: "LetsEncrypt" };
    });
    expect(outcome).toMatchObject({ status: "done" });
  });
});

describe("an object that appeared or disappeared after the plan", () => {
  const NEW = {
    custom_hostnames: {
      lifecycle: "zoneform",
      entries: [
        { hostname: "new.customer.net", ssl: { method: "http" } },
        { hostname: BESIDE, custom_metadata: { tier: "gold" } },
      ],
    },
  };

  it("is not created over a foreign one, and the next plan adopts that", async () => {
    const rig = rigFor(NEW);
    const outcome = await outcomeOf(rig, 'custom_hostname["new.customer.net"]', (each) =>
      edit(each, "POST", `${PATH}/custom_hostnames`, { hostname: "new.customer.net", ssl: SSL }),
    );
    expect(outcome).toMatchObject({ status: "conflict", diagnostic: { code: "exists-already" } });
    expect(changesOf(await rig.plan()).map(({ action }) => action)).toEqual(["adopt"]);
  });

  it("is a conflict if it is gone and declared", async () => {
    const rig = rigFor(hostnames(STRICT));
    const outcome = await outcomeOf(rig, `custom_hostname["${ONE}"]`, (each) =>
      edit(each, "DELETE", `${PATH}/custom_hostnames/${idOf(each, ONE)}`),
    );
    expect(outcome).toMatchObject({ status: "conflict", diagnostic: { code: "gone-since-plan" } });
  });
});
