import Cloudflare from "cloudflare";
import { afterEach, describe, expect, it } from "vitest";
import { startEmulator, type BehaviourName, type Emulator, type SeedZone } from "../../../lib/emulator.ts";
import { seedOf, START, ZONE_ID } from "../../support/emulator.ts";

/** Cloudflare's managed ruleset, and its OWASP ruleset. */
const SERVICE = "efb7b8c949ac4650a09736fc376e9aee";
const OWASP = "4814384a9e5d4991b9815dcfc25d2f1f";
const MANAGED = "http_request_firewall_managed";
const CUSTOM = "http_request_firewall_custom";

/** A day, in seconds. */
const DAY = 24 * 60 * 60;

/** The only cast: the client's types do not know "", which lets the service choose the CA. */
const ANY_AUTHORITY = "" as never;

const zone_id = ZONE_ID;
const BEHAVIOURS = ["described", "public"] as const satisfies readonly BehaviourName[];

interface World {
  readonly client: Cloudflare;
  readonly emulator: Emulator;
}

const started: Emulator[] = [];

afterEach(async () => {
  for (const emulator of started.splice(0)) await emulator.close();
});

async function start(behaviour: BehaviourName, zone: Partial<SeedZone> = {}): Promise<World> {
  const emulator = await startEmulator({ behaviour, clock: "manual", startTime: START, seed: seedOf(zone) });
  started.push(emulator);
  const client = new Cloudflare({
    apiToken: "all",
    apiEmail: null,
    apiKey: null,
    userServiceKey: null,
    baseURL: emulator.url,
    maxRetries: 0,
  });
  return { client, emulator };
}

/** Makes a call over plain HTTP, and returns the status and the body. */
async function plain(method: string, url: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: "Bearer all", "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers, ...content });
  return { status: response.status, body: await response.json() };
}

/** Advances the clock with the admin API. */
async function wait({ emulator }: World, seconds: number): Promise<void> {
  expect((await plain("POST", `${emulator.adminUrl}/clock`, { advance_seconds: seconds })).status).toBe(200);
}

/** Sets what the outside DNS answers for a name. */
async function setDns({ emulator }: World, name: string, answer: object): Promise<void> {
  expect((await plain("PUT", `${emulator.adminUrl}/world/dns/${name}`, answer)).status).toBe(200);
}

/** Makes a call of the migration, which the client does not have. */
async function migration({ emulator }: World, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await plain(method, `${emulator.url}/zones/${ZONE_ID}${path}`, body);
  expect(answer).toMatchObject({ status: 200, body: { success: true, errors: [], messages: [] } });
  return answer.body;
}

function refusal(status: number, code: number): object {
  return { status, errors: [{ code }] };
}

async function idOf(made: Promise<{ readonly id: string }>): Promise<string> {
  return (await made).id;
}

