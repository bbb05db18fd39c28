import { createHash } from "node:crypto";
import { type Bucket, BucketLost, BucketRefused, type Found } from "../../lib/state/engines/s3/bucket.ts";

/**
 * What happens to one request. `lost`: it never arrives. `lost-reply`: it takes effect, and its answer is lost. `busy`: the server
 * refuses it for now, as with `SlowDown` or a conflict of two writes. `denied`: this user may not do that. `mismatch`: the
 * server says that a condition is not met, whatever is there. `silent`: no answer ever comes.
 */
export type BucketFault = "lost" | "lost-reply" | "busy" | "denied" | "mismatch" | "silent";

/** A request, as a fault sees it. */
export type BucketRequest = readonly [operation: "get" | "create" | "replace" | "remove", key: string];

/** The network between a process and the bucket. */
export interface BucketWay {
  /** Decides what happens to each request. */
  readonly fault?: (...request: BucketRequest) => BucketFault | undefined;
  /** Brings a request to the server, with the bytes to write if there are any; at once when absent. */
  readonly carry?: <T>(request: BucketRequest, act: () => T, bytes?: Uint8Array) => Promise<T>;
}

/** A bucket in memory that keeps the promises of S3: a read sees the last write, and a condition is checked with the write. */
export interface MemoryBucket {
  open(way?: BucketWay): Bucket;
  /** The present bytes of an object. */
  peek(key: string): Uint8Array | undefined;
  /** Every key, in order. */
  keys(): readonly string[];
  /** Replaces or removes an object, unnoticed by any process. */
  tamper(key: string, bytes: Uint8Array | undefined): void;
}

interface Stored {
  readonly bytes: Uint8Array;
  readonly tag: string;
  readonly at: number;
}

/** Creates an empty bucket. `now` is the clock of the server. */
export function memoryBucket(now: () => number = Date.now): MemoryBucket {
  const objects = new Map<string, Stored>();

  const store = (key: string, bytes: Uint8Array): string => {
    const tag = createHash("md5").update(bytes).digest("hex");
    objects.set(key, { bytes: Buffer.from(bytes), tag, at: now() });
    return tag;
  };

  function open({ fault = () => undefined, carry = async (_request, act) => act() }: BucketWay = {}): Bucket {
    async function request<T>(
      what: BucketRequest,
      act: () => T,
      { bytes, signal }: { readonly bytes?: Uint8Array; readonly signal?: AbortSignal | undefined } = {},
    ): Promise<T | undefined> {
      signal?.throwIfAborted();
      const happens = fault(...what);
      if (happens === "silent")
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      if (happens === "busy") throw new BucketLost("the server is busy (SlowDown)");
      if (happens === "denied") throw new BucketRefused("AccessDenied", 403, "access denied");
      if (happens === "lost") throw new BucketLost("the connection was closed");
      if (happens === "mismatch") return undefined;
      const result = await carry(what, act, bytes);
      if (happens === "lost-reply") throw new BucketLost("the connection was closed");
      return result;
    }
    return {
      get: (key, signal) =>
        request<Found | undefined>(
          ["get", key],
          () => {
            const found = objects.get(key);
            return found && { bytes: found.bytes, tag: found.tag, ageMilliseconds: Math.max(0, now() - found.at) };
          },
          { signal },
        ),
      create: (key, bytes, signal) =>
        request(["create", key], () => (objects.has(key) ? undefined : store(key, bytes)), { bytes, signal }),
      replace: (key, tag, bytes, signal) =>
        request(["replace", key], () => (objects.get(key)?.tag === tag ? store(key, bytes) : undefined), {
          bytes,
          signal,
        }),
      remove: (key, signal) => request(["remove", key], () => void objects.delete(key), { signal }),
      now,
      close: () => undefined,
    };
  }

  return {
    open,
    peek: (key) => objects.get(key)?.bytes,
    keys: () => [...objects.keys()].sort(),
    tamper: (key, bytes) => void (bytes === undefined ? objects.delete(key) : store(key, bytes)),
  };
}
