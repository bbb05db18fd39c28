import { describe, expect, test } from "vitest";
import { formatAddress } from "../../../../lib/core/address.ts";
import type { Hazard } from "../../../../lib/kinds/hazards.ts";
import type { Drifted, DriftJudgement } from "../../../../lib/plan/drift.ts";
import { driftDocument } from "../../../../lib/report/commands/drift-json.ts";
import type { DriftView } from "../../../../lib/report/commands/drift-view.ts";
import type { Holding } from "../../../../lib/state/lock.ts";
import { flat } from "../../../support/text.ts";
import { aChange, aLeaf, aZone, sameChanges, detailsOf } from "../../../support/plans.ts";
import { driftText } from "../../../support/texts.ts";

const plain = { colour: false, columns: 80 };
const NOW = Date.UTC(2026, 10, 21, 6);
const NOTHING: DriftJudgement = { drifted: [], adopted: [], underWay: [], foreign: [], unread: [], unjudged: [] };
const COVERAGE = { objects: 5, fields: 20, fieldsNotJudged: 3 };

function named(key: string): Pick<Drifted, "address" | "kind" | "key"> {
  return { address: formatAddress({ kind: "custom_hostname", key }), kind: "custom_hostname", key };
}

function view(judgement: Partial<DriftJudgement>, more: Partial<DriftView> = {}): DriftView {
  return { section: aZone({}), judgement: { ...NOTHING, ...judgement }, coverage: COVERAGE, ...more };
}

function text(...zones: readonly DriftView[]): string {
  return driftText({ project: "edge", zones, failed: [] }, plain, NOW);
}

const TLS = aLeaf("ssl.settings.min_tls_version", "1.0", "1.2", { prior: "1.2", cause: "drift" });

/** A drifted certificate pack. */
function pack(what: "changed" | "deleted", hazard: Hazard): Drifted {
  const [kind, key] = ["certificate_pack", "app.dev"] as const;
  const action = what === "deleted" ? "delete" : "update";
  const hazardDetails = detailsOf(kind, [hazard], { action, to: { validation_method: "txt" }, isFound: true });
  return {
    address: formatAddress({ kind, key }),
    kind,
    key,
    what,
    hazards: [hazard],
    hazardDetails,
    leaves: [],
    rules: [],
  };
}

/** What is said of a hostname whose minimum TLS version somebody lowered. */
const TLS_DETAILS = detailsOf("custom_hostname", ["weakens-protection"], {
  action: "update",
  from: { ssl: { settings: { min_tls_version: "1.2" } } },
  to: { ssl: { settings: { min_tls_version: "1.0" } } },
  leaves: [{ ...TLS, before: "1.2", after: "1.0" }],
  isFound: true,
});

function holding(isAlive?: boolean): Holding {
  const holder = { id: "lock-1", who: "ci@runner", operation: "apply", since: "2026-03-01T12:00:00Z", processId: 7 };
  return { unlockId: "lock-1", isAlive, holder };
}

