import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { decodeState, encodeState } from "../../../lib/state/codec.ts";
import { StateError } from "../../../lib/state/error.ts";
import type { State, StateObject } from "../../../lib/state/state.ts";
import { onProcessor } from "../../support/processor.ts";
import { addressOf, given, hostname, plain, stateOf, ZONE } from "../../support/state-world.ts";

const WHERE = ".zoneform/zone.state";

function decode(lines: Iterable<string>): Promise<State> {
  return decodeState(given(lines), WHERE, ZONE);
}

/** What reading these lines is refused with. */
async function refusal(lines: Iterable<string>): Promise<{ code: string; message: string; line: number | undefined }> {
  const error = await decode(lines).catch((thrown: unknown) => thrown);
  if (!(error instanceof StateError)) throw new Error("nothing was refused", { cause: error });
  const { code, message, at, remedy } = error.diagnostic;
  expect(remedy).toBeTruthy();
  expect(at?.file).toBe(WHERE);
  return { code, message, line: at?.line };
}

/** The lines of a state with one of them changed; the footer stays. */
function withLine(count: number, index: number, change: (line: string) => string): string[] {
  return [...encodeState(stateOf(count))].map((line, at) => (at === index ? change(line) : line));
}

describe("a state as lines", () => {
  test("is a header, one line for each object by address, and a footer", () => {
    const lines = [...encodeState(stateOf(2))];
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      format: "zoneform-state",
      version: 1,
      serial: 3,
      zone: { id: ZONE },
    });
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({ address: addressOf(0), id: "id-0" });
    expect(JSON.parse(lines[3] ?? "")).toMatchObject({ count: 2 });
  });

  test("remembers of a source how it ended, and what is missing", async () => {
    const end = ["b.net", "c.net"];
    const sources = {
      customers: { rows: 3, first: "a.net", end, missing: { rows: ["d.net"], isMore: true as const } },
      others: { rows: 2, first: "b.net", end },
    };
    const state = stateOf(2, { sources });
    const lines = [...encodeState(state)];
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ version: 1, sources });
    expect(plain(await decode(lines))).toEqual(plain(state));
  });

  test("sorts objects by code point, whatever their order was", () => {
    const names = ["\u{1F600}", "\uFFFD", "b", "a", "aa", "é"];
    const objects = new Map(names.map((name) => [name, hostname(0)]));
    const addresses = [...encodeState(stateOf(0, { objects }))]
      .slice(1, -1)
      .map((line) => /"address":"([^"]*)"/.exec(line)?.[1]);
    const byBytes = [...names].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    expect(addresses).toEqual(byBytes);
  });

  test("gives equal bytes for equal states, whatever the order of their keys", () => {
    const one = new Map([[addressOf(1), hostname(1, { a: 1, b: { c: 2, d: 3 } })]]);
    const two = new Map([[addressOf(1), hostname(1, { b: { d: 3, c: 2 }, a: 1 })]]);
    expect([...encodeState(stateOf(0, { objects: one }))]).toEqual([...encodeState(stateOf(0, { objects: two }))]);
  });

  test("is decoded to what was encoded, for any state", async () => {
    const object: fc.Arbitrary<StateObject> = fc.record(
      {
        kind: fc.constantFrom("custom_hostname", "ruleset"),
        key: fc.string({ unit: "grapheme" }),
        id: fc.string(),
        applied: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()))),
        protect: fc.constant(true as const),
        seen: fc.record({ status: fc.string(), at: fc.string() }),
        pending: fc.constant("create" as const),
      },
      { requiredKeys: ["kind", "key", "id", "applied"], noNullPrototype: true },
    );
    const entries = fc.uniqueArray(fc.tuple(fc.string({ unit: "grapheme" }), object), {
      selector: ([address]) => address,
    });
    await fc.assert(
      fc.asyncProperty(entries, fc.nat(), async (objects, serial) => {
        const state = stateOf(0, { objects: new Map(objects), serial });
        expect(await decode(encodeState(state))).toEqual({ ...state, objects: new Map(objects) });
      }),
      { numRuns: 200 },
    );
  });

  test("keeps every field of an object", async () => {
    // `Required`: a field that is added to the type breaks the build here until the codec keeps it too.
    const object: Required<Omit<StateObject, "observed">> = {
      ...hostname(1),
      by: { "": "7afb14ca", "ssl.settings.http2": "0c41d2e9" },
      protect: true,
      seen: { status: "active", at: "2026-03-01T12:00:00Z" },
      undeclared: true,
      pending: "create",
      since: "2026-11-21T06:00:00.000Z",
      asked: "2026-11-21T06:00:01.000Z",
      unanswered: {
        run: "run-1",
        action: "update",
        sent: { custom_metadata: { tier: "gold" } },
        by: { "": "7afb14ca" },
      },
      uploaded: ["0f".repeat(32)],
    };
    const state = stateOf(0, { objects: new Map([[addressOf(1), object]]) });
    expect((await decode(encodeState(state))).objects.get(addressOf(1))).toEqual(object);
  });

  test("keeps which runs applied what has left it, in that order, and since when it knows", async () => {
    const removed = new Map([
      [addressOf(2), { "": "7afb14ca" }],
      [addressOf(1), { "ssl.method": "0c41d2e9" }],
    ]);
    const state = stateOf(0, { objects: new Map(), removed, removedUntil: 7 });
    const decoded = await decode(encodeState(state));
    expect(decoded).toEqual(state);
    expect([...(decoded.removed ?? [])]).toEqual([...removed]);
  });

  test("never contains what other runs observed", async () => {
    const object = { ...hostname(1), observed: [{ status: "moved", at: "2026-11-21T06:00:00.000Z" }] };
    const state = stateOf(0, { objects: new Map([[addressOf(1), object]]) });
    expect([...encodeState(state)].join("")).not.toContain("moved");
    expect((await decode(encodeState(state))).objects.get(addressOf(1))).toEqual(hostname(1));
  });

  test("keeps a key named __proto__ like any other", async () => {
    const applied = { custom_metadata: Object.fromEntries([["__proto__", "admin"]]) };
    const state = stateOf(0, { objects: new Map([[addressOf(1), hostname(1, applied)]]) });
    const [line] = [...encodeState(await decode(encodeState(state)))].slice(1);
    expect(line).toContain('{"__proto__":"admin"}');
  });
});