describe.each(BEHAVIOURS)("the official client, service as %s: custom hostnames", (behaviour) => {
  it("creates one and follows it until it is active", async () => {
    const world = await start(behaviour, { validation: "world", fallback_origin: "fallback.saas.net" });
    const { customHostnames } = world.client;
    const hostname = "app.customer.net";
    const ssl = { method: "txt", type: "dv", settings: { min_tls_version: "1.2", http2: "on" } } as const;
    const created = await customHostnames.create({ zone_id, hostname, ssl, custom_metadata: { tier: "gold" } });
    expect(created).toMatchObject({ hostname, status: "pending", ssl: { ...ssl, status: "initializing" } });
    expect(created.ownership_verification).toMatchObject({ type: "txt", name: `_cf-custom-hostname.${hostname}` });

    await setDns(world, hostname, { cname: "elsewhere.net" });
    await wait(world, 70);
    const pending = await customHostnames.get(created.id, { zone_id });
    expect(pending.verification_errors).toContain("custom hostname does not CNAME to this zone.");
    expect(pending.ssl?.status).toBe("pending_validation");
    const record = pending.ssl?.validation_records?.[0];
    expect(record).toMatchObject({ status: "pending", txt_name: `_acme-challenge.${hostname}` });

    await setDns(world, hostname, { cname: "fallback.saas.net" });
    await setDns(world, record?.txt_name ?? "", { txt: [record?.txt_value ?? ""] });
    await wait(world, 600);
    const active = await customHostnames.get(created.id, { zone_id });
    expect(active).toMatchObject({ status: "active", ssl: { status: "active", hosts: [hostname], wildcard: false } });
    expect(active.ownership_verification).toBeUndefined();
    expect(Date.parse(active.ssl?.expires_on ?? "")).toBeGreaterThan(Date.parse(START));
  });

  it("lists them page by page, by exact name and by status", async () => {
    const { client } = await start(behaviour, {
      custom_hostnames: [{ hostname: "one.customer.net", status: "pending" }],
      generate: [{ count: 11, pattern: "app{n}.customer.net" }],
    });
    const names: string[] = [];
    for await (const { hostname } of client.customHostnames.list({ zone_id, per_page: 5 })) names.push(hostname);
    expect(new Set(names).size).toBe(12);
    expect(names.length).toBe(12);
    const page = await client.customHostnames.list({ zone_id, per_page: 5, page: 3 });
    expect(page.result_info).toMatchObject({ page: 3, per_page: 5, count: 2, total_count: 12 });
    const exact = await client.customHostnames.list({ zone_id, hostname: { exact: "app1.customer.net" } });
    expect(exact.result.map(({ hostname }) => hostname)).toEqual(["app1.customer.net"]);
    const contained = await client.customHostnames.list({ zone_id, hostname: { contain: "app1" }, per_page: 50 });
    expect(contained.result.length).toBe(3);
    const waiting = await client.customHostnames.list({ zone_id, hostname_status: "pending" });
    expect(waiting.result.map(({ hostname }) => hostname)).toEqual(["one.customer.net"]);
    const largest = client.customHostnames.list({ zone_id, per_page: 1000 });
    if (behaviour === "described") expect((await largest).result.length).toBe(12);
    else await expect(largest).rejects.toMatchObject({ status: 400 });
  });

  it("edits one: metadata alone, another CA, and no CA of its own", async () => {
    const world = await start(behaviour, { custom_hostnames: [{ hostname: "app.customer.net" }] });
    const { customHostnames } = world.client;
    const [found] = (await customHostnames.list({ zone_id })).result;
    const id = found?.id ?? "";
    const metadata = await customHostnames.edit(id, { zone_id, custom_metadata: { tier: "silver" } });
    expect(metadata).toMatchObject({ id, status: "active", custom_metadata: { tier: "silver" } });
    const chosen = { method: "http", type: "dv", certificate_authority: "lets_encrypt" } as const;
    const edited = await customHostnames.edit(id, { zone_id, ssl: chosen });
    expect(edited.ssl?.certificate_authority).toBe("lets_encrypt");
    await wait(world, 3600);
    const issued = await customHostnames.list({ zone_id, certificate_authority: "lets_encrypt" });
    expect(issued.result).toMatchObject([{ id, status: "active", ssl: { status: "active" } }]);
    await customHostnames.edit(id, {
      zone_id,
      ssl: { method: "http", type: "dv", certificate_authority: ANY_AUTHORITY },
    });
    await wait(world, 3600);
    expect((await customHostnames.get(id, { zone_id })).ssl?.certificate_authority).toBe("google");
  });

  it("gets 200 as described and 201, 202 as published", async () => {
    const { client } = await start(behaviour);
    const ssl = { method: "http", type: "dv" } as const;
    const made = client.customHostnames.create({ zone_id, hostname: "app.customer.net", ssl });
    const { data, response } = await made.withResponse();
    expect(response.status).toBe(behaviour === "described" ? 200 : 201);
    const edited = await client.customHostnames.edit(data.id, { zone_id, ssl }).asResponse();
    expect(edited.status).toBe(behaviour === "described" ? 200 : 202);
  });

  it("sees one move when DNS leaves, brings it back by an edit, and loses it after 7 days", async () => {
    const world = await start(behaviour, { custom_hostnames: [{ hostname: "app.customer.net" }] });
    const { customHostnames } = world.client;
    const [found] = (await customHostnames.list({ zone_id })).result;
    const id = found?.id ?? "";
    await setDns(world, "app.customer.net", { cname: "elsewhere.net" });
    await wait(world, 3600);
    const moved = await customHostnames.list({ zone_id, hostname_status: "moved" });
    expect(moved.result).toMatchObject([{ id, verification_errors: ["custom hostname does not CNAME to this zone."] }]);
    await setDns(world, "app.customer.net", { cname: "fallback.saas.net" });
    const edited = await customHostnames.edit(id, { zone_id, ssl: { method: "http", type: "dv" } });
    expect(edited.status).toBe(behaviour === "described" ? "active" : "pending");
    await wait(world, 60);
    expect((await customHostnames.get(id, { zone_id })).status).toBe("active");
    await setDns(world, "app.customer.net", { cname: "elsewhere.net" });
    await wait(world, 8 * DAY);
    await expect(customHostnames.get(id, { zone_id })).rejects.toMatchObject(refusal(404, 1436));
  });

  it("deletes one, and gets its errors as errors of the service", async () => {
    const { client } = await start(behaviour);
    const { customHostnames } = client;
    const body = { zone_id, hostname: "app.customer.net", ssl: { method: "http", type: "dv" } } as const;
    const { id } = await customHostnames.create(body);
    await expect(customHostnames.create(body)).rejects.toMatchObject(refusal(409, 1406));
    const edit = customHostnames.edit(id, { zone_id, ssl: { method: "http" } });
    await expect(edit).rejects.toMatchObject(refusal(400, 1440));
    const long = `${"a".repeat(53)}.customer.net`;
    expect(long.length).toBe(66);
    await expect(customHostnames.create({ ...body, hostname: long })).rejects.toMatchObject(refusal(400, 1469));
    const branded = { ...body, hostname: long, ssl: { ...body.ssl, cloudflare_branding: true } };
    expect(await customHostnames.create(branded)).toMatchObject({ hostname: long, status: "pending" });
    expect(await client.customHostnames.quota.get({ zone_id })).toMatchObject({ used: 2, exceeded: false });
    expect(await customHostnames.delete(id, { zone_id })).toEqual({ id });
    await expect(customHostnames.get(id, { zone_id })).rejects.toMatchObject(refusal(404, 1436));
  });

  it("is refused the 16th certificate in a minute, and gets one 30 seconds later", async () => {
    const world = await start(behaviour);
    const create = async (number: number): Promise<unknown> => {
      const ssl = { method: "http", type: "dv" } as const;
      return world.client.customHostnames.create({ zone_id, hostname: `app${number}.customer.net`, ssl });
    };
    for (let number = 1; number <= 15; number += 1) await create(number);
    await expect(create(16)).rejects.toBeInstanceOf(Cloudflare.RateLimitError);
    await wait(world, 30);
    expect(await create(16)).toMatchObject({ hostname: "app16.customer.net" });
  });
});

