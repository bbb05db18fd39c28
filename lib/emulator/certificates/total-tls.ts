import type { Core } from "../core.ts";
import type { Zone } from "../store.ts";
import { USUAL_VALIDITY_DAYS } from "./issue.ts";
import { orderPack, type PackTraits } from "./orders.ts";
import { deletePack, restartPack } from "./pack-steps.ts";
import { STEP_MILLISECONDS } from "./steps.ts";

/** How long a change of Total TLS takes when it orders or deletes anything. Inferred. */
const JOB_MILLISECONDS = STEP_MILLISECONDS.initializing + STEP_MILLISECONDS.issuance + STEP_MILLISECONDS.deployment;

/**
 * Brings the certificates of Total TLS in line with its settings, at a time (ms since the epoch): one for each proxied
 * name that the universal certificate does not cover; choosing another CA re-issues each; switching it off removes them. Returns whether
 * there was anything to do.
 */
function applyTotalTls(core: Core, zone: Zone, at: number): boolean {
  const { enabled, authority } = zone.totalTls;
  const wanted = new Set(enabled ? deepNames(zone) : []);
  let changes = 0;
  for (const pack of zone.packs.values()) {
    if (pack.type !== "total_tls" || pack.status === "pending_deletion") continue;
    const isKept = wanted.delete(pack.hosts[0] ?? "");
    if (isKept && pack.chosenAuthority === authority) continue;
    changes += 1;
    if (!isKept) deletePack(core, zone, pack, at);
    else {
      pack.chosenAuthority = authority;
      restartPack(core, zone, pack, at);
    }
  }
  for (const host of wanted) orderPack(core, zone, traitsOf(host, authority), at);
  return changes + wanted.size > 0;
}

/** Applies a change of the settings. Another change is refused until this one is done (1482). */
export function beginTotalTls(core: Core, zone: Zone, at: number): void {
  zone.totalTls.jobEndsAt = applyTotalTls(core, zone, at) ? at + JOB_MILLISECONDS : at;
}

/** A record of the name was created, changed or deleted. */
export function noticeName(core: Core, zone: Zone, name: string, at: number): void {
  if (zone.totalTls.enabled && isDeep(zone, name)) applyTotalTls(core, zone, at);
}

/** Proxied names more than one level below the zone. */
export function deepNames(zone: Zone): string[] {
  const proxied = [...zone.records.values()].filter((record) => record.proxied);
  return proxied.map((record) => record.name).filter((name) => isDeep(zone, name));
}

function isDeep(zone: Zone, name: string): boolean {
  return name.split(".").length > zone.name.split(".").length + 1;
}

/** What a certificate of Total TLS is ordered with. */
export function traitsOf(host: string, chosenAuthority: string): PackTraits {
  return {
    type: "total_tls",
    hosts: [host],
    method: "txt",
    validityDays: USUAL_VALIDITY_DAYS,
    chosenAuthority,
    branding: false,
  };
}
