import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { realSteadyClock } from "../../lib/real/clock.ts";
import { parseAddress } from "../../lib/state/engines/s3/address.ts";
import type { Bucket } from "../../lib/state/engines/s3/bucket.ts";
import { clientBucket } from "../../lib/state/engines/s3/client.ts";
import { AWS_ENV } from "../support/s3-stores.ts";

const BYTES = Buffer.from("bytes");

test.each<[string, (bucket: Bucket, signal: AbortSignal) => Promise<unknown>]>([
  ["a read", (bucket, signal) => bucket.get("key", signal)],
  ["a creation", (bucket, signal) => bucket.create("key", BYTES, signal)],
  ["a deletion", (bucket, signal) => bucket.remove("key", signal)],
  ["a replacement", (bucket, signal) => bucket.replace("key", "tag", BYTES, signal)],
])("%s that the server does not answer ends at once when interrupted", async (_what, send) => {
  const { promise: arrived, resolve: arrive } = opening();
  const server = createServer(() => arrive());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  for (const [name, value] of Object.entries(AWS_ENV)) vi.stubEnv(name, value);
  const port = portOf(server.address());
  const address = parseAddress(`s3://states?endpoint=http://127.0.0.1:${port}`);
  const bucket = clientBucket(address, { env: {}, learn: () => undefined, steady: realSteadyClock });
  onTestFinished(() => {
    bucket.close();
    server.closeAllConnections();
    server.close();
    vi.unstubAllEnvs();
  });
  const stop = new AbortController();
  const reason = new Error("interrupted");
  const sent = send(bucket, stop.signal).catch((error: unknown) => error);
  await arrived;
  stop.abort(reason);
  expect(await sent).toBe(reason);
});

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the server must listen on a port");
  return address.port;
}

function opening(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((go) => (resolve = go));
  return { promise, resolve: () => resolve() };
}
