import { expect, test } from "vitest";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import { loadState } from "../../lib/state/load.ts";
import { refusingMoved } from "../../lib/state/zone/marks.ts";
import { listRuns } from "../../lib/state/runs.ts";
import { sealedStores } from "../../lib/state/zone/sealing/engine.ts";
import { Secret } from "../../lib/core/secret.ts";
import { openRig, ZONE } from "../support/engine.ts";
import { modelTransport, stateModel } from "../support/http-state-model.ts";
import { jumpingClock, random, steadyAs } from "../support/state-world.ts";

const RUNS = 3;

/** A project whose states are on a server, encrypted, and how often that server was asked for a zone's state. */
async function projectWithRuns(): Promise<{
  rig: ReturnType<typeof openRig>;
  store: ProjectStore;
  downloads: () => number;
}> {
  const model = stateModel("gitlab");
  let count = 0;
  const transport = modelTransport({
    handle: (request) => {
      if (request.method === "GET" && !request.url.endsWith("zoneform-index")) count += 1;
      return model.handle(request);
    },
  });
  const stores: ProjectStore[] = [];
  const rig = openRig({
    files: { "zones/a.yaml": zoneWith("a1.saas.net") },
    store: (clock) => {
      const plain = httpStores("https://gitlab.example/api/v4/projects/1/terraform/state", {
        env: {},
        clock,
        steady: steadyAs(clock),
        random,
        connect: () => transport,
      });
      const keyOf = async (): Promise<Uint8Array> => new Uint8Array(32).fill(7);
      const sealing = { passphrase: new Secret("correct horse"), acceptsPlain: false, random, keyOf };
      const store = refusingMoved(sealedStores(plain, sealing), { clock: jumpingClock(), random }).of("edge");
      stores.push(store);
      return store;
    },
  });
  for (let run = 1; run <= RUNS; run += 1) {
    rig.write("zones/a.yaml", zoneWith(`a${run}.saas.net`));
    await rig.run();
  }
  const [store] = stores;
  if (!store) throw new Error("the rig opened no store");
  return { rig, store, downloads: () => count };
}

function zoneWith(hostname: string): Parameters<ReturnType<typeof openRig>["write"]>[1] {
  return {
    version: 1,
    zone: ZONE,
    custom_hostnames: {
      lifecycle: "zoneform",
      ssl_updates: "always",
      foreign: "ignore",
      entries: [{ hostname, ssl: { method: "http", type: "dv" } }],
    },
  };
}

test("a state on an HTTP server is loaded with one download, however many runs are kept", async () => {
  const { store, downloads } = await projectWithRuns();
  const before = downloads();
  expect((await loadState(store, ZONE.id))?.state.serial).toBeGreaterThan(RUNS);
  expect(downloads() - before).toBe(1);
});

test("the kept runs are listed with one download", async () => {
  const { store, downloads } = await projectWithRuns();
  const before = downloads();
  expect(await listRuns(await store.view(ZONE.id))).toHaveLength(RUNS);
  expect(downloads() - before).toBe(1);
});

test("a plan downloads the state as often after many runs as after one", async () => {
  const { rig, downloads } = await projectWithRuns();
  const before = downloads();
  await rig.plan();
  expect(downloads() - before).toBeLessThanOrEqual(2);
});
