import { setMaxListeners } from "node:events";
import type { Clock } from "../core/clock.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Codes } from "./explanations/entry.ts";
import type { Needs } from "./places.ts";

/**
 * The family of calls that an error code belongs to. Codes collide between families (docs/service.md#error-codes: 1408
 * has three meanings), so only family and code together identify an error.
 */
export type Family =
  | "zones"
  | "holds"
  | "dns_records"
  | "custom_hostnames"
  | "custom_csrs"
  | "fallback_origin"
  | "rulesets"
  | "waf"
  | "total_tls"
  | "certificate_packs"
  | "custom_certificates"
  | "purge"
  /** Settings of a zone; the kind that reads them explains their codes (`ApiRequest.codes`). */
  | "settings";

/** One call to the service, below the base URL. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/client/v4`, with its variable parts encoded: `/zones/<id>/custom_hostnames`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: JsonObject;
  readonly family: Family;
  /** What codes mean for this call; these win over its family's. */
  readonly codes?: Codes;
  /** Whether a success issues a certificate, so that the issuance limit paces the call. */
  readonly issues?: boolean;
  /** The service itself refuses this write if the object exists already, so no read has to come before it. */
  readonly needsNoRead?: true;
  /** The result of a success; an object when absent. Any other response is no evidence that the call took effect. */
  readonly answer?: Answer;
}

/**
 * The documented result of a successful call: the `object`; a `list`, which may be null; what is `gone`, as an object
 * or as its bare id without an envelope; or `nothing`, a 204 or a null (a ruleset's DELETE, a `dry_run`).
 */
export type Answer = "object" | "list" | "gone" | "nothing";

/** A list that the service returns in pages. */
export interface PagedRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly family: Family;
  /** Page sizes to try, largest first: if the service refuses one with a 400, the next is tried. */
  readonly pageSizes: readonly [number, ...number[]];
  readonly style: "page" | "cursor";
}

/** The service as a kind sees it. Pacing, retries and the envelope are hidden behind it. */
export interface Client extends ServiceClock {
  /**
   * Returns the response's `result` in the form that the request names (`null` for nothing). Throws `ApiError` for a
   * refusal in the service's own envelope, `AmbiguousError` for a write that may have taken effect, and
   * `UnreachableError` if nothing was sent.
   */
  send(request: ApiRequest, signal?: AbortSignal): Promise<Json>;
  /**
   * The items of all pages, each `id` once. If items moved between pages, it reads them again (a limited number of
   * times) until it has seen each one.
   */
  pages(request: PagedRequest, signal?: AbortSignal): AsyncIterable<JsonObject>;
}

/** The clock of the service. */
export interface ServiceClock {
  /**
   * The service's time from its newest response (the `Date` header, whole seconds), in milliseconds since the epoch;
   * undefined before a response had one. Only the service's own responses count, never a proxy's.
   */
  serviceTime(): number | undefined;
}

/**
 * Now, in milliseconds since the epoch, by the service's clock if known, else by the local one. It dates everything
 * that later runs compare with their own time, because local clocks differ and jump.
 */
export function serviceMoment(service: ServiceClock, clock: Clock): number {
  return service.serviceTime() ?? clock.now();
}

/** A client that writes only right after it has read. */
export interface FreshClient extends Client {
  /**
   * Reserves all the places in the rate limits that one attempt at a write needs, then calls `act` with a client that
   * sends the write only within a second of its last read, with no pause in between. If that fails, or the service
   * refuses the write with 429, it calls `act` again from the start, a limited number of times. The write did not take
   * effect then, so `act` must withdraw whatever it recorded about it. `act` can ask for that itself by throwing what
   * `startOver` returns; `goOn` is for a further write: its first try uses the places that this one has left. Returns
   * and throws what `act` does; throws `NoFreshRead` after too many attempts, and what `send` throws.
   */
  freshly<T>(
    needs: Needs,
    act: (client: Client, startOver: () => Error, goOn?: FreshClient["freshly"]) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
}

/**
 * Encodes one part of a path, so that an id from the service or from an import cannot send a call elsewhere. Throws if
 * encoding does not help: for an empty part, and for the dots that URLs resolve.
 */
export function pathSegment(text: string): string {
  if (text === "" || text === "." || text === "..") {
    throw new Error(`the id ${JSON.stringify(text)} cannot stand in a path`);
  }
  return encodeURIComponent(text);
}

/** Checks a call before it is sent. Throws if its path is not made of parts as `pathSegment` returns them. */
export function checkCall({ path }: Pick<ApiRequest, "path">, signal: AbortSignal | undefined): void {
  if (!isSafePath(path)) throw new Error(`a path is made of encoded parts, not ${JSON.stringify(path)}`);
  // One signal stops a whole run, so many calls listen to it at once. That is not a leak, and Node must not warn about
  // one.
  if (signal !== undefined) setMaxListeners(0, signal);
}

function isSafePath(path: string): boolean {
  const [first, ...parts] = path.split("/");
  return (
    first === "" &&
    parts.length > 0 &&
    parts.every((part) => /^[\w.~!*'()%-]+$/.test(part) && !/^(?:\.|%2e){1,2}$/i.test(part))
  );
}
