import type { DiagnosticCode } from "../../core/diagnostic-code.ts";

/** What an error code means to a user, and what to do about it. `kind` is the diagnostic's code. */
export interface Explanation {
  readonly kind: DiagnosticCode;
  readonly cause: string;
  readonly remedy: string;
}

/** Explanations by the code that the service gives. */
export type Codes = Readonly<Record<number, Explanation>>;

const NEW_TOKEN =
  "check CLOUDFLARE_API_TOKEN (or CLOUDFLARE_EMAIL with CLOUDFLARE_API_KEY): that it is whole, still valid, and of this account";

/** The credential is not one. */
export function badCredential(cause: string, remedy: string = NEW_TOKEN): Explanation {
  return { kind: "bad-credential", cause, remedy };
}

/** The credential is one, and may not do this. */
export function notAllowed(cause: string, remedy: string): Explanation {
  return { kind: "not-allowed", cause, remedy };
}

/** The service understood, and says no. */
export function refused(cause: string, remedy: string): Explanation {
  return { kind: "refused-by-service", cause, remedy };
}

/** A value that the service does not accept. */
export function badValue(field: string, remedy: string): Explanation {
  return refused(`the service does not accept the ${field}`, remedy);
}

/** What was asked for is not there. */
export function notFound(cause: string, remedy: string): Explanation {
  return { kind: "not-found", cause, remedy };
}

/** The way out where a zone was deleted on purpose: nothing can be planned for it any more, nor deleted in it. */
const FORGET_ZONE = "if the zone was deleted, let its state go: zoneform state rm --zone ZONE";

/** The zone may be gone: nothing in it counts as deleted for that. */
export const ZONE_GONE: Explanation = notFound(
  "the service knows no such zone or object",
  `check the zone's id in the YAML, and that the credential may see that zone; ${FORGET_ZONE}`,
);

/** The service does not tell a zone that is gone from one that the credential may not see. */
export const ZONE_UNSEEN: Explanation = notAllowed(
  "the zone does not exist, or the credential may not see it",
  `check the zone's id in the YAML, and that the credential is valid and has access to that zone; ${FORGET_ZONE}`,
);

/** Where our own call is at fault, and no value of the user's. */
export const REPORT_IT = "please report it with this message: zoneform sent a call that it should not send";
