import { errorJson, type ErrorItem } from "./errors.ts";
import type { Json, JsonObject } from "./json.ts";

/** An answer before it is written as bytes; no body for 204. */
export interface Reply {
  readonly status: number;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One page of a list. */
export interface Page {
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
