import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Origin } from "../../../../lib/core/diagnostic.ts";
import type { Action, Change } from "../../../../lib/plan/change.ts";
import { groupChanges } from "../../../../lib/report/view/group.ts";
import { HAZARDS } from "../../../../lib/kinds/hazards.ts";
import { planText } from "../../../../lib/report/plan.ts";
import { planView } from "../../../../lib/report/view/view.ts";
import { aChange, aLeaf, aPlan, aZone, sameChanges } from "../../../support/plans.ts";

const plain = { colour: false, columns: 80 };
/** For comparing words without line breaks. */
const unbroken = { colour: false, columns: 1_000_000 };

function deletes(count: number, parts: Partial<Change> = {}): Change[] {
  return Array.from({ length: count }, (_item, index) => aChange(`old-${index}.example.com`, "delete", parts));
}

describe("changes that are the same", () => {
  test("are one group of at most 4,000 characters for 5,000 hostnames", () => {
    const text = planText(aPlan([sameChanges(5000)]), plain);
    expect(text.length).toBeLessThanOrEqual(4000);
    expect(planText(aPlan([sameChanges(5000)]), unbroken)).toContain(
      "~ update 5,000 hostnames (config)\n    ssl.certificate_authority  lets_encrypt -> google\n",
    );
  });

  test("are apart where the value, the path, the cause or the action differ", () => {
    const leaf = aLeaf("ssl.method", "http", "txt");
    const changes = [
      aChange("a.example", "update", { leaves: [leaf] }),
      aChange("b.example", "update", { leaves: [leaf] }),
      aChange("c.example", "update", { leaves: [aLeaf("ssl.method", "http", "email")] }),
      aChange("d.example", "update", { leaves: [aLeaf("ssl.type", "http", "txt")] }),
      aChange("e.example", "update", { leaves: [{ ...leaf, cause: "drift" }] }),
      aChange("f.example", "adopt", { leaves: [leaf] }),
      aChange("g.example", "update", { leaves: [aLeaf("ssl.method", undefined, "txt")] }),
    ];
    expect(groupChanges(changes).map(({ addresses }) => addresses.length)).toEqual([2, 1, 1, 1, 1, 1]);
  });

  test("are one create where the leaves have the same names, and differing values are not shown", () => {
    const create = (hostname: string, pool: string): Change =>
      aChange(hostname, "create", {
        leaves: [aLeaf("custom_origin_server", undefined, pool), aLeaf("ssl.method", undefined, "http")],
      });
    const text = planText(aPlan([[create("a.example", "pool-1"), create("b.example", "pool-2")]]), unbroken);
    expect(text).toContain("+ create 2 hostnames");
    expect(text).toMatch(/custom_origin_server {2}\(differs\)/);
    expect(text).toMatch(/ssl\.method +http/);
    expect(text).not.toContain("pool-");
  });

  describe("stand at the place that decides", () => {
    const lowered = (hostname: string, line: number, origin: Partial<Origin>): Change =>
      aChange(hostname, "update", {
        at: { file: "data/customers.csv", line, column: 1 },
        leaves: [
          aLeaf("ssl.settings.min_tls_version", "1.3", "1.1", {
            origin: { at: { file: "data/customers.csv", line, column: 30 }, ...origin },
          }),
        ],
      });
    const at = { file: "zones/saas-dev.yaml", line: 26, column: 50 };
    const exception = { at, through: 'exception "EDGE-500"', isShared: true, until: "2027-01-31" } as const;
    const textOf = (...changes: readonly Change[]): string => planText(aPlan([changes]), unbroken);

    test("that is the policy or exception, with its last day, and none of the untouched rows", () => {
      expect(textOf(lowered("a.example", 8, exception), lowered("b.example", 9, exception))).toContain(
        "~ update 2 hostnames (config)  zones/saas-dev.yaml:26:50\n" +
          '    ssl.settings.min_tls_version  1.3 -> 1.1  exception "EDGE-500", until 2027-01-31\n',
      );
    });

    test("and are apart where another policy or exception decides", () => {
      const other = { ...exception, through: 'exception "EDGE-501"', at: { ...at, line: 31 } };
      expect(groupChanges([lowered("a.example", 8, exception), lowered("b.example", 9, other)])).toHaveLength(2);
    });

    test("which is the first of several rows, where each row says so itself", () => {
      expect(textOf(lowered("a.example", 8, {}), lowered("b.example", 9, {}))).toContain(
        "~ update 2 hostnames (config)  data/customers.csv:8:30 and 1 other place\n" +
          "    ssl.settings.min_tls_version  1.3 -> 1.1\n",
      );
    });

    test("and each field has its own, where several decide", () => {
      const [leaf] = lowered("a.example", 8, exception).leaves;
      const origin = { at: { file: "data/customers.csv", line: 8, column: 40 } };
      const leaves = [...(leaf === undefined ? [] : [leaf]), aLeaf("ssl.method", "http", "txt", { origin })];
      expect(textOf(aChange("a.example", "update", { leaves }))).toContain(
        "~ update a.example (config)\n" +
          '    ssl.settings.min_tls_version  1.3 -> 1.1  exception "EDGE-500", until 2027-01-31  zones/saas-dev.yaml:26:50\n' +
          "    ssl.method                    http -> txt  data/customers.csv:8:40\n",
      );
    });
  });

  test("are marked where a danger at the head is about them, and the value that is dangerous is red", () => {
    const leaves = [aLeaf("ssl.settings.min_tls_version", "1.3", "1.1"), aLeaf("ssl.method", "http", "txt")];
    const plan = aPlan([[aChange("a.example", "update", { leaves, hazards: ["weakens-protection"] })]]);
    expect(planText(plan, unbroken)).toContain("~ update a.example, DANGER (config)\n");
    const coloured = planText(plan, { ...unbroken, colour: true });
    expect(coloured).toContain("\u001b[31m1.1\u001b[39m");
    expect(coloured).toContain("\u001b[1mtxt\u001b[22m");
  });

  test("are one line where secrets differ, because the secrets are not shown", () => {
    const update = (hostname: string, key: string): Change =>
      aChange(hostname, "update", {
        leaves: [aLeaf("ssl.custom_key", `hmac-sha256:${key}`, `hmac-sha256:${key}2`, { sensitive: true })],
      });
    expect(groupChanges([update("a.example", "1"), update("b.example", "2")])).toHaveLength(1);
  });

  test("are grouped by the reason where they wait", () => {
    const wait = (hostname: string, reason: string): Change =>
      aChange(hostname, "held", { held: { reason, leaves: [aLeaf("ssl.method", "http", "txt")] } });
    const plan = aPlan([[wait("a.example", "pending"), wait("b.example", "pending"), wait("c.example", "moved")]]);
    expect(planView(plan).zones[0]?.held.map(({ reason, addresses }) => [reason, addresses.length])).toEqual([
      ["pending", 2],
      ["moved", 1],
    ]);
  });

  test("stay in time for 100,000 of them that are all different", () => {
    const changes = Array.from({ length: 100_000 }, (_item, index) =>
      aChange(`${index}.example`, "update", { leaves: [aLeaf("custom_origin_server", "a", `pool-${index}`)] }),
    );
    expect(groupChanges(changes)).toHaveLength(100_000);
    expect(planText(aPlan([changes]), plain)).toContain("pool-99999");
  });
});

