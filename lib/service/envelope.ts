import { objects, optionalNumber, optionalObject, optionalText } from "../core/decode.ts";
import { isList, isObject, type Json, type JsonObject } from "../core/json.ts";
import type { ApiErrorEntry } from "./errors.ts";
import type { HttpResponse } from "./http.ts";

/** What `result_info` says of a list; every part may be missing (public fact, section 1.3). */
export interface PageInfo {
  readonly perPage?: number;
  readonly totalCount?: number;
  readonly totalPages?: number;
  /** The cursor of the next page; absent on the last one. */
  readonly after?: string;
}

/** What an answer means. */
export type Reading =
  | { readonly kind: "success"; readonly result: Json; readonly page: PageInfo }
  | { readonly kind: "refusal"; readonly entries: readonly ApiErrorEntry[] }
  /** No answer of this API: a page of a proxy, half a document, something that contradicts itself. `was` says what. */
  | { readonly kind: "unreadable"; readonly was: string };

/** An error text is cut here, so that an answer cannot fill the screen. */
const MESSAGE_LIMIT = 500;
const ENTRIES_LIMIT = 20;

/**
 * Reads an answer with the irregularities of the service (public fact, section 1.2): no body at 204, a bare `{id}`
 * without an envelope, `messages` of plain strings, errors without a code, an error inside HTTP 200.
 */
export function readAnswer(response: HttpResponse): Reading {
  if (response.status === 204 || response.status === 205) return success(null, {});
  const body = parse(response.body);
  if (body === undefined) return unreadable(describe(response));
  if (!isObject(body)) return unreadable("JSON that is no envelope");
  return isOk(response) ? readBody(body) : readRefusal(body);
}

/** Whether the HTTP status says that the call was carried out. */
export function isOk(response: HttpResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

function readBody(body: JsonObject): Reading {
  if (body["success"] === false) return { kind: "refusal", entries: entriesOf(body) };
  if (body["success"] === true) return readSuccess(body);
  if (Object.hasOwn(body, "result")) return success(body["result"] ?? null, pageInfo(body));
  return typeof body["id"] === "string" ? success(body, {}) : unreadable("JSON that is no envelope");
}

/** Where `success` and `errors` contradict each other, neither is believed. */
function readSuccess(body: JsonObject): Reading {
  const isContradictory = entriesOf(body).length > 0;
  return isContradictory ? unreadable("success together with errors") : success(body["result"] ?? null, pageInfo(body));
}

function readRefusal(body: JsonObject): Reading {
  const isEnvelope = Object.hasOwn(body, "success") || Object.hasOwn(body, "errors");
  return isEnvelope ? { kind: "refusal", entries: entriesOf(body) } : unreadable("JSON that is no envelope");
}

function success(result: Json, page: PageInfo): Reading {
  return { kind: "success", result, page };
}

function unreadable(was: string): Reading {
  return { kind: "unreadable", was };
}

function parse(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function describe(response: HttpResponse): string {
  const body = response.body.trimStart();
  if (body === "") return "an empty body instead of JSON";
  if (body.startsWith("<") || /html/i.test(response.headers["content-type"] ?? "")) return "HTML instead of JSON";
  return /^[[{]/.test(body) ? "JSON that is cut off or broken" : "something else than JSON";
}

function entriesOf(body: JsonObject): readonly ApiErrorEntry[] {
  const errors = body["errors"];
  return isList(errors) ? errors.slice(0, ENTRIES_LIMIT).flatMap(entryOf) : [];
}

/** An entry, and behind it the entries of its `error_chain` (older services say there what was really wrong). */
function entryOf(error: Json): readonly ApiErrorEntry[] {
  if (typeof error === "string") return [{ message: cut(error) }];
  if (!isObject(error)) return [];
  const code = optionalNumber(error, "code");
  const pointer = optionalText(optionalObject(error, "source") ?? {}, "pointer");
  const entry: ApiErrorEntry = {
    message: cut(optionalText(error, "message") ?? ""),
    ...(code === undefined ? {} : { code }),
    ...(pointer === undefined ? {} : { pointer }),
  };
  return [entry, ...objects(error, "error_chain").slice(0, ENTRIES_LIMIT).map(linkOf)];
}

function linkOf(link: JsonObject): ApiErrorEntry {
  const code = optionalNumber(link, "code");
  return { message: cut(optionalText(link, "message") ?? ""), ...(code === undefined ? {} : { code }) };
}

function cut(message: string): string {
  return message.length > MESSAGE_LIMIT ? `${message.slice(0, MESSAGE_LIMIT)}…` : message;
}

function pageInfo(body: JsonObject): PageInfo {
  const from = optionalObject(body, "result_info") ?? {};
  // The reference documents `cursors.after`, the official client of the service reads `cursor`.
  const after = optionalText(optionalObject(from, "cursors") ?? {}, "after") ?? optionalText(from, "cursor");
  return {
    ...count("perPage", from["per_page"]),
    ...count("totalCount", from["total_count"]),
    ...count("totalPages", from["total_pages"]),
    ...(after === undefined || after === "" ? {} : { after }),
  };
}

function count(name: "perPage" | "totalCount" | "totalPages", value: Json | undefined): PageInfo {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? { [name]: value } : {};
}
