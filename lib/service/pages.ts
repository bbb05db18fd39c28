import { asObject, id } from "../core/decode.ts";
import { isList, type Json, type JsonObject } from "../core/json.ts";
import type { ApiRequest, Family, PagedRequest } from "./client.ts";
import type { PageInfo } from "./envelope.ts";
import { ApiError, UnreachableError } from "./errors.ts";
import type { Report } from "./service-event.ts";

/** A `result`, its page information, and the length of the response. */
export interface PageAnswer {
  readonly result: Json;
  readonly page: PageInfo;
  readonly characters: number;
}

/**
 * The parameters of reading pages. `sizes` remembers the page size that each family accepts, so that each is tried
 * once.
 */
export interface PageReader {
  readonly read: (request: ApiRequest, signal?: AbortSignal) => Promise<PageAnswer>;
  readonly sizes: Map<Family, number>;
  readonly report: Report;
}

/** How often to read a list whose objects keep moving between pages. */
const PASSES = 3;
/** The most objects of one list, because we keep their ids. Known zones have fewer hostnames. */
const OBJECT_LIMIT = 2_000_000;
/** The most objects of a list that does not say its total. Every long list of the service does (docs/service.md#pages). */
const UNTOLD_LIMIT = 100_000;
/** The most pages of one reading: the most objects at 50 a page. */
const PAGE_LIMIT = OBJECT_LIMIT / 50;
/**
 * The most characters of one reading, because a refresh keeps the objects: about 400,000 hostnames, which fit into a
 * small CI runner.
 */
const CHARACTER_LIMIT = 512 * 1024 * 1024;
/** How many objects a list may gain while it is read; a list that grows faster would never end. */
const GROWTH_LIMIT = 50_000;
/** After this many pages in a row with the same objects, or no new ones, the service must be ignoring the page or cursor. */
const REPEATED_PAGES = 3;

/** The objects of all pages, each `id` once. See `Client.pages`. */
export function readPages(reader: PageReader, request: PagedRequest, signal?: AbortSignal): AsyncIterable<JsonObject> {
  return request.style === "cursor" ? byCursor(reader, request, signal) : byNumber(reader, request, signal);
}

/** What one reading of a list found, from its first page to its last. */
interface Pass {
  readonly number: number;
  /** How many objects it has seen, each counted once. */
  objects: number;
  characters: number;
  /** The `total_count` of each page. */
  readonly totals: Set<number>;
  /** The totals of the first page and of the last one. */
  firstTotal: number | undefined;
  total: number | undefined;
  isRepeating: boolean;
}

function beginPass(number: number): Pass {
  const none = { firstTotal: undefined, total: undefined, isRepeating: false };
  return { number, objects: 0, characters: 0, totals: new Set(), ...none };
}

/**
 * Reads a list by page number until one pass has seen as many objects as the service's total, and the total did not
 * change meanwhile. Pages have no total order, so an object may move past the reader (docs/service.md#pages).
 */
async function* byNumber(reader: PageReader, request: PagedRequest, signal?: AbortSignal): AsyncGenerator<JsonObject> {
  /** The last pass that saw each id: all that we keep of a list, whatever its length. */
  const seen = new Map<string, number>();
  const passes: Pass[] = [];
  while (passes.length < PASSES) {
    const pass = beginPass(passes.length + 1);
    passes.push(pass);
    yield* onePass(reader, request, pass, seen, signal);
    if (isComplete(passes, seen.size)) return;
  }
  if (passes.every((pass) => pass.isRepeating)) throw broken(request, "gives the same page again and again");
  reader.report({ type: "incomplete-list", path: request.path, seen: seen.size, total: passes.at(-1)?.total ?? 0 });
}

/**
 * Whether one pass saw everything, or several did together while the total never changed: then no deletion can have
 * hidden a gap.
 */
function isComplete(passes: readonly Pass[], seen: number): boolean {
  const last = passes.at(-1);
  if (last === undefined || last.isRepeating) return false;
  if (last.total === undefined) return true;
  if (last.totals.size > 1) return false;
  const isStill = new Set(passes.flatMap((pass) => [...pass.totals])).size === 1;
  return last.objects >= last.total || (isStill && seen >= last.total);
}

/** The objects of one pass that no earlier pass returned. */
async function* onePass(
  reader: PageReader,
  request: PagedRequest,
  pass: Pass,
  seen: Map<string, number>,
  signal: AbortSignal | undefined,
): AsyncGenerator<JsonObject> {
  let [previous, repeats] = ["", 0];
  for (let page = 1; page <= PAGE_LIMIT; page += 1) {
    const { answer, size } = await readSized(reader, request, { page }, signal);
    const items = itemsOf(answer.result, request);
    const before = pass.objects;
    const news = note(pass, seen, items);
    noteTotal(pass, answer);
    checkSize(request, pass);
    yield* news;
    const content = JSON.stringify(items.map((item) => item["id"] ?? null));
    repeats = content === previous && items.length > 0 ? repeats + 1 : 0;
    previous = content;
    pass.isRepeating = repeats + 1 >= REPEATED_PAGES;
    if (pass.isRepeating || isLast(page, items.length, size, answer.page, pass.objects > before)) return;
  }
  throw broken(request, `has more than ${PAGE_LIMIT} pages`);
}

