import { stepCustomCertificate } from "./certificates/custom-certificates.ts";
import { armNotice, sendNotice } from "./certificates/notices.ts";
import { stepPack } from "./certificates/packs.ts";
import type { Core } from "./core.ts";
import { stepCertificate } from "./custom-hostnames/certificate.ts";
import { stepHostname } from "./custom-hostnames/hostname-steps.ts";
import { stepFallbackOrigin } from "./fallback-origin.ts";
import { resumeHold } from "./holds.ts";
import type { Zone } from "./store.ts";
import type { Timer } from "./timers.ts";
import { stepMigration } from "./waf/migration.ts";

/** Does everything that has come due, in the order of its times, and each at its own time. Called before each request. */
export function settle(core: Core): void {
  const now = core.clock.now();
  for (let timer = core.timers.takeDue(now); timer !== undefined; timer = core.timers.takeDue(now)) fire(core, timer);
}

/** Sets the timers of everything that waits. Called after a seed or a snapshot was read. */
export function rearm(core: Core): void {
  core.timers.clear();
  for (const zone of core.store.zones.values()) {
    for (const custom of zone.hostnames.all()) {
      arm(core, "hostname", zone.id, custom.id, custom.dueAt);
      arm(core, "certificate", zone.id, custom.id, custom.ssl?.dueAt ?? null);
    }
    arm(core, "fallback", zone.id, zone.id, zone.fallbackOrigin?.dueAt ?? null);
    arm(core, "waf", zone.id, zone.id, zone.waf.migration.dueAt);
    for (const pack of zone.packs.values()) arm(core, "pack", zone.id, pack.id, pack.dueAt);
    for (const upload of zone.uploads.values()) arm(core, "upload", zone.id, upload.id, upload.dueAt);
    arm(core, "hold", zone.id, zone.id, zone.hold.after);
    armNotice(core, zone);
  }
}

function arm(core: Core, kind: Timer["kind"], zoneId: string, id: string, at: number | null): void {
  if (at !== null) core.timers.set({ at, kind, zoneId, id });
}

/** Takes the step that a timer stands for. The timer is stale, and does nothing, if its object is gone or waits for another time. */
function fire(core: Core, timer: Timer): void {
  const zone = core.store.zones.get(timer.zoneId);
  if (zone !== undefined) FIRES[timer.kind](core, zone, timer);
}

const FIRES: Readonly<Record<Timer["kind"], (core: Core, zone: Zone, timer: Timer) => void>> = {
  hostname: (core, zone, { id, at }) => {
    const custom = zone.hostnames.get(id);
    if (custom?.dueAt === at) stepHostname(core, zone, custom, at);
  },
  certificate: (core, zone, { id, at }) => {
    const custom = zone.hostnames.get(id);
    if (custom?.ssl?.dueAt === at) stepCertificate({ core, zone, custom }, custom.ssl, at);
  },
  fallback: (core, zone, { at }) => {
    if (zone.fallbackOrigin?.dueAt === at) stepFallbackOrigin(core, zone, at);
  },
  waf: (core, zone, { at }) => {
    if (zone.waf.migration.dueAt === at) stepMigration(core, zone, at);
  },
  pack: (core, zone, { id, at }) => {
    const pack = zone.packs.get(id);
    if (pack?.dueAt === at) stepPack(core, zone, pack, at);
  },
  upload: (core, zone, { id, at }) => {
    const upload = zone.uploads.get(id);
    if (upload?.dueAt === at) stepCustomCertificate(core, zone, upload, at);
  },
  hold: (_core, zone, { at }) => {
    if (zone.hold.after === at) resumeHold(zone);
  },
  notice: (core, zone, { at }) => {
    sendNotice(core, zone, at);
  },
};
