import { type Call, param } from "./call.ts";
import { pageOf, type Reply, ServiceError } from "./messages.ts";
import type { Fault } from "./faults.ts";
import type { History } from "./history.ts";
import { createIds } from "./ids.ts";
import { isObject, type JsonObject } from "./json.ts";
import type { Zone } from "./store.ts";

/** A list to show in pages. */
interface Listed<T> {
  readonly items: readonly T[];
  idOf(item: T): string;
  view(item: T): JsonObject;
  /** How its objects looked before. Without a history the list is never stale. */
  readonly history?: History;
}

/** Part of a list, as a request sees it. */
export interface Part {
  readonly items: JsonObject[];
  /** How many objects the whole list has. */
  readonly total: number;
}

/** The page of a list that the query asks for (docs/service.md#pages). Throws a 400 for a page that is out of bounds. */
export function listPage<T>(call: Call, bounds: PageBounds, listed: Listed<T>): Reply {
  const { page, perPage } = readPage(call.query, bounds);
  return pageOf({ ...cutList(call, listed, (page - 1) * perPage, perPage), page, perPage });
}

/**
 * A part of a list, from an index on. A fault may show the list as it was, in another order, or from another beginning. Without a
 * fault a page costs no more than its own length.
 */
export function cutList<T>(call: Call, listed: Listed<T>, from: number, length: number): Part {
  const begin = Math.max(0, from + (call.fault?.kind === "shifted-list" ? call.fault.by : 0));
  const end = begin + length;
  if (call.fault?.kind === "stale-list" && listed.history !== undefined) {
    const looks = staleLooks(listed, listed.history, call.fault.writes);
    return { items: looks.slice(begin, end).map((look) => look()), total: looks.length };
  }
  const items = reordered(call, listed.items, call.fault);
  return { items: items.slice(begin, end).map((item) => listed.view(item)), total: items.length };
}

/** Wraps a handler that writes: remembers how the object looked before, which the id in the path or in the answer identifies. */
export function remembering(
  list: "records" | "packs" | "uploads",
  look: (zone: Zone, id: string) => JsonObject | undefined,
  handler: (call: Call, zone: Zone) => Reply,
): (call: Call, zone: Zone) => Reply {
  return (call, zone) => {
    const id = param(call, "id");
    const before = id === "" ? undefined : look(zone, id);
    const reply = handler(call, zone);
    const answered = answeredId(reply);
    if (id !== "") zone.histories[list].remember(id, before);
    if (answered !== undefined && answered !== id) zone.histories[list].remember(answered, undefined);
    return reply;
  };
}

function answeredId(reply: Reply): string | undefined {
  const result = isObject(reply.body) ? reply.body["result"] : undefined;
  const id = isObject(result) ? result["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The list as it was that many writes ago: without what was created since, and with what was edited or deleted since as before. */
function staleLooks<T>(listed: Listed<T>, history: History, writes: number): (() => JsonObject)[] {
  const looks = history.before(writes);
  const present = new Set<string>();
  const shown: (() => JsonObject)[] = [];
  for (const item of listed.items) {
    const id = listed.idOf(item);
    const look = looks.get(id);
    if (looks.has(id)) present.add(id);
    if (look !== undefined) shown.push(() => look);
    else if (!looks.has(id)) shown.push(() => listed.view(item));
  }
  for (const [id, look] of looks) if (look !== undefined && !present.has(id)) shown.push(() => look);
  return shown;
}

function reordered<T>(call: Call, items: readonly T[], fault: Fault | undefined): readonly T[] {
  if (fault?.kind !== "reordered-list") return items;
  const ids = createIds(call.core.ids.fraction() * 2 ** 31);
  const keyed = items.map((item) => ({ item, key: ids.fraction() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** The filters and orders of a list. Each filter is a parameter of the query, and each order a value of its `order`. */
export interface Choice<T> {
  readonly filters?: Readonly<Record<string, (item: T, wanted: string) => boolean>>;
  readonly orders?: Readonly<Record<string, (item: T) => string | number | boolean>>;
}

/**
 * The items that match every filter of the query, or with `match=any` at least one. They are sorted if the query has a known
 * `order`, and reversed with `direction=desc`.
 */
export function choose<T>(query: URLSearchParams, items: readonly T[], choice: Choice<T>): readonly T[] {
  const { filters = {}, orders = {} } = choice;
  const tests = [...query].flatMap(([name, wanted]) => {
    const test = Object.hasOwn(filters, name) ? filters[name] : undefined;
    return test === undefined ? [] : [(item: T) => test(item, wanted)];
  });
  const isAny = query.get("match") === "any";
  const fits = (item: T): boolean => (isAny ? tests.some((test) => test(item)) : tests.every((test) => test(item)));
  const found = tests.length === 0 ? items : items.filter(fits);
  const order = query.get("order") ?? "";
  const key = Object.hasOwn(orders, order) ? orders[order] : undefined;
  const sorted = key === undefined ? found : found.toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  return query.get("direction") === "desc" ? sorted.toReversed() : sorted;
}

/** The page that a query asks for. */
interface PageWanted {
  readonly page: number;
  readonly perPage: number;
}

/** The bounds of `per_page` for one endpoint (docs/service.md#pages). */
interface PageBounds {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

/** Reads `page` and `per_page`. Throws a 400 if they are out of bounds. */
export function readPage(query: URLSearchParams, bounds: PageBounds): PageWanted {
  const perPage = whole(query, "per_page", bounds.usual);
  if (perPage < bounds.least || perPage > bounds.most)
    throw badQuery(`per_page must be between ${bounds.least} and ${bounds.most}`);
  const page = whole(query, "page", 1);
  if (page < 1) throw badQuery("page must be 1 or more");
  return { page, perPage };
}

/** A refusal of a query parameter. No code for it is published, so this is the general code for bad input. */
function badQuery(message: string): ServiceError {
  return new ServiceError(400, { code: 1004, message });
}

function whole(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  if (!/^\d{1,9}$/.test(text)) throw badQuery(`${name} must be a whole number`);
  return Number(text);
}