describe("drift as a text", () => {
  test.each([
    ["deleted", "outage", "app.dev was deleted: its names lose TLS"],
    ["changed", "outage", "app.dev: its names lose TLS"],
    ["changed", "needs-customer", "app.dev needs a DNS record of your"],
  ] as const)("says of a certificate pack that was %s with the hazard %s: %s", (what, hazard, words) => {
    expect(flat(text(view({ drifted: [pack(what, hazard)] })))).toContain(words);
  });

  test("says in the words of the kind what is lost with an object that is gone", () => {
    const [kind, key] = ["ruleset", "http_request_firewall_custom"] as const;
    const from = { rules: [{ ref: "admin", action: "block", expression: "true" }] };
    const step = { action: "delete", key, from, to: {}, isFound: true } as const;
    const hazards = ["weakens-protection"] as const;
    const gone = { address: formatAddress({ kind, key }), kind, key, what: "deleted", leaves: [], rules: [] } as const;
    const drifted = [{ ...gone, hazards, hazardDetails: detailsOf(kind, hazards, step) }];
    const project = { project: "edge", zones: [view({ drifted })], failed: [] };
    const said = driftText(project, { colour: false, columns: 1_000_000 }, NOW);
    expect(said).toContain(`DANGER  ruleset ${key} was deleted, and no longer protects anything  weakens-protection\n`);
  });

  test("says what happened to each object, field and rule, and what to do about it", async () => {
    const rule = { ref: "sec/x", title: "A rule", leaves: [], cause: "drift" } as const;
    const PHASE = "http_request_firewall_managed";
    const drifted: readonly Drifted[] = [
      {
        ...named("app.customer-one.net"),
        what: "changed",
        hazards: ["weakens-protection"],
        hazardDetails: TLS_DETAILS,
        leaves: [TLS, aLeaf("custom_metadata.tier", "silver", "gold", { prior: "bronze", cause: "both" })],
        rules: [],
        waits: "the hostname is pending",
      },
      { ...named("gone.example.com"), what: "deleted", hazards: ["outage"], leaves: [], rules: [] },
      {
        ...named("twin.example.com"),
        what: "replaced",
        hazards: ["outage"],
        hazardDetails: detailsOf("custom_hostname", ["outage"], { action: "replace", isFound: true }),
        leaves: [],
        rules: [],
      },
      {
        address: formatAddress({ kind: "ruleset", key: PHASE }),
        kind: "ruleset",
        key: PHASE,
        what: "changed",
        hazards: ["weakens-protection"],
        hazardDetails: [{ hazard: "weakens-protection", rules: ["sec/x"] }],
        leaves: [],
        rules: [
          { ...rule, what: "removed", from: 2 },
          {
            ...rule,
            what: "added",
            to: 5,
            leaves: [
              { path: ["action"], before: "skip", cause: "drift" },
              { path: ["expression"], before: "true", cause: "drift" },
            ],
          },
          { ...rule, what: "moved", from: 3, to: 1 },
          { ...rule, what: "disabled", to: 4 },
          { ...rule, what: "enabled", to: 6 },
          {
            ...rule,
            what: "edited",
            to: 7,
            leaves: [aLeaf("action", "log", "block", { prior: "block", cause: "drift" })],
          },
        ],
      },
    ];
    const pending = aChange("new.example.com", "update", { leaves: [aLeaf("ssl.method", "http", "txt")] });
    const section = aZone({
      changes: [pending, aChange("w.example.com", "held", { reason: "pending" })],
      counts: { ...aZone({}).counts, foreign: 3, expired: 1 },
      gone: [named("first.app.net").address, named("second.app.net").address],
    });
    const judgement = {
      drifted,
      adopted: [{ ...named("by-hand.example.com"), leaves: [["ssl", "method"]], rules: [] }],
      underWay: [{ ...named("busy.example.com"), run: "run-7" }],
    };
    const lastRun = { run: "7afb14ca-0000-4000-8000-000000000000", ended: "2026-11-20T14:02:59Z", operation: "apply" };
    await expect(text(view(judgement, { section, lastRun, undo: "run-6" }))).toMatchFileSnapshot(
      "../../../golden/report/drift.txt",
    );
  });

  test("says once what happened to many objects alike, and how many they are", () => {
    const drifted = Array.from({ length: 5000 }, (_value, index): Drifted => {
      return {
        ...named(`app${index}.example.com`),
        what: "changed",
        hazards: ["weakens-protection"],
        leaves: [TLS],
        rules: [],
      };
    });
    const said = text(view({ drifted }));
    expect(said).toContain("Drift in project edge: 5,000 objects were changed outside Zoneform.\n");
    expect(said).toContain(
      "  5,000 hostnames\n      app0.example.com, app1.example.com, app2.example.com and 4,997 more\n",
    );
    expect(said.split("\n").length).toBeLessThan(25);
  });

  test("is none where only the configuration changed and where changes wait, and names what is not applied yet", () => {
    const changes = [...sameChanges(2), aChange("w.example.com", "held", { reason: "pending" })];
    const said = text(view({}, { section: aZone({ changes }) }));
    expect(said).toMatch(
      /^No drift in project edge\.\n\n.+\n\nNot drift:\n {2}2 configuration changes are not applied yet\n/,
    );
    expect(said).toContain("1 change cannot be applied yet");
    for (const { key } of sameChanges(2)) expect(said).toContain(key);
  });

  test("is none, in two lines, where nothing but the status moved", () => {
    expect(text(view({}))).toBe(`No drift in project edge.\n\n${aZone({}).zone.name}: no drift\n`);
  });

  test("does not say that there is none where a run is changing an object, or a zone could not be looked at", () => {
    const underWay = [{ ...named("busy.example.com"), run: "run-7" }];
    const said = text(view({ underWay }, { holding: holding(true) }));
    expect(said).toMatch(
      /^Not everything in project edge could be checked: 1 object is being changed by a\s+run\. No drift was found in the rest\./,
    );
    expect(said).toContain("run run-7");
    const failed = {
      zone: { id: aZone({}).zone.id, name: "other.eu" },
      at: { file: "zones/other.yaml", line: 3, column: 5 },
      diagnostics: [],
      exitCode: 1,
    } as const;
    const partly = driftText({ project: "edge", zones: [view({})], failed: [failed] }, plain, NOW);
    expect(partly).toMatch(/^No drift in the zones of project edge that could be checked\.\n/);
    expect(partly).toContain("other.eu (zones/other.yaml:3:5)");
  });

  test.each([
    ["is gone", {}],
    ["is dead and still has the lock", { holding: holding(false) }],
  ])("names what a run left unfinished that %s, and the command that finishes it", (_what, more) => {
    const underWay = [{ ...named("half.example.com"), run: "run-7" }];
    const said = text(view({ underWay }, more));
    expect(said).toMatch(/^Not everything in project edge could be checked: a run that/);
    expect(said).toContain("not checked: 1 object left unfinished by run run-7, which was stopped");
    expect(said).toContain("zoneform apply --zone ");
    expect(said).not.toContain("being changed");
  });

  test("does not say that a run is changing objects where nothing tells whether it lives", () => {
    const underWay = [{ ...named("half.example.com"), run: "run-7" }];
    const said = flat(text(view({ underWay }, { holding: holding() })));
    expect(said).toMatch(/^Not everything .*: 1 object belongs to a run that still runs or was killed\./);
    expect(said).toContain("not checked: 1 object of run run-7, which still runs or was killed");
    expect(said).toContain("zoneform state lock --zone ");
    expect(said).not.toContain("being changed");
  });

  test("says what was looked at where that is a part", () => {
    const lookedAt = { target: ["ruleset"], exclude: ["custom_hostname"] };
    const said = driftText({ project: "edge", zones: [view({})], failed: [] }, plain, NOW, lookedAt);
    expect(said).toMatch(/^No drift in project edge \(only ruleset, without custom_hostname\)\.\n/);
  });

  test("does not say that there is none where nothing tells which certificate is served", () => {
    const said = flat(text(view({ unjudged: [named("own.example.com").address] })));
    expect(said).toMatch(
      /^No drift found in project edge, but .* Cloudflare does not say whether 1 hostname serves the uploaded certificate/,
    );
  });

  test("is said of hostnames of which nobody knows who deleted them", () => {
    const gone = { ...named("long-gone.example.com"), what: "vanished", hazards: [], leaves: [], rules: [] } as const;
    const said = text(view({ drifted: [gone] }));
    expect(said).toMatch(/^Drift in project edge: 1 hostname is gone, /);
    expect(said).toContain("long-gone.example.com is gone, deleted by Cloudflare or by hand");
    // An apply leaves it as it is.
    expect(said).not.toContain("zoneform apply");
  });
});

