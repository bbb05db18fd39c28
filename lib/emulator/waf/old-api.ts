import { type Call, type Route, zoneRoute } from "../call.ts";
import { ServiceError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { readPage } from "../lists.ts";
import { pageOf, type Reply } from "../messages.ts";
import type { Zone } from "../store.ts";
import { hasPrevious } from "./record.ts";

/**
 * A route of the previous managed rules. After the migration, and in a zone that never had them, it answers 410
 * (docs/service.md#waf-migration; the status is inferred: docs/service-coverage.md#choices, row 14).
 */
export function oldRoute(method: Route["method"], path: string, handler: (call: Call, zone: Zone) => Reply): Route {
  return zoneRoute(method, `/firewall/waf${path}`, (call, zone) => {
    if (!hasPrevious(zone.waf)) throw gone("The previous version of the managed rules no longer works for this zone");
    return handler(call, zone);
  });
}

/** The refusal of a call that no longer works. */
export function gone(message: string): ServiceError {
  return new ServiceError(410, { message: `${message}, use the Rulesets API` });
}

/** A 404 of the firewall calls (code 10001: docs/service.md#error-codes). */
export function absent(what: string): ServiceError {
  return new ServiceError(404, { code: 10001, message: `${what} was not found` });
}

/** A 400 of the firewall calls; no code for it is published, so it is the general one for bad input. */
export function badInput(message: string): ServiceError {
  return new ServiceError(400, { code: 1004, message });
}

/** How one kind of object is listed: each filter is a query parameter, each order a value of `order`. */
interface Listing<T> {
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
