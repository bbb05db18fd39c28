import { expect } from "vitest";
import type { KindName } from "../../lib/kinds/kind.ts";
import { type Rig, ZONE } from "./engine.ts";

const PATH = `/zones/${ZONE.id}`;
const CUSTOM = `${PATH}/rulesets/phases/http_request_firewall_custom/entrypoint`;

/** The life of an object: how the YAML declares it in turn, and what somebody edits outside Zoneform. */
export interface Life {
  readonly address: string;
  /** What is live before it begins. */
  readonly before?: object;
  /** What the zone file needs besides the object, all the time. */
  readonly beside?: object;
  /** The declarations of the object, one after the other, as parts of the zone file. */
  readonly specs: readonly [object, ...object[]];
  /** Edits a field that the last spec manages. Absent if Zoneform cannot revert such an edit. */
  readonly edit?: (rig: Rig) => void;
  /** Returns the import id once everything is live. */
  readonly importId: (rig: Rig) => readonly [id: string, address?: string];
  /** What the plan does with the object when it leaves the zone file, and when the zone is destroyed. */
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
  if (!zone) throw new Error("the rig has no zone");
  return zone;
}

function edit(rig: Rig, method: string, path: string, body: object): void {
  expect(rig.admin.dashboard(method, path, JSON.parse(JSON.stringify(body))).status).toBeLessThan(300);
}

const ON = { ref: "a", action: "block", expression: "true" };

/** One object of each kind. A kind without a life does not compile. */
export const LIVES: Readonly<Record<KindName, Life>> = {
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
  zone_hold: {
    address: "zone_hold",
    specs: [
      { zone_hold: { hold: true } },
      { zone_hold: { hold: true, include_subdomains: true } },
      { zone_hold: { hold: true, include_subdomains: false, hold_after: "2126-01-31T00:00:00Z" } },
      { zone_hold: { hold: true } },
      { zone_hold: { hold: true, include_subdomains: true, hold_after: "" } },
      { zone_hold: { hold: false } },
      { zone_hold: { hold: true, include_subdomains: true } },
    ],
    edit: (rig) => edit(rig, "PATCH", `${PATH}/hold`, { include_subdomains: false }),
    importId: () => [ZONE.id, "zone_hold"],
    removed: "forget",
    destroyed: "forget",
  },
  zone_setting: {
    address: 'zone_setting["min_tls_version"]',
    specs: [
      { zone_settings: { min_tls_version: { value: "1.2" } } },
      { zone_settings: { min_tls_version: { value: "1.0" } } },
      { zone_settings: { min_tls_version: { value: "1.3", protect: true } } },
    ],
    edit: (rig) => edit(rig, "PATCH", `${PATH}/settings/min_tls_version`, { value: "1.1" }),
    importId: () => [`${ZONE.id}/min_tls_version`],
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

/** Writes the zone file of a life, with one of its specs. */
export function writeLife(rig: Rig, { beside = {} }: Life, spec: object): void {
  rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...beside, ...spec });
}
