import type { Json, JsonObject } from "../core/json.ts";
import type { Codes } from "./explanations/entry.ts";
import type { Needs } from "./places.ts";

/**
 * The family of calls that an error code belongs to. Codes collide between families (docs/service.md#error-codes: 1408 means three
 * things), so an error is known by family and code together.
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
  /** Settings of a zone; what their codes mean stands with the kind that reads them (`ApiRequest.codes`). */
  | "settings";

/** One call to the service, below the base URL. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/client/v4`, each variable part already encoded: `/zones/<id>/custom_hostnames`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: JsonObject;
  readonly family: Family;
  /** What codes mean for this call, before those of its family. */
  readonly codes?: Codes;
  /** Whether a certificate is issued when this succeeds, so that it is paced by the issuance limit. */
  readonly issues?: boolean;
  /** The service itself refuses this write where the object exists already, so that no read has to come before it. */
  readonly needsNoRead?: true;
  /** What a success is answered with; an object when absent. Anything else is no evidence that the call was carried out. */
  readonly answer?: Answer;
}

/**
 * What the service documents as the answer of a call that succeeds: the `object`; a `list`, which may come as null; what is
 * `gone`, as an object or as its bare id without an envelope; or `nothing`, which is a 204 or a null (a ruleset's DELETE,
 * a `dry_run`).
 */
export type Answer = "object" | "list" | "gone" | "nothing";

/** A list that the service gives in pages. */
export interface PagedRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly family: Family;
  /** Page sizes to try, largest first: the next is taken when the service refuses one with a 400. */
  readonly pageSizes: readonly [number, ...number[]];
  readonly style: "page" | "cursor";
}

/** What a resource kind sees of the service. Pacing, retries and the envelope are behind it. */
export interface Client extends ServiceClock {
  /**
   * The `result` of the answer, of the form that the request says (`null` where that is nothing).
   * Throws `ApiError` for a refusal in the service's own envelope, `AmbiguousError` for a write whose fate is unknown, and
   * `UnreachableError` where nothing was sent.
   */
  send(request: ApiRequest, signal?: AbortSignal): Promise<Json>;
  /**
   * The items of all pages, each once by its `id`. Where items moved between pages meanwhile, pages are read again
   * (a bounded number of times) until each was seen.
   */
  pages(request: PagedRequest, signal?: AbortSignal): AsyncIterable<JsonObject>;
}

/** The clock of the service. */
export interface ServiceClock {
  /**
   * The time of the service by its newest answer (the `Date` header, whole seconds), in milliseconds since the epoch;
   * undefined where no answer has said it. Only the service's own answers count, never those of a proxy.
   */
  serviceTime(): number | undefined;
}

/** A client that writes only what it has just read. */
export interface FreshClient extends Client {
  /**
   * Takes all the places in the rate limits that one attempt at a write needs, then calls `act` with a client whose write
   * leaves only within a second of its last read and with no pause between. Where that fails, or the service refuses the
   * write as one too many (429), `act` is called again from its start, a bounded number of times: its write did not take
   * effect, and it has to say so wherever it said that it would write. It may begin anew by itself, by throwing what `startOver` gives. Returns and throws what `act` does; throws
   * `NoFreshRead` after too many attempts, and what `send` throws.
   */
  freshly<T>(
    needs: Needs,
    act: (client: Client, startOver: () => Error) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
}
