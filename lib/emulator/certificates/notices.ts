import { timestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import type { JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import type { Traffic } from "../world.ts";
import { AUTHORITY_SWITCH, LEGACY_AUTHORITY } from "./authority.ts";
import type { Notice, NoticedCertificate } from "./certificate.ts";
import { servedBy, type ServedCertificate } from "./served.ts";

/**
 * Sends the zone's owner the notice (docs/service.md#notices), at a time (ms since the epoch): which managed certificates are
 * set to the legacy-chain CA, and whether impacted clients request their hostnames. It changes no certificate. Returns
 * undefined, and sends nothing, if no certificate is set to that CA.
 */
export function sendNotice(core: Core, zone: Zone, at: number): Notice | undefined {
  const impacted = impactedNames(core.world.traffic);
  const certificates = servedBy(zone).flatMap((served) => noticed(impacted, served));
  if (certificates.length === 0) return undefined;
  const notice = { id: core.ids.uuid(), sentAt: at, accountId: zone.accountId, zoneId: zone.id, certificates };
  core.store.notices.set(notice.id, notice);
  return notice;
}

/** Schedules the zone's notice for the day of the automatic switch (inferred: the description gives no date). */
export function armNotice(core: Core, zone: Zone): void {
  const at = AUTHORITY_SWITCH;
  if (core.clock.now() < at) core.timers.set({ at, kind: "notice", zoneId: zone.id, id: zone.id });
}

/** The notice as the admin API shows it. */
export function noticeView(core: Core, notice: Notice): JsonObject {
  const name = core.store.zones.get(notice.zoneId)?.name ?? notice.zoneId;
  return {
    id: notice.id,
    sent_at: timestamp(notice.sentAt),
    account_id: notice.accountId,
    zone_id: notice.zoneId,
    subject: `Certificates of ${name} that use ${LEGACY_AUTHORITY}`,
    certificate_authority: LEGACY_AUTHORITY,
    certificates: notice.certificates.map((certificate) => ({
      kind: certificate.kind,
      id: certificate.id,
      hosts: [...certificate.hosts],
      impacted_clients: certificate.impactedClients,
    })),
  };
}

/** Only certificates for which the user chose that CA: the others switch by themselves. */
function noticed(impacted: ReadonlySet<string>, served: ServedCertificate): NoticedCertificate[] {
  const { kind, id, issued } = served;
  if (served.chosenAuthority !== LEGACY_AUTHORITY || kind === "universal" || kind === "custom_certificate") return [];
  const hosts = [...issued.hosts];
  return [{ kind, id, hosts, impactedClients: hosts.some((host) => impacted.has(host)) }];
}

/** The names that impacted clients request, and the wildcards that cover them. */
function impactedNames(traffic: ReadonlyMap<string, Traffic>): Set<string> {
  const impacted = new Set<string>();
  for (const [name, { impacted_clients: isImpacted }] of traffic)
    if (isImpacted) impacted.add(name).add(name.replace(/^[^.]+/, "*"));
  return impacted;
}
