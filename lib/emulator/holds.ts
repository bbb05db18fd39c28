import type { Core } from "./core.ts";
import type { Zone } from "./store.ts";

/** Suspends the hold until a time (ms since the epoch), when it starts again by itself (docs/service.md#zone-holds). */
export function suspendHold(core: Core, zone: Zone, until: number): void {
  zone.hold.held = false;
  zone.hold.after = until;
  core.timers.set({ at: until, kind: "hold", zoneId: zone.id, id: zone.id });
}

/** The suspension is over. */
export function resumeHold(zone: Zone): void {
  zone.hold.held = true;
  zone.hold.after = null;
}
