import { generalError, headerError, ServiceError } from "./errors.ts";
import { permits } from "./permissions.ts";
import type { Store, Token } from "./store.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Finds the credential of a request: a bearer token, or an e-mail address with its global key, never both (docs/service.md#credentials).
 * Throws 9106, 9103, 6003, 1000 or 10000 (docs/service.md#error-codes).
 */
export function authenticate(store: Store, headers: Headers): Token {
  const bearer = headers["authorization"];
  const key = headers["x-auth-key"];
  const email = headers["x-auth-email"];
  if (bearer !== undefined && (key !== undefined || email !== undefined))
    throw headerError(6111, "Use either the Authorization header or X-Auth-Email with X-Auth-Key, not both");
  if (bearer !== undefined) return byBearer(store, bearer);
  if (key === undefined || email === undefined) throw generalError(9106);
  return byKey(store, email, key);
}

/** Refuses a call that the token does not permit (10000). */
export function authorise(token: Token, method: string, route: string): void {
  if (!permits(token, method, route)) throw generalError(10000);
}

function byBearer(store: Store, header: string): Token {
  const value = /^bearer\s+(\S+)$/i.exec(header.trim())?.[1];
  if (value === undefined) throw headerError(6111, "Invalid format for Authorization header");
  const token = store.tokens.get(value);
  if (token === undefined || token.kind !== "token")
    throw new ServiceError(401, { code: 1000, message: "Invalid API Token" });
  if (token.status !== "active") throw new ServiceError(401, { code: 10000, message: `API token is ${token.status}` });
  return token;
}

function byKey(store: Store, email: string, key: string): Token {
  const token = store.tokens.get(key);
  if (token?.kind !== "key" || token.email !== email.toLowerCase()) throw generalError(9103);
  return token;
}
