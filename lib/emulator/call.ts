import type { Core } from "./core.ts";
import { generalError, headerError, type Reply, ServiceError } from "./messages.ts";
import type { Fault } from "./faults.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import type { Account, Token, Zone } from "./store.ts";

/** One authorised request on its way to a handler. */
export interface Call {
  readonly core: Core;
  /** Milliseconds since the epoch, the same for the whole request. */
  readonly now: number;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | undefined;
  readonly token: Token;
  /** Whether the call comes from the dashboard, which has no limits. */
  readonly isDashboard: boolean;
  /** The fault of this request. Handlers of lists apply the faults that change a list. */
  readonly fault: Fault | undefined;
}

/** Answers a call, or throws a ServiceError. */
type Handler = (call: Call) => Reply;

/** One method and path of the API. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/client/v4`, with `:name` parameters. */
  readonly path: string;
  readonly handler: Handler;
}

/** A route below `/zones/:zone`. It refuses an unknown zone, and a zone that the token may not access (9109). */
export function zoneRoute(method: Route["method"], path: string, handler: (call: Call, zone: Zone) => Reply): Route {
  return { method, path: `/zones/:zone${path}`, handler: (call) => handler(call, zoneOf(call)) };
}

/** A route below `/accounts/:account`. It refuses an account that the token may not access (9109). */
export function accountRoute(
  method: Route["method"],
  path: string,
  handler: (call: Call, account: Account) => Reply,
): Route {
  return { method, path: `/accounts/:account${path}`, handler: (call) => handler(call, accountOf(call)) };
}

/** A parameter of the path; "" if the route has none of that name. */
export function param(call: Call, name: string): string {
  return call.params[name] ?? "";
}

/**
 * The request's body as a JSON object. Throws 6003 for a body without a JSON content type (docs/service.md#credentials), and
 * 1400 for a body that is not a JSON object (docs/service.md#custom-hostname-error-codes).
 */
export function jsonBody(call: Call): JsonObject {
  const body = jsonValue(call);
  if (!isObject(body)) throw undecodable();
  return body;
}

/** The request's body as any JSON value. Throws the same errors as `jsonBody`. */
export function jsonValue(call: Call): Json {
  const type = call.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (call.body !== undefined && call.body !== "" && type !== "application/json")
    throw headerError(6105, "Invalid Content-Type header, the body must be application/json");
  return parse(call.body ?? "");
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw undecodable();
  }
}

function undecodable(): ServiceError {
  return new ServiceError(400, { code: 1400, message: "Unable to decode the JSON request body" });
}

/** The account in the path. Throws 9109. */
export function accountOf(call: Call): Account {
  const account = call.core.store.accounts.get(param(call, "account"));
  if (account === undefined || !ownsAccount(call, account)) throw generalError(9109, "Invalid account identifier");
  return account;
}

/** Whether the account is the caller's: that of the token, or one that its user created. */
export function ownsAccount({ isDashboard, token }: Call, account: Account): boolean {
  return isDashboard || token.accountId === account.id || token.user === account.creator;
}

/** The zone in the path. Throws 7003 or 9109. */
export function zoneOf(call: Call): Zone {
  const id = param(call, "zone");
  if (!/^[0-9a-f]{32}$/.test(id)) throw generalError(7003);
  const zone = call.core.store.zones.get(id);
  if (zone === undefined || !reaches(call.token, id)) throw generalError(9109);
  return zone;
}

/** Whether the token may access the zone. */
export function reaches(token: Token, zoneId: string): boolean {
  return token.zones === null || token.zones.includes(zoneId);
}