describe.each(BEHAVIOURS)("the official client, service as %s: what a zone has", (behaviour) => {
  it("sets, reads and deletes the fallback origin, whose record stays meanwhile", async () => {
    const world = await start(behaviour);
    const { dns } = world.client;
    const { fallbackOrigin } = world.client.customHostnames;
    await expect(fallbackOrigin.get({ zone_id })).rejects.toBeInstanceOf(Cloudflare.NotFoundError);
    const origin = "fallback.saas.net";
    expect(await fallbackOrigin.update({ zone_id, origin })).toMatchObject({ origin, status: "pending_deployment" });
    await wait(world, 5);
    expect(await fallbackOrigin.get({ zone_id })).toMatchObject({ origin, status: "active", errors: [] });
    const [record] = (await dns.records.list({ zone_id, name: { exact: origin } })).result;
    await expect(dns.records.delete(record?.id ?? "", { zone_id })).rejects.toMatchObject(refusal(400, 1039));
    expect(await fallbackOrigin.delete({ zone_id })).toMatchObject({ origin, status: "pending_deletion" });
    await wait(world, 5);
    await expect(fallbackOrigin.get({ zone_id })).rejects.toBeInstanceOf(Cloudflare.NotFoundError);
    expect(await dns.records.delete(record?.id ?? "", { zone_id })).toEqual({ id: record?.id });
  });

  it("creates, edits, lists and deletes DNS records", async () => {
    const { client } = await start(behaviour);
    const { records } = client.dns;
    const a = { zone_id, type: "A", name: "www.saas.net", content: "192.0.2.20", ttl: 1, proxied: true } as const;
    const id = await idOf(records.create(a));
    expect(await records.get(id, { zone_id })).toMatchObject({ id, type: "A", proxiable: true, proxied: true, ttl: 1 });
    await expect(records.create(a)).rejects.toMatchObject(refusal(400, 81058));
    const edited = await records.edit(id, { ...a, content: "192.0.2.21", comment: "moved" });
    expect(edited).toMatchObject({ id, content: "192.0.2.21", comment: "moved" });
    expect(await records.update(id, { ...a, name: "web.saas.net" })).toMatchObject({ id, name: "web.saas.net" });
    const names: string[] = [];
    for await (const { name } of records.list({ zone_id, per_page: 2 })) names.push(name);
    expect(names.toSorted()).toEqual(["fallback.saas.net", "origin2.saas.net", "web.saas.net"]);
    await records.delete(id, { zone_id });
    await expect(records.get(id, { zone_id })).rejects.toMatchObject(refusal(404, 81044));
  });

  it("orders, lists, edits and deletes an advanced certificate pack", async () => {
    const world = await start(behaviour);
    const { certificatePacks } = world.client.ssl;
    const ordered = await certificatePacks.create({
      zone_id,
      type: "advanced",
      hosts: ["saas.net", "*.saas.net"],
      certificate_authority: "google",
      validation_method: "txt",
      validity_days: 90,
    });
    const id = ordered?.id ?? "";
    expect(ordered).toMatchObject({ type: "advanced", status: "initializing", cloudflare_branding: false });
    await wait(world, 3600);
    const pack = await certificatePacks.get(id, { zone_id });
    expect(pack).toMatchObject({ id, status: "active", hosts: ["saas.net", "*.saas.net"], validity_days: 90 });
    expect(pack?.certificates).toMatchObject([{ id: pack?.primary_certificate, status: "active" }]);
    const types: string[] = [];
    for await (const { type } of certificatePacks.list({ zone_id, status: "all" })) types.push(type);
    expect(types.toSorted()).toEqual(["advanced", "universal"]);
    expect(await certificatePacks.quota.get({ zone_id })).toMatchObject({ advanced: { used: 1 } });
    expect(await certificatePacks.edit(id, { zone_id, cloudflare_branding: true })).toMatchObject({ id });
    await wait(world, 3600);
    expect(await certificatePacks.get(id, { zone_id })).toMatchObject({ status: "active", cloudflare_branding: true });
    expect(await certificatePacks.delete(id, { zone_id })).toEqual({ id });
    await wait(world, 3600);
    await expect(certificatePacks.get(id, { zone_id })).rejects.toMatchObject(refusal(404, 1408));
  });

  it("turns Total TLS on, changes its CA, and turns it off", async () => {
    const world = await start(behaviour);
    const { totalTLS } = world.client.acm;
    expect(await totalTLS.get({ zone_id })).toMatchObject({ enabled: false, validity_period: 90 });
    const on = { zone_id, enabled: true, certificate_authority: "google" } as const;
    expect(await totalTLS.update(on)).toMatchObject({ enabled: true, certificate_authority: "google" });
    await expect(totalTLS.update(on)).rejects.toMatchObject(refusal(400, 1467));
    await wait(world, 3600);
    const other = { ...on, certificate_authority: "lets_encrypt" } as const;
    expect(await totalTLS.edit(other)).toMatchObject({ enabled: true, certificate_authority: "lets_encrypt" });
    await wait(world, 3600);
    expect(await totalTLS.update({ zone_id, enabled: false })).toMatchObject({ enabled: false });
    expect(await totalTLS.get({ zone_id })).toMatchObject({ enabled: false, certificate_authority: "lets_encrypt" });
  });

  it("holds the zone, subdomains too, and releases it", async () => {
    const { client } = await start(behaviour);
    const { holds } = client.zones;
    expect(await holds.get({ zone_id })).toMatchObject({ hold: false });
    await expect(holds.delete({ zone_id })).rejects.toMatchObject(refusal(400, 1003));
    // The client's types declare include_subdomains as a string, but the service returns a boolean.
    const held = await holds.create({ zone_id, include_subdomains: true });
    expect(held).toMatchObject({ hold: true, include_subdomains: true });
    expect(await holds.edit({ zone_id, include_subdomains: false })).toMatchObject({
      hold: true,
      include_subdomains: false,
    });
    const until = "2026-03-01T00:00:00Z";
    const suspended = await holds.edit({ zone_id, hold_after: until });
    expect([suspended.hold, Date.parse(suspended.hold_after ?? "")]).toEqual([false, Date.parse(until)]);
    expect(await holds.delete({ zone_id })).toMatchObject({ hold: false });
    expect(await holds.get({ zone_id })).toMatchObject({ hold: false });
  });

  it("purges by host", async () => {
    const { client, emulator } = await start(behaviour);
    const hosts = ["app.customer.net", "www.saas.net"];
    expect(await client.cache.purge({ zone_id, hosts })).toEqual({ id: ZONE_ID });
    expect(emulator.admin.purges(ZONE_ID)).toMatchObject([{ by: "hosts", items: hosts }]);
    const many = Array.from({ length: 101 }, (_, index) => `app${index}.customer.net`);
    await expect(client.cache.purge({ zone_id, hosts: many })).rejects.toMatchObject({ status: 400 });
  });

  it("finds its zone, and verifies its token", async () => {
    const { client } = await start(behaviour);
    const found: string[] = [];
    for await (const { id } of client.zones.list({ name: "saas.net" })) found.push(id);
    expect(found).toEqual([ZONE_ID]);
    expect(await client.zones.get({ zone_id })).toMatchObject({ name: "saas.net", plan: { legacy_id: "enterprise" } });
    expect(await client.user.tokens.verify()).toMatchObject({ status: "active" });
  });
});

