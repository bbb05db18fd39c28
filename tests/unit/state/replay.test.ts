import { expect, test } from "vitest";
import type { JournalRecord, RecordKind, WriteAction } from "../../../lib/state/journal-record.ts";
import { applyTraces, note, type Traces } from "../../../lib/state/journal.ts";
import type { State, StateObject } from "../../../lib/state/state.ts";
import { addressOf, hostname, stateOf } from "../../support/state-world.ts";

const KNOWN = addressOf(0);
const NEW = addressOf(7);
const AT = "2026-03-01T12:00:00Z";

/** The state after the records of a journal. */
function replay(state: State, records: readonly JournalRecord[]): State {
  const traces: Traces = new Map();
  for (const record of records) note(traces, record);
  return applyTraces(state, traces);
}

function after(...steps: readonly [RecordKind, WriteAction, string, StateObject?][]): State {
  return replay(
    stateOf(1),
    steps.map(([kind, action, address, object], index): JournalRecord => {
      const fixed = { seq: index + 1, run: "run-1", at: AT };
      return { ...fixed, kind, action, address, ...(object ? { object } : {}) };
    }),
  );
}

test("no records change nothing", () => {
  expect(after()).toEqual(stateOf(1));
});

test("a create that is done is known by its id", () => {
  const state = after(["intent", "create", NEW, hostname(7)], ["done", "create", NEW, hostname(7)]);
  expect(state.objects.get(NEW)).toEqual(hostname(7));
});

test("an unfinished create is pending, without an id, and with what was to be applied", () => {
  const { objects } = after(["intent", "create", NEW, hostname(7)]);
  expect(objects.get(NEW)).toEqual({ ...hostname(7), id: "", pending: "create", since: AT });
});

test("an unfinished create that names only its address is pending by its key", () => {
  expect(after(["intent", "create", NEW]).objects.get(NEW)).toEqual({
    kind: "custom_hostname",
    key: "app-7.customer.net",
    id: "",
    applied: {},
    pending: "create",
    since: AT,
  });
});

test("the last of two unfinished creates says what was sent", () => {
  const sent = { ...hostname(7), applied: { custom_metadata: { tier: "gold" } } };
  const { objects } = after(
    ["intent", "create", NEW, hostname(7)],
    ["failed", "create", NEW],
    ["intent", "create", NEW, sent],
  );
  expect(objects.get(NEW)).toEqual({ ...sent, id: "", pending: "create", since: AT });
  const record = {
    seq: 1,
    run: "run-2",
    at: AT,
    kind: "intent",
    action: "create",
    address: NEW,
    object: sent,
  } as const;
  const again = replay(after(["intent", "create", NEW, hostname(7)]), [record]);
  expect(again.objects.get(NEW)).toEqual({ ...sent, id: "", pending: "create", since: AT });
});

test("an unfinished create of a known object keeps the id: either of the two may be ours", () => {
  expect(after(["intent", "create", KNOWN]).objects.get(KNOWN)).toEqual({
    ...hostname(0),
    pending: "create",
    since: AT,
  });
});

test("an unfinished replace may have created an object", () => {
  expect(after(["intent", "replace", KNOWN]).objects.get(KNOWN)).toEqual({
    ...hostname(0),
    pending: "create",
    since: AT,
  });
});

test("protection counts as applied after an unfinished update: live cannot tell", () => {
  const shielded = { ...hostname(0), protect: true as const, applied: { ssl: { method: "txt" } } };
  expect(after(["intent", "update", KNOWN, shielded]).objects.get(KNOWN)).toMatchObject({
    ...hostname(0),
    protect: true,
  });
  expect(after(["intent", "update", KNOWN, shielded], ["failed", "update", KNOWN]).objects.get(KNOWN)).toEqual(
    hostname(0),
  );
  expect(after(["intent", "update", NEW, shielded]).objects.get(NEW)).toBeUndefined();
});

