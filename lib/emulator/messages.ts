/** A request, independent of the network. */
export interface ServiceRequest {
  /** Upper case. */
  readonly method: string;
  /** Not decoded yet, with its `/client/v4` or `/_admin` prefix, without the query. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** An answer, independent of the network. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or HTML from a fault; empty for 204. */
  readonly body: string;
  /** The connection breaks: without an answer, or after part of the body. */
  readonly connection: "kept" | "destroyed" | "cut";
  /** How many real milliseconds the answer is delayed. */
  readonly delayMilliseconds: number;
}
