import { expect, test } from "vitest";
import { encodeState } from "../../../lib/state/codec.ts";
import { editState } from "../../../lib/state/state.ts";
import { encodeBinding, encodeRecord } from "../../../lib/state/journal.ts";
import { beginState, loadState, saveState } from "../../../lib/state/load.ts";
import type { Lease } from "../../../lib/state/lock.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { memoryStore } from "../../support/memory-store.ts";
import {
  addressOf,
  collect,
  given,
  HOLDER,
  hostname,
  LINEAGE,
  plain,
  random,
  stateOf,
  ZONE,
} from "../../support/state-world.ts";

async function lockedStore(): Promise<{ store: ProjectStore; lease: Lease }> {
  const store = memoryStore();
  return { store, lease: await store.lock(ZONE, HOLDER, 0) };
}

/** A journal that deletes the first hostname of a state with this serial and lineage. */
function deletion(baseSerial: number, lineage = LINEAGE): string[] {
  const start = encodeBinding({ zone: ZONE, lineage, baseSerial });
  const fixed = { run: "run-1", at: "2026-03-01T12:00:00Z", seq: 1 };
  return [
    start.line,
    encodeRecord(start.crc, { ...fixed, kind: "done", action: "delete", address: addressOf(0) }).line,
  ];
}

test("there is no state if nothing was ever written", async () => {
  expect(await loadState(memoryStore(), ZONE)).toBeUndefined();
});

test("a journal with the snapshot's serial is part of the state", async () => {
  const { store, lease } = await lockedStore();
  await store.write(ZONE, lease, undefined, given(encodeState(stateOf(2, { serial: 5 }))));
  await store.append(ZONE, lease, deletion(5));
  const loaded = await loadState(store, ZONE);
  expect(loaded?.hasJournal).toBe(true);
  expect([...(loaded?.state.objects.keys() ?? [])]).toEqual([addressOf(1)]);
});

test("a journal that the snapshot already contains is not replayed again", async () => {
  const { store, lease } = await lockedStore();
  await store.write(ZONE, lease, undefined, given(encodeState(stateOf(2, { serial: 6 }))));
  await store.append(ZONE, lease, deletion(5));
  const loaded = await loadState(store, ZONE);
  expect(loaded && plain(loaded.state)).toEqual(plain(stateOf(2, { serial: 6 })));
});

test("a snapshot that is older than its journal is refused", async () => {
  const { store, lease } = await lockedStore();
  await store.write(ZONE, lease, undefined, given(encodeState(stateOf(2, { serial: 4 }))));
  await store.append(ZONE, lease, deletion(5));
  await expect(loadState(store, ZONE)).rejects.toThrow(
    "the state is older than its journal (serial 4, the journal continues serial 5)",
  );
});

test("a journal of another lineage is refused", async () => {
  const { store, lease } = await lockedStore();
  await store.write(ZONE, lease, undefined, given(encodeState(stateOf(2, { serial: 5 }))));
  await store.append(ZONE, lease, deletion(5, "another"));
  await expect(loadState(store, ZONE)).rejects.toThrow("the journal belongs to another state (lineage another");
});

test("a journal without a state is refused, and not taken for a new zone", async () => {
  const { store, lease } = await lockedStore();
  await store.append(ZONE, lease, deletion(5));
  await expect(loadState(store, ZONE)).rejects.toThrow(
    "the state is missing, but the journal of an interrupted run is there",
  );
  await expect(beginState(store, lease, { id: ZONE, name: "saas.eu" }, random)).rejects.toThrow("the state is missing");
});

test("a new zone's lineage and key are stored before anything depends on them", async () => {
  const { store, lease } = await lockedStore();
  const { state } = await beginState(store, lease, { id: ZONE, name: "saas.eu" }, random);
  expect(state.secretKey).toMatch(/^[0-9a-f]{64}$/);
  const loaded = await loadState(store, ZONE);
  expect(loaded && plain(loaded.state)).toEqual(plain(state));
});

test("a run starts from a state without a journal as it is, and writes nothing", async () => {
  const { store, lease } = await lockedStore();
  const saved = await saveState(store, lease, undefined, stateOf(3));
  const begun = await beginState(store, lease, { id: ZONE, name: "saas.eu" }, random);
  expect(begun.version).toBe(saved.version);
  expect(begun.state.serial).toBe(4);
});

test("a journal is folded into the state before a run begins", async () => {
  const { store, lease } = await lockedStore();
  await store.write(ZONE, lease, undefined, given(encodeState(stateOf(2, { serial: 5 }))));
  await store.append(ZONE, lease, deletion(5));
  const begun = await beginState(store, lease, { id: ZONE, name: "saas.eu" }, random);
  expect(begun.state.serial).toBe(6);
  expect([...begun.state.objects.keys()]).toEqual([addressOf(1)]);
  expect(await collect((await store.view(ZONE)).journal())).toEqual([]);
});

test("each save raises the serial by one", async () => {
  const { store, lease } = await lockedStore();
  const first = await saveState(store, lease, undefined, stateOf(1));
  const second = await saveState(store, lease, first.version, first.state);
  expect([first.state.serial, second.state.serial]).toEqual([4, 5]);
});

test("an editor changes a copy: the original state and earlier results stay as they were", () => {
  const state = stateOf(2);
  const editor = editState(state);
  editor.set(addressOf(5), hostname(5));
  const before = editor.toState();
  editor.delete(addressOf(0));
  expect(plain(state)).toEqual(plain(stateOf(2)));
  expect([...before.objects.keys()]).toEqual([addressOf(0), addressOf(1), addressOf(5)]);
  expect([...editor.objects()].map(([address]) => address)).toEqual([addressOf(1), addressOf(5)]);
  expect(editor.get(addressOf(5))).toEqual(hostname(5));
});
