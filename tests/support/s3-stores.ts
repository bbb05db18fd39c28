import { onTestFinished, vi } from "vitest";
import type { SteadyClock } from "../../lib/core/clock.ts";
import { realClock, realSteadyClock } from "../../lib/real/clock.ts";
import { parseAddress } from "../../lib/state/engines/s3/address.ts";
import { clientBucket } from "../../lib/state/engines/s3/client.ts";
import type { Bucket } from "../../lib/state/engines/s3/bucket.ts";
import { PATIENCE_MILLISECONDS, type Place } from "../../lib/state/engines/s3/place.ts";
import { type Effort, probe } from "../../lib/state/engines/s3/probe.ts";
import { bucketStores, type S3Options, s3Stores, type S3StoresOptions } from "../../lib/state/engines/s3/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { brisk, random } from "./state-world.ts";

/** The credentials of the tests, for servers that check none. */
export const AWS_ENV = {
  AWS_ACCESS_KEY_ID: "TESTER",
  AWS_SECRET_ACCESS_KEY: "tester-secret-key-0123456789",
  AWS_REGION: "eu-central-1",
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_CONFIG_FILE: "/nonexistent/config",
  AWS_SHARED_CREDENTIALS_FILE: "/nonexistent/credentials",
} as const;

/** Opens stores at an address, and closes them at the end of the test. Each call is like another process. */
export function openS3Stores(address: string, options: Partial<S3StoresOptions> = {}): StateStores {
  for (const [name, value] of Object.entries(AWS_ENV)) vi.stubEnv(name, value);
  const stores = s3Stores(address, { env: {}, clock: realClock, steady: realSteadyClock, random, ...options });
  onTestFinished(async () => {
    await stores.close();
    vi.unstubAllEnvs();
  });
  return stores;
}

/** Opens many stores over one client, each like another process. */
export function sharedS3Stores(address: string): (options?: Partial<S3Options>) => StateStores {
  for (const [name, value] of Object.entries(AWS_ENV)) vi.stubEnv(name, value);
  const parsed = parseAddress(address);
  const bucket = clientBucket(parsed, { env: {}, learn: () => undefined, steady: realSteadyClock });
  onTestFinished(() => {
    bucket.close();
    vi.unstubAllEnvs();
  });
  const shared: Bucket = {
    get: (...request) => bucket.get(...request),
    create: (...request) => bucket.create(...request),
    replace: (...request) => bucket.replace(...request),
    remove: (...request) => bucket.remove(...request),
    now: () => bucket.now(),
    close: () => undefined,
  };
  return (options = {}) => {
    const stores = bucketStores(shared, parsed.prefix, `s3://${parsed.bucket}`, {
      clock: realClock,
      steady: realSteadyClock,
      random,
      ...options,
    });
    onTestFinished(() => stores.close());
    return stores;
  };
}

/** Tries out the server at an address, with this effort. */
export async function probeAt(address: string, effort: Effort): Promise<void> {
  const parsed = parseAddress(address);
  for (const [name, value] of Object.entries(AWS_ENV)) vi.stubEnv(name, value);
  const bucket = clientBucket(parsed, { env: {}, learn: () => undefined, steady: realSteadyClock });
  try {
    await probe({ ...placeOf(bucket), prefix: parsed.prefix }, effort);
  } finally {
    bucket.close();
    vi.unstubAllEnvs();
  }
}

/** A bucket as the parts of the store use it. */
export function placeOf(bucket: Bucket): Place {
  return {
    bucket,
    prefix: "",
    where: "s3://states",
    server: "s3://states",
    clock: realClock,
    steady: realSteadyClock,
    random,
    patienceMilliseconds: PATIENCE_MILLISECONDS,
    known: { wasReached: true, isTrusted: false, hasGivenUp: false },
  };
}

/** A brisk clock until `hurry` is called, and then one that jumps over every pause. */
export function hastyClock(): SteadyClock & { hurry(): void } {
  const unhurried = brisk(realSteadyClock);
  let [isHasty, skipped] = [false, 0];
  return {
    now: () => realSteadyClock.now() + skipped,
    sleep: async (delayMilliseconds, signal) => {
      if (!isHasty) return unhurried.sleep(delayMilliseconds, signal);
      skipped += delayMilliseconds;
      return realSteadyClock.sleep(0, signal);
    },
    rest: realSteadyClock.rest,
    hurry: () => {
      isHasty = true;
    },
  };
}
