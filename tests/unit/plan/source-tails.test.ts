import type { SourceRows } from "../../../lib/config/desired.ts";
import { describe, expect, it } from "vitest";
import type { ZonePlan } from "../../../lib/plan/change.ts";
import { EVERYTHING, type PlanInput } from "../../../lib/plan/inputs.ts";
import { SOURCE_TAIL_GONE, withoutDeleted } from "../../../lib/plan/sources.ts";
import type { SourceSeen } from "../../../lib/state/state.ts";
import { inputOf, known, liveHostname, planned, wanted } from "./inputs.ts";

const NAMES = Array.from({ length: 40 }, (_item, index) => `host-${index}.net`);

/** What the state remembers of a source whose rows are these, in a file with these rows. */
function seen(names: readonly string[], file: readonly string[] = names): SourceSeen {
  return { rows: names.length, first: file[0] ?? "", end: file.slice(-10) };
}

/** The same source as a plan sees it. */
function present(names: readonly string[], file: readonly string[] = names): SourceRows {
  return { ...seen(names, file), has: (hostname) => file.includes(hostname) };
}

/** Plans these rows, where all of `NAMES` were applied before; gives the deletions that are refused, and those that are not. */
function deletions(
  rows: readonly string[],
  { before = seen(NAMES), complete = [] }: { before?: SourceSeen; complete?: readonly string[] } = {},
): { refused: readonly string[]; free: readonly string[] } {
  const knownObjects = NAMES.map((name) => known("custom_hostname", name, {}));
  const given = {
    objects: rows.map((name) => wanted("custom_hostname", name, {})),
    known: knownObjects,
    live: NAMES.map((name) => liveHostname(name, {})),
    input: { sources: { customers: present(rows) }, completeSources: new Set(complete) },
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

  it("are refused with every other one where they are ten at the end: nobody knows how many before them are missing", () => {
    const tail = [30, 31, 32, 33, 34, 35, 36, 37, 38, 39];
    expect(deletions(without(5, ...tail))).toEqual({ refused: named(5, ...tail), free: [] });
    expect(deletions(without(5, ...tail.slice(1))).refused).toEqual([]);
  });

  it("are refused where as many others came as went: the file may have lost nothing but its end", () => {
    expect(deletions(["new.net", ...without(3, 38, 39)]).refused).toEqual(named(38, 39));
    expect(deletions(without(3, 38, 39)).refused).toEqual([]);
  });

  it("are deleted where somebody says that the source is complete", () => {
    expect(deletions(without(38, 39), { complete: ["customers"] })).toEqual({ refused: [], free: named(38, 39) });
    expect(deletions(without(38, 39), { complete: ["others"] }).free).toEqual([]);
  });
});

