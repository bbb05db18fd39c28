import { STEP_MILLISECONDS } from "../certificates/steps.ts";
import { delegationOf } from "../certificates/validation.ts";
import type { Core } from "../core.ts";
import type { Zone } from "../store.ts";
import type { Certificate, CustomHostname } from "./record.ts";
import type { SslInput } from "./ssl-input.ts";
import type { UploadInput } from "./upload.ts";
import { wakeCertificate } from "./wake.ts";

/** Orders the first certificate of a hostname, at a time (ms since the epoch). */
export function orderCertificate(
  core: Core,
  zone: Zone,
  record: CustomHostname,
  input: SslInput,
  at: number,
): Certificate {
  const certificate = newCertificate(core, zone, input);
  record.ssl = certificate;
  if (input.upload === undefined) restartCertificate(core, zone, record, certificate, at);
  else install(core, zone, record, certificate, at, input.upload);
  return certificate;
}

/** An order that has not started yet. */
export function newCertificate(core: Core, zone: Zone, input: SslInput): Certificate {
  return {
    id: core.ids.uuid(),
    method: input.method,
    chosenAuthority: input.chosenAuthority ?? "",
    wildcard: input.wildcard ?? false,
    branding: input.branding ?? false,
    bundleMethod: input.bundleMethod ?? "ubiquitous",
    settings: input.settings ?? {},
    uploaded: false,
    csrId: null,
    second: null,
    replacedId: null,
    delegation: delegationOf(zone.id),
    status: "initializing",
    validationErrors: [],
    challenge: core.ids.hex(16),
    tries: 0,
    dueAt: null,
    issued: null,
    generation: 0,
  };
}

/** Restarts validation: new records, no tries used. The serving certificate stays. */
export function restartCertificate(
  core: Core,
  zone: Zone,
  record: CustomHostname,
  certificate: Certificate,
  at: number,
): void {
  certificate.status = "initializing";
  certificate.validationErrors = [];
  certificate.challenge = core.ids.hex(16);
  certificate.tries = 0;
  wakeCertificate(core, zone, record, certificate, at + STEP_MILLISECONDS.initializing);
}

/** An uploaded certificate needs no validation: it goes straight to deployment (docs/service.md#editing-a-custom-hostname). */
export function install(
  core: Core,
  zone: Zone,
  record: CustomHostname,
  certificate: Certificate,
  at: number,
  upload: UploadInput,
): void {
  certificate.uploaded = true;
  certificate.csrId = upload.csrId;
  certificate.issued = upload.first;
  certificate.second = upload.second;
  certificate.validationErrors = [];
  certificate.status = "pending_deployment";
  wakeCertificate(core, zone, record, certificate, at + STEP_MILLISECONDS.deployment);
}
