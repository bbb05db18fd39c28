import { VALIDATION_TRIES, waitBeforeTry } from "../certificates/steps.ts";
import type { Core } from "../core.ts";
import type { Zone } from "../store.ts";
import { HOLD_TEXT, isUnderHold, ownershipErrors, reachesZone } from "./ownership.ts";
import type { CustomHostname, HostnameStatus } from "./custom-hostname.ts";

/** How long to wait before a held hostname is checked again. Not published; the same as before the first try. */
const HELD_WAIT_MILLISECONDS = 60_000;

type Step = (core: Core, zone: Zone, custom: CustomHostname, at: number) => void;

/** Takes the hostname's next step when it is due (docs/service.md#hostname-lifecycle). */
export function stepHostname(core: Core, zone: Zone, custom: CustomHostname, at: number): void {
  const step = STEPS[custom.status];
  // A hostname has another status only if it was forced, and then keeps it.
  if (step === undefined) wakeHostname(core, zone, custom, null);
  else step(core, zone, custom, at);
}

const STEPS: Partial<Record<HostnameStatus, Step>> = {
  pending: tryOwnership,
  blocked: tryRelease,
  moved: (_core, zone, custom) => zone.hostnames.remove(custom.id),
  active: confirm,
  active_redeploying: confirm,
};

/** Marks the hostname as verified. */
export function activate(core: Core, zone: Zone, custom: CustomHostname): void {
  custom.status = "active";
  custom.verificationErrors = [];
  custom.tries = 0;
  custom.pointed = reachesZone(core.world, zone, custom.hostname);
  wakeHostname(core, zone, custom, null);
}

function tryRelease(core: Core, zone: Zone, custom: CustomHostname, at: number): void {
  if (isUnderHold(core.store, core.world, zone, custom.hostname))
    return wakeHostname(core, zone, custom, at + HELD_WAIT_MILLISECONDS);
  tryOwnership(core, zone, custom, at);
}

function tryOwnership(core: Core, zone: Zone, custom: CustomHostname, at: number): void {
  if (isUnderHold(core.store, core.world, zone, custom.hostname)) return block(core, zone, custom, at);
  custom.status = "pending";
  const errors = ownershipErrors(core.world, zone, custom);
  if (errors.length === 0) return activate(core, zone, custom);
  custom.verificationErrors = errors;
  custom.tries += 1;
  if (custom.tries >= VALIDATION_TRIES) return giveUp(core, zone, custom, at);
  wakeHostname(core, zone, custom, at + waitBeforeTry(custom.tries));
}

/** Blocks the hostname. Publicly only a PATCH continues from there, so no step follows (docs/service-coverage.md#choices, row 2). */
function block(core: Core, zone: Zone, custom: CustomHostname, at: number): void {
  custom.status = "blocked";
  custom.verificationErrors = [HOLD_TEXT];
  wakeHostname(core, zone, custom, core.behaviour.blockedRecovers ? at + HELD_WAIT_MILLISECONDS : null);
}

/** Ends a validation whose tries are used up (docs/service-coverage.md#choices, row 11). */
function giveUp(core: Core, zone: Zone, custom: CustomHostname, at: number): void {
  if (core.behaviour.exhausted === "deleted") return zone.hostnames.remove(custom.id);
  move(core, zone, custom, at);
}

function move(core: Core, zone: Zone, custom: CustomHostname, at: number): void {
  custom.status = "moved";
  custom.verificationErrors = ownershipErrors(core.world, zone, custom);
  wakeHostname(core, zone, custom, at + MOVED_RETENTION_MILLISECONDS);
}

/** Checks an active hostname. It has moved if its DNS pointed at the zone and no longer does. */
function confirm(core: Core, zone: Zone, custom: CustomHostname, at: number): void {
  const points = reachesZone(core.world, zone, custom.hostname);
  if (custom.pointed && !points) return move(core, zone, custom, at);
  activate(core, zone, custom);
}

/** How long a moved hostname is kept (docs/service.md#hostname-lifecycle). */
export const MOVED_RETENTION_MILLISECONDS: number = 7 * 24 * 60 * 60 * 1000;

/** Sets when the hostname next changes (ms since the epoch); null if it waits for nothing. */
export function wakeHostname(core: Core, zone: Zone, custom: CustomHostname, at: number | null): void {
  custom.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "hostname", zoneId: zone.id, id: custom.id });
}
