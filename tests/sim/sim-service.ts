import { createAdmin, createService, type EmulatorAdmin, type Service } from "../../lib/emulator/index.ts";
import type { HttpRequest, HttpResponse } from "../../lib/service/http.ts";
import { openLag } from "./lag.ts";
import type { Scenario } from "./scenario.ts";
import { ZONE_ID, ZONE_NAME } from "./wish.ts";

/** The token of the engine. It is a canary as well: it may stand in requests and nowhere else. */
export const TOKEN = "canary-token-8f14e45fceea167a5a36dedd4bea2543";
/** The base of the service. */
export const ENDPOINT = "https://api.sim.test/client/v4";

/** Origins that hostnames may name. */
export const ORIGINS = ["origin1.saas.net", "origin2.saas.net"] as const;
/** Names that may be the fallback origin. */
export const FALLBACKS = ["fallback1.saas.net", "fallback2.saas.net"] as const;

type Zone = NonNullable<ReturnType<Service["core"]["store"]["zones"]["get"]>>;

/** The service of one seed: the real emulator, and a view of what it truly knows. */
export interface SimService {
  readonly admin: EmulatorAdmin;
  zone(): Zone;
  handle(request: HttpRequest, fault: string | undefined): HttpResponse;
  expireToken(): void;
  renewToken(): void;
}

/** A service with an empty zone. */
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
          id: ZONE_ID,
          name: ZONE_NAME,
          ...(scenario.waf ? { plan: scenario.waf, waf: { migration: "start" } } : {}),
          dns_records: [...ORIGINS, ...FALLBACKS].map((name) => ({
            type: "A",
            name,
            content: "192.0.2.10",
            proxied: true,
          })),
        },
      ],
    },
  });
  const lag = openLag(now);
  const zone = (): Zone => {
    const found = service.core.store.zones.get(ZONE_ID);
    if (!found) throw new Error("the service has its zone");
    return found;
  };
  const setToken = (status: "active" | "expired"): void => {
    const token = service.core.store.tokens.get(TOKEN);
    if (token) token.status = status;
  };
  return {
    admin: createAdmin(service),
    zone,
    handle: (request, wantedFault) => {
      const { pathname, searchParams } = new URL(request.url);
      const fault = lag.within(pathname, wantedFault);
      if (scenario.pageSize !== undefined && searchParams.has("per_page"))
        searchParams.set("per_page", String(scenario.pageSize));
      const { status, headers, body } = service.handle({
        method: request.method,
        path: pathname,
        query: searchParams,
        headers: fault === undefined ? request.headers : { ...request.headers, "x-emulator-fault": fault },
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      if (request.method !== "GET" && status < 300) lag.wrote(pathname);
      return { status, headers, body };
    },
    expireToken: () => setToken("expired"),
    renewToken: () => setToken("active"),
  };
}