/** Records which objects a page shows; returns the new ones. */
function note(pass: Pass, seen: Map<string, number>, items: readonly JsonObject[]): readonly JsonObject[] {
  const news: JsonObject[] = [];
  for (const item of items) {
    const last = seen.get(id(item));
    if (last === pass.number) continue;
    pass.objects += 1;
    seen.set(id(item), pass.number);
    if (last === undefined) news.push(item);
  }
  return news;
}

function noteTotal(pass: Pass, { page: { totalCount }, characters }: PageAnswer): void {
  pass.characters += characters;
  pass.total = totalCount;
  pass.firstTotal ??= totalCount;
  if (totalCount !== undefined) pass.totals.add(totalCount);
}

/** Ends a list that would fill the memory or that has no end, as soon as that shows. */
function checkSize(request: PagedRequest, { objects, characters, firstTotal, total }: Pass): void {
  const limit = total === undefined ? UNTOLD_LIMIT : OBJECT_LIMIT;
  if (objects > limit) throw broken(request, `has more than ${limit} objects`);
  if (total !== undefined && total > OBJECT_LIMIT) throw broken(request, `has more than ${OBJECT_LIMIT} objects`);
  if ((total ?? 0) - (firstTotal ?? 0) > GROWTH_LIMIT) throw broken(request, "grows faster than it can be read");
  if (characters > CHARACTER_LIMIT) throw broken(request, `is longer than ${CHARACTER_LIMIT / 1024 / 1024} MiB`);
}

/** Decides by `total_pages` if present, else by `total_count`, else by the first page that is not full or has nothing new. */
function isLast(page: number, items: number, size: number, info: PageInfo, isNews: boolean): boolean {
  const perPage = Math.min(size, info.perPage === undefined || info.perPage === 0 ? size : info.perPage);
  const pages = info.totalPages ?? (info.totalCount === undefined ? undefined : Math.ceil(info.totalCount / perPage));
  if (items === 0) return true;
  return pages === undefined ? items < perPage || !isNews : page >= pages;
}

async function* byCursor(reader: PageReader, request: PagedRequest, signal?: AbortSignal): AsyncGenerator<JsonObject> {
  const [seen, cursors, pass] = [new Map<string, number>(), new Set<string>(), beginPass(1)];
  let [cursor, barren]: [string | undefined, number] = [undefined, 0];
  do {
    const { answer } = await readSized(reader, request, cursor === undefined ? {} : { cursor }, signal);
    const news = note(pass, seen, itemsOf(answer.result, request));
    noteTotal(pass, answer);
    checkSize(request, pass);
    yield* news;
    cursor = answer.page.after;
    if (cursor !== undefined && cursors.has(cursor)) throw broken(request, "gives the same cursor twice");
    barren = news.length === 0 ? barren + 1 : 0;
    if (cursor !== undefined && barren >= REPEATED_PAGES) throw broken(request, "goes on without anything new");
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
}

/**
 * Reads a page in the largest size that the service accepts. If it answers the smallest size with 400, there is another
 * reason, and that is thrown.
 */
async function readSized(
  reader: PageReader,
  request: PagedRequest,
  position: Readonly<Record<string, string | number>>,
  signal: AbortSignal | undefined,
): Promise<{ answer: PageAnswer; size: number }> {
  const { path, family } = request;
  const known = reader.sizes.get(family) ?? Infinity;
  const fitting = request.pageSizes.filter((size) => size <= known);
  const sizes = fitting.length > 0 ? fitting : [Math.min(...request.pageSizes)];
  for (const [index, size] of sizes.entries()) {
    try {
      const query = { ...request.query, ...position, per_page: size };
      const answer = await reader.read({ method: "GET", path, query, family, answer: "list" }, signal);
      reader.sizes.set(family, size);
      return { answer, size };
    } catch (failure) {
      const isTooLarge = failure instanceof ApiError && failure.status === 400;
      if (!isTooLarge || index === sizes.length - 1) throw failure;
    }
  }
  throw new Error("a list names at least one page size");
}

/** An empty list may be null; whether it is really empty was checked with the response. */
function itemsOf(result: Json, request: PagedRequest): readonly JsonObject[] {
  if (!isList(result)) return [];
  const items = result.map((item) => asObject(item, "result"));
  const stranger = items.find((item) => isOfAnotherZone(item, request));
  if (stranger) throw broken(request, `shows an object of another zone: ${id(stranger)}`);
  return items;
}

/** Some objects name their zone, which must be the one in the path. */
function isOfAnotherZone(item: JsonObject, { path }: PagedRequest): boolean {
  const zone = /^\/zones\/([^/]+)\//.exec(path)?.[1];
  return [item["zone_id"], item["zone_tag"]].some(
    (named) => typeof named === "string" && named !== "" && named !== zone,
  );
}

function broken(request: PagedRequest, fault: string): UnreachableError {
  return new UnreachableError(`the list ${request.path} ${fault}`, { reason: "broken-list" });
}
