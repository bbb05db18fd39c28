import type { Core } from "../core.ts";
import type { Zone } from "../store.ts";
import type { Certificate, CustomHostname } from "./record.ts";

/** Sets when the hostname next changes (ms since the epoch), or that it waits for nothing. */
export function wakeHostname(core: Core, zone: Zone, record: CustomHostname, at: number | null): void {
  record.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "hostname", zoneId: zone.id, id: record.id });
}

/** Sets when the hostname's certificate next changes (ms since the epoch), or that it waits for nothing. */
export function wakeCertificate(
  core: Core,
  zone: Zone,
  record: CustomHostname,
  certificate: Certificate,
  at: number | null,
): void {
  certificate.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "certificate", zoneId: zone.id, id: record.id });
}
