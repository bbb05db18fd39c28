import { type Call, type Route, zoneRoute } from "../call.ts";
import { pageOf, type Reply, ServiceError } from "../messages.ts";
import type { JsonObject } from "../json.ts";
import { type Choice, choose, readPage } from "../lists.ts";
import type { Zone } from "../store.ts";
import { hasPrevious } from "./previous-waf.ts";

/**
 * A route of the previous managed rules. In a zone that has migrated, or never had them, it answers 410
 * (docs/service.md#waf-migration; the status is inferred: docs/service-coverage.md#choices, row 14).
 */
export function oldRoute(method: Route["method"], path: string, handler: (call: Call, zone: Zone) => Reply): Route {
  return zoneRoute(method, `/firewall/waf${path}`, (call, zone) => {
    if (!hasPrevious(zone.waf)) throw gone("The previous version of the managed rules no longer works for this zone");
    return handler(call, zone);
  });
}

/** A 410: the call no longer works. */
export function gone(message: string): ServiceError {
  return new ServiceError(410, { message: `${message}, use the Rulesets API` });
}

/** A 404 of the firewall calls (code 10001: docs/service.md#error-codes). */
export function absent(what: string): ServiceError {
  return new ServiceError(404, { code: 10001, message: `${what} was not found` });
}

/** A 400 of the firewall calls. No code for it is published, so this is the general code for bad input. */
export function badInput(message: string): ServiceError {
  return new ServiceError(400, { code: 1004, message });
}

/** One page of a list of the previous managed rules, with filters, `match`, `order` and `direction` (docs/service.md#previous-waf). */
export function listed<T>(
  query: URLSearchParams,
  items: readonly T[],
  { view, ...choice }: Choice<T> & { readonly view: (item: T) => JsonObject },
): Reply {
  const { page, perPage } = readPage(query, { least: 5, most: 100, usual: 50 });
  const found = choose(query, items, choice);
  const shown = found.slice((page - 1) * perPage, page * perPage);
  return pageOf({ items: shown.map(view), page, perPage, total: found.length });
}
