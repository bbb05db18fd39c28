/** An object, as read. */
export interface Found {
  readonly bytes: Uint8Array;
  /** The ETag without quotes: it changes with each write. */
  readonly tag: string;
  /** The age of the object by the server's clock; undefined if the server does not tell. */
  readonly ageMilliseconds: number | undefined;
}

/**
 * A bucket. One call is one request. Throws `BucketLost` if the outcome is unknown, `BucketRefused` if the server
 * refuses, and the signal's reason if that ends the request, which may still have taken effect.
 */
export interface Bucket {
  /** Reads an object; undefined if there is none. */
  get(key: string, signal?: AbortSignal): Promise<Found | undefined>;
  /** Creates an object; returns its tag, or undefined if the name is taken (`If-None-Match: *`). */
  create(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * Replaces exactly the version with this tag; returns the new tag, or undefined if the object has another version
   * (`If-Match`).
   */
  replace(key: string, tag: string, bytes: Uint8Array, signal?: AbortSignal): Promise<string | undefined>;
  /** Deletes an object of any version; only for names that are never reused. */
  remove(key: string, signal?: AbortSignal): Promise<void>;
  /** The server's time in ms since the epoch, from its responses; undefined before the first. */
  now(): number | undefined;
  /** Closes the connections. */
  close(): void;
}

/** There was no response, or one that means "not now". The request may have taken effect, and may be retried. */
export class BucketLost extends Error {
  /** The host that did not respond, if known. */
  readonly server: string | undefined;

  constructor(reason: string, cause?: unknown, server?: string) {
    super(reason, { cause });
    this.name = "BucketLost";
    this.server = server;
  }
}

/** The code for a response that is a web page. */
export const WEB_PAGE = "web page";

/** The server refused: nothing has changed. */
export class BucketRefused extends Error {
  /** S3's name of the error, such as `AccessDenied`. */
  readonly code: string;
  /** The status of the response; 0 if no request was sent. */
  readonly status: number;

  constructor(code: string, status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "BucketRefused";
    this.code = code;
    this.status = status;
  }
}
