import { defined, isList, isObject, type Json, type JsonObject, parseJson } from "../core/json.ts";
import { objects, optionalNumber, optionalObject, optionalText } from "../core/decode.ts";
import type { Answer } from "./client.ts";
import { withoutKeyMaterial } from "../core/key-material.ts";
import type { ApiErrorEntry } from "./errors.ts";
import type { HttpResponse } from "./http.ts";

/** The `result_info` of a list; every part may be missing (docs/service.md#pages). */
export interface PageInfo {
  readonly perPage?: number;
  readonly totalCount?: number;
  readonly totalPages?: number;
  /** The cursor of the next page; absent on the last one. */
  readonly after?: string;
}

/** What a response means. */
export type Reading =
  | { readonly kind: "success"; readonly result: Json; readonly page: PageInfo; readonly characters: number }
  | { readonly kind: "refusal"; readonly entries: readonly ApiErrorEntry[] }
  /** A success in the service's own envelope, but without the result that the call returns. `was` describes what came. */
  | { readonly kind: "unusable"; readonly was: string }
  /** Not a response of this API: a proxy's page, half a document, or a contradiction. `was` describes it. */
  | { readonly kind: "unreadable"; readonly was: string };

/** Error texts are cut to this length, so that a response cannot fill the screen. */
const MESSAGE_LIMIT = 500;
const ENTRIES_LIMIT = 20;
/** We search this much of an error text for keys before we cut it; keys and certificates are shorter. */
const SEARCHED_LIMIT = 64 * 1024;

/**
 * Reads a response with the service's irregularities (docs/service.md#envelope): no body at 204, a bare `{id}` without
 * an envelope, `messages` of plain strings, errors without a code, an error inside HTTP 200. A response that is not
 * documented for the call does not count as a success.
 */
export function readAnswer(response: HttpResponse, wanted: Answer = "object"): Reading {
  if (isEmpty(response)) return wanted === "nothing" ? success(null, {}, response) : unusable("without a result");
  const body = parseJson(response.body);
  if (body === undefined) return unreadable(describe(response));
  if (!isObject(body)) return unreadable(NO_ENVELOPE);
  return isOk(response) ? readBody(body, wanted, response) : readRefusal(body, response);
}

const NO_ENVELOPE = "JSON that is no envelope";

function isEmpty({ status }: HttpResponse): boolean {
  return status === 204 || status === 205;
}

/** Whether the HTTP status means success. */
export function isOk(response: HttpResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

function readBody(body: JsonObject, wanted: Answer, response: HttpResponse): Reading {
  if (body["success"] === false) return readRefusal(body, response);
  if (body["success"] === true || Object.hasOwn(body, "result")) return readSuccess(body, wanted, response);
  const isBareId = wanted === "gone" && typeof body["id"] === "string";
  return isBareId ? success(body, {}, response) : unreadable(NO_ENVELOPE);
}

/** If `success` and `errors` contradict each other, it believes neither. */
function readSuccess(body: JsonObject, wanted: Answer, response: HttpResponse): Reading {
  if (entriesOf(body).length > 0) return unreadable("success together with errors");
  const result = body["result"] ?? null;
  const missing = missingIn(result, wanted, optionalObject(body, "result_info"));
  return missing === undefined ? success(result, pageInfo(body), response) : unusable(missing);
}

/** What a result lacks compared with the documented one; undefined if it is complete. */
function missingIn(result: Json, wanted: Answer, info: JsonObject | undefined): string | undefined {
  switch (wanted) {
    case "nothing":
      return undefined;
    case "list":
      return isList(result) || (result === null && isNone(info)) ? undefined : "a success whose result is no list";
    case "object":
    case "gone":
      return isObject(result) ? undefined : "a success whose result is no object";
    default:
      return wanted satisfies never;
  }
}

/** An empty list may be null. Only a count of zero beside it distinguishes that from a lost result. */
function isNone(info: JsonObject | undefined): boolean {
  return info?.["total_count"] === 0 || info?.["count"] === 0;
}

/**
 * Only the service's envelope is a refusal: `success: false` with its reasons. A gateway may refuse in its own JSON. An
 * old part of the service omits `success` when it times out (docs/service.md#envelope); its status makes that a failure
 * anyway.
 */
function readRefusal(body: JsonObject, { status }: HttpResponse): Reading {
  const entries = entriesOf(body);
  if (entries.length === 0) return unreadable(body["success"] === false ? "a refusal without a reason" : NO_ENVELOPE);
  const isOurs = body["success"] === false || (status >= 500 && !Object.hasOwn(body, "success"));
  return isOurs ? { kind: "refusal", entries } : unreadable(NO_ENVELOPE);
}

function success(result: Json, page: PageInfo, { body }: HttpResponse): Reading {
  return { kind: "success", result, page, characters: body.length };
}

function unusable(was: string): Reading {
  return { kind: "unusable", was };
}

function unreadable(was: string): Reading {
  return { kind: "unreadable", was };
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

/** An entry, followed by its `error_chain` (older services put the real cause there). */
function entryOf(error: Json): readonly ApiErrorEntry[] {
  if (typeof error === "string") return [{ message: cut(error) }];
  if (!isObject(error)) return [];
  const code = optionalNumber(error, "code");
  const pointer = optionalText(optionalObject(error, "source") ?? {}, "pointer");
  const entry: ApiErrorEntry = {
    message: cut(optionalText(error, "message") ?? ""),
    ...defined({ code, pointer }),
  };
  return [entry, ...objects(error, "error_chain").slice(0, ENTRIES_LIMIT).map(linkOf)];
}

function linkOf(link: JsonObject): ApiErrorEntry {
  const code = optionalNumber(link, "code");
  return { message: cut(optionalText(link, "message") ?? ""), ...defined({ code }) };
}

/** Hides what may be a key, then cuts the text: half a key would not be recognised any more. */
function cut(message: string): string {
  const shown = withoutKeyMaterial(message.slice(0, SEARCHED_LIMIT));
  return shown.length > MESSAGE_LIMIT || message.length > SEARCHED_LIMIT ? `${shown.slice(0, MESSAGE_LIMIT)}…` : shown;
}

function pageInfo(body: JsonObject): PageInfo {
  const from = optionalObject(body, "result_info") ?? {};
  // The reference documents `cursors.after`; the service's official client reads `cursor`.
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
