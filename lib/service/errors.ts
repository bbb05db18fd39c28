import type { Family } from "./client.ts";
import type { Codes } from "./explanations/entry.ts";

/** One entry of the envelope's `errors` (docs/service.md#envelope: the code may be absent in rulesets). */
export interface ApiErrorEntry {
  readonly code?: number;
  readonly message: string;
  /** JSON pointer into the request body, if the service sends one. */
  readonly pointer?: string;
}

/** The service refused. Keeps everything that its support would ask for. */
export class ApiError extends Error {
  readonly family: Family;
  /** What codes mean for the refused call; these win over its family's. */
  readonly codes: Codes;
  readonly status: number;
  readonly entries: readonly ApiErrorEntry[];
  /** The response's `Cf-Ray`. */
  readonly requestId: string | undefined;
  /** Whether the refused call would have changed something. */
  readonly isWrite: boolean;

  constructor(details: {
    family: Family;
    codes?: Codes | undefined;
    status: number;
    entries: readonly ApiErrorEntry[];
    requestId?: string | undefined;
    request: string;
  }) {
    const said = details.entries.map(({ code, message }) => (code === undefined ? message : `${code} ${message}`));
    const id = details.requestId === undefined ? "" : ` (request ${details.requestId})`;
    super(`${details.request} was answered ${details.status}: ${said.join("; ") || "no reason given"}${id}`);
    this.name = "ApiError";
    this.family = details.family;
    this.codes = details.codes ?? {};
    this.status = details.status;
    this.entries = details.entries;
    this.requestId = details.requestId;
    this.isWrite = !details.request.startsWith("GET ");
  }

  /** Whether the service gave this code. */
  has(code: number): boolean {
    return this.entries.some((entry) => entry.code === code);
  }
}

/**
 * A write was sent and we do not know whether it took effect: its response was lost, or was neither a refusal by the
 * service nor a success that shows its result. This is never a failure; the caller looks the object up.
 */
export class AmbiguousError extends Error {
  constructor(request: string, options: ErrorOptions) {
    super(`${request} was sent, but its result is not known`, options);
    this.name = "AmbiguousError";
  }
}

/**
 * Why the service counts as unreachable: no response came; the response was not this API's, lacked its result, or was a
 * redirect; its list made no sense; or it refused calls (429) for too long.
 */
export type UnreachableReason = "network" | "unreadable" | "unusable" | "redirect" | "broken-list" | "throttled";

/** No response, and nothing can have changed: the name did not resolve, the connection was refused, or a read kept failing. */
export class UnreachableError extends Error {
  readonly reason: UnreachableReason;

  constructor(message: string, options?: ErrorOptions & { readonly reason?: UnreachableReason }) {
    super(message, options);
    this.name = "UnreachableError";
    this.reason = options?.reason ?? "network";
  }
}

/** Each attempt at a write found its read too old, or interrupted by a pause. Nothing was sent. */
export class NoFreshRead extends Error {
  constructor(attempts: number, withinMilliseconds: number) {
    super(`in ${attempts} attempts the live object could not be read and then written within ${withinMilliseconds} ms`);
    this.name = "NoFreshRead";
  }
}

/**
 * Whether the service says that a valid credential may not make this call; the HTTP status varies
 * (docs/service.md#error-codes).
 */
export function isNotAllowed(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && failure.status !== 401 && (failure.has(9109) || failure.has(10000));
}

/** A code by which the service says that an object does not exist; with the status if the code has other meanings too. */
interface NotFoundCode {
  readonly code: number;
  readonly status?: number;
}

/**
 * What counts as "not found", by family: the service's own code for that object. A 404 alone proves nothing, because
 * any proxy sends it. Neither does 7003 (the service could not route the call) or 9109 (the zone is deleted or hidden).
 */
const NOT_FOUND: Readonly<Record<Family, readonly NotFoundCode[]>> = {
  // 9109 means both a deleted zone and one that the credential may not see (docs/service.md#zones-and-plans).
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