test("an unfinished update that must not be sent twice counts as sent", () => {
  const asked = { ...hostname(0), applied: { target: "new" }, asked: AT };
  expect(after(["intent", "update", KNOWN, asked]).objects.get(KNOWN)).toMatchObject(asked);
  expect(after(["intent", "update", KNOWN, asked], ["failed", "update", KNOWN]).objects.get(KNOWN)).toEqual(
    hostname(0),
  );
});

test.each(["adopt", "forget"] as const)("an unfinished %s changes nothing: live decides", (action) => {
  expect(after(["intent", action, KNOWN]).objects).toEqual(stateOf(1).objects);
});

test("after an unfinished update or delete the object is known as before, with what was sent, until the next result", () => {
  const sent = { ...hostname(0), applied: { custom_metadata: { tier: "silver" } } };
  const run = "run-1";
  expect(after(["intent", "update", KNOWN, sent]).objects.get(KNOWN)).toEqual({
    ...hostname(0),
    unanswered: { run, action: "update", sent: sent.applied },
  });
  expect(after(["intent", "delete", KNOWN]).objects.get(KNOWN)).toEqual({
    ...hostname(0),
    unanswered: { run, action: "delete" },
  });
  expect(after(["intent", "update", KNOWN, sent], ["failed", "update", KNOWN]).objects.get(KNOWN)).toEqual(hostname(0));
  expect(after(["intent", "update", KNOWN, sent], ["done", "update", KNOWN, sent]).objects.get(KNOWN)).toEqual(sent);
});

test("a create that failed leaves nothing", () => {
  expect(after(["intent", "create", NEW], ["failed", "create", NEW]).objects.has(NEW)).toBe(false);
});

test("a create that failed and was tried again is unfinished", () => {
  const { objects } = after(["intent", "create", NEW], ["failed", "create", NEW], ["intent", "create", NEW]);
  expect(objects.get(NEW)).toMatchObject({ pending: "create" });
});

test.each(["delete", "forget"] as const)("after a %s that is done, the object is no longer known", (action) => {
  expect(after(["intent", action, KNOWN], ["done", action, KNOWN]).objects.has(KNOWN)).toBe(false);
});

test("a delete that failed leaves the object known", () => {
  expect(after(["intent", "delete", KNOWN], ["failed", "delete", KNOWN]).objects.get(KNOWN)).toEqual(hostname(0));
});

test("an update that is done keeps what it applied", () => {
  const updated = hostname(0, { ssl: { method: "txt" } });
  expect(after(["intent", "update", KNOWN], ["done", "update", KNOWN, updated]).objects.get(KNOWN)).toEqual(updated);
});

test("an object that is proved to be gone is no longer known", () => {
  expect(after(["intent", "update", KNOWN], ["gone", "update", KNOWN]).objects.has(KNOWN)).toBe(false);
});

test("an object that was deleted and then created without a result is pending, without the old id", () => {
  const { objects } = after(
    ["intent", "delete", KNOWN],
    ["done", "delete", KNOWN],
    ["intent", "create", KNOWN, hostname(0)],
  );
  expect(objects.get(KNOWN)).toEqual({ ...hostname(0), by: { "": "run-1" }, id: "", pending: "create", since: AT });
});

test("replaying does not change the given state", () => {
  const state = stateOf(1);
  replay(state, [{ seq: 1, run: "r", kind: "done", action: "delete", address: KNOWN, at: AT }]);
  expect(state).toEqual(stateOf(1));
});

test("an object that moved to another address is known only there", () => {
  const moved: JournalRecord = {
    seq: 1,
    run: "run-1",
    at: AT,
    kind: "done",
    action: "adopt",
    address: NEW,
    object: hostname(0),
    from: KNOWN,
  };
  expect([...replay(stateOf(1), [moved]).objects]).toEqual([[NEW, hostname(0)]]);
});
