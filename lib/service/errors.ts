import type { Family } from "./client.ts";
import type { Codes } from "./explanations/entry.ts";

/** One entry of the envelope's `errors` (docs/service.md#envelope: the code may be absent in rulesets). */
export interface ApiErrorEntry {
  readonly code?: number;
  readonly message: string;
  /** JSON pointer into the request body, where the service gives one. */
  readonly pointer?: string;
}

/** The service answered and refused. Keeps everything that support would ask for. */
export class ApiError extends Error {
  readonly family: Family;
  /** What codes mean for the call that was refused, before those of its family. */
  readonly codes: Codes;
  readonly status: number;
  readonly entries: readonly ApiErrorEntry[];
  /** The `Cf-Ray` of the answer. */
  readonly requestId: string | undefined;

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
  }

  /** Whether the service gave this code. */
  has(code: number): boolean {
    return this.entries.some((entry) => entry.code === code);
  }
}

/**
 * A write was sent and its answer never came, or was neither a refusal of the service nor a success that shows its result:
 * it may have taken effect. Never a failure; whoever gets it looks the object up (reliability rule: a lost reply is ambiguous).
 */
export class AmbiguousError extends Error {
  constructor(request: string, options: ErrorOptions) {
    super(`${request} was sent, but no answer shows what became of it: it may have taken effect`, options);
    this.name = "AmbiguousError";
  }
}

/**
 * Why the service counts as unreachable: no answer came, what came was no answer of this API, it was a success without
 * what was asked for, it pointed elsewhere, its list made no sense, or it refused calls (429) for longer than anybody
 * should wait.
 */
export type UnreachableReason = "network" | "unreadable" | "unusable" | "redirect" | "broken-list" | "throttled";

/** No answer, and nothing can have changed: the name did not resolve, the connection was refused, a read failed for good. */
export class UnreachableError extends Error {
  readonly reason: UnreachableReason;

  constructor(message: string, options?: ErrorOptions & { readonly reason?: UnreachableReason }) {
    super(message, options);
    this.name = "UnreachableError";
    this.reason = options?.reason ?? "network";
  }
}

/** Every attempt at a write found its read too old, or interrupted by a pause: nothing was sent. */
export class NoFreshRead extends Error {
  constructor(attempts: number, withinMilliseconds: number) {
    super(`in ${attempts} attempts the live object could not be read and then written within ${withinMilliseconds} ms`);
    this.name = "NoFreshRead";
  }
}