describe.each(BEHAVIOURS)("the official client, service as %s: rulesets", (behaviour) => {
  const run = { action: "execute", expression: "true", action_parameters: { id: SERVICE }, ref: "service" } as const;
  const owasp = { action: "execute", expression: "true", action_parameters: { id: OWASP }, ref: "owasp" } as const;

  it("updates an entry point, keeps the ids of its rules, and reads its versions", async () => {
    const { client } = await start(behaviour);
    const { phases } = client.rulesets;
    await expect(phases.get(MANAGED, { zone_id })).rejects.toMatchObject(refusal(404, 10003));
    await phases.update(MANAGED, { zone_id, rules: [run] });
    const first = await phases.get(MANAGED, { zone_id });
    expect(first).toMatchObject({ kind: "zone", phase: MANAGED, version: "1", rules: [{ ...run, version: "1" }] });
    expect(first.rules[0]?.enabled).toBe(true);
    expect(await phases.update(MANAGED, { zone_id, rules: [], dry_run: true })).toBeNull();
    await phases.update(MANAGED, { zone_id, rules: [owasp, run], description: "both" });
    const second = await phases.get(MANAGED, { zone_id });
    expect(second).toMatchObject({ id: first.id, version: "2", description: "both" });
    expect(second.rules[1]?.id).toBe(first.rules[0]?.id);
    const versions: string[] = [];
    for await (const { version } of phases.versions.list(MANAGED, { zone_id })) versions.push(version);
    expect(versions.toSorted()).toEqual(["1", "2"]);
    const old = await phases.versions.get("1", { ruleset_phase: MANAGED, zone_id });
    expect(old.rules.map(({ ref }) => ref)).toEqual(["service"]);
  });

  it("adds, moves, edits and removes single rules", async () => {
    const { client } = await start(behaviour);
    const { phases, rules } = client.rulesets;
    await phases.update(MANAGED, { zone_id, rules: [run] });
    const { id: ruleset_id } = await phases.get(MANAGED, { zone_id });
    await rules.create(ruleset_id, { zone_id, ...owasp, position: { before: "" } });
    const added = await phases.get(MANAGED, { zone_id });
    expect(added.rules.map(({ ref }) => ref)).toEqual(["owasp", "service"]);
    const rule = added.rules[0]?.id ?? "";
    await rules.edit(rule, { ruleset_id, zone_id, position: { index: 2 } });
    const moved = await phases.get(MANAGED, { zone_id });
    expect(moved.rules).toMatchObject([{ ref: "service" }, { id: rule, ref: "owasp", version: "1" }]);
    await rules.edit(rule, { ruleset_id, zone_id, ...owasp, enabled: false });
    const edited = await phases.get(MANAGED, { zone_id });
    expect(edited.rules[1]).toMatchObject({ id: rule, enabled: false, version: "2" });
    await rules.delete(rule, { ruleset_id, zone_id });
    expect((await phases.get(MANAGED, { zone_id })).rules.map(({ ref }) => ref)).toEqual(["service"]);
    expect((await phases.get(MANAGED, { zone_id })).version).toBe("5");
  });

  it("creates, lists by cursor, replaces and deletes a ruleset, and its versions", async () => {
    const { client } = await start(behaviour);
    const { rulesets } = client;
    const block = { action: "block", expression: 'http.host eq "a.saas.net"', ref: "block" } as const;
    await rulesets.create({ zone_id, kind: "custom", name: "ours", phase: CUSTOM, rules: [block] });
    const all = new Map<string, string>();
    for await (const { id, name } of rulesets.list({ zone_id, per_page: 1 })) all.set(name, id);
    expect(all.size).toBeGreaterThan(2);
    expect([...all.values()]).toContain(SERVICE);
    const id = all.get("ours") ?? "";
    expect(await rulesets.get(id, { zone_id })).toMatchObject({ id, kind: "custom", rules: [block] });
    await rulesets.update(id, { zone_id, rules: [{ ...block, enabled: false }] });
    const versions: string[] = [];
    for await (const { version } of rulesets.versions.list(id, { zone_id })) versions.push(version);
    expect(versions.toSorted()).toEqual(["1", "2"]);
    await rulesets.versions.delete("1", { ruleset_id: id, zone_id });
    await expect(rulesets.versions.get("1", { ruleset_id: id, zone_id })).rejects.toMatchObject({ status: 404 });
    expect((await rulesets.versions.get("2", { ruleset_id: id, zone_id })).rules[0]).toMatchObject({ enabled: false });
    await rulesets.delete(id, { zone_id });
    await expect(rulesets.get(id, { zone_id })).rejects.toMatchObject({ status: 404 });
    await rulesets.create({ zone_id, kind: "zone", name: "default", phase: CUSTOM, rules: [] });
    const second = rulesets.create({ zone_id, kind: "zone", name: "another", phase: CUSTOM, rules: [] });
    await expect(second).rejects.toMatchObject(refusal(400, 20217));
  });
});

