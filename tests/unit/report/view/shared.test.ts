import { describe, expect, test } from "vitest";
import { formatAddress } from "../../../../lib/core/address.ts";
import { zoneId } from "../../../../lib/core/brand.ts";
import type { Action, Change, ZonePlan } from "../../../../lib/plan/change.ts";
import { type PlanView, planView } from "../../../../lib/report/view/view.ts";
import { aChange, aLeaf, aPlan, aZone } from "../../../support/plans.ts";

/** A zone with these changes, whose addresses name it. */
function zone(name: string, digit: string, changes: readonly Change[]): ZonePlan {
  const named = changes.map((change) => {
    const { kind, key } = change;
    return { ...change, address: formatAddress({ zone: name, kind, key }) };
  });
  return aZone({ zone: { id: zoneId(digit.repeat(32)), name }, changes: named });
}

/** A lowered version of TLS. */
function lowered(hostname: string, to = "1.1", parts: Partial<Change> = {}): Change {
  return aChange(hostname, "update", { leaves: [aLeaf("ssl.settings.min_tls_version", "1.2", to)], ...parts });
}

function created(hostname: string, origin: string): Change {
  return aChange(hostname, "create", { leaves: [aLeaf("custom_origin_server", undefined, origin)] });
}

function view(...zones: readonly (readonly Change[])[]): PlanView {
  return planView(aPlan(zones.map((changes, index) => zone(`${"abc"[index]}.dev`, String(index + 1), changes))));
}

/** The action of each group, and how many objects it has. */
function sizes(groups: readonly { readonly action: Action; readonly addresses: readonly string[] }[]): unknown {
  return groups.map(({ action, addresses }) => [action, addresses.length]);
}

describe("what several zones have in common", () => {
  test("is one group, with the objects of all of them, and no zone repeats it", () => {
    const { shared, zones } = view([lowered("1.example"), lowered("2.example")], [lowered("3.example")]);
    expect(shared.changes.map(({ addresses }) => addresses)).toEqual([
      [
        'a.dev/custom_hostname["1.example"]',
        'a.dev/custom_hostname["2.example"]',
        'b.dev/custom_hostname["3.example"]',
      ],
    ]);
    expect(zones.map(({ changes }) => sizes(changes))).toEqual([[], []]);
  });

  test("leaves to a zone what only that zone has, and the counts of each zone as they are", () => {
    const { shared, zones } = view([lowered("1.example"), lowered("2.example", "1.0")], [lowered("3.example")], []);
    expect(sizes(shared.changes)).toEqual([["update", 2]]);
    expect(zones.map(({ changes }) => sizes(changes))).toEqual([[["update", 1]], [], []]);
    expect(zones.map(({ tally }) => tally.planned.update)).toEqual([2, 1, 0]);
  });

  test("is nothing in a plan of one zone", () => {
    const { shared, zones } = view([lowered("1.example"), lowered("2.example")]);
    expect(shared).toEqual({ changes: [], held: [], letGo: [] });
    expect(zones.map(({ changes }) => sizes(changes))).toEqual([[["update", 2]]]);
  });

  test("is not a change that a guard blocks, because a guard judges each zone by itself", () => {
    const refused = { code: "denied-by-flag", message: "denied", remedy: "leave out --deny" } as const;
    const { shared, zones } = view(
      [lowered("1.example", "1.1", { refused })],
      [lowered("2.example", "1.1", { refused })],
    );
    expect(shared.changes).toEqual([]);
    expect(zones.map((each) => sizes(each.refused))).toEqual([[["update", 1]], [["update", 1]]]);
  });

  test("is no group of new objects whose values differ from those of another zone, and none of them falls apart", () => {
    const { shared, zones } = view(
      [created("1.example", "eu.example"), created("2.example", "us.example")],
      [created("3.example", "eu.example")],
      [created("4.example", "eu.example")],
    );
    expect(sizes(shared.changes)).toEqual([["create", 2]]);
    expect(zones.map(({ changes }) => sizes(changes))).toEqual([[["create", 2]], [], []]);
  });

  test("is also what is held and what is released", () => {
    const held = { held: { leaves: [aLeaf("ssl.method", "http", "txt")], reason: "the hostname is pending" } };
    const released = { letGo: [["custom_origin_server"]], keeps: { custom_origin_server: "eu.example" } };
    const both = (hostname: string): Change[] => [
      aChange(hostname, "held", held),
      aChange(`r-${hostname}`, "forget", released),
    ];
    const { shared, zones } = view(both("1.example"), both("2.example"));
    expect(shared.held.map(({ addresses }) => addresses.length)).toEqual([2]);
    expect(shared.letGo.map(({ addresses }) => addresses.length)).toEqual([2]);
    expect(zones.flatMap((each) => [...each.held, ...each.letGo])).toEqual([]);
  });

  test("is no value that live keeps in one zone and not in the other", () => {
    const released = (hostname: string, value: string): Change =>
      aChange(hostname, "forget", { letGo: [["custom_origin_server"]], keeps: { custom_origin_server: value } });
    const { shared } = view([released("1.example", "eu.example")], [released("2.example", "us.example")]);
    expect(shared.letGo).toEqual([]);
  });
});
