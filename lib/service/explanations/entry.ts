import type { DiagnosticCode } from "../../core/diagnostic-code.ts";

/** What an error code means to a user, and what to do. `kind` is the diagnostic's code. */
export interface Explanation {
  readonly kind: DiagnosticCode;
  readonly cause: string;
  readonly remedy: string;
}

/** Explanations by the service's error code. */
export type Codes = Readonly<Record<number, Explanation>>;

const NEW_TOKEN =
  "check CLOUDFLARE_API_TOKEN (or CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY): that it is whole, still valid, and of this account";

/** The credential is invalid. */
export function badCredential(cause: string, remedy: string = NEW_TOKEN): Explanation {
  return { kind: "bad-credential", cause, remedy };
}

/** The credential is valid, but may not make this call. */
export function notAllowed(cause: string, remedy: string): Explanation {
  return { kind: "not-allowed", cause, remedy };
}

/** The service understood the call and refused it. */
export function refused(cause: string, remedy: string): Explanation {
  return { kind: "refused-by-service", cause, remedy };
}

/** A value that the service does not accept. */
export function badValue(field: string, remedy: string): Explanation {
  return refused(`Cloudflare does not accept the ${field}`, remedy);
}

/** The object of the call does not exist. */
export function notFound(cause: string, remedy: string): Explanation {
  return { kind: "not-found", cause, remedy };
}

/** The remedy if the zone was deleted on purpose: nothing in it can be planned or deleted any more. */
export const FORGET_ZONE = "if the zone was deleted, let its state go: zoneform state rm --zone ZONE";

/** The zone may be deleted. Even then its objects do not count as deleted. */
export const ZONE_GONE: Explanation = notFound(
  "Cloudflare knows no such zone or object",
  `check the zone's id in the YAML, and that the credential may see that zone; ${FORGET_ZONE}`,
);

/** The service's response is the same for a deleted zone and for one that the credential may not see. */
export const ZONE_UNSEEN: Explanation = notAllowed(
  "the zone does not exist, or the credential may not see it",
  `check the zone's id in the YAML, and that the credential is valid and has access to that zone; ${FORGET_ZONE}`,
);

/** The remedy if our own call is wrong, not a user's value. */
export const REPORT_IT = "please report it with this message: zoneform sent a call that it should not send";
