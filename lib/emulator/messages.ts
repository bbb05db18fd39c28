import { type ErrorItem, errorJson } from "./errors.ts";
import type { Json, JsonObject } from "./json.ts";

/** A request, independent of the network. */
export interface ServiceRequest {
  /** Upper case. */
  readonly method: string;
  /** Not decoded yet, with its `/client/v4` or `/_admin` prefix, without the query. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** An answer, independent of the network. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or HTML from a fault; empty for 204. */
  readonly body: string;
  /** The connection breaks: without an answer, or after part of the body. */
  readonly connection: "kept" | "destroyed" | "cut";
  /** How many real milliseconds the answer is delayed. */
  readonly delayMilliseconds: number;
}

/** An answer before it is written as bytes; no body for 204. */
export interface Reply {
  readonly status: number;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One page of a list. */
interface Page {
  readonly items: Json[];
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/** A success envelope around the result (docs/service.md#envelope); messages are strings on custom hostnames. */
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

/** A failure envelope: no result, at least one error. */
export function failure(status: number, item: ErrorItem, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, body: { success: false, errors: [errorJson(item)], messages: [], result: null } };
}
