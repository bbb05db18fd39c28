import { describe } from "vitest";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { random } from "../support/state-world.ts";
import { describeStore } from "./suite.ts";

describe.skipIf(NO_POSTGRES)(`on a real server${NO_POSTGRES ?? ""}`, () => {
  describeStore("the store in PostgreSQL", async () => {
    const [address, project] = [await serverAddress(), `p-${random.uuid()}`];
    return { store: openStores(address).of(project), other: openStores(address).of(project) };
  });
});
