import type { Json, JsonObject } from "./json.ts";

/** A request to the service, with or without a network. */
export interface ServiceRequest {
  /** In upper case. */
  readonly method: string;
  /** Not decoded yet. With the prefix `/client/v4` or `/_admin`, and without the query. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** An answer as it is sent, with or without a network. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or HTML from a fault; empty for 204. */
  readonly body: string;
  /** What happens to the connection: `destroyed` before the answer, `cut` in the middle of the body, or `kept`. */
  readonly connection: "kept" | "destroyed" | "cut";
  /** How many real milliseconds to wait before answering. */
  readonly delayMilliseconds: number;
}

/** An answer of a handler, before its body is written as text. A 204 has no body, and a file that is no JSON has a text. */
export interface Reply {
  readonly status: number;
  readonly body?: Json;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One page of a list. */
interface Page {
  readonly items: Json[];
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/** A success envelope around the result (docs/service.md#envelope). The messages of custom hostnames are strings. */
export function success(result: Json, status = 200, messages: readonly Json[] = []): Reply {
  return { status, body: { success: true, errors: [], messages: [...messages], result } };
}

/** A success envelope around one page, with its `result_info` (docs/service.md#envelope). */
export function pageOf(page: Page): Reply {
  const info: JsonObject = {
    page: page.page,
    per_page: page.perPage,
    count: page.items.length,
    total_count: page.total,
    total_pages: Math.ceil(page.total / page.perPage),
  };
  return { status: 200, body: { success: true, errors: [], messages: [], result: page.items, result_info: info } };
}

/** A failure envelope, with its errors and no result. */
export function failure(
  status: number,
  items: ErrorItem | readonly ErrorItem[],
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const errors = [items].flat().map(errorJson);
  return { status, headers, body: { success: false, errors, messages: [], result: null } };
}

/** One member of an envelope's `errors`. The rulesets API sometimes leaves out the code (docs/service.md#envelope). */
interface ErrorItem {
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
function errorJson(item: ErrorItem): JsonObject {
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
