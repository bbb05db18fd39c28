import { describe, expect, it } from "vitest";
import { findForImport, importIntoState } from "../../lib/engine/import.ts";
import type { KindName } from "../../lib/kinds/kind.ts";
import { KINDS } from "../../lib/kinds/registry.ts";
import {
  changesOf,
  dnsRecords,
  driftInWords,
  failuresOf,
  HOLDER,
  inWords,
  openRig,
  type Rig,
  ZONE,
} from "../support/engine.ts";

const HOUR_MILLISECONDS = 3_600_000;
const PATH = `/zones/${ZONE.id}`;
const CUSTOM = `${PATH}/rulesets/phases/http_request_firewall_custom/entrypoint`;

/** What an object of a kind goes through: the specs that it is given in turn, and what somebody does behind the back. */
interface Life {
  readonly address: string;
  /** What is live before it begins. */
  readonly before?: object;
  /** What the zone file has besides, all the time: what the kind cannot be without. */
  readonly beside?: object;
  /** Parts of the zone file, each reached from the one before. */
  readonly specs: readonly [object, ...object[]];
  /** An edit of what the last spec owns; absent where nobody can take it back. */
  readonly edit?: (rig: Rig) => void;
  /** The import id; found when everything is live. */
  readonly importId: (rig: Rig) => readonly [id: string, address?: string];
  /** What the plan does when the object leaves the zone file, and when it is to be destroyed. */
  readonly removed: "delete" | "forget";
  readonly destroyed: "delete" | "forget";
}

function hostname(values: object): object {
  return { custom_hostnames: { lifecycle: "zoneform", entries: [{ hostname: "app.customer.net", ...values }] } };
}

function rules(...list: readonly object[]): object {
  return { entry_points: { http_request_firewall_custom: { rules: list } } };
}

function pack(values: object): object {
  return { certificate_packs: [{ hosts: ["saas.net", "*.SAAS.net"], validation_method: "txt", ...values }] };
}

function zoneOf(rig: Rig): NonNullable<ReturnType<Rig["service"]["core"]["store"]["zones"]["get"]>> {
  const zone = rig.service.core.store.zones.get(ZONE.id);
  if (!zone) throw new Error("the rig has its zone");
  return zone;
}

function edit(rig: Rig, method: string, path: string, body: object): void {
  expect(rig.admin.dashboard(method, path, JSON.parse(JSON.stringify(body))).status).toBeLessThan(300);
}

const ON = { ref: "a", action: "block", expression: "true" };

const LIVES: Readonly<Partial<Record<KindName, Life>>> = {
  fallback_origin: {
    address: "fallback_origin",
    specs: [
      { fallback_origin: { origin: "fallback.saas.net" } },
      { fallback_origin: { origin: "FALLBACK2.saas.net." } },
      { fallback_origin: { origin: "fallback.saas.net", protect: true } },
    ],
    edit: (rig) => edit(rig, "PUT", `${PATH}/custom_hostnames/fallback_origin`, { origin: "origin1.saas.net" }),
    importId: () => [ZONE.id, "fallback_origin"],
    removed: "forget",
    destroyed: "delete",
  },
  custom_hostname: {
    address: 'custom_hostname["app.customer.net"]',
    specs: [
      hostname({}),
      hostname({ ssl: { method: "http" } }),
      hostname({ ssl: { method: "http", certificate_authority: "google", settings: { min_tls_version: "1.2" } } }),
      hostname({
        ssl: {
          method: "txt",
          certificate_authority: "lets_encrypt",
          settings: { min_tls_version: "1.2", http2: "on" },
        },
      }),
      hostname({ ssl: { method: "txt", certificate_authority: "default" }, custom_origin_server: "origin1.saas.net" }),
      hostname({ ssl: { method: "txt", bundle_method: "force" }, custom_metadata: { tier: "gold" } }),
      hostname({ ssl: { method: "txt", cloudflare_branding: false }, custom_metadata: { tier: "gold", by: "us" } }),
      hostname({ ssl: { method: "txt", cloudflare_branding: true }, custom_metadata: { by: "us" } }),
    ],
    edit: (rig) => {
      const id = zoneOf(rig).hostnames.named("app.customer.net")?.id ?? "";
      edit(rig, "PATCH", `${PATH}/custom_hostnames/${id}`, { custom_metadata: { by: "them" } });
    },
    importId: () => [`${ZONE.id}/app.customer.net`],
    removed: "delete",
    destroyed: "delete",
  },
  certificate_pack: {
    address: 'certificate_pack["*.saas.net,saas.net"]',
    specs: [
      pack({ validity_days: 90, certificate_authority: "lets_encrypt" }),
      pack({ validity_days: 90, certificate_authority: "google" }),
      pack({ validity_days: 14, certificate_authority: "google" }),
      pack({ validity_days: 14, certificate_authority: "google", cloudflare_branding: false }),
    ],
    edit: (rig) => {
      const id = [...zoneOf(rig).packs.values()].find(({ type }) => type === "advanced")?.id ?? "";
      edit(rig, "PATCH", `${PATH}/ssl/certificate_packs/${id}`, { cloudflare_branding: true });
    },
    importId: (rig) => [
      `${ZONE.id}/${[...zoneOf(rig).packs.values()].find(({ type }) => type === "advanced")?.id ?? ""}`,
    ],
    removed: "delete",
    destroyed: "delete",
  },
  ruleset: {
    address: 'ruleset["http_request_firewall_custom"]',
    specs: [
      rules(ON),
      rules({ ...ON, description: "why" }, { ref: "b", action: "log", expression: "false" }),
      rules({ ref: "b", action: "log", expression: "false" }, { ...ON, enabled: false }),
      rules({ ref: "c", action: "managed_challenge", expression: "true" }, { ...ON, action: "log" }),
      rules(),
      rules(ON, { ref: "d", action: "skip", expression: "true", action_parameters: { ruleset: "current" } }),
    ],
    edit: (rig) => edit(rig, "PUT", CUSTOM, { rules: [{ ...ON, enabled: false }] }),
    importId: (rig) => [
      `zone/${ZONE.id}/${[...zoneOf(rig).rulesets.values()].find(({ kind }) => kind === "zone")?.id ?? ""}`,
    ],
    removed: "forget",
    destroyed: "delete",
  },
  total_tls: {
    address: "total_tls",
    specs: [
      { total_tls: { enabled: true } },
      { total_tls: { enabled: true, certificate_authority: "lets_encrypt" } },
      { total_tls: { enabled: false, certificate_authority: "google" } },
    ],
    edit: (rig) => edit(rig, "POST", `${PATH}/acm/total_tls`, { enabled: true, certificate_authority: "google" }),
    importId: () => [ZONE.id, "total_tls"],
    removed: "forget",
    destroyed: "forget",
  },
  waf_migration: {
    address: "waf_migration",
    before: { waf: { migration: "start" } },
    beside: {
      entry_points: {
        http_request_firewall_managed: {
          rules: [
            { ref: "managed", action: "execute", expression: "true", action_parameters: { id: "cloudflare_managed" } },
          ],
        },
      },
    },
    specs: [
      { waf_migration: { target: "validation" } },
      { waf_migration: { target: "new", confirm_irreversible: ZONE.id } },
    ],
    importId: () => [ZONE.id, "waf_migration"],
    removed: "forget",
    destroyed: "forget",
  },
};

