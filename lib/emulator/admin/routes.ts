import { ADMIN_PREFIX, API_PREFIX, DASHBOARD, run } from "../answer.ts";
import { jsonBody, param, type Call, type Route } from "../call.ts";
import type { Core } from "../core.ts";
import { hostnameView } from "../custom-hostnames/view.ts";
import { generalError, type Reply, ServiceError, success } from "../messages.ts";
import { AMOUNT, InputError, readMembers, TEXT } from "../input.ts";
import { jsonOf } from "../json.ts";
import type { Router } from "../router.ts";
import { readAnswer, readTraffic } from "../seed/seed.ts";
import { snapshot } from "../snapshot.ts";
import { worldJson } from "../world.ts";
import { actAsColleague } from "./colleague.ts";
import { advance, findHostname, forceHostname, readForced, setDns, setHttp, setTraffic } from "./actions.ts";
import { readFaultOrder } from "../faults.ts";
import { outsideRoutes } from "./outside.ts";
import { wafAdminRoutes } from "./waf.ts";

/** The admin API. `/api/…` calls the service's API as the dashboard does: without limits, faults or log. */
export function adminRoutes(core: Core, api: Router, reset: () => void): Route[] {
  return [
    { method: "GET", path: "/clock", handler: () => clock(core) },
    { method: "POST", path: "/clock", handler: moveClock },
    { method: "GET", path: "/world", handler: () => success(worldJson(core.world)) },
    { method: "PUT", path: "/world/dns/:name", handler: putDns },
    {
      method: "DELETE",
      path: "/world/dns/:name",
      handler: (call) => done(() => setDns(core, param(call, "name"), undefined)),
    },
    { method: "PUT", path: "/world/http", handler: putHttp },
    { method: "PUT", path: "/world/traffic/:name", handler: putTraffic },
    {
      method: "DELETE",
      path: "/world/traffic/:name",
      handler: (call) => done(() => setTraffic(core, param(call, "name"), undefined)),
    },
    ...outsideRoutes(),
    { method: "GET", path: "/faults", handler: () => success(jsonOf(core.faults.orders())) },
    { method: "POST", path: "/faults", handler: orderFault },
    { method: "DELETE", path: "/faults", handler: () => done(() => core.faults.clear()) },
    {
      method: "DELETE",
      path: "/faults/:id",
      handler: (call) => success(core.faults.cancel(Number(param(call, "id")))),
    },
    { method: "GET", path: "/requests", handler: () => requests(core) },
    { method: "DELETE", path: "/requests", handler: () => done(() => core.log.reset()) },
    { method: "GET", path: "/snapshot", handler: () => success(jsonOf(snapshot(core))) },
    { method: "POST", path: "/colleague", handler: (call) => actAsColleague(call, api) },
    { method: "POST", path: "/reset", handler: () => done(reset) },
    { method: "PATCH", path: "/zones/:zone/custom_hostnames/:hostname", handler: force },
    ...wafAdminRoutes(core, api),
    ...(["GET", "POST", "PUT", "PATCH", "DELETE"] as const).map((method): Route => {
      return { method, path: "/api/*", handler: (call) => asDashboard(api, method, call) };
    }),
  ];
}

/** Runs a call of the service's API with the dashboard's rights. */
function asDashboard(api: Router, method: Route["method"], call: Call): Reply {
  const rest = param(call, "*");
  const { route, params } = api.find(method, `/${rest}`);
  return run(route, { ...call, params, token: DASHBOARD, isDashboard: true });
}

function clock(core: Core): Reply {
  return success({ now: new Date(core.clock.now()).toISOString(), rate: core.clock.rate() });
}

/** Takes any of `advance_ms`, `advance_seconds`, `now` (not in the past) and `rate`. */
function moveClock(call: Call): Reply {
  const { core } = call;
  const readers = { rate: AMOUNT, now: TEXT, advance_ms: AMOUNT, advance_seconds: AMOUNT };
  const { rate, now: until, ...moved } = readMembers(jsonBody(call), "clock", readers);
  const by = (moved.advance_ms ?? 0) + 1000 * (moved.advance_seconds ?? 0);
  const wanted = until === undefined ? 0 : Date.parse(until) - core.clock.now();
  if (!(wanted >= 0)) throw new ServiceError(400, { message: "the clock never runs backwards" });
  advance(core, by + wanted);
  if (rate !== undefined) core.clock.setRate(rate);
  return clock(core);
}

function putDns(call: Call): Reply {
  const name = param(call, "name");
  return done(() => setDns(call.core, name, readAnswer(jsonBody(call), `dns[${JSON.stringify(name)}]`)));
}

/** Takes `{url, body}`. A null body removes the URL. */
function putHttp(call: Call): Reply {
  const { url = "", body } = readMembers(jsonBody(call), "http", { url: TEXT, body: TEXT });
  if (url === "") throw new InputError({ at: "http.url", problem: "is missing" });
  return done(() => setHttp(call.core, url, body));
}

/** Takes `{impacted_clients}`: whether some visitors know only the legacy root. */
function putTraffic(call: Call): Reply {
  const name = param(call, "name");
  return done(() => setTraffic(call.core, name, readTraffic(jsonBody(call), `traffic[${JSON.stringify(name)}]`)));
}

function orderFault(call: Call): Reply {
  return success({ id: call.core.faults.order(readFaultOrder(jsonBody(call))) });
}

function requests(core: Core): Reply {
  const { log } = core;
  return success({ total: log.total(), counts: { ...log.counts() }, entries: jsonOf(log.entries()) });
}

function force(call: Call): Reply {
  const { core } = call;
  const zone = core.store.zones.get(param(call, "zone"));
  const custom = findHostname(core, param(call, "zone"), param(call, "hostname"));
  if (zone === undefined || custom === undefined) throw generalError(7003);
  forceHostname(core, zone, custom, readForced(jsonBody(call)));
  return success(hostnameView(custom, core.behaviour));
}

function done(act: () => void): Reply {
  act();
  return success(null);
}

/** The admin API's path for a call of the service's API as the dashboard. */
export function dashboardPath(path: string): string {
  return `${ADMIN_PREFIX}/api${path.startsWith(API_PREFIX) ? path.slice(API_PREFIX.length) : path}`;
}