describe("deletes", () => {
  test.each([[[]], [["outage"]], [["irreversible", "outage"]]] as const)(
    "are one line, each named once up to 20, with the hazards %j",
    (hazards) => {
      const text = planText(aPlan([deletes(20, { hazards })]), unbroken);
      expect(text).toContain("- delete 20 hostnames");
      for (const { key } of deletes(20)) expect(text.split(key)).toHaveLength(2);
    },
  );

  test.each([[[]], [["irreversible", "outage"]]] as const)(
    "are counted from the 21st on, with the hazards %j",
    (hazards) => {
      const text = planText(aPlan([deletes(300, { hazards })]), plain);
      expect(text).toContain("old-19.example.com and 280 more");
      expect(text).not.toContain("old-20.example.com");
      expect(text.split("\n").length).toBeLessThan(40);
    },
  );

  test("are told apart where something else is lost with them", () => {
    const serving = deletes(3, { hazards: ["outage"] });
    const idle = deletes(5).slice(3);
    const text = planText(aPlan([[...serving, ...idle]]), unbroken);
    expect(text).toContain("\n- delete 3 hostnames");
    expect(text).toContain("\n- delete 2 hostnames");
  });

  test("are counted from 21 on, where they have no hazard", () => {
    const text = planText(aPlan([deletes(21)]), unbroken);
    expect(text).toContain("- delete 21 hostnames");
    expect(text).not.toContain("old-20.example.com");
  });

  test("with a hazard are named up to 20, and then counted", () => {
    const text = planText(aPlan([deletes(3000, { hazards: ["outage"] })]), unbroken);
    for (const { key } of deletes(20)) expect(text).toContain(key);
    expect(text).toContain(" and 2,980 more\n");
    expect(text).not.toContain("old-20.example.com");
  });

  test("stand in the verdict also where a guard refuses them", () => {
    const refused = { code: "deletion-limit", message: "too many", remedy: "look at them" } as const;
    const swap = aChange("swap.example", "replace", { refused });
    expect(planText(aPlan([deletes(300, { refused })]), unbroken)).toMatch(
      /^Plan for project edge-prod: 300 changes in zone saas\.eu, all blocked \(300 deletions\)\.\n/,
    );
    expect(planText(aPlan([[...deletes(1, { refused }), swap]]), unbroken)).toMatch(
      /^Plan for project edge-prod: 2 changes in zone saas\.eu, all blocked \(1 deletion, 1 replacement\)\.\n/,
    );
  });
});

