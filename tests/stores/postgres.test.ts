import { describe } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import type { Claims } from "../../lib/state/zone/claims.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { random } from "../support/state-world.ts";
import { startStoreProcess } from "../support/store-process.ts";
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
    const open = (): Claims => openStores(address, { schema }).claims;
    // The server's clock counts in milliseconds, and nobody sets it here.
    const pass = async (): Promise<void> => realClock.sleep(2);
    return { claims: open(), other: open(), pass };
  });
});
