import { dnsRecords, failuresOf, openRig, type Rig, ZONE } from "../support/engine.ts";
import { certificate } from "../support/x509.ts";
import { type Snapshot, snapshotOf } from "../property/unowned.ts";

const [BEFORE, AFTER] = ["2034", "2035"].map((year) =>
  certificate({
    subject: "own.uploaded.net",
    issuer: ["Own", "CA"],
    sans: ["own.uploaded.net"],
    notAfter: `${year}-01-01T00:00:00Z`,
  }),
);
const HOUR_MILLISECONDS = 3_600_000;
const MANAGED = { action: "execute", expression: "true", action_parameters: { id: "cloudflare_managed" } };
const UPLOADED = { method: "http", custom_certificate: { env: "CERTIFICATE" }, custom_key: { env: "KEY" } };

const FIRST = {
  version: 1,
  zone: ZONE,
  fallback_origin: { origin: "fallback.saas.net" },
  custom_hostnames: {
    lifecycle: "zoneform",
    entries: [
      { hostname: "keep.customer.net", ssl: { method: "http" } },
      {
        hostname: "edit.customer.net",
        ssl: { method: "http", settings: { min_tls_version: "1.0" } },
        custom_metadata: { tier: "silver" },
      },
      { hostname: "delete.customer.net", ssl: { method: "http" } },
      { hostname: "replace.customer.net", ssl: { method: "http", cloudflare_branding: false } },
      { hostname: "own.uploaded.net", ssl: UPLOADED },
    ],
  },
  entry_points: {
    http_request_firewall_managed: { own: ["sec/"], adopt: true, rules: [{ ref: "sec/a", ...MANAGED }] },
  },
  total_tls: { enabled: true, certificate_authority: "google" },
};

const SECOND = {
  ...FIRST,
  fallback_origin: { origin: "fallback2.saas.net" },
  custom_hostnames: {
    lifecycle: "zoneform",
    entries: [
      { hostname: "keep.customer.net", ssl: { method: "http" } },
      {
        hostname: "edit.customer.net",
        ssl: { method: "http", settings: { min_tls_version: "1.2" } },
        custom_metadata: { tier: "gold" },
      },
      { hostname: "create.customer.net", ssl: { method: "txt" }, custom_origin_server: "origin1.saas.net" },
      { hostname: "adopt.customer.net", custom_metadata: { tier: "gold" } },
      { hostname: "replace.customer.net", ssl: { method: "http", cloudflare_branding: true } },
      { hostname: "own.uploaded.net", ssl: UPLOADED },
    ],
  },
  entry_points: {
    http_request_firewall_managed: {
      own: ["sec/"],
      rules: [
        { ref: "sec/b", action: "skip", expression: "true", action_parameters: { ruleset: "current" } },
        { ref: "sec/a", ...MANAGED },
      ],
    },
    http_request_firewall_custom: { rules: [{ ref: "block", action: "block", expression: "ip.src eq 192.0.2.1" }] },
  },
  total_tls: { enabled: true, certificate_authority: "lets_encrypt" },
};

/**
 * A zone in which everything has been applied and is active, and a configuration that changes something of every kind:
 * a create, an update, a replacement, a delete, an adoption, a new certificate, and rules beside foreign ones.
 */
export async function changedWorld(): Promise<Rig> {
  const rig = openRig({
    zone: {
      plan: "enterprise",
      dns_records: dnsRecords(),
      custom_hostnames: [{ hostname: "adopt.customer.net", custom_metadata: { tier: "silver", by: "somebody" } }],
      rulesets: [
        {
          phase: "http_request_firewall_managed",
          rules: [{ ref: "theirs", ...MANAGED, action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" } }],
        },
      ],
    },
    files: { "zones/a.yaml": FIRST },
    env: { CERTIFICATE: BEFORE?.certificate ?? "", KEY: BEFORE?.key ?? "" },
  });
  const failures = failuresOf(await rig.run());
  if (failures.length > 0) throw new Error(failures.join("\n"));
  await rig.wait(HOUR_MILLISECONDS);
  await rig.run();
  rig.write("zones/a.yaml", SECOND);
  Object.assign(rig.env, { CERTIFICATE: AFTER?.certificate, KEY: AFTER?.key });
  return rig;
}

/** The final zone, without what differs from run to run. */
export function essence(rig: Rig): object {
  const { hostnames, rules }: Snapshot = snapshotOf(rig);
  const zone = rig.service.core.store.zones.get(ZONE.id);
  return {
    hostnames: Object.fromEntries([...hostnames].map(([name, { stored }]) => [name, stored])),
    rules: [...rules].map(([phase, list]) => [
      phase,
      list.map(({ id: _id, version: _version, last_updated: _updated, ...rule }) => rule),
    ]),
    fallbackOrigin: zone?.fallbackOrigin?.origin,
    totalTls: [zone?.totalTls.enabled, zone?.totalTls.authority],
    certificates: [...hostnames.keys()]
      .filter((name) => name === "own.uploaded.net")
      .map((name) => zone?.hostnames.named(name)?.ssl?.issued?.expiresAt),
  };
}

/** Lets the service settle, with the runs that finish what was held. */
export async function settle(rig: Rig): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await rig.wait(HOUR_MILLISECONDS);
    await rig.run();
  }
  await rig.wait(HOUR_MILLISECONDS);
}
