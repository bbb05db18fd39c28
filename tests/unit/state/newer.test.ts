import { expect, test } from "vitest";
import { checksum } from "../../../lib/core/digest.ts";
import { streamed } from "../../../lib/core/lists.ts";
import { disk } from "../../../lib/real/disk.ts";
import { decodeJournal, encodeBinding } from "../../../lib/state/journal.ts";
import { lastWrite } from "../../../lib/state/trail.ts";
import { loadState } from "../../../lib/state/load.ts";
import { localStore, projectFolder } from "../../support/local-store.ts";
import { decodeRun, encodeRun } from "../../../lib/state/run-record.ts";
import type { Sealing } from "../../../lib/state/zone/sealing/engine.ts";
import { sealedStore } from "../../support/changed-store.ts";
import type { Lease } from "../../../lib/state/lock.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { clocksOf, collect, HOLDER, jumpingClock, processOf, random, ZONE } from "../../support/state-world.ts";

const RUN = { run: "r", zone: ZONE, lineage: "l", serial: 1, began: "", ended: "", changes: 0 };
const LAST_WRITE = JSON.stringify({ format: "zoneform-last-write", version: 2 });
const SEALED = JSON.stringify({ format: "zoneform-sealed", version: 2, serial: 1, sealed: "AA==" });

const SEALING: Sealing = { acceptsPlain: false, random, keyOf: async () => new Uint8Array(32) };

/** The first line of a journal of the next version, with its own checksum. */
function newerBinding(): string {
  const { line } = encodeBinding({ zone: ZONE, lineage: "l", baseSerial: 1 });
  const body = line.slice(line.indexOf(",") + 1).replace('"version":1', '"version":2');
  return `{"crc":"${checksum(body)}",${body}`;
}

/** What lies in a store of the next version, and how it is read. */
const NEWER: readonly (readonly [
  string,
  (store: ProjectStore, lease: Lease) => Promise<unknown>,
  (store: ProjectStore) => Promise<unknown>,
])[] = [
  [
    "a journal",
    (store, lease) => store.append(ZONE, lease, [newerBinding()]),
    async (store) => decodeJournal((await store.view(ZONE)).journal(), "journal"),
  ],
  [
    "the record of a run",
    async () => undefined,
    async () => {
      const lines = await collect(encodeRun(RUN, streamed([])));
      return decodeRun(streamed(lines.map((line) => line.replace('"version":1', '"version":2'))), "run-r");
    },
  ],
  [
    "the record of the last write",
    (store, lease) => store.keep(ZONE, lease, "last-write", streamed([LAST_WRITE, checksum(LAST_WRITE)])),
    async (store) => lastWrite(await store.view(ZONE)),
  ],
  [
    "an encrypted state",
    (store, lease) => store.write(ZONE, lease, undefined, streamed([SEALED])),
    (store) => loadState(sealedStore(store, SEALING), ZONE),
  ],
];

test.each(NEWER)("%s that a newer Zoneform wrote is refused, and is no damage", async (_name, write, read) => {
  const identity = processOf(1000);
  const store = localStore(disk("refuse"), await projectFolder(), { identity, ...clocksOf(jumpingClock()), random });
  await write(store, await store.lock(ZONE, HOLDER, 0));
  await expect(read(store)).rejects.toMatchObject({ diagnostic: { code: "state-newer" } });
});
