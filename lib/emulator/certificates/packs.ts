import type { Core } from "../core.ts";
import { ServiceError } from "../messages.ts";
import { asUuid, derive } from "../ids.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { type CaaLookup, caaOf, canIssue, issuerBy, isUnder, PUNYCODE_TEXT } from "../world.ts";
import { defaultAuthorities, issueFor, PACK_AUTHORITIES, USUAL_VALIDITY_DAYS } from "./authority.ts";
import { challengeOfPack } from "./pack-view.ts";
import { type CertificatePack, COMMON_NAME_LENGTH, type ValidationMethod } from "./certificate.ts";
import { nextLook, type OrderOwner, STEP_MILLISECONDS, stepOrder } from "./steps.ts";
import { isValidated } from "./validation.ts";

/** What an order of an advanced pack asks for. */
interface PackInput {
  readonly hosts: readonly string[];
  readonly method: ValidationMethod;
  readonly validityDays: number;
  readonly authority: string;
  readonly branding: boolean;
}

const METHODS = ["txt", "http", "email"] as const;

/** The most hosts in one pack (docs/service.md#certificate-packs). */
const MOST_HOSTS = 50;

/** The validity periods that each CA offers, in days (docs/service.md#certificate-authorities). */
const VALIDITIES: ReadonlyMap<string, readonly number[]> = new Map([
  ["google", [14, 30, 90]],
  ["lets_encrypt", [90]],
  ["ssl_com", [14, 30, 90, 365]],
]);

/** Reads and checks an order (docs/service.md#certificate-packs). Throws 1469 if all names are too long, and a 400 for other mistakes. */
export function readPack(zone: Zone, body: JsonObject): PackInput {
  if (body["type"] !== "advanced") throw packError(1400, "type must be advanced");
  const hosts = readHosts(zone, body["hosts"]);
  const method = METHODS.find((known) => known === body["validation_method"]);
  if (method === undefined) throw packError(1432, "The validation method must be http, email or txt");
  if (method === "http" && hosts.some((host) => host.startsWith("*.")))
    throw packError(1432, "Wildcards cannot be validated by http");
  const authority = PACK_AUTHORITIES.find((known) => known === body["certificate_authority"]);
  if (authority === undefined) throw packError(1434, "The certificate authority is not known");
  if (!canIssue(authority, hosts)) throw packError(1434, PUNYCODE_TEXT);
  const validityDays = body["validity_days"];
  if (typeof validityDays !== "number" || VALIDITIES.get(authority)?.includes(validityDays) !== true)
    throw packError(1434, "validity_days is none that the certificate authority issues for");
  const branding = body["cloudflare_branding"] === true;
  if (!branding && hosts.every((host) => host.length > COMMON_NAME_LENGTH))
    throw packError(1469, "Since no host has 64 characters or fewer, cloudflare_branding is required");
  return { hosts, method, validityDays, authority, branding };
}

/** A refusal of an order. The codes of packs are not published, so these are the codes of custom hostnames (inferred). */
export function packError(code: number, message: string, status = 400): ServiceError {
  return new ServiceError(status, { code, message });
}

function readHosts(zone: Zone, value: Json | undefined): string[] {
  if (!Array.isArray(value) || !value.every((host) => typeof host === "string"))
    throw packError(1400, "hosts must be a list of names");
  const hosts = [...new Set(value.map((host) => host.toLowerCase()))];
  if (!hosts.includes(zone.name)) throw packError(1400, `hosts must contain the zone's own name, ${zone.name}`);
  if (hosts.length > MOST_HOSTS) throw packError(1400, `a certificate pack has ${MOST_HOSTS} hosts at most`);
  const stranger = hosts.find((host) => !isUnder(host.replace(/^\*\./, ""), zone.name));
  if (stranger !== undefined) throw packError(1407, `${stranger} is not in the zone`);
  return hosts;
}

/** Whether the body of a PATCH asks for branding. Throws 1434 if `cloudflare_branding` is not a boolean. */
export function asksForBranding(body: Json): boolean {
  const wanted = isObject(body) ? body["cloudflare_branding"] : undefined;
  if (wanted !== undefined && typeof wanted !== "boolean")
    throw packError(1434, "cloudflare_branding must be a boolean");
  return wanted === true;
}

/** What the order of a pack sets. */
export type PackTraits = Pick<
  CertificatePack,
  "type" | "hosts" | "method" | "validityDays" | "chosenAuthority" | "branding"
>;

/** A pack that is not in the zone yet, and whose validation has not begun. */
function newPack(id: string, challenge: string, traits: PackTraits): CertificatePack {
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
 * Puts a pack into the zone as if it had been issued at a time (ms since the epoch), by the given CA or else by the one that
 * would have issued it then. Its id follows from the label alone, so that adding a pack to a seed changes no other id.
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

/** Turns the universal certificate off, through `deactivating` to `inactive`, or on, which issues it again (docs/service.md#universal-ssl). */
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

/** Takes the pack's next step when it is due. Only packs can be deleted or become inactive; the other steps are those of every order. */
export function stepPack(core: Core, zone: Zone, pack: CertificatePack, at: number): void {
  if (pack.status === "pending_deletion") {
    zone.packs.delete(pack.id);
    return;
  }
  if (pack.status === "deactivating") pack.status = "inactive";
  stepOrder(pack, ownerOf(core, zone, pack), at);
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

/** Sets when the pack next changes (ms since the epoch); null if it waits for nothing. */
function wakePack(core: Core, zone: Zone, pack: CertificatePack, at: number | null): void {
  pack.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "pack", zoneId: zone.id, id: pack.id });
}

/** Gives the pack a certificate that the CA issued at that time. The caller sets the timer. */
function issuePack(zone: Zone, pack: CertificatePack, authority: string, at: number): void {
  pack.issued = issueFor(pack, signingOf(zone, pack), authority, at);
  pack.status = "active";
  pack.dueAt = nextLook(pack, false, at);
}

function ownerOf(core: Core, zone: Zone, pack: CertificatePack): OrderOwner {
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

/** The CAA records of the zone itself, or else those of the outside world. */
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
