import { afterAll, beforeAll, describe, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import type { Claims } from "../../lib/state/zone/claims.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { STORES_FULL } from "../support/full.ts";
import { NO_ENGINE, type S3Engine, startEngine } from "../support/s3-engine.ts";
import { startS3Server } from "../support/s3-server.ts";
import { AWS_ENV, hastyClock, probeAt, sharedS3Stores } from "../support/s3-stores.ts";
import { startStoreProcess, type StoreProcess } from "../support/store-process.ts";
import { describeClaims } from "./claims-suite.ts";
import { describeStore } from "./suite.ts";
import type { StoreUnderTest } from "./suite/under-test.ts";

const PROJECT = "suite";

/** A lock and a write are a dozen requests each: a tenth of the large counts is enough. */
const SHARE = 0.1;

/**
 * A store at an address; s3-probe.test.ts probes servers. Once a process was killed, the time until its lock is free
 * passes at once.
 */
function storesAt(address: string): StoreUnderTest {
  const steady = hastyClock();
  const stores = sharedS3Stores(address);
  const open = (clock = realClock): ProjectStore => stores({ clock, steady, isTrusted: true }).of(PROJECT);
  const start = (): StoreProcess => {
    const process = startStoreProcess({ address, project: PROJECT }, AWS_ENV);
    const kill = async (): Promise<void> => {
      await process.kill();
      steady.hurry();
    };
    return { ...process, kill };
  };
  // Processes that load the client take seconds: what they show is tried quickly in s3-lease.test.ts.
  return { store: open(), other: open(), open, ...(STORES_FULL ? { start } : {}) };
}

describeStore("the store on S3", async () => storesAt((await startS3Server()).address("team/edge")), SHARE);

describe.skipIf(NO_ENGINE)(`on a real engine${NO_ENGINE ?? ""}`, () => {
  let engine: S3Engine | undefined;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine?.stop());

  const address = (): string => engine?.address() ?? "";

  describeStore("the store on S3", async () => storesAt(address()), SHARE);

  test("the probe of 16 creators and 100 rounds finds nothing wrong", async () => {
    await probeAt(address(), { racers: 16, rounds: 100 });
  });
});

describeClaims("the store on S3", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const stores = sharedS3Stores((await startS3Server(undefined, () => now)).address());
  const open = (): Claims => stores().claims;
  return {
    claims: open(),
    other: open(),
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
});
