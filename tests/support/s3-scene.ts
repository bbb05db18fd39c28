import { BucketLost } from "../../lib/state/engines/s3/bucket.ts";
import { bucketStores, type S3Options } from "../../lib/state/engines/s3/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { type BucketFault, type BucketRequest, type MemoryBucket, memoryBucket } from "./memory-bucket.ts";
import { random } from "./state-world.ts";
import { type VirtualTime, virtualTime } from "./virtual-clock.ts";

const START = Date.parse("2026-03-01T12:00:00Z");

/** A bucket, time, and processes that use both. */
export interface Scene {
  readonly time: VirtualTime;
  readonly bucket: MemoryBucket;
  process(options?: Partial<S3Options>): Actor;
}

/** A process that uses the bucket. */
export interface Actor {
  readonly stores: StateStores;
  readonly store: ProjectStore;
  /** Its writes so far, also those that failed. */
  readonly writes: readonly string[];
  stop(): void;
  goOn(): void;
  /** Sets what happens to its requests from now on. */
  fail(fault: ((...request: BucketRequest) => BucketFault | undefined) | undefined): void;
  /** From now on holds each request for which this returns true. Its reply is lost, and only the test carries it out. */
  hold(keeps: ((operation: BucketRequest[0], act: () => unknown) => boolean) | undefined): void;
  /** Sets how long its requests take from now on, in milliseconds. */
  slow(delay: (...request: BucketRequest) => number): void;
  close(): Promise<void>;
}

/** Opens a scene with an empty bucket, in which time passes when the test says so. */
export function openScene(): Scene {
  const time = virtualTime();
  const server = time.process().steady;
  const bucket = memoryBucket(() => START + server.now());
  return {
    time,
    bucket,
    process: (options) => {
      const { steady, stop, goOn } = time.process();
      const writes: string[] = [];
      let fault: ((...request: BucketRequest) => BucketFault | undefined) | undefined;
      let delay = (..._request: BucketRequest): number => 0;
      let keeps = (_operation: BucketRequest[0], _act: () => unknown): boolean => false;
      const way = bucket.open({
        fault: (...request) => {
          if (request[0] !== "get") writes.push(request.join(" "));
          return fault?.(...request);
        },
        carry: async (request, act) => {
          const milliseconds = delay(...request);
          if (milliseconds > 0) await steady.sleep(milliseconds);
          if (keeps(request[0], act)) throw new BucketLost("the connection was closed");
          return act();
        },
      });
      const clock = { now: () => START + steady.now(), sleep: steady.sleep };
      const stores = bucketStores(way, "", "s3://states", { clock, steady, random, ...options });
      return {
        stores,
        store: stores.of("edge"),
        writes,
        stop,
        goOn,
        fail: (next) => {
          fault = next;
        },
        hold: (next = () => false) => {
          keeps = next;
        },
        slow: (next) => {
          delay = next;
        },
        close: stores.close,
      };
    },
  };
}

/** The error that the work throws; undefined if it succeeds. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
