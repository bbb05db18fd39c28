import { USUAL_VALIDITY_DAYS } from "../certificates/issue.ts";
import { viewOfPack } from "../certificates/pack-view.ts";
import type { JsonObject } from "../json.ts";
import { alternativeNames } from "./certificate.ts";
import type { Certificate, CustomHostname } from "./record.ts";
import { challengeOf, shownAuthority } from "./view.ts";

/** A hostname's certificate as a pack of the zone: `managed_hostname`, or `mh_custom` for the owner's own (docs/service.md#certificate-packs). */
export function managedPackView(zoneId: string, record: CustomHostname, certificate: Certificate): JsonObject {
  const { status, replacedId, issued, second } = certificate;
  const isPending = status === "pending_validation" || status === "pending_issuance";
  const serving = [issued, second].flatMap((one) => (one === null ? [] : [one]));
  return viewOfPack(zoneId, certificate, {
    ...traitsOf(record, certificate),
    certificates: replacedId === null ? serving : [],
    challenge: isPending && !certificate.uploaded ? challengeOf(record.hostname, certificate) : undefined,
  });
}

/** The pack that serves until its replacement is live: `pending_cleanup` (docs/service.md#editing-a-custom-hostname). */
export function replacedPackView(zoneId: string, record: CustomHostname, certificate: Certificate): JsonObject {
  const { replacedId, issued } = certificate;
  const old = { ...certificate, id: replacedId ?? "", status: "pending_cleanup", validationErrors: [] } as const;
  return viewOfPack(
    zoneId,
    { ...old, validationErrors: [] },
    {
      ...traitsOf(record, certificate),
      authority: issued?.authority,
      certificates: issued === null ? [] : [issued],
      challenge: undefined,
    },
  );
}

function traitsOf(
  record: CustomHostname,
  certificate: Certificate,
): Omit<Parameters<typeof viewOfPack>[2], "certificates" | "challenge"> {
  return {
    type: certificate.uploaded ? "mh_custom" : "managed_hostname",
    hosts: alternativeNames(record.hostname, certificate.wildcard),
    validityDays: USUAL_VALIDITY_DAYS,
    authority: certificate.uploaded ? undefined : shownAuthority(certificate),
    bundleMethod: certificate.bundleMethod,
  };
}
