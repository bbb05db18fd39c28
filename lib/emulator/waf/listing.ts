import { pageOf, type Reply } from "../envelope.ts";
import type { JsonObject } from "../json.ts";
import { readPage } from "../pages.ts";

/** How one kind of object is listed: each filter is a query parameter, each order a value of `order`. */
export interface Listing<T> {
  readonly filters: Readonly<Record<string, (item: T, wanted: string) => boolean>>;
  readonly orders: Readonly<Record<string, (item: T) => string | number>>;
  readonly view: (item: T) => JsonObject;
}

/** One page of a list of the previous managed rules: filters with `match` any or all, `order` and `direction` (docs/service.md#previous-waf). */
export function listed<T>(query: URLSearchParams, items: readonly T[], listing: Listing<T>): Reply {
  const { page, perPage } = readPage(query, { least: 5, most: 100, usual: 50 });
  const wanted = ordered(query, filtered(query, items, listing), listing);
  const shown = wanted.slice((page - 1) * perPage, page * perPage);
  return pageOf({ items: shown.map(listing.view), page, perPage, total: wanted.length });
}

function filtered<T>(query: URLSearchParams, items: readonly T[], { filters }: Listing<T>): T[] {
  const asked = Object.entries(filters).flatMap(([name, test]) => {
    const wanted = query.get(name);
    return wanted === null ? [] : [(item: T) => test(item, wanted)];
  });
  if (asked.length === 0) return [...items];
  const isAny = query.get("match") === "any";
  return items.filter((item) => (isAny ? asked.some((test) => test(item)) : asked.every((test) => test(item))));
}

function ordered<T>(query: URLSearchParams, items: T[], { orders }: Listing<T>): T[] {
  const order = query.get("order") ?? "";
  const key = Object.hasOwn(orders, order) ? orders[order] : undefined;
  if (key === undefined) return items;
  const sign = query.get("direction") === "desc" ? -1 : 1;
  return items.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left === right) return 0;
    return left < right ? -sign : sign;
  });
}
