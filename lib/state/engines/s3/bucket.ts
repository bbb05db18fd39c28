/** An object as it was read. */
export interface Found {
  readonly bytes: Uint8Array;
  /** The ETag without quotes: it changes with each write. */
  readonly tag: string;
  /** How long ago it was written, by the server's own clock; undefined if the server does not tell. */
  readonly ageMilliseconds: number | undefined;
}

/**
 * A bucket. One call is one request. Throws `BucketLost` if nobody knows what became of it, `BucketRefused` if the server
 * does not want it, and the signal's reason if that ends it: the request may have taken effect then too.
 */
export interface Bucket {
  /** The object; undefined if there is none. */
  get(key: string, signal?: AbortSignal): Promise<Found | undefined>;
  /** Creates an object; returns its tag, or undefined if there is one of this name (`If-None-Match: *`). */
  create(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<string | undefined>;
  /** Replaces exactly the version with this tag; returns the new tag, or undefined if there is another (`If-Match`). */
  replace(key: string, tag: string, bytes: Uint8Array, signal?: AbortSignal): Promise<string | undefined>;
  /** Deletes an object, whatever it is: only for names that are never used again. */
  remove(key: string, signal?: AbortSignal): Promise<void>;
  /** The server's time in ms since the epoch, as its answers say it; undefined before one did. */
  now(): number | undefined;
  /** Closes the connections. */
  close(): void;
}

/** No answer, or one that says "not now": the request may have taken effect, and may be repeated. */
export class BucketLost extends Error {
  /** The host that did not answer, if it is known. */
  readonly server: string | undefined;

  constructor(reason: string, cause?: unknown, server?: string) {
    super(reason, { cause });
    this.name = "BucketLost";
    this.server = server;
  }
}

/** The code of an answer that is a page for people. */
export const WEB_PAGE = "web page";

/** The server answered that it will not do it: nothing has changed. */
export class BucketRefused extends Error {
  /** What S3 calls the error, such as `AccessDenied`. */
  readonly code: string;
  /** The status of the answer; 0 if the request was never sent. */
  readonly status: number;

  constructor(code: string, status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "BucketRefused";
    this.code = code;
    this.status = status;
  }
}