describe("damage is never taken for a state", () => {
  test("a file of no lines", async () => {
    expect(await refusal([])).toMatchObject({
      code: "state-damaged",
      message: "the state is damaged: it is empty; a state always has a header and a footer",
    });
  });

  test("every prefix of its lines", async () => {
    const lines = [...encodeState(stateOf(5))];
    for (let length = 0; length < lines.length; length++) {
      expect(await refusal(lines.slice(0, length))).toMatchObject({ code: "state-damaged" });
    }
  });

  test("one flipped bit anywhere", async () => {
    const bytes = Buffer.from([...encodeState(stateOf(2))].join("\n"));
    for (let index = 0; index < bytes.length; index++) {
      const flipped = Buffer.from(bytes);
      flipped[index] = (bytes[index] ?? 0) ^ 1;
      await expect(decode(flipped.toString("utf8").split("\n"))).rejects.toThrow(StateError);
    }
  });

  test("a line that is not JSON is named", async () => {
    expect(await refusal(withLine(3, 2, () => "{half"))).toMatchObject({
      line: 3,
      message: "the state is damaged: line 3 is not JSON",
    });
  });

  test("a line that was changed by hand", async () => {
    const lines = withLine(3, 2, (line) => line.replace("dv", "ev"));
    expect(await refusal(lines)).toMatchObject({
      message: "the state is damaged: the content does not match the checksum of its footer",
    });
  });

  test("a line that was removed", async () => {
    const lines = [...encodeState(stateOf(3))].filter((_line, index) => index !== 2);
    expect(await refusal(lines)).toMatchObject({
      message: "the state is damaged: it has 2 objects, but its footer says 3",
    });
  });

  test("an address that occurs twice", async () => {
    const lines = [...encodeState(stateOf(3))];
    expect(await refusal([...lines.slice(0, 2), ...lines.slice(1)])).toMatchObject({
      line: 3,
      message: `the state is damaged: it contains ${addressOf(0)} twice`,
    });
  });

  test("a field that is missing is named", async () => {
    expect(await refusal(withLine(3, 2, (line) => line.replace('"id"', '"di"')))).toMatchObject({
      line: 3,
      message: 'the state is damaged: line 3: the field "id" must be a string, but is missing',
    });
  });

  test("a protection that is not true is damage, not a missing protection", async () => {
    const lines = withLine(1, 1, (line) => line.replace('"kind"', '"protect":false,"kind"'));
    expect(await refusal(lines)).toMatchObject({ line: 2 });
  });

  test("lines after the footer", async () => {
    const lines = [...encodeState(stateOf(1))];
    expect(await refusal([...lines, ...lines])).toMatchObject({
      line: 4,
      message: "the state is damaged: there are lines after the footer",
    });
  });

  test("another format", async () => {
    expect(await refusal(['{"version":4,"terraform_version":"1.9.0"}'])).toMatchObject({
      message: "the state is damaged: this is not a state: its header does not say so",
    });
  });
});

describe("states that must not be used here", () => {
  test("one that a newer zoneform wrote", async () => {
    expect(await refusal(withLine(1, 0, (line) => line.replace('"version":1', '"version":3')))).toMatchObject({
      code: "state-newer",
      message: "the state was written by a newer zoneform (version 3, this one reads 1)",
    });
  });

  test("one of another zone", async () => {
    const zone = { id: zoneId("f".repeat(32)), name: "saas.us" };
    expect(await refusal(encodeState(stateOf(1, { zone })))).toMatchObject({
      code: "state-of-another-zone",
      message: `this is the state of zone ${zone.id} ("saas.us"), not of zone ${ZONE}`,
    });
  });
});

test("a hundred thousand objects are written and read in linear time", async () => {
  const state = stateOf(100_000);
  // About a second; quadratic growth would take far longer.
  const [read, seconds] = await onProcessor(() => decode(encodeState(state)));
  expect(seconds).toBeLessThan(60);
  expect(plain(read)).toEqual(plain(state));
});
