import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { disk } from "../../lib/real/disk.ts";
import { realClock } from "../../lib/real/clock.ts";
import { type PostgresOptions, postgresStores } from "../../lib/state/engines/postgres/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { sharedServer } from "./postgres-server.ts";
import { random, steadyAs } from "./state-world.ts";

/** Opens stores at an address, and closes them at the end of the test. Each call is like another process. */
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

/** The address of the server that all tests of this run share. */
export function serverAddress(): Promise<string> {
  return sharedServer(inject("sharedFolder"));
}

/** Runs statements and stays connected until the test ends, in the middle of a transaction if they began one. */
export async function beginAndStay(address: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(statements);
}

/** Runs a statement, and returns its rows. */
export async function ask(address: string, statement: string): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
}
