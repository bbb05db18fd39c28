import { describe, expect, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { identity } from "../../lib/real/identity.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { StoreConflict } from "../../lib/state/lock.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { startHttpStates } from "../support/http-state-server.ts";
import { memoryStore } from "../support/memory-store.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { startS3Server } from "../support/s3-server.ts";
import { sharedS3Stores } from "../support/s3-stores.ts";
import { clocksOf, collect, given, HOLDER, random, ZONE } from "../support/state-world.ts";

const STORES: readonly (readonly [name: string, open: () => Promise<ProjectStore>])[] = [
  ["in memory", async () => memoryStore()],
  [
    "in local files",
    async () => {
      const folder = `${await temporaryFolder()}/.zoneform`;
      return localStores(disk("refuse"), folder, { identity: identity(), ...clocksOf(realClock), random }).of("suite");
    },
  ],
  ["on an HTTP server", async () => (await startHttpStates("gitlab")).open().of("suite")],
  ["on S3", async () => sharedS3Stores((await startS3Server()).address("team"))({ isTrusted: true }).of("suite")],
  ...(NO_POSTGRES === undefined
    ? [
        [
          "in PostgreSQL",
          async (): Promise<ProjectStore> => openStores(await serverAddress()).of(`p-${random.uuid()}`),
        ] as const,
      ]
    : []),
];

async function copiesOf(store: ProjectStore): Promise<readonly string[]> {
  return (await store.files(ZONE)).flatMap(({ role, copy }) => (role === "set-aside" ? [copy ?? "nameless"] : []));
}

async function linesOf(store: ProjectStore, name: string): Promise<readonly string[] | undefined> {
  const lines = (await store.view(ZONE)).copy(name);
  return lines && collect(lines);
}

describe.each(STORES)("a copy that was set aside %s", (_name, open) => {
  test("is listed, can be read as it was, and deleted; deleting twice is deleting once", async () => {
    const store = await open();
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.write(ZONE, lease, undefined, given(['{"serial":7}', "ä€😀"]));
    await store.append(ZONE, lease, ["one", "two"]);
    const names = [await store.setAside(ZONE, lease, "state"), await store.setAside(ZONE, lease, "journal")];
    await store.rewriteJournal(ZONE, lease, given(["three"]));
    expect([...(await copiesOf(store))].sort()).toEqual([...names].sort());
    expect(await linesOf(store, names[0] ?? "")).toEqual(['{"serial":7}', "ä€😀"]);
    expect(await linesOf(store, names[1] ?? "")).toEqual(["one", "two"]);

    await store.discardCopy(ZONE, lease, names[0] ?? "");
    await store.discardCopy(ZONE, lease, names[0] ?? "");
    expect(await copiesOf(store)).toEqual([names[1]]);
    expect(await linesOf(store, names[0] ?? "")).toBeUndefined();
    expect(await collect((await store.view(ZONE)).state?.lines ?? given([]))).toEqual(['{"serial":7}', "ä€😀"]);
    expect(await collect((await store.view(ZONE)).journal())).toEqual(["three"]);
    await lease.release();
    await expect(store.discardCopy(ZONE, lease, names[1] ?? "")).rejects.toThrow(StoreConflict);
  });

  test("stays when the state of the zone is removed", async () => {
    const store = await open();
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.write(ZONE, lease, undefined, given(['{"serial":7}']));
    const [name = ""] = await store.retire(ZONE, lease);
    expect(await copiesOf(store)).toEqual([name]);
    expect(await linesOf(store, name)).toEqual(['{"serial":7}']);
    await lease.release();
  });

  test("exists under no other name", async () => {
    const store = await open();
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.write(ZONE, lease, undefined, given(["{}"]));
    for (const name of ["", "state", "lock", "../../x", "state.damaged-../../x", "state.damaged-2026"]) {
      expect(await linesOf(store, name), name).toBeUndefined();
      await store.discardCopy(ZONE, lease, name);
    }
    expect(await collect((await store.view(ZONE)).state?.lines ?? given([]))).toEqual(["{}"]);
    await lease.release();
  });
});