describe.each(BEHAVIOURS)("the official client, service as %s: rules of the account", (behaviour) => {
  it("creates a list, changes its items, and waits for the operation", async () => {
    const world = await start(behaviour);
    const account_id = await accountOf(world);
    const { lists } = world.client.rules;
    const id = await idOf(lists.create({ account_id, kind: "ip", name: "office" }));
    const body = [{ ip: "192.0.2.1" }, { ip: "192.0.2.2", comment: "door" }];
    const { operation_id } = await lists.items.create(id, { account_id, body });
    expect(await lists.bulkOperations.get(operation_id, { account_id })).toMatchObject({ status: "pending" });
    await wait(world, 2);
    expect(await lists.bulkOperations.get(operation_id, { account_id })).toMatchObject({ status: "completed" });
    const found: string[] = [];
    for await (const item of lists.items.list(id, { account_id, per_page: 1 })) found.push("ip" in item ? item.ip : "");
    expect(found).toEqual(["192.0.2.1", "192.0.2.2"]);
    expect(await lists.get(id, { account_id })).toMatchObject({ name: "office", num_items: 2 });
    expect(await lists.delete(id, { account_id })).toEqual({ id });
  });

  it("manages an entry point and a managed ruleset below the account", async () => {
    const world = await start(behaviour);
    const account_id = await accountOf(world);
    const { rulesets } = world.client;
    const rules = [{ ref: "a", action: "block", expression: "ip.src eq 192.0.2.1" } as const];
    const saved = await rulesets.phases.update(CUSTOM, { account_id, rules });
    expect(saved).toMatchObject({ kind: "root", rules: [{ ref: "a" }] });
    expect(await rulesets.phases.get(CUSTOM, { account_id })).toMatchObject({ version: "1" });
    const managed = await rulesets.get(SERVICE, { account_id });
    expect(managed.rules.length).toBeGreaterThan(5);
  });
});

