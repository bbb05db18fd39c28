/** A request to the server of the states. */
export interface StateRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The complete answer. Header names are lower case. */
export interface StateAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The way to the server. Redirects are returned, not followed: the password is for one host. */
export interface Transport {
  /** Throws an `Error` unless a complete answer came; the request may have arrived all the same. */
  send(request: StateRequest, signal?: AbortSignal): Promise<StateAnswer>;
  close(): Promise<void>;
}

/** The certificates of a connection, in PEM. */
export interface TransportTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}
