import type { Clock } from "../core/clock.ts";

/** One HTTP exchange, as the lowest layer sees it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Called once, when the request is about to be written to its connection, which may be much later than `send` if it
   * had to connect first. If it returns false, nothing is sent and `send` throws an `HttpFailure` (`late`).
   */
  readonly mayLeave?: () => boolean;
}

/** The complete response. Header names are lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The network as a parameter: the only way out of the process. Redirects are not followed. */
export interface Http {
  /** Throws `HttpFailure` unless a complete response came. */
  send(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse>;
}

/**
 * Why no complete response came: the name did not resolve, the connection was refused, TLS failed, a time limit passed,
 * the connection was cut, the response was too large, the caller gave up, the address must not get a credential, the
 * request was too late when it had a connection, or another reason.
 */
export type HttpFailureReason =
  | "name"
  | "refused"
  | "tls"
  | "timeout"
  | "cut"
  | "too-large"
  | "aborted"
  | "forbidden"
  | "late"
  | "other";

/**
 * No complete response came. `sent` says whether the service can have seen the request, that is, whether a write may have
 * taken effect.
 */
export class HttpFailure extends Error {
  readonly sent: boolean;
  readonly reason: HttpFailureReason;

  constructor(message: string, sent: boolean, options?: ErrorOptions & { readonly reason?: HttpFailureReason }) {
    super(message, options);
    this.name = "HttpFailure";
    this.sent = sent;
    this.reason = options?.reason ?? "other";
  }
}

/** Node and undici identify failures by `code`. The cause's text names host and port, never a header. */
const REASONS: Readonly<Record<string, HttpFailureReason>> = {
  ENOTFOUND: "name",
  EAI_AGAIN: "name",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ECONNRESET: "cut",
  EPIPE: "cut",
  UND_ERR_SOCKET: "cut",
};

/** Classifies a network failure; `sent` is whether a byte of the request was written. */
export function networkFailure(cause: Error, sent: boolean): HttpFailure {
  if (cause instanceof HttpFailure) return cause;
  const code = codeOf(cause);
  const reason = (code === undefined ? undefined : REASONS[code]) ?? (isTls(code) ? "tls" : "other");
  return new HttpFailure(cause.message || code || cause.name, sent, { cause, reason });
}

/** Connecting to several addresses of one name fails with an `AggregateError` that holds the codes. */
function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : undefined;
}

function isTls(code: string | undefined): boolean {
  return code !== undefined && /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_|_SIGNED_|^EPROTO$|^HOSTNAME_MISMATCH$/.test(code);
}

/** The service's clock, as its responses show it. */
interface ServiceClock {
  /** An `Http` that reads the clock from each response. */
  readonly http: Http;
  /**
   * The service's time in milliseconds since the epoch, never earlier than any response so far shows. It is the local
   * time before the first response, and if responses have no date.
   */
  readonly now: () => number;
}

/** A `Date` header has whole seconds, so what the same response shows may be up to this much later. */
const WITHIN_MILLISECONDS = 999;

/** Reads the service's clock from the `Date` header of its responses. */
export function openServiceClock(http: Http, clock: Pick<Clock, "now">): ServiceClock {
  let aheadMilliseconds = 0;
  return {
    http: {
      send: async (request, signal) => {
        const response = await http.send(request, signal);
        const date = Date.parse(response.headers["date"] ?? "");
        if (!Number.isNaN(date)) aheadMilliseconds = date + WITHIN_MILLISECONDS - clock.now();
        return response;
      },
    },
    now: () => clock.now() + aheadMilliseconds,
  };
}
