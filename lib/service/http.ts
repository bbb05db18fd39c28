/** One HTTP exchange, as the lowest layer sees it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Asked once, at the moment at which the request would be written to its connection; where that had to be made first, it
   * may be much later than the call. Where it says no, nothing is sent, and `send` throws an `HttpFailure` (`late`).
   */
  readonly mayLeave?: () => boolean;
}

/** The answer, read to its end. Header names are lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The network as a parameter: the only way out of the process. Redirects are not followed. */
export interface Http {
  /** Throws `HttpFailure` for everything that is not a whole answer. */
  send(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse>;
}

/**
 * What kept a whole answer from coming: the name did not resolve, the connection was refused, TLS failed, a time limit
 * passed, the connection was cut, the answer was larger than allowed, the caller gave up, the address is one that no credential is sent to,
 * the request might not leave any more once it had a connection, or something else.
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

/** No whole answer came. `sent` says whether the service can have seen the request, that is, whether a write may have taken effect. */
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
