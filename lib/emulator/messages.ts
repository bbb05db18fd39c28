import { type ErrorItem, errorJson } from "./errors.ts";
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

/** An answer of a handler, before its body is written as text. A 204 has no body. */
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

/** A failure envelope, with one error and no result. */
export function failure(status: number, item: ErrorItem, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, body: { success: false, errors: [errorJson(item)], messages: [], result: null } };
}
