import { asObject, text } from "../core/decode.ts";
import { isList, type Json, type JsonObject } from "../core/json.ts";
import type { ApiRequest, Family, PagedRequest } from "./client.ts";
import type { PageInfo } from "./envelope.ts";
import { ApiError, UnreachableError } from "./errors.ts";
import type { Report } from "./service-event.ts";

/** A `result` and what came with it about its page. */
export interface PageAnswer {
  readonly result: Json;
  readonly page: PageInfo;
}

/** What reading pages rests on. `sizes` remembers the page size that each family accepts, so that it is tried out once. */
export interface PageReader {
  readonly read: (request: ApiRequest, signal?: AbortSignal) => Promise<PageAnswer>;
  readonly sizes: Map<Family, number>;
  readonly report: Report;
}

/** Readings of a list whose objects keep moving between pages. */
const PASSES = 3;
/** 2,000,000 hostnames at 50 a page; more pages than this are a fault of the list, not its length. */
const PAGE_LIMIT = 40_000;
/** Pages in a row with the same objects: the service does not look at the page number. */
const REPEATED_PAGES = 3;

/** The objects of all pages, each once by its `id`. See `Client.pages`. */
export function readPages(reader: PageReader, request: PagedRequest, signal?: AbortSignal): AsyncIterable<JsonObject> {
  return request.style === "cursor" ? byCursor(reader, request, signal) : byNumber(reader, request, signal);
}

/** What one reading of a list from its first page to its last has found. */
interface Pass {
  readonly ids: Set<string>;
  /** `total_count` as each page gave it. */
  readonly totals: Set<number>;
  /** The last page's total. */
  total: number | undefined;
  isRepeating: boolean;
}

/**
 * Reads a list by page numbers until a pass has seen as many objects as the service says there are, and that number
 * stood still meanwhile. Public fact: there is no total order between pages, so an object may move past the reader.
 */
async function* byNumber(reader: PageReader, request: PagedRequest, signal?: AbortSignal): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  const passes: Pass[] = [];
  while (passes.length < PASSES) {
    const pass: Pass = { ids: new Set(), totals: new Set(), total: undefined, isRepeating: false };
    passes.push(pass);
    for await (const item of onePass(reader, request, pass, signal)) {
      if (isNew(seen, item)) yield item;
    }
    if (isComplete(passes, seen)) return;
  }
  if (passes.every((pass) => pass.isRepeating)) throw broken(request, "gives the same page again and again");
  reader.report({ type: "incomplete-list", path: request.path, seen: seen.size, total: passes.at(-1)?.total ?? 0 });
}

/** A pass that saw all, or passes that together did while the total never moved: then nothing was deleted that could fill a gap. */
function isComplete(passes: readonly Pass[], seen: ReadonlySet<string>): boolean {
  const last = passes.at(-1);
  if (last === undefined || last.isRepeating) return false;
  if (last.total === undefined) return true;
  if (last.totals.size > 1) return false;
  const isStill = new Set(passes.flatMap((pass) => [...pass.totals])).size === 1;
  return last.ids.size >= last.total || (isStill && seen.size >= last.total);
}

async function* onePass(
  reader: PageReader,
  request: PagedRequest,
  pass: Pass,
  signal: AbortSignal | undefined,
): AsyncGenerator<JsonObject> {
  let [previous, repeats] = ["", 0];
  for (let page = 1; page <= PAGE_LIMIT; page += 1) {
    const { answer, size } = await readSized(reader, request, { page }, signal);
    const items = itemsOf(answer.result, request);
    const isNews = note(pass, items, answer.page);
    yield* items;
    const content = JSON.stringify(items.map((item) => item["id"] ?? null));
    repeats = content === previous && items.length > 0 ? repeats + 1 : 0;
    previous = content;
    pass.isRepeating = repeats + 1 >= REPEATED_PAGES;
    if (pass.isRepeating || isLast(page, items.length, size, answer.page, isNews)) return;
  }
  throw broken(request, `has more than ${PAGE_LIMIT} pages`);
}

/** Writes down what a page tells; gives whether the pass had not seen one of its objects before. */
function note(pass: Pass, items: readonly JsonObject[], page: PageInfo): boolean {
  const before = pass.ids.size;
  for (const item of items) pass.ids.add(text(item, "id"));
  pass.total = page.totalCount;
  if (page.totalCount !== undefined) pass.totals.add(page.totalCount);
  return pass.ids.size > before;
}

/** By `total_pages` where it is given, else by `total_count`, else by the first page that is not full or brings nothing new. */
function isLast(page: number, items: number, size: number, info: PageInfo, isNews: boolean): boolean {
  const perPage = Math.min(size, info.perPage === undefined || info.perPage === 0 ? size : info.perPage);
  const pages = info.totalPages ?? (info.totalCount === undefined ? undefined : Math.ceil(info.totalCount / perPage));
  if (items === 0) return true;
  return pages === undefined ? items < perPage || !isNews : page >= pages;
}

async function* byCursor(reader: PageReader, request: PagedRequest, signal?: AbortSignal): AsyncGenerator<JsonObject> {
  const [seen, cursors] = [new Set<string>(), new Set<string>()];
  let cursor: string | undefined;
  do {
    const { answer } = await readSized(reader, request, cursor === undefined ? {} : { cursor }, signal);
    for (const item of itemsOf(answer.result, request)) {
      if (isNew(seen, item)) yield item;
    }
    cursor = answer.page.after;
    if (cursor !== undefined && cursors.has(cursor)) throw broken(request, "gives the same cursor twice");
    if (cursor !== undefined) cursors.add(cursor);
    if (cursors.size > PAGE_LIMIT) throw broken(request, `has more than ${PAGE_LIMIT} pages`);
  } while (cursor !== undefined);
}

/** Reads a page in the largest size that the service takes. A 400 to the smallest has another reason, and is thrown. */
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
      const answer = await reader.read({ method: "GET", path, query, family }, signal);
      reader.sizes.set(family, size);
      return { answer, size };
    } catch (failure) {
      const isTooLarge = failure instanceof ApiError && failure.status === 400;
      if (!isTooLarge || index === sizes.length - 1) throw failure;
    }
  }
  throw new Error("a list names at least one page size");
}

/** Public fact: an empty list may come as null. */
function itemsOf(result: Json, request: PagedRequest): readonly JsonObject[] {
  if (result === null) return [];
  if (!isList(result)) throw broken(request, "is no list");
  return result.map((item) => asObject(item, "result"));
}

function isNew(seen: Set<string>, item: JsonObject): boolean {
  const id = text(item, "id");
  if (seen.has(id)) return false;
  seen.add(id);
  return true;
}

function broken(request: PagedRequest, fault: string): UnreachableError {
  return new UnreachableError(`the list ${request.path} ${fault}`, { reason: "broken-list" });
}
