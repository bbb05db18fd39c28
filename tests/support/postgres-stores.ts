import { inject, onTestFinished } from "vitest";
import { disk } from "../../lib/real/disk.ts";
import { realClock } from "../../lib/real/clock.ts";
import { type PostgresOptions, postgresStores } from "../../lib/state/postgres/stores.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { sharedServer } from "./postgres-server.ts";
import { random } from "./state-world.ts";

/** Stores at an address, closed at the end of the test. Each call is like another process. */
export function openStores(address: string, options: Partial<PostgresOptions> = {}): StateStores {
  const stores = postgresStores(address, {
    env: {},
    fs: disk(),
    clock: realClock,
    random,
    user: "tester",
    ...options,
  });
  onTestFinished(() => stores.close());
  return stores;
}

/** The address of the run's server. */
export function serverAddress(): Promise<string> {
  return sharedServer(inject("sharedFolder"));
}
