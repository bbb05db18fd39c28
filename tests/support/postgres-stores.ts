import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { disk } from "../../lib/real/disk.ts";
import { realClock } from "../../lib/real/clock.ts";
import { type PostgresOptions, postgresStores } from "../../lib/state/engines/postgres/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { sharedServer } from "./postgres-server.ts";
import { random, steadyAs } from "./state-world.ts";

/** Stores at an address, closed at the end of the test. Each call is like another process. */
export function openStores(address: string, options: Partial<PostgresOptions> = {}): StateStores {
  const { clock = realClock } = options;
  const stores = postgresStores(address, {
    env: {},
    fs: disk(),
    clock,
    steady: steadyAs(clock),
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

/** Carries out statements and stays connected, in the middle of a transaction if they began one, until the test ends. */
export async function beginAndStay(address: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(statements);
}

/** The rows of a statement. */
export async function ask(address: string, statement: string): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
}
