import Cloudflare from "cloudflare";
import { afterEach, describe, expect, it } from "vitest";
import { type BehaviourName, type Emulator, startEmulator } from "../../../lib/emulator.ts";
import { at, code, seedOf, START, text, world, ZONE_ID } from "../../support/emulator.ts";
import { certificate, letsEncrypt } from "../../support/x509.ts";

const BEHAVIOURS = ["described", "public"] as const satisfies readonly BehaviourName[];
const zone_id = ZONE_ID;
const started: Emulator[] = [];

afterEach(async () => {
  for (const emulator of started.splice(0)) await emulator.close();
});

async function start(
  behaviour: BehaviourName,
): Promise<{ readonly client: Cloudflare; readonly clientOf: (apiToken: string) => Cloudflare }> {
  const emulator = await startEmulator({ behaviour, clock: "manual", startTime: START, seed: seedOf() });
  started.push(emulator);
  const clientOf = (apiToken: string): Cloudflare => new Cloudflare({ apiToken, baseURL: emulator.url, maxRetries: 0 });
  return { client: clientOf("all"), clientOf };
}

describe.each(BEHAVIOURS)("the official client, service as %s", (behaviour) => {
  it("creates a zone, which is pending until its check, edits it and deletes it", async () => {
    const { client } = await start(behaviour);
    const [account] = (await client.accounts.list()).result;
    const zone = await client.zones.create({ account: { id: account?.id ?? "" }, name: "new-shop.dev", type: "full" });
    expect(zone).toMatchObject({
      name: "new-shop.dev",
      status: "pending",
      activated_on: null,
      plan: { legacy_id: "free" },
    });
    expect(await client.zones.activationCheck.trigger({ zone_id: zone.id })).toEqual({ id: zone.id });
    expect((await client.zones.get({ zone_id: zone.id })).status).toBe("active");
    expect((await client.zones.edit({ zone_id: zone.id, paused: true })).paused).toBe(true);
    await client.dns.records.create({ zone_id: zone.id, type: "A", name: "a", content: "192.0.2.1", ttl: 1 });
    const again = client.zones.create({ account: { id: account?.id ?? "" }, name: "new-shop.dev" });
    await expect(again).rejects.toMatchObject({ status: 400, errors: [{ code: 1061 }] });
    const below = client.zones.create({ account: { id: account?.id ?? "" }, name: "a.new-shop.dev" });
    await expect(below).rejects.toMatchObject({ status: 400, errors: [{ code: 1116 }] });
    expect(await client.zones.delete({ zone_id: zone.id })).toEqual({ id: zone.id });
    await expect(client.zones.get({ zone_id: zone.id })).rejects.toMatchObject({
      status: 403,
      errors: [{ code: 9109 }],
    });
  });

  it("creates, renames, lists and deletes an account, but none that still has zones", async () => {
    const { client } = await start(behaviour);
    const [own] = (await client.accounts.list()).result;
    const made = await client.accounts.create({ name: "second", type: "standard" });
    const { id } = made;
    expect(await client.accounts.get({ account_id: id })).toEqual(made);
    const renamed = await client.accounts.update({ account_id: id, id, name: "other", type: "standard" });
    expect(renamed.name).toBe("other");
    expect((await client.accounts.list({ name: "other" })).result.map((account) => account.id)).toEqual([id]);
    await expect(client.accounts.delete({ account_id: own?.id ?? "" })).rejects.toMatchObject({ status: 400 });
    expect(await client.accounts.delete({ account_id: id })).toEqual({ id });
  });

  it("makes a token that may do what its permission groups say, rolls it and deletes it", async () => {
    const { client, clientOf } = await start(behaviour);
    const { tokens } = client.user;
    const [group] = (await tokens.permissionGroups.list({ name: "DNS Read" })).result;
    const permission_groups = [{ id: group?.id ?? "" }];
    const resources = { [`com.cloudflare.api.account.zone.${ZONE_ID}`]: "*" };
    const policies = [{ effect: "allow", permission_groups, resources } as const];
    const made = await tokens.create({ name: "reader", policies });
    const limited = clientOf(made.value ?? "");
    expect((await limited.dns.records.list({ zone_id })).result.length).toBeGreaterThan(0);
    const write = limited.dns.records.create({ zone_id, type: "A", name: "x", content: "192.0.2.1", ttl: 1 });
    await expect(write).rejects.toMatchObject({ status: 403 });
    expect((await limited.user.tokens.verify()).id).toBe(made.id);
    const id = made.id ?? "";
    const shown = await tokens.get(id);
    expect(shown).toMatchObject({ name: "reader", status: "active", policies: [{ permission_groups, resources }] });
    expect(shown).not.toHaveProperty("value");
    const rolled = await tokens.value.update(id, {});
    await expect(limited.user.tokens.verify()).rejects.toMatchObject({ status: 401 });
    expect((await clientOf(rolled).user.tokens.verify()).id).toBe(id);
    await tokens.update(id, { name: "reader", policies, status: "disabled" });
    await expect(clientOf(rolled).user.tokens.verify()).rejects.toMatchObject({ status: 401 });
    expect(await tokens.delete(id)).toEqual({ id });
    await expect(tokens.get(id)).rejects.toMatchObject({ status: 404 });
  });

  it("sets TLS for one name of the zone, and takes it back", async () => {
    const { client } = await start(behaviour);
    const { tls } = client.hostnames.settings;
    const sent = { zone_id, setting_id: "min_tls_version", value: "1.3" } as const;
    const set = await tls.update("www.saas.net", sent);
    expect(set).toMatchObject({ hostname: "www.saas.net", value: "1.3", status: "pending_deployment" });
    expect(await tls.get("www.saas.net", sent)).toEqual(set);
    expect((await tls.list("min_tls_version", { zone_id })).result).toEqual([set]);
    await expect(tls.update("www.other.net", sent)).rejects.toMatchObject({ status: 400 });
    await expect(tls.update("www.saas.net", { ...sent, value: "on" })).rejects.toMatchObject({ status: 400 });
    await tls.delete("www.saas.net", sent);
    await expect(tls.get("www.saas.net", sent)).rejects.toMatchObject({ status: 404 });
  });

  it("keeps the CAs that the zone trusts for its origins, and takes no other certificate", async () => {
    const { client } = await start(behaviour);
    const store = client.acm.customTrustStore;
    const authority = certificate({ subject: "Own CA", issuer: ["Own", "Own CA"], isAuthority: true });
    const made = await store.create({ zone_id, certificate: authority.certificate });
    expect(made).toMatchObject({ issuer: "Own", status: "pending_deployment", certificate: authority.certificate });
    expect((await store.list({ zone_id })).result).toEqual([made]);
    const leaf = store.create({ zone_id, certificate: letsEncrypt("a.net", "none").certificate });
    await expect(leaf).rejects.toMatchObject({ status: 400 });
    expect(await store.delete(made.id, { zone_id })).toEqual({ id: made.id });
    await expect(store.get(made.id, { zone_id })).rejects.toMatchObject({ status: 404 });
  });

  it("analyses a certificate without uploading it", async () => {
    const { client } = await start(behaviour);
    const found = await client.ssl.analyze.create({ zone_id, certificate: letsEncrypt("a.net", "none").certificate });
    expect(found).toMatchObject({ hosts: ["a.net"], issuer: "Let's Encrypt" });
    expect((await client.customCertificates.list({ zone_id })).result).toEqual([]);
  });

  it("reads the label for delegated validation, which stands in the records of a hostname", async () => {
    const { client } = await start(behaviour);
    const { uuid = "" } = await client.dcvDelegation.get({ zone_id });
    const ssl = { method: "txt", type: "dv" } as const;
    const { id } = await client.customHostnames.create({ zone_id, hostname: "app.customer.net", ssl });
    const headers = { "x-emulator-advance": "2" };
    const custom = await client.customHostnames.get(id, { zone_id }, { headers });
    expect(uuid).not.toBe("");
    expect(JSON.stringify(custom.ssl)).toContain(uuid);
  });
});

