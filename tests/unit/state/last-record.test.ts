import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk } from "../../../lib/real/disk.ts";
import { Secret } from "../../../lib/core/secret.ts";
import type { FileSystem } from "../../../lib/core/file-system.ts";
import { StateError } from "../../../lib/state/error.ts";
import { loadState, saveState } from "../../../lib/state/load.ts";
import { localStore, projectFolder } from "../../support/local-store.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { nextRepair } from "../../../lib/state/upkeep/repair.ts";
import { listRuns, loadRun } from "../../../lib/state/runs.ts";
import type { Sealing } from "../../../lib/state/zone/sealing/engine.ts";
import { sealedStore } from "../../support/changed-store.ts";
import { inFull } from "../../support/full.ts";
import {
  addressOf,
  clocksOf,
  HOLDER,
  hostname,
  jumpingClock,
  processOf,
  random,
  stateOf,
  ZONE,
} from "../../support/state-world.ts";
import { past } from "../../support/zone-history.ts";

const LINE_END = 10;
const REAL = disk("refuse");
const SEALING: Sealing = {
  passphrase: new Secret("correct horse battery staple"),
  acceptsPlain: false,
  random,
  keyOf: async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest(),
};

type Open = (folder: string, fs?: FileSystem) => ProjectStore;

const plainStore: Open = (folder, fs = REAL) =>
  localStore(fs, folder, { identity: processOf(1), ...clocksOf(jumpingClock()), random });
const STORES: readonly (readonly [string, Open])[] = [
  ["plain", plainStore],
  ["sealed", (folder, fs) => sealedStore(plainStore(folder, fs), SEALING)],
];

/** The disk, but one file has other bytes. */
function withBytes(path: string, bytes: Uint8Array): FileSystem {
  return {
    ...REAL,
    stream: (asked) => (asked === path ? once(bytes) : REAL.stream(asked)),
  };
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** A folder with the journal of a run that died after this many creates: each an intent and its result. */
async function interrupted(open: Open, name = ""): Promise<{ folder: string; path: string; bytes: Buffer }> {
  const folder = await projectFolder();
  const store = open(folder);
  await past(store, [{ saved: stateOf(1) }, { run: `killed${name}`, did: { create: [7] }, left: {} }]);
  const path = store.describe(ZONE, "journal");
  return { folder, path, bytes: await readFile(path) };
}

/** Where a file's last line begins. */
function startOfLast(bytes: Buffer): number {
  return bytes.lastIndexOf(LINE_END, -2) + 1;
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

async function codeOf(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
    return "read";
  } catch (thrown) {
    return thrown instanceof StateError ? thrown.diagnostic.code : String(thrown);
  }
}

/** An odd step reaches each of a byte's eight bits in turn; `npm run test:full` tries every bit. */
const STEP = inFull(1, 29);

/** The distance between two places where a line is cut; `npm run test:full` tries every place. */
const CUT_STEP = inFull(1, 7);

/** The results of reading a file with each bit of its last line flipped, including every bit of its line end. */
async function ends(bytes: Buffer, read: (bytes: Buffer) => Promise<string>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const lineEnd = (bytes.length - 1) * 8;
  for (let bit = startOfLast(bytes) * 8; bit < lineEnd; bit += STEP) found.add(await read(flipped(bytes, bit)));
  for (let bit = lineEnd; bit < bytes.length * 8; bit += 1) found.add(await read(flipped(bytes, bit)));
  return found;
}

describe.each(STORES)("the last record of a journal, %s", (_name, open) => {
  // Sealed lines of three lengths: with no padding character, one, and two.
  test.each(["", "1", "12"])("is damaged by any bit that is flipped (%s)", async (name) => {
    const { folder, path, bytes } = await interrupted(open, name);
    const found = await ends(bytes, (changed) => codeOf(() => loadState(open(folder, withBytes(path, changed)), ZONE)));
    expect([...found]).toEqual(["journal-damaged"]);
  });

  test("is torn if it is cut anywhere, with or without zeros after it: nobody ever relied on it", async () => {
    const { folder, path, bytes } = await interrupted(open);
    for (let length = bytes.length - 1; length >= startOfLast(bytes); length -= CUT_STEP) {
      for (const zeros of [0, 1, 512]) {
        const cut = Buffer.concat([bytes.subarray(0, length), Buffer.alloc(zeros)]);
        const loaded = await loadState(open(folder, withBytes(path, cut)), ZONE);
        expect(loaded?.state.objects.get(addressOf(7))).toMatchObject({ pending: "create" });
      }
    }
  });

  test("is damaged if it contains zeros and its line end is still there", async () => {
    const { folder, path, bytes } = await interrupted(open);
    const holed = Buffer.from(bytes).fill(0, startOfLast(bytes) + 10, startOfLast(bytes) + 20);
    expect(await codeOf(() => loadState(open(folder, withBytes(path, holed)), ZONE))).toBe("journal-damaged");
  });

  test("is kept by a repair if only its line end is damaged, and so is a copy of the original bytes", async () => {
    for (const bit of [0, 2, 6]) {
      const { folder, path, bytes } = await interrupted(open, "12");
      const damaged = flipped(bytes, (bytes.length - 1) * 8 + bit);
      await writeFile(path, damaged);
      const store = open(folder);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await (await nextRepair(store, ZONE))?.carryOut(lease);
      expect((await loadState(store, ZONE))?.state.objects.get(addressOf(7))).toEqual(hostname(7));
      const aside = (await store.files(ZONE)).filter(({ role }) => role === "set-aside");
      expect(await Promise.all(aside.map((file) => readFile(file.path)))).toEqual([damaged]);
    }
  });
});

describe.each(STORES)("a record beside the state, %s", (_name, open) => {
  test("of a run is damaged by any flipped bit in its last line", async () => {
    const { folder } = await interrupted(open);
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const loaded = await loadState(store, ZONE);
    await saveState(store, lease, loaded?.version, loaded?.state ?? stateOf(1));
    expect((await listRuns(await store.view(ZONE))).map(({ run }) => run)).toEqual(["killed"]);
    const path = (await store.files(ZONE)).find((file) => file.path.includes(".kept-run-"))?.path ?? "";
    const bytes = await readFile(path);
    const found = await ends(bytes, (changed) =>
      codeOf(async () =>
        expect(await loadRun(await open(folder, withBytes(path, changed)).view(ZONE), "killed")).toBeDefined(),
      ),
    );
    expect([...found].sort()).toEqual(
      found.has("record-damaged") ? ["record-damaged", "run-damaged"] : ["run-damaged"],
    );
  });
});