test("as JSON, it counts the fields that were judged, and those that could not be judged", () => {
  const codes = { byZone: new Map<string, number>(), code: 0 };
  expect(driftDocument("edge", [view({})], [], codes)).toMatchObject({
    format_version: "zoneform/1.0",
    zones: [{ counts: { fields: 20, fields_not_judged: 3 } }],
  });
});

test("as JSON, a deleted object is deleted and an added rule was added: no word of it is what an apply would do", () => {
  const drifted: readonly Drifted[] = [
    { ...named("gone.example.com"), what: "deleted", hazards: ["outage"], leaves: [], rules: [] },
    {
      ...named("x.example.com"),
      what: "changed",
      hazards: ["weakens-protection"],
      leaves: [TLS],
      rules: [{ what: "added", ref: "quick", title: "quick fix", to: 3, leaves: [], cause: "drift" }],
    },
  ];
  const codes = { byZone: new Map([[aZone({}).zone.name, 3]]), code: 3 };
  expect(driftDocument("edge", [view({ drifted })], [], codes)).toMatchObject({
    against: "state",
    exit_code: 3,
    zones: [
      {
        exit_code: 3,
        counts: { changed: 1, deleted: 1 },
        drift: [
          { what: "deleted", key: "gone.example.com" },
          {
            what: "changed",
            hazards: ["weakens-protection"],
            leaves: [{ path: TLS.path, live: "1.0", applied: "1.2", declared: "1.2", cause: "drift" }],
            rules: [{ what: "added", ref: "quick", to: 3 }],
          },
        ],
      },
    ],
  });
});
