import { expect, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { migrationPlace, type MigrationPlace } from "../../lib/state/upkeep/migrate.ts";
import { refusingMoved } from "../../lib/state/zone/marks.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { startHttpStates } from "../support/http-state-server.ts";
import { temporaryFolder } from "../support/disk.ts";
import { moveStates } from "../support/moving-states.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { startS3Server } from "../support/s3-server.ts";
import { openS3Stores } from "../support/s3-stores.ts";
import { contentOf } from "../support/store-content.ts";
import { clocksOf, LEASED, HOLDER, processOf, random, stateOf, ZONE } from "../support/state-world.ts";
import { past } from "../support/zone-history.ts";

const WORLD = { clock: realClock, random };

const SERVERS = {
  PostgreSQL: async (): Promise<StateStores> => openStores(await serverAddress()),
  HTTP: async (): Promise<StateStores> => (await startHttpStates("gitlab")).open(),
  S3: async (): Promise<StateStores> => openS3Stores((await startS3Server()).address("team")),
} as const;

for (const [engine, openServer] of Object.entries(SERVERS)) {
  const missing = engine === "PostgreSQL" ? NO_POSTGRES : undefined;
  test.skipIf(missing)(
    `states move from a folder to a server and back, with everything (${engine})${missing ?? ""}`,
    async () => {
      const project = `p-${random.uuid()}`;
      const parts = { identity: processOf(1), ...clocksOf(realClock), random };
      const folder = localStores(disk("refuse"), `${await temporaryFolder()}/states`, parts);
      const server = await openServer();
      const placeOf = (stores: StateStores): MigrationPlace => migrationPlace(stores, project, WORLD);
      const [local, remote] = [placeOf(folder), placeOf(server)];
      const { state } = await past(local.store, [
        { saved: stateOf(3) },
        { saved: "again" },
        { saved: "again" },
        { run: "run-1", left: { create: [5] } },
      ]);
      await local.store.observe(ZONE, ["seen"]);
      const content = await contentOf(local.store);
      await local.claims.take({ project, zone: ZONE, things: [{ kind: "total_tls" }] }, LEASED);
      const claimed = await local.claims.list();
      await moveStates({ project, from: local, to: remote });
      expect((await remote.claims.list()).filter((claim) => claim.project === project)).toMatchObject(
        claimed.map(({ since: _since, ...claim }) => claim),
      );
      expect(await local.claims.list()).toEqual([]);
      expect(await contentOf(remote.store)).toEqual(content);
      await expect(loadState(refusingMoved(folder, WORLD).of(project), ZONE)).rejects.toMatchObject({
        diagnostic: { code: "state-moved", message: expect.stringContaining(server.describe()) },
      });
      const loaded = await loadState(refusingMoved(server, WORLD).of(project), ZONE);
      const held = await remote.store.lock(ZONE, HOLDER, 0);
      await saveState(remote.store, held, loaded?.version, loaded?.state ?? state);
      await held.release();

      const later = await contentOf(remote.store);
      await moveStates({ project, from: remote, to: local });
      expect(await contentOf(local.store)).toEqual(later);
      await expect(loadState(refusingMoved(server, WORLD).of(project), ZONE)).rejects.toMatchObject({
        diagnostic: { code: "state-moved" },
      });
    },
  );
}