it("the addresses of the edge can be read without a credential", () => {
  const { service } = world();
  const answer = service.handle({ method: "GET", path: "/client/v4/ips" });
  expect(answer.status).toBe(200);
  expect(at(JSON.parse(answer.body), "result.ipv4_cidrs.0")).toBe("173.245.48.0/20");
});

it("a token stops at its expiry, by the clock of the emulator", () => {
  const { call, wait } = world();
  const groups = call("GET", "/user/tokens/permission_groups?name=DNS%20Read");
  const policies = [{ effect: "allow", permission_groups: [{ id: text(groups, "result.0.id") }], resources: {} }];
  const made = call("POST", "/user/tokens", { name: "short", policies, expires_on: "2026-02-06T19:00:00Z" });
  const verify = (): ReturnType<typeof call> =>
    call("GET", "/user/tokens/verify", undefined, { authorization: `Bearer ${text(made, "result.value")}` });
  expect(verify().status).toBe(200);
  wait(3600);
  expect([verify().status, code(verify())]).toEqual([401, 10000]);
});

it("a Free zone has Advanced Certificate Manager only if the seed grants it", () => {
  const ordered = (plan: "free" | "enterprise"): unknown =>
    code(world({ plan }).zone("POST", "/acm/total_tls", { enabled: true }));
  expect([ordered("free"), ordered("enterprise")]).toEqual([1450, undefined]);
  const granted = world({ plan: "free", grants: { certificate_manager: true } });
  expect(granted.zone("POST", "/acm/total_tls", { enabled: true }).status).toBe(200);
});
