import { authenticate, authorise } from "./credentials.ts";
import type { Call, Route } from "./call.ts";
import type { Core } from "./core.ts";
import {
  failure,
  generalError,
  type Reply,
  ServiceError,
  type ServiceRequest,
  type ServiceResponse,
} from "./messages.ts";
import type { Fault } from "./faults.ts";
import { isObject, type Json } from "./json.ts";
import { InputError } from "./input.ts";
import { IPS_PATH } from "./ips.ts";
import { answerBefore, breakAfter, faultInHeader } from "./fault-effects.ts";
import { settle } from "./lifecycle.ts";
import type { Allowance, RequestLimit } from "./limits.ts";
import type { Router } from "./router.ts";
import type { Token } from "./store.ts";

/** Where the API is served (docs/service.md#base-address). */
export const API_PREFIX = "/client/v4";

/** Where the admin API is served. */
export const ADMIN_PREFIX = "/_admin";

/** What serving a request found out, for the log and the headers of the answer. */
interface Served {
  pattern: string;
  allowance: Allowance | undefined;
  limit: RequestLimit | undefined;
}

/** Answers a request to the admin API or to the service, by the prefix of its path. Any other path gets a 404. */
export function answer(core: Core, api: Router, admin: Router, request: ServiceRequest): ServiceResponse {
  if (isBelow(request.path, ADMIN_PREFIX)) return toResponse(answerAdmin(core, admin, request));
  if (!isBelow(request.path, API_PREFIX)) return toResponse(refusal(generalError(7003), request.path));
  moveByHeader(core, request);
  return answerApi(core, api, request, request.path.slice(API_PREFIX.length));
}

/** Runs the handler of a route. A refusal becomes a failure envelope. */
export function run(route: Route, call: Call): Reply {
  try {
    return route.handler(call);
  } catch (error) {
    return refusal(error, route.path);
  }
}

/** The failure envelope of a refusal. Any other error is a bug in the emulator, and is thrown again. */
function refusal(error: unknown, path: string): Reply {
  if (error instanceof ServiceError && error.item.code === 7003) return failure(error.status, unroutable(path));
  if (error instanceof ServiceError) return failure(error.status, error.item, error.headers);
  if (error instanceof InputError) return failure(400, { message: error.message });
  throw error;
}

/** The two errors of a path without a route, or with a malformed id (docs/service.md#error-codes). */
function unroutable(path: string): Parameters<typeof failure>[1] {
  const message = `Could not route to ${path}, perhaps your object identifier is invalid?`;
  return [
    { code: 7003, message },
    { code: 7000, message: "No route for that URI" },
  ];
}

function answerApi(core: Core, api: Router, request: ServiceRequest, path: string): ServiceResponse {
  const fault = faultOf(core, request, path);
  if (fault instanceof InputError) return toResponse(refusal(fault, request.path));
  const served: Served = { pattern: path, allowance: undefined, limit: undefined };
  const isSeen = core.log.isFollowed() && request.method !== "GET";
  const before = isSeen ? lookAt(core, api, path) : null;
  const reply = answerBefore(fault) ?? serve(core, api, request, path, fault, served);
  const headers = { ...edgeHeaders(core, served), ...reply.headers };
  const response = breakAfter(fault, toResponse({ ...reply, headers }));
  const logged = {
    at: core.clock.now(),
    method: request.method,
    path,
    query: request.query?.toString() ?? "",
    pattern: served.pattern,
    status: response.status,
    fault: fault?.kind ?? null,
  };
  const after = isSeen ? (lookAt(core, api, path) ?? resultOf(reply)) : null;
  const { headers: { "user-agent": agent = "" } = {}, body = null } = request;
  core.log.add(logged, { agent, body, before, after });
  return response;
}

/**
 * What a write is about, as the dashboard shows it, for people who follow the log: the object at its path, or if the path cannot be
 * read (that of one rule), the one above. Null for a list, and for what is not there.
 */
function lookAt(core: Core, api: Router, path: string): Json {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const match = readable(api, at);
    if (match === undefined) continue;
    const call = callOf(core, { method: "GET", path: at }, DASHBOARD, match.params, undefined);
    return resultOf(run(match.route, { ...call, isDashboard: true }));
  }
  return null;
}

