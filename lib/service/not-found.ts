import type { Family } from "./client.ts";
import { ApiError } from "./errors.ts";

/** A code by which the service says that an object does not exist; with the status if the code has other meanings too. */
interface NotFoundCode {
  readonly code: number;
  readonly status?: number;
}

/**
 * What counts as "not found", by family: the service's own code for that object. A 404 alone proves nothing, because
 * any proxy sends it. Neither does 7003 (the service could not route the call) or 9109 (the zone is gone, or hidden).
 */
const NOT_FOUND: Readonly<Record<Family, readonly NotFoundCode[]>> = {
  // 9109 means both a zone that is gone and one that the credential may not see (docs/service.md#zones-and-plans).
  zones: [],
  // 1003: no hold is set (docs/service.md#zone-holds).
  holds: [{ code: 1003 }],
  // 81044: the record does not exist (public: the DNS API's own list of errors).
  dns_records: [{ code: 81_044 }],
  // 1436: custom hostname not found (docs/service.md#custom-hostname-error-codes).
  custom_hostnames: [{ code: 1436 }],
  // 1419: custom CSR not found (docs/service.md#custom-csrs).
  custom_csrs: [{ code: 1419 }],
  // 1551: no fallback origin is set (public: the Crossplane provider recognises it by this code).
  fallback_origin: [{ code: 1551 }],
  // 10003: the ruleset, its version or the phase's entry point was not found (docs/service.md#rulesets). 10001 can also
  // mean that a call is not allowed.
  rulesets: [{ code: 10_003 }],
  // 10001: a package, group, rule or override of the previous WAF was not found (docs/service.md#error-codes), when it is a 404.
  waf: [{ code: 10_001, status: 404 }],
  // Settings that every zone has, and a call without an object.
  total_tls: [],
  settings: [],
  purge: [],
  // 1408: certificate pack not found (docs/service.md#certificate-packs); an uploaded certificate has the same code.
  certificate_packs: [{ code: 1408 }],
  custom_certificates: [{ code: 1408 }],
};

/** The result of a call; undefined if the service itself answered that its object does not exist. */
export async function ifFound<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether the service itself answered that the call's object does not exist. */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return NOT_FOUND[error.family].some(
    ({ code, status }) => error.has(code) && (status === undefined || status === error.status),
  );
}
