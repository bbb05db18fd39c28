import type { Call, Route } from "./call.ts";
import { hostnameError } from "./custom-hostnames/errors.ts";
import { generalError, headerError, type Reply, ServiceError, success } from "./messages.ts";
import { derive } from "./ids.ts";
import type { Store, Token } from "./store.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Finds the credential of a request: a bearer token, or an e-mail address with its global key, but not both (docs/service.md#credentials).
 * Throws 9106, 9103, 6003, 1000 or 10000 (docs/service.md#error-codes); for a call of custom hostnames 1403 instead of 9106.
 */
export function authenticate(store: Store, headers: Headers, path: string, now: number): Token {
  const bearer = headers["authorization"];
  const key = headers["x-auth-key"];
  const email = headers["x-auth-email"];
  if (bearer !== undefined && (key !== undefined || email !== undefined))
    throw headerError(6111, "Use either the Authorization header or X-Auth-Email with X-Auth-Key, not both");
  if (bearer !== undefined) return byBearer(store, bearer, now);
  if (key === undefined || email === undefined) throw isOfHostnames(path) ? hostnameError(1403) : generalError(9106);
  return byKey(store, email, key);
}

/** Refuses a call that the token does not permit (10000). */
export function authorise(token: Token, method: string, route: string): void {
  if (!permits(token, method, route)) throw generalError(10000);
}

function isOfHostnames(path: string): boolean {
  return /^\/zones\/[^/]*\/custom_hostnames(\/|$)/.test(path);
}

function byBearer(store: Store, header: string, now: number): Token {
  const value = /^bearer\s+(\S+)$/i.exec(header.trim())?.[1];
  if (value === undefined) throw headerError(6111, "Invalid format for Authorization header");
  const token = store.tokens.get(value);
  if (token === undefined || token.kind !== "token")
    throw new ServiceError(401, { code: 1000, message: "Invalid API Token" });
  const { created, status } = token;
  const isOver = created?.expiresOn !== undefined && Date.parse(created.expiresOn) <= now;
  const isEarly = created?.notBefore !== undefined && Date.parse(created.notBefore) > now;
  const problem = isOver ? "expired" : isEarly ? "not valid yet" : status;
  if (problem !== "active") throw new ServiceError(401, { code: 10000, message: `API token is ${problem}` });
  return token;
}

function byKey(store: Store, email: string, key: string): Token {
  const token = store.tokens.get(key);
  if (token?.kind !== "key" || token.email !== email.toLowerCase()) throw generalError(9103);
  return token;
}

/** The permission groups that each family of calls needs, by the start of the route. The first match decides (docs/service.md#permissions). */
const FAMILIES: readonly (readonly [begin: string, read: string, write: string])[] = [
  ["/zones/:zone/purge_cache", "Cache Purge", "Cache Purge"],
  ["/zones/:zone/invalidate_cache", "Cache Purge", "Cache Purge"],
  ["/zones/:zone/environments", "Cache Purge", "Cache Purge"],
  ["/zones/:zone/dns_records", "DNS Read", "DNS Write"],
  ["/zones/:zone/dcv_delegation", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/hostnames", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/hold", "Zone Read", "Zone Write"],
  ["/zones/:zone/rulesets", "Zone WAF Read", "Zone WAF Write"],
  ["/zones/:zone/waf_migration", "Zone WAF Read", "Zone WAF Write"],
  ["/zones/:zone/firewall/waf/overrides", "Zone Settings Read", "Zone Settings Write"],
  ["/zones/:zone/firewall", "Firewall Services Read", "Firewall Services Write"],
  ["/zones/:zone/filters", "Firewall Services Read", "Firewall Services Write"],
  ["/zones/:zone/pagerules", "Page Rules Read", "Page Rules Write"],
  ["/zones/:zone/settings", "Zone Settings Read", "Zone Settings Write"],
  ["/zones/:zone/custom_hostnames", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/ssl", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/acm", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/custom_certificates", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/zones/:zone/custom_csrs", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/accounts/:account/custom_csrs", "SSL and Certificates Read", "SSL and Certificates Write"],
  ["/accounts/:account/rules/lists", "Account Filter Lists Read", "Account Filter Lists Edit"],
  ["/accounts/:account/rulesets", "Account Rulesets Read", "Account Rulesets Write"],
  ["/zones/:zone/subscription", "Billing Read", "Billing Write"],
  ["/zones", "Zone Read", "Zone Write"],
  ["/accounts", "Account Settings Read", "Account Settings Write"],
  ["/user/tokens", "API Tokens Read", "API Tokens Write"],
];

/** Every permission group that some call needs. */
export const PERMISSION_GROUPS: readonly string[] = [...new Set(FAMILIES.flatMap(([, ...groups]) => groups))];

/**
 * Whether the token may make the call. A read-only token may only read. A token with permission groups may do what its groups
 * allow, and a Write group includes reading. A call that needs no group, such as `/user` or the one that verifies a token, is open to every token.
 */
function permits(token: Token, method: string, route: string): boolean {
  const { permissions } = token;
  if (permissions === "all") return true;
  if (permissions === "read") return method === "GET";
  const family = FAMILIES.find(([begin]) => route === begin || route.startsWith(`${begin}/`));
  if (family === undefined || route.endsWith("/tokens/verify")) return true;
  const [, read, write] = family;
  return permissions.includes(write) || (method === "GET" && permissions.includes(read));
}

/** GET /user/tokens/verify, the same call below an account, and GET /user (docs/service.md#tokens). */
export function tokenRoutes(): Route[] {
  return [
    { method: "GET", path: "/user/tokens/verify", handler: verify },
    { method: "GET", path: "/accounts/:account/tokens/verify", handler: verify },
    { method: "GET", path: "/user", handler: user },
  ];
}

/** Only a token can be verified. A client with a global key calls `/user` instead. */
function verify({ token }: Call): Reply {
  if (token.kind !== "token") throw generalError(10000);
  const message = { code: 10000, message: "This API Token is valid and active", type: null };
  return success({ id: token.id, status: token.status }, 200, [message]);
}

function user({ token }: Call): Reply {
  return success({
    id: derive(`user ${token.user}`).slice(0, 32),
    email: token.email ?? `${derive(`user ${token.user}`).slice(0, 8)}@example.com`,
    first_name: null,
    last_name: null,
    suspended: false,
    two_factor_authentication_enabled: false,
    has_enterprise_zones: true,
  });
}