function readable(api: Router, path: string): ReturnType<Router["find"]> | undefined {
  try {
    return api.find("GET", path);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The object that a reply shows, if it shows one. */
function resultOf({ body }: Reply): Json {
  const result = isObject(body) ? body["result"] : null;
  return isObject(result) ? result : null;
}

function faultOf(core: Core, request: ServiceRequest, path: string): Fault | InputError | undefined {
  try {
    return faultInHeader(request.headers ?? {}) ?? core.faults.take(request.method, path);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

/** Authentication, then the rate limit, then the route: the order is inferred (docs/service.md#custom-hostname-error-codes). */
function serve(
  core: Core,
  api: Router,
  request: ServiceRequest,
  path: string,
  fault: Fault | undefined,
  served: Served,
): Reply {
  try {
    const { headers = {} } = request;
    const token = path === IPS_PATH ? DASHBOARD : authenticate(core.store, headers, path, core.clock.now());
    countRequest(core, token, served);
    const { route, params } = api.find(request.method, path);
    served.pattern = route.path;
    authorise(token, request.method, route.path);
    return route.handler(callOf(core, request, token, params, fault));
  } catch (error) {
    return refusal(error, request.path);
  }
}

function callOf(
  core: Core,
  request: ServiceRequest,
  token: Token,
  params: Call["params"],
  fault: Fault | undefined,
): Call {
  return {
    core,
    now: core.clock.now(),
    params,
    query: request.query ?? new URLSearchParams(),
    headers: request.headers ?? {},
    body: request.body,
    token,
    isDashboard: false,
    fault,
  };
}

/** Throws 10100 with `Retry-After` when the user's requests are used up (docs/service.md#rate-limits). */
function countRequest(core: Core, token: Token, served: Served): void {
  const account = core.store.accounts.get(token.accountId);
  if (account === undefined) return;
  const limit = account.apiLimit;
  const allowance = core.requestLimiter.count(token.user, limit, core.clock.now());
  served.limit = limit;
  served.allowance = allowance;
  if (!allowance.refused) return;
  const message = `More than ${limit.requests} requests per ${limit.windowSeconds} seconds reached. Please wait and consider throttling your request speed`;
  throw new ServiceError(429, { code: 10100, message }, { "retry-after": String(allowance.resetSeconds) });
}

function edgeHeaders(core: Core, served: Served): Record<string, string> {
  const always = { "cf-ray": `${core.ids.hex(16)}-AMS`, date: new Date(core.clock.now()).toUTCString() };
  const { allowance, limit } = served;
  if (allowance === undefined || limit === undefined) return always;
  return {
    ...always,
    ratelimit: `"default";r=${allowance.remaining};t=${allowance.resetSeconds}`,
    "ratelimit-policy": `"burst";q=${limit.requests};w=${limit.windowSeconds}`,
  };
}

function answerAdmin(core: Core, admin: Router, request: ServiceRequest): Reply {
  try {
    const { route, params } = admin.find(request.method, request.path.slice(ADMIN_PREFIX.length) || "/");
    return route.handler(callOf(core, request, DASHBOARD, params, undefined));
  } catch (error) {
    return refusal(error, request.path);
  }
}

/** The credential of the dashboard, which may do everything. */
export const DASHBOARD: Token = {
  id: "0".repeat(32),
  value: "",
  kind: "token",
  email: null,
  user: "dashboard",
  accountId: "",
  permissions: "all",
  status: "active",
  zones: null,
};

/** `X-Emulator-Advance: <seconds>` moves the clock before the request is answered. */
function moveByHeader(core: Core, request: ServiceRequest): void {
  const seconds = Number(request.headers?.["x-emulator-advance"] ?? 0);
  if (!(seconds > 0)) return;
  core.clock.advance(seconds * 1000);
  settle(core);
}

/** The response that sends the reply, its body written as JSON. */
export function toResponse(reply: Reply): ServiceResponse {
  const body = reply.body === undefined ? (reply.text ?? "") : JSON.stringify(reply.body);
  const type = reply.body === undefined ? "text/plain; charset=utf-8" : "application/json";
  return {
    status: reply.status,
    headers: { ...(body === "" ? {} : { "content-type": type }), ...reply.headers },
    body,
    connection: "kept",
    delayMilliseconds: 0,
  };
}

/** Whether a path is the prefix or lies below it. */
export function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
