import { describe, expect, test } from "vitest";
import { Secret } from "../../lib/core/secret.ts";
import type { SharedBudget } from "../../lib/core/shared-budget.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { Claims } from "../../lib/state/claims.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { ask, beginAndStay, openServerClock, openStores, serverAddress } from "../support/postgres-stores.ts";
import { random } from "../support/state-world.ts";
import { startStoreProcess } from "../support/store-process.ts";
import { describeBudget } from "./budget-suite.ts";
import { describeClaims } from "./claims-suite.ts";
import { describeStore } from "./suite.ts";

describe.skipIf(NO_POSTGRES)(`on a real server${NO_POSTGRES ?? ""}`, () => {
  describeStore("the store in PostgreSQL", async () => {
    const [address, project] = [await serverAddress(), `p-${random.uuid()}`];
    const open = (clock = realClock): ProjectStore => openStores(address, { clock }).of(project);
    return { store: open(), other: open(), open, start: () => startStoreProcess({ address, project }) };
  });

  describeClaims("the store in PostgreSQL", async () => {
    const [address, schema] = [await serverAddress(), `claims_${random.uuid().replaceAll("-", "_")}`];
    let passed = 0;
    const clock = { ...realClock, now: () => realClock.now() + passed };
    const open = (): Claims => openStores(address, { clock, schema }).claims;
    const pass = (milliseconds: number): void => {
      passed += milliseconds;
    };
    const block = (): Promise<void> => beginAndStay(address, claimsTurn(schema));
    return { claims: open(), other: open(), pass, block };
  });

  describeBudget("the store in PostgreSQL", async () => {
    const address = await serverAddress();
    const { schema, serverTime, pass } = await openServerClock(address);
    const open = (): SharedBudget => budgetOf(openStores(address, { schema, serverTime }));
    return { budget: open(), other: open(), pass };
  });

  test("no table has the token, nor a hash of it that somebody could compare", async () => {
    const [address, schema] = [await serverAddress(), `budget_${random.uuid().replaceAll("-", "_")}`];
    const token = `token-${random.uuid()}`;
    const drawer = { credential: new Secret(token), runner: "one" };
    await budgetOf(openStores(address, { schema })).draw(drawer, []);
    await budgetOf(openStores(address, { schema })).draw({ ...drawer, runner: "two" }, []);
    const names = await ask(address, `SELECT credential FROM ${schema}.budgets`);
    expect(names).toHaveLength(1);
    expect(JSON.stringify(names)).toMatch(/hmac-sha256:[0-9a-f]{64}/);
    expect(JSON.stringify(names)).not.toContain(token);
    const elsewhere = `${schema}_2`;
    await budgetOf(openStores(address, { schema: elsewhere })).draw(drawer, []);
    expect(await ask(address, `SELECT credential FROM ${elsewhere}.budgets`)).not.toEqual(names);
  });
});

/** Begins what every change of a schema's claims begins with. */
function claimsTurn(schema: string): string {
  return `BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('zoneform claims "${schema}"', 0))`;
}

function budgetOf({ budget }: ReturnType<typeof openStores>): SharedBudget {
  if (!budget) throw new Error("a store in PostgreSQL has a shared budget");
  return budget;
}
