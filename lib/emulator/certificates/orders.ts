import type { Core } from "../core.ts";
import { asUuid, derive } from "../ids.ts";
import type { Zone } from "../store.ts";
import { defaultAuthorities } from "./authority.ts";
import { USUAL_VALIDITY_DAYS } from "./issue.ts";
import type { CertificatePack } from "./pack.ts";
import { issuePack, restartPack, wakePack } from "./pack-steps.ts";
import { STEP_MILLISECONDS } from "./steps.ts";

/** What an order of a pack decides. */
export type PackTraits = Pick<
  CertificatePack,
  "type" | "hosts" | "method" | "validityDays" | "chosenAuthority" | "branding"
>;

/** A pack with those traits, not yet in the zone and not yet started. */
export function newPack(id: string, challenge: string, traits: PackTraits): CertificatePack {
  return {
    id,
    ...traits,
    status: "initializing",
    validationErrors: [],
    challenge,
    tries: 0,
    dueAt: null,
    issued: null,
    generation: 0,
  };
}

/** Orders a pack, at a time (ms since the epoch). */
export function orderPack(core: Core, zone: Zone, traits: PackTraits, at: number): CertificatePack {
  const pack = newPack(core.ids.uuid(), core.ids.hex(16), traits);
  zone.packs.set(pack.id, pack);
  restartPack(core, zone, pack, at);
  return pack;
}

/** The traits of the zone's universal pack: its name and one level below. */
export function universalTraits(zone: Zone): PackTraits {
  return {
    type: "universal",
    hosts: [zone.name, `*.${zone.name}`],
    method: "txt",
    validityDays: USUAL_VALIDITY_DAYS,
    chosenAuthority: "",
    branding: false,
  };
}

/**
 * Puts a pack into the zone as if it had been issued at a time (ms since the epoch), by that CA or by the one that would have
 * been. Its id follows from the label alone, so that other ids of a seed do not depend on it.
 */
export function plantPack(
  zone: Zone,
  label: string,
  traits: PackTraits,
  authority: string | undefined,
  at: number,
): void {
  const seed = derive(`pack ${zone.id} ${label}`);
  const pack = newPack(asUuid(seed), seed.slice(32, 48), traits);
  const usual = traits.chosenAuthority === "" ? defaultAuthorities(at)[0] : traits.chosenAuthority;
  issuePack(zone, pack, authority ?? usual, at);
  zone.packs.set(pack.id, pack);
}

/** Switches the universal certificate off or on (docs/service.md#universal-ssl): `deactivating` to `inactive`, or issued again. */
export function setUniversal(core: Core, zone: Zone, isEnabled: boolean, at: number): void {
  if (zone.universal.enabled === isEnabled) return;
  zone.universal.enabled = isEnabled;
  const pack = [...zone.packs.values()].find((candidate) => candidate.type === "universal");
  if (pack === undefined) {
    if (isEnabled) orderPack(core, zone, universalTraits(zone), at);
    return;
  }
  if (isEnabled) return restartPack(core, zone, pack, at);
  pack.status = "deactivating";
  wakePack(core, zone, pack, at + STEP_MILLISECONDS.deployment);
}