describe("what an apply remembers of its sources", () => {
  const rows = NAMES.slice(0, 38);
  const cut = { customers: present(rows) };

  /** Plans these rows against a memory; every one of `NAMES` is tracked and live. */
  function plannedAgainst(
    customers: SourceSeen,
    sources: Readonly<Record<string, SourceRows>> = cut,
    more: Partial<PlanInput> = {},
  ): ZonePlan {
    const knownObjects = NAMES.map((name) => known("custom_hostname", name, {}));
    const { state } = inputOf({ known: knownObjects });
    return planned({
      objects: rows.map((name) => wanted("custom_hostname", name, {})),
      live: NAMES.map((name) => liveHostname(name, {})),
      input: { sources, state: state && { ...state, sources: { customers } }, ...more },
    });
  }

  const refusedIn = ({ changes }: ZonePlan): readonly string[] =>
    changes.filter(({ refused }) => refused?.code === SOURCE_TAIL_GONE).map(({ key }) => key);

  it("is what they give, and the rows that look cut off: these stay refused until they are deleted or back", () => {
    const first = plannedAgainst(seen(NAMES));
    const missing = { rows: ["host-38.net", "host-39.net"] };
    expect(first.bookkeeping.sources).toEqual({ customers: { ...seen(rows), missing } });
    const remembered = { ...seen(rows), missing };
    const second = plannedAgainst(remembered);
    expect(refusedIn(second)).toEqual(named(38, 39));
    expect(second.bookkeeping.sources).toBeUndefined();
    expect(refusedIn(plannedAgainst({ ...remembered, missing: { rows: ["host-39.net"] } }))).toEqual(named(39));
    expect(withoutDeleted({ customers: remembered }, ["host-39.net"])).toEqual({
      customers: { ...seen(rows), missing: { rows: ["host-38.net"] } },
    });
    expect(withoutDeleted({ customers: remembered }, named(38, 39))).toEqual({ customers: seen(rows) });
  });

  it("is that more rows may be missing, until nothing is left that the YAML does not declare", () => {
    const few = NAMES.slice(0, 25);
    const given = (customers: SourceSeen, tracked: readonly string[]): ZonePlan => {
      const { state } = inputOf({ known: tracked.map((name) => known("custom_hostname", name, {})) });
      return planned({
        objects: few.map((name) => wanted("custom_hostname", name, {})),
        live: tracked.map((name) => liveHostname(name, {})),
        input: { sources: { customers: present(few) }, state: state && { ...state, sources: { customers } } },
      });
    };
    const gone = NAMES.slice(25).sort();
    const first = given(seen(NAMES), NAMES);
    expect(refusedIn(first)).toEqual(gone);
    const customers = first.bookkeeping.sources?.["customers"] ?? seen([]);
    expect(customers).toEqual({ ...seen(few), missing: { rows: NAMES.slice(30), isMore: true } });
    expect(refusedIn(given(customers, NAMES))).toEqual(gone);
    expect(given(customers, few).bookkeeping.sources).toEqual({ customers: seen(few) });
  });

  it("keeps the rows that look cut off also where their deletions are refused for another reason", () => {
    const denied = plannedAgainst(seen(NAMES), cut, { selection: { ...EVERYTHING, deny: ["delete"] } });
    expect(refusedIn(denied)).toEqual([]);
    expect(denied.changes.map(({ refused }) => refused?.code)).toEqual(["denied-by-flag", "denied-by-flag"]);
    const { sources } = denied.bookkeeping;
    expect(refusedIn(plannedAgainst(sources?.["customers"] ?? seen([])))).toEqual(named(38, 39));
  });

  it("says the same where a part of the plan is left out", () => {
    const exclude = ['custom_hostname["host-39.net"]'];
    const part = plannedAgainst(seen(NAMES), cut, { selection: { ...EVERYTHING, exclude } });
    expect(refusedIn(part)).toEqual(named(38));
    // 38 rows and the two that wait: not more than there were.
    expect(part.bookkeeping.sources).toEqual({
      customers: { ...seen(rows), missing: { rows: ["host-38.net", "host-39.net"] } },
    });
  });

  it("counts a row whose deletion is left out as one that is there", () => {
    const all = present(NAMES.filter((name) => name !== "host-7.net" && name !== "host-39.net"));
    const exclude = ['custom_hostname["host-7.net"]'];
    const part = plannedAgainst(seen(NAMES), { customers: all }, { selection: { ...EVERYTHING, exclude } });
    expect(part.bookkeeping.sources).toEqual({ customers: { ...seen(NAMES.slice(0, 39)), rows: 40 } });
  });

  it("goes on under another name where a source was renamed", () => {
    const renamed = { clients: present(rows) };
    expect(refusedIn(plannedAgainst(seen(NAMES), renamed))).toEqual(named(38, 39));
    const other = { clients: present(["a.net", "b.net", ...NAMES.slice(0, 1)]) };
    expect(refusedIn(plannedAgainst(seen(NAMES), other))).toEqual([]);
  });
});

describe("a file of which the zone takes some rows", () => {
  const taken = NAMES.filter((_name, index) => index % 2 === 1);
  const cutTo = (count: number): readonly string[] => {
    const knownObjects = taken.map((name) => known("custom_hostname", name, {}));
    const { state } = inputOf({ known: knownObjects });
    const file = NAMES.slice(0, count);
    const rows = file.filter((name) => taken.includes(name));
    const { changes } = planned({
      objects: rows.map((name) => wanted("custom_hostname", name, {})),
      live: taken.map((name) => liveHostname(name, {})),
      input: {
        sources: { customers: present(rows, file) },
        state: state && { ...state, sources: { customers: seen(taken, NAMES) } },
      },
    });
    return changes.filter(({ refused }) => refused?.code === SOURCE_TAIL_GONE).map(({ key }) => key);
  };

  it("has its tail judged whole: the last two rows, of which one is the zone's", () => {
    expect(cutTo(38)).toEqual(["host-39.net"]);
    expect(cutTo(37)).toEqual(named(37, 39));
    expect(cutTo(39)).toEqual([]);
  });
});
