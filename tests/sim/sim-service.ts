import { isObject } from "../../lib/core/json.ts";
import { createAdmin, createService, type EmulatorAdmin, type Service } from "../../lib/emulator.ts";
import type { HttpRequest, HttpResponse } from "../../lib/service/http.ts";
import { ORIGINS } from "./kinds/custom-hostname.ts";
import { FALLBACKS } from "./kinds/fallback-origin.ts";
import { openLag } from "./lag.ts";
import type { Scenario } from "./scenario.ts";
import { MAIN, NEXT, type SimZone } from "./zones.ts";

/** The engine's token. It is a canary too: it may occur in requests and nowhere else. */
export const TOKEN = "canary-token-8f14e45fceea167a5a36dedd4bea2543";
/** The service's base URL. */
export const ENDPOINT = "https://api.sim.test/client/v4";

type Zone = NonNullable<ReturnType<Service["core"]["store"]["zones"]["get"]>>;

/** The service of one seed: the real emulator, and a view of what it really knows about one zone. */
export interface SimService extends SimZone {
  /** The same service, as it knows the second zone; absent if there is none. */
  readonly beside?: SimService;
  readonly admin: EmulatorAdmin;
  /** The service's own time. */
  now(): number;
  zone(): Zone;
  handle(request: HttpRequest, fault: string | undefined): HttpResponse;
  expireToken(): void;
  renewToken(): void;
}

/** The service accepts no smaller page; a smaller one is cut out of one with all items. */
const LEAST_PAGE = 5;
const MOST_LISTED = 50;

/**
 * Asks for all items instead of a page, and returns a function that cuts the page out of the answer; undefined if it is
 * not a list in pages.
 */
function smallPage(query: URLSearchParams, size: number): ((body: string) => string) | undefined {
  if (!query.has("per_page")) return undefined;
  const page = Number(query.get("page") ?? 1);
  query.set("page", "1");
  return (body) => {
    const parsed: unknown = JSON.parse(body);
    if (!isObject(parsed) || !Array.isArray(parsed["result"])) return body;
    const all = parsed["result"];
    const result = all.slice((page - 1) * size, page * size);
    const pages = { page, per_page: size, count: result.length };
    const total = { total_count: all.length, total_pages: Math.ceil(all.length / size) };
    return JSON.stringify({ ...parsed, result, result_info: { ...pages, ...total } });
  };
}

/** A service with an empty zone, or two. */
export function openService(scenario: Scenario, now: () => number): SimService {
  const service = createService({
    behaviour: scenario.behaviour,
    systemNow: () => Math.floor(now()),
    seed: {
      random_seed: scenario.seed,
      accounts: [{ issuance_per_minute: scenario.issuance.perMinute }],
      tokens: [{ value: TOKEN }],
      zones: [
        {
          ...MAIN,
          grants: { certificate_manager: true },
          ...(scenario.waf ? { plan: scenario.waf, waf: { migration: "start" } } : {}),
          dns_records: [...ORIGINS, ...FALLBACKS].map((name) => ({
            type: "A",
            name,
            content: "192.0.2.10",
            proxied: true,
          })),
        },
        ...(scenario.hasNeighbour ? [{ ...NEXT }] : []),
      ],
    },
  });
  const admin = createAdmin(service);
  const lag = openLag(now);
  const setToken = (status: "active" | "expired"): void => {
    const token = service.core.store.tokens.get(TOKEN);
    if (token) token.status = status;
  };
  const seenFrom = (zone: SimZone): SimService => ({
    ...zone,
    admin,
    now,
    zone: () => {
      const found = service.core.store.zones.get(zone.id);
      if (!found) throw new Error("the service has its zones");
      return found;
    },
    handle: (request, wantedFault) => {
      const { pathname, searchParams } = new URL(request.url);
      const fault = lag.within(pathname, wantedFault);
      const { pageSize } = scenario;
      const part = pageSize !== undefined && pageSize < LEAST_PAGE ? smallPage(searchParams, pageSize) : undefined;
      if (pageSize !== undefined && searchParams.has("per_page"))
        searchParams.set("per_page", String(part ? MOST_LISTED : pageSize));
      const { status, headers, body } = service.handle({
        method: request.method,
        path: pathname,
        query: searchParams,
        headers: fault === undefined ? request.headers : { ...request.headers, "x-emulator-fault": fault },
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      if (request.method !== "GET" && status < 300) lag.wrote(pathname);
      return { status, headers, body: part && status === 200 ? part(body) : body };
    },
    expireToken: () => setToken("expired"),
    renewToken: () => setToken("active"),
  });
  return { ...seenFrom(MAIN), ...(scenario.hasNeighbour ? { beside: seenFrom(NEXT) } : {}) };
}
