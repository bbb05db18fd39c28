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

/** The complete answer. Header names are lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The network as a parameter: the only way out of the process. Redirects are not followed. */
export interface Http {
  /** Throws `HttpFailure` unless a complete answer came. */
  send(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse>;
}

/**
 * Why no complete answer came: the name did not resolve, the connection was refused, TLS failed, a time limit passed,
 * the connection was cut, the answer was too large, the caller gave up, the address must not get a credential, the
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
 * No complete answer came. `sent` says whether the service can have seen the request, that is, whether a write may have
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
