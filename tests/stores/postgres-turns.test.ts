import { describe, expect, onTestFinished, test } from "vitest";
import { realClock, realSteadyClock } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { parseAddress } from "../../lib/state/engines/postgres/address.ts";
import { dialer } from "../../lib/state/engines/postgres/dial.ts";
import { transaction } from "../../lib/state/engines/postgres/transaction.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { beginAndStay, openStores, serverAddress } from "../support/postgres-stores.ts";
import { HELD, random, ZONE } from "../support/state-world.ts";

const CLAIM = { project: "edge", zone: ZONE, things: [{ kind: "custom_hostname" }] };

function lockNamed(name: string): string {
  return `BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('${name}', 0))`;
}

describe.skipIf(NO_POSTGRES)(`what only one session does at a time${NO_POSTGRES ?? ""}`, () => {
  test("whoever is stopped does not wait for a session that stays in the middle of making the tables", async () => {
    const [address, schema] = [await serverAddress(), `tables_${random.uuid().replaceAll("-", "_")}`];
    await beginAndStay(address, lockNamed(`zoneform tables ${schema}`));
    const { claims } = openStores(address, { schema });
    await expect(claims.take(CLAIM, HELD, AbortSignal.timeout(300))).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("a process that is frozen in the middle of a change does not stop the others", async () => {
    const [address, schema] = [await serverAddress(), `frozen_${random.uuid().replaceAll("-", "_")}`];
    const { claims } = openStores(address, { schema });
    await claims.take(CLAIM, HELD);
    const parsed = parseAddress(address, {}, { user: "tester" });
    const connection = await dialer(parsed, { fs: disk(), clock: realClock, learn: () => undefined })({ writes: true });
    onTestFinished(() => connection.close());
    const alone = {
      name: `zoneform claims "${schema}"`,
      steady: realSteadyClock,
      random,
      busy: () => new Error("busy"),
    };
    const frozen = transaction(connection, () => new Promise(() => undefined), alone);
    frozen.catch(() => undefined);
    expect(await claims.take({ ...CLAIM, things: [{ kind: "zone_setting" }] }, HELD)).toEqual([]);
  });
});