async function accountOf({ client }: World): Promise<string> {
  const { account } = await client.zones.get({ zone_id });
  return account.id ?? "";
}

describe.each(BEHAVIOURS)("the migration over plain HTTP, beside the official client, service as %s", (behaviour) => {
  const FINISH = `/rulesets/phases/${MANAGED}/entrypoint?waf_migration=pending&phase_two=1`;
  const VALIDATE = `/rulesets/phases/${MANAGED}/entrypoint?waf_migration=validation&phase_two=1`;

  it("takes an Enterprise zone to the new rules, whose entry point the client then manages", async () => {
    const world = await start(behaviour);
    const { client } = world;
    const packages: string[] = [];
    for await (const found of client.firewall.waf.packages.list({ zone_id })) packages.push(JSON.stringify(found));
    expect(packages.length).toBe(2);
    const check = { result: { compatible: true, migration_state: "start" } };
    expect(await migration(world, "GET", "/waf_migration/check?phase_two=1")).toMatchObject(check);
    const empty = { id: "", version: "", ref: "", action: "execute", enabled: true };
    const config = { result: { rules: [empty, empty] } };
    expect(await migration(world, "GET", "/waf_migration/config?phase_two=1")).toMatchObject(config);

    const rule = { action: "execute", expression: "true", enabled: true, action_parameters: { id: SERVICE } };
    await migration(world, "PUT", VALIDATE, { name: "default", rules: [rule] });
    await wait(world, 3600);
    const both = { result: { migration_state: "validation", new_waf_status: "enabled", old_waf_status: "enabled" } };
    expect(await migration(world, "GET", "/waf_migration/status")).toMatchObject(both);
    const validated = await client.rulesets.phases.get(MANAGED, { zone_id });

    await migration(world, "PUT", FINISH, { name: "default", rules: [{ ...rule, id: "", version: "", ref: "" }] });
    await wait(world, 3600);
    const done = { result: { migration_state: "complete", new_waf_status: "enabled", old_waf_status: "disabled" } };
    expect(await migration(world, "GET", "/waf_migration/status")).toMatchObject(done);
    const saved = await client.rulesets.phases.get(MANAGED, { zone_id });
    expect(saved).toMatchObject({ id: validated.id, rules: [{ action: "execute", enabled: true }] });
    await expect(client.firewall.waf.packages.list({ zone_id })).rejects.toMatchObject({ status: 410 });
    await client.rulesets.rules.delete(saved.rules[0]?.id ?? "", { ruleset_id: saved.id, zone_id });
    expect((await client.rulesets.phases.get(MANAGED, { zone_id })).rules).toEqual([]);
  });

  it("waits until URI-based overrides are deleted, which is possible only as described", async () => {
    const id = "0".repeat(31).concat("1");
    const override = { id, urls: ["saas.net/*"], groups: {}, rules: {}, rewrite_action: { block: "simulate" } };
    const world = await start(behaviour, { plan: "business", waf: { uri_overrides: [override] } });
    const { overrides } = world.client.firewall.waf;
    const refused = { result: { compatible: false, migration_state: "start" } };
    expect(await migration(world, "GET", "/waf_migration/check?phase_two=1")).toMatchObject(refused);
    if (behaviour === "public") {
      await expect(overrides.list({ zone_id })).rejects.toMatchObject({ status: 410 });
      return;
    }
    await overrides.delete(id, { zone_id });
    const eligible = { result: { compatible: true, migration_state: "start" } };
    expect(await migration(world, "GET", "/waf_migration/check?phase_two=1")).toMatchObject(eligible);
  });
});