function write(rig: Rig, { beside = {} }: Life, spec: object): void {
  rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...beside, ...spec });
}

/** A life up to its last spec. */
async function grown(life: Life): Promise<Rig> {
  const { before = {}, specs } = life;
  const rig = openRig({ zone: { plan: "enterprise", dns_records: dnsRecords(), ...before }, files: {} });
  for (const spec of specs) {
    write(rig, life, spec);
    await reached(rig);
  }
  return rig;
}

/** Applies, lets the service finish, and sees that nothing is left to do and nobody would be woken. */
async function reached(rig: Rig): Promise<void> {
  expect(failuresOf(await rig.run())).toEqual([]);
  expect(inWords(changesOf(await rig.plan()).filter(({ action }) => action !== "held"))).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  expect(driftInWords(await rig.drift())).toEqual([]);
}

/** What is done about the object; about what stands beside it nothing, unless all of it is destroyed. */
async function actionOn(rig: Rig, { address, beside }: Life, isDestroy = false): Promise<string | undefined> {
  const changes = changesOf(await rig.plan({ isDestroy }));
  expect(changes).toHaveLength(isDestroy && beside ? 2 : 1);
  return changes.find((change) => change.address === address)?.action;
}

it("every kind of the registry has its life", () => {
  expect(Object.keys(LIVES).sort()).toEqual(KINDS.map(({ name }) => name).sort());
});

describe.each(Object.entries(LIVES))("%s", (name, life) => {
  const last = life.specs.at(-1) ?? {};

  it("reaches each spec of its life from the one before", async () => {
    const rig = await grown(life);
    expect((await rig.state())?.objects.get(life.address)?.kind).toBe(name);
  });

  it.skipIf(!life.edit)("shows an edit behind the back as drift, and takes it back", async () => {
    const rig = await grown(life);
    life.edit?.(rig);
    await rig.wait(HOUR_MILLISECONDS);
    expect((await rig.drift()).map(({ address }) => address)).toEqual([life.address]);
    await reached(rig);
  });

  it("is imported by its id without a change", async () => {
    const grownRig = await grown(life);
    const rig = openRig({ besides: grownRig, files: {} });
    write(rig, life, last);
    const [id, address] = life.importId(rig);
    const found = await findForImport(rig.world(), { file: rig.file }, id, address);
    const again = await findForImport(
      rig.world(),
      { file: rig.file },
      found.kind.importId(ZONE.id, found.live),
      address,
    );
    expect(again.live.id).toBe(found.live.id);
    if (!found.object) throw new Error("the last spec declares it");
    await importIntoState(rig.world(), { ...found, object: found.object }, HOLDER, 0);
    const changes = changesOf(await rig.plan());
    expect(inWords(changes.filter(({ address: of }) => of === life.address || !life.beside))).toEqual([]);
  });

  it("leaves the zone file as its kind says", async () => {
    const rig = await grown(life);
    write(rig, life, name === "custom_hostname" ? { custom_hostnames: { lifecycle: "zoneform" } } : {});
    expect(await actionOn(rig, life)).toBe(life.removed);
    await reached(rig);
    expect((await rig.state())?.objects.has(life.address)).toBe(false);
  });

  it("is destroyed as its kind says", async () => {
    const rig = await grown(life);
    if (JSON.stringify(last).includes("protect")) {
      write(rig, life, JSON.parse(JSON.stringify(last).replace('"protect":true', '"protect":false')));
      await reached(rig);
    }
    expect(await actionOn(rig, life, true)).toBe(life.destroyed);
    expect(failuresOf(await rig.run({ isDestroy: true }))).toEqual([]);
    expect((await rig.state())?.objects.size).toBe(0);
  });
});
