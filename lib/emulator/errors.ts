import type { JsonObject } from "./json.ts";

/** One member of an envelope's `errors`. The rulesets API sometimes leaves out the code (docs/service.md#envelope). */
export interface ErrorItem {
  readonly code?: number;
  readonly message: string;
  /** JSON pointer into the request body. */
  readonly pointer?: string;
  readonly chain?: readonly { readonly code: number; readonly message: string }[];
}

/** A refusal, which the service answers with a failure envelope. */
export class ServiceError extends Error {
  readonly status: number;
  readonly item: ErrorItem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, item: ErrorItem, headers: Readonly<Record<string, string>> = {}) {
    super(item.message);
    this.name = "ServiceError";
    this.status = status;
    this.item = item;
    this.headers = headers;
  }
}

/** The error as a member of the envelope's `errors`. */
export function errorJson(item: ErrorItem): JsonObject {
  return {
    ...(item.code === undefined ? {} : { code: item.code }),
    message: item.message,
    ...(item.pointer === undefined ? {} : { source: { pointer: item.pointer } }),
    ...(item.chain === undefined ? {} : { error_chain: item.chain.map((link) => ({ ...link })) }),
  };
}

/** Status and text of the codes that mean the same wherever they appear (docs/service.md#error-codes). */
const GENERAL = {
  6003: [400, "Invalid request headers"],
  7001: [405, "Method not allowed for the requested URI"],
  7003: [404, "Could not route to the requested URI, perhaps your object identifier is invalid?"],
  9103: [403, "Unknown X-Auth-Key or X-Auth-Email"],
  9106: [400, "Missing X-Auth-Key, X-Auth-Email or Authorization headers"],
  9109: [403, "Invalid zone identifier"],
  10000: [403, "Authentication error"],
} as const;

/** The error with a code that means the same wherever it appears, with its usual text or another. */
export function generalError(code: keyof typeof GENERAL, message?: string): ServiceError {
  const [status, text] = GENERAL[code];
  return new ServiceError(status, { code, message: message ?? text });
}

/** A refusal of the headers: code 6003 with the reason in its chain (docs/service.md#envelope). */
export function headerError(code: number, message: string): ServiceError {
  return new ServiceError(400, { code: 6003, message: "Invalid request headers", chain: [{ code, message }] });
}
