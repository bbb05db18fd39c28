import { defaultAuthorities } from "../certificates/authority.ts";
import { nextLook, STEP_MILLISECONDS, waitBeforeTry } from "../certificates/steps.ts";
import type { Core } from "../core.ts";
import { install, issue, newCertificate } from "../custom-hostnames/certificate.ts";
import { UNKNOWN_TEXT } from "../custom-hostnames/ownership.ts";
import type { Certificate, CustomHostname } from "../custom-hostnames/record.ts";
import { MOVED_RETENTION_MILLISECONDS } from "../custom-hostnames/hostname-steps.ts";
import { readSsl } from "../custom-hostnames/ssl-input.ts";
import { InputError } from "../input.ts";
import type { JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import type { SeedHostname } from "./shape.ts";

const USUAL_SSL: JsonObject = { method: "http", type: "dv" };

/** Puts a hostname into a zone as if it had been there for a while. Timers are set when the whole seed is planted. */
export function plantHostname(core: Core, zone: Zone, seed: SeedHostname): void {
  const hostname = seed.hostname.toLowerCase();
  if (zone.hostnames.named(hostname) !== undefined)
    throw new InputError({ at: "", problem: `${hostname} is there twice`, remedy: "remove one of the two" });
  const now = core.clock.now();
  const status = seed.status ?? "active";
  const record: CustomHostname = {
    id: seed.id ?? core.ids.uuid(),
    hostname,
    createdAt: now,
    status,
    verificationErrors: status === "active" ? [] : [UNKNOWN_TEXT],
    ownershipToken: core.ids.uuid(),
    tries: 0,
    dueAt: firstStep(status, now),
    pointed: status === "active",
    ssl: null,
    customOriginServer: seed.custom_origin_server ?? null,
    customOriginSni: null,
    customMetadata: seed.custom_metadata ?? null,
  };
  if (seed.ssl !== null) plantCertificate(core, zone, record, seed);
  zone.hostnames.add(record);
}

function firstStep(status: "active" | "pending" | "moved", now: number): number | null {
  if (status === "active") return null;
  return now + (status === "moved" ? MOVED_RETENTION_MILLISECONDS : waitBeforeTry(0));
}

function plantCertificate(core: Core, zone: Zone, record: CustomHostname, seed: SeedHostname): void {
  const { hostname } = record;
  const rules = { core, zone, hostname, isNew: true, brandingAtTop: false, isWildcard: hostname.startsWith("*.") };
  const input = readSsl({ ...USUAL_SSL, ...seed.ssl }, rules);
  const now = core.clock.now();
  const certificate = newCertificate(core, zone, input);
  record.ssl = certificate;
  if (input.upload !== undefined) return install(core, zone, record, certificate, now, input.upload);
  certificate.dueAt = now + STEP_MILLISECONDS.initializing;
  if (record.status !== "pending") plantIssued(record, certificate, seed.issued_by, timeOf(seed.issued_at, now));
}

/** By the given CA, else by the one that would have issued then. What has come due since then happens before the first request. */
function plantIssued(
  record: CustomHostname,
  certificate: Certificate,
  authority: string | undefined,
  at: number,
): void {
  const usual = certificate.chosenAuthority === "" ? defaultAuthorities(at)[0] : certificate.chosenAuthority;
  certificate.issued = issue(record, certificate, authority ?? usual, at);
  certificate.status = "active";
  certificate.dueAt = nextLook(certificate, false, at);
}

/** A time of a seed, ISO 8601. */
export function timeOf(text: string | undefined, now: number): number {
  return text === undefined ? now : Date.parse(text);
}
