import { caaOf, issuerBy, type CaaLookup } from "../caa.ts";
import type { Core } from "../core.ts";
import type { Zone } from "../store.ts";
import { defaultAuthorities } from "./authority.ts";
import { issueFor } from "./issue.ts";
import type { CertificatePack } from "./pack.ts";
import { challengeOfPack } from "./pack-view.ts";
import { nextLook, STEP_MILLISECONDS, stepOrder } from "./steps.ts";
import { isValidated } from "./validation.ts";

/** The pack's next step, when it is due: the steps of every order, and the ends that only packs have. */
export function stepPack(core: Core, zone: Zone, pack: CertificatePack, at: number): void {
  if (pack.status === "pending_deletion") {
    zone.packs.delete(pack.id);
    return;
  }
  if (pack.status === "deactivating") pack.status = "inactive";
  stepOrder(pack, orderedBy(core, zone, pack), at);
}

/** Restarts validation. The serving certificate stays. */
export function restartPack(core: Core, zone: Zone, pack: CertificatePack, at: number): void {
  pack.status = "initializing";
  pack.validationErrors = [];
  pack.challenge = core.ids.hex(16);
  pack.tries = 0;
  wakePack(core, zone, pack, at + STEP_MILLISECONDS.initializing);
}

/** Deletes the pack, which takes a while (docs/service.md#certificate-packs). */
export function deletePack(core: Core, zone: Zone, pack: CertificatePack, at: number): void {
  pack.status = "pending_deletion";
  wakePack(core, zone, pack, at + STEP_MILLISECONDS.deletion);
}

/** Sets when the pack next changes (ms since the epoch), or that it waits for nothing. */
export function wakePack(core: Core, zone: Zone, pack: CertificatePack, at: number | null): void {
  pack.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "pack", zoneId: zone.id, id: pack.id });
}

/** Makes the pack as if it had been issued by that CA at that time. Its timer is not set yet. */
export function issuePack(zone: Zone, pack: CertificatePack, authority: string, at: number): void {
  pack.issued = issueFor(pack, signingOf(zone, pack), authority, at);
  pack.status = "active";
  pack.dueAt = nextLook(pack, false, at);
}

function orderedBy(core: Core, zone: Zone, pack: CertificatePack): Parameters<typeof stepOrder>[1] {
  const { world } = core;
  return {
    isControlShown: () => isPackControlShown(core, zone, pack),
    authority: (at) => {
      const candidates = pack.chosenAuthority === "" ? defaultAuthorities(at) : [pack.chosenAuthority];
      return issuerBy(world, zoneCaa(core, zone), pack.hosts, candidates);
    },
    issue: (authority, at) => issueFor(pack, signingOf(zone, pack), authority, at),
    isLive: () => true,
    isUploaded: () => false,
    wake: (at) => wakePack(core, zone, pack, at),
    deployed: () => undefined,
  };
}

/** The service sets the records itself, unless the zone's name servers are elsewhere. It cannot answer e-mail. */
function isPackControlShown(core: Core, zone: Zone, pack: CertificatePack): boolean {
  const isElsewhere = core.world.dns.get(zone.name)?.elsewhere === true;
  if (!isElsewhere && pack.method !== "email") return true;
  return isValidated(core.world, challengeOfPack(zone.id, pack));
}

/** The zone's own CAA records count like the outside world's. */
function zoneCaa(core: Core, zone: Zone): CaaLookup {
  const outside = caaOf(core.world);
  const own = [...zone.records.values()].filter((record) => record.type === "CAA");
  return (name) => {
    const found = own.filter((record) => record.name === name).map((record) => record.content);
    return found.length > 0 ? found : outside(name);
  };
}

function signingOf(zone: Zone, pack: CertificatePack): Parameters<typeof issueFor>[1] {
  return { label: zone.id, hosts: pack.hosts, validityDays: pack.validityDays };
}
