import { stepOrder, type Ordered } from "../certificates/steps.ts";
import type { Core } from "../core.ts";
import type { Zone } from "../store.ts";
import { isControlShown, issue, issuingAuthority } from "./certificate.ts";
import type { Certificate, CustomHostname } from "./record.ts";
import { wakeCertificate } from "./wake.ts";

/** The next step of a hostname's certificate, when it is due (docs/service.md#certificate-lifecycle). */
export function stepCertificate(
  core: Core,
  zone: Zone,
  record: CustomHostname,
  certificate: Certificate,
  at: number,
): void {
  const of: Ordered = {
    isControlShown: () => isControlShown(core.world, zone, record, certificate),
    authority: (at) => issuingAuthority(core.world, record.hostname, certificate, at),
    issue: (authority, at) => {
      certificate.second = null;
      return issue(record, certificate, authority, at);
    },
    isLive: () => record.status === "active",
    isUploaded: () => certificate.uploaded,
    wake: (at) => wakeCertificate(core, zone, record, certificate, at),
    deployed: () => {
      certificate.replacedId = null;
    },
  };
  stepOrder(certificate, of, at);
}
