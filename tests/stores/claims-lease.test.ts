import { expect, test } from "vitest";
import { type Lease, StoreConflict } from "../../lib/state/lock.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { PLACES } from "../support/places.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { HOLDER, ZONE } from "../support/state-world.ts";

const [SSL, TLS] = [
  { kind: "zone_setting", key: "ssl" },
  { kind: "zone_setting", key: "tls_1_3" },
];

for (const [name, open] of Object.entries(PLACES)) {
  const missing = name === "PostgreSQL" ? NO_POSTGRES : undefined;
  test.skipIf(missing)(
    `a run that lost its lock neither changes nor releases what the next one claims (${name})${missing ?? ""}`,
    async () => {
      const place = await open();
      const [slow, next] = [place(), place()];
      const take = (stores: StateStores, lease: Lease, things: (typeof SSL)[]): Promise<unknown> =>
        stores.claims.take({ project: "edge", zone: ZONE, things }, () => stores.of("edge").checkLease(ZONE, lease));
      const lost = await slow.of("edge").lock(ZONE, HOLDER, 0);
      await take(slow, lost, [SSL]);
      await next.of("edge").unlock(ZONE, lost.id);
      const lease = await next.of("edge").lock(ZONE, HOLDER, 0);
      await take(next, lease, [SSL, TLS]);
      await expect(take(slow, lost, [SSL])).rejects.toBeInstanceOf(StoreConflict);
      const release = slow.claims.release("edge", ZONE, () => slow.of("edge").checkLease(ZONE, lost));
      await expect(release).rejects.toBeInstanceOf(StoreConflict);
      expect((await next.claims.list()).map(({ key }) => key)).toEqual(["ssl", "tls_1_3"]);
      await take(next, lease, [TLS]);
      await lease.release();
    },
  );
}
