import { realClock } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { temporaryFolder } from "./disk.ts";
import { startHttpStates } from "./http-state-server.ts";
import { openStores, serverAddress } from "./postgres-stores.ts";
import { startS3Server } from "./s3-server.ts";
import { openS3Stores } from "./s3-stores.ts";
import { clocksOf, processOf, random } from "./state-world.ts";

/** For each engine: makes a new place for states, and returns a function that opens it, each time like another process. */
export const PLACES: Readonly<Record<string, () => Promise<() => StateStores>>> = {
  folder: async () => {
    const root = `${await temporaryFolder()}/states`;
    return () => localStores(disk("refuse"), root, { identity: processOf(1), ...clocksOf(realClock), random });
  },
  PostgreSQL: async () => {
    const [address, schema] = [await serverAddress(), `place_${random.uuid().replaceAll("-", "_")}`];
    return () => openStores(address, { schema });
  },
  S3: async () => {
    const address = (await startS3Server()).address("team");
    return () => openS3Stores(address);
  },
  HTTP: async () => {
    const server = await startHttpStates("gitlab");
    return () => server.open();
  },
};