test("every hazard of any plan has its count, and the names of the first 20 objects, whatever the hazard", () => {
  const actions = fc.constantFrom<Action>("create", "update", "replace", "delete", "adopt", "forget", "held");
  const hazards = fc.subarray([...HAZARDS]);
  const refused = fc.option(fc.constant({ code: "protected", message: "protected", remedy: "ask" } as const), {
    nil: undefined,
  });
  const changes = fc.array(fc.tuple(actions, hazards, refused), { maxLength: 20 });
  fc.assert(
    fc.property(changes, (drawn) => {
      const all = drawn.map(([action, hazards, refused], index) =>
        aChange(`h${index}.example`, action, { hazards, ...(refused === undefined ? {} : { refused }) }),
      );
      const text = planText(aPlan([all]), unbroken);
      for (const hazard of HAZARDS) {
        const having = all.filter((change) => change.hazards.includes(hazard));
        if (having.length === 0) continue;
        // Where a hazard above names the very same objects, they are not named once more.
        const [head = ""] = text.slice(text.indexOf("Hazards: ")).split("\n\n", 1);
        const named = having.filter(({ key }) => head.includes(key));
        expect(named.length).toBeGreaterThanOrEqual(Math.min(20, having.length));
        expect(text).toContain(` ${having.length} ${hazard}`);
      }
    }),
    { numRuns: 500 },
  );
});

test("hazards of all zones stand above the first change", () => {
  const text = planText(aPlan([sameChanges(1), aZone({ changes: deletes(1, { hazards: ["irreversible"] }) })]), plain);
  expect(text.indexOf("cannot be undone")).toBeLessThan(text.indexOf("~ update"));
  expect(text.indexOf("cannot be undone")).toBeLessThan(text.indexOf("gets a new certificate"));
});

test("the verdict says how much of it is blocked", () => {
  const refused = { code: "protected", message: "it is protected", remedy: "set protect: false" } as const;
  const plan = aPlan([[...deletes(1, { refused }), aChange("new.example", "create")]]);
  expect(planText(plan, plain)).toMatch(
    /^Plan for project edge-prod: 2 changes in zone saas\.eu, including 1 blocked\s+deletion\.\n/,
  );
});

test("findings of one code are shown five times and then counted", () => {
  const findings = Array.from({ length: 8 }, (_item, index) => ({
    severity: "warning" as const,
    code: "foreign-hostnames" as const,
    message: `finding ${index}`,
  }));
  const text = planText(aPlan([aZone({ findings })]), plain);
  expect(text).toContain("finding 4");
  expect(text).not.toContain("finding 5");
  expect(text).toContain("and 3 more [foreign-hostnames]");
});
