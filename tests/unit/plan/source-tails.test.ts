import { describe, expect, it } from "vitest";
import { hashRow } from "../../../lib/core/row-hash.ts";
import { SOURCE_TAIL_GONE, sourcesToRemember } from "../../../lib/plan/source-tails.ts";
import type { SourceSeen } from "../../../lib/state/state.ts";
import { inputOf, known, liveHostname, planned, wanted } from "./inputs.ts";

const NAMES = Array.from({ length: 40 }, (_item, index) => `host-${index}.net`);

/** What a source gave whose rows are these. */
function seen(names: readonly string[]): SourceSeen {
  return { rows: names.length, last: names.at(-1) ?? "", order: names.map(hashRow).join("") };
}

/** Plans these rows, where all of `NAMES` were applied before; gives the deletions that are refused, and those that are not. */
function deletions(
  rows: readonly string[],
  { before = seen(NAMES), whole = [] }: { before?: SourceSeen; whole?: readonly string[] } = {},
): { refused: readonly string[]; free: readonly string[] } {
  const knownObjects = NAMES.map((name) => known("custom_hostname", name, {}));
  const given = {
    objects: rows.map((name) => wanted("custom_hostname", name, {})),
    known: knownObjects,
    live: NAMES.map((name) => liveHostname(name, {})),
    input: { sources: { customers: seen(rows) }, wholeSources: new Set(whole) },
  };
  const { state } = inputOf(given);
  const withSources = state && { ...state, sources: { customers: before } };
  const { changes } = planned({ ...given, input: { ...given.input, state: withSources } });
  const deleted = changes.filter(({ action }) => action === "delete");
  return {
    refused: deleted.filter(({ refused }) => refused?.code === SOURCE_TAIL_GONE).map(({ key }) => key),
    free: deleted.filter(({ refused }) => !refused).map(({ key }) => key),
  };
}

const without = (...indexes: readonly number[]): readonly string[] =>
  NAMES.filter((_name, index) => !indexes.includes(index));
const named = (...indexes: readonly number[]): readonly string[] => indexes.map((index) => `host-${index}.net`).sort();

describe("rows of a source that are gone", () => {
  it.each([
    [[39], "the newest one"],
    [[38], "the one before it"],
    [[3, 39], "the newest one and another"],
    [[37, 39], "two near the end, of which one between them stays"],
    [[3, 38, 39], "the two newest ones and another"],
  ])("are deleted: %j (%s)", (gone) => {
    expect(deletions(without(...gone))).toEqual({ refused: [], free: named(...gone) });
  });

  it.each([[[38, 39]], [[37, 38, 39]], [NAMES.map((_name, index) => index).slice(1)]])(
    "are refused where they are exactly the last ones: %j",
    (gone) => {
      expect(deletions(without(...gone))).toEqual({ refused: named(...gone), free: [] });
    },
  );

  it("are refused where other rows come", () => {
    expect(deletions(["new.net", ...without(38, 39), "newer.net"]).refused).toEqual(named(38, 39));
  });

  it("are refused where they are the last ones, in whatever order the others stand by now", () => {
    expect(deletions([...without(38, 39)].reverse()).refused).toEqual(named(38, 39));
  });

  it("are refused where they are ten at the end, also where another one goes; that one is deleted", () => {
    const tail = [30, 31, 32, 33, 34, 35, 36, 37, 38, 39];
    expect(deletions(without(5, ...tail))).toEqual({ refused: named(...tail), free: named(5) });
    expect(deletions(without(5, ...tail.slice(1))).refused).toEqual([]);
  });

  it("are deleted where the source is known to be whole", () => {
    expect(deletions(without(38, 39), { whole: ["customers"] })).toEqual({ refused: [], free: named(38, 39) });
    expect(deletions(without(38, 39), { whole: ["others"] }).free).toEqual([]);
  });
});

describe("a state of an older version, which knows the last row only", () => {
  const before = { rows: NAMES.length, last: "host-39.net" };

  it("has all deletions refused where that row is among them", () => {
    expect(deletions(without(3, 39), { before }).refused).toEqual(named(3, 39));
  });

  it("lets that row go alone, and others without it", () => {
    expect(deletions(without(39), { before }).free).toEqual(named(39));
    expect(deletions(without(3, 4), { before }).free).toEqual(named(3, 4));
  });
});

describe("what an apply remembers of its sources", () => {
  it("is nothing while a tail that is gone is refused", () => {
    const objects = NAMES.slice(0, 38).map((name) => wanted("custom_hostname", name, {}));
    const sources = { customers: seen(NAMES.slice(0, 38)) };
    const live = NAMES.map((name) => liveHostname(name, {}));
    const knownObjects = NAMES.map((name) => known("custom_hostname", name, {}));
    const { state } = inputOf({ known: knownObjects });
    const cut = planned({
      objects,
      live,
      input: { sources, state: state && { ...state, sources: { customers: seen(NAMES) } } },
    });
    expect(sourcesToRemember(cut)).toBeUndefined();
    expect(sourcesToRemember(planned({ objects, known: knownObjects, live, input: { sources } }))).toEqual(sources);
  });
});
