import { describe, expect, it } from "vitest";
import type { DesiredObject } from "../../../lib/config/desired.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import type { Seen, StateObject } from "../../../lib/state/state.ts";
import { type Given, judged, known, live, liveHostname, NOW, onlyChange, planned, policy, wanted } from "./inputs.ts";

const NAME = "app.customer.net";
const HTTP = { ssl: { method: "http" } };
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

function daysAgo(days: number): string {
  return new Date(Date.parse(NOW) - days * DAY_MILLISECONDS).toISOString();
}

function seen(status: string, days: number): Partial<StateObject> {
  return { seen: { status, at: daysAgo(days) } };
}

function moved(days: number): Seen {
  return { status: "moved", at: daysAgo(days) };
}

function pending(days: number): Seen {
  return { status: "pending", at: daysAgo(days) };
}

function deleting(days: number): Seen {
  return { status: "pending_deletion", at: daysAgo(days) };
}

describe("a declared hostname that is gone", () => {
  const gone = (more: Partial<StateObject>, hostnames: Given["hostnames"] = {}): Given => ({
    objects: [wanted("custom_hostname", NAME, HTTP)],
    hostnames,
    known: [known("custom_hostname", NAME, HTTP, more)],
  });

  it.each([
    ["active when last seen", seen("active", 30)],
    ["being deployed again when last seen", seen("active_redeploying", 1)],
    ["pending for less than the service tries", seen("pending", 6.9)],
    ["blocked since yesterday", seen("blocked", 1)],
    ["moved for less than the service waits", { ...seen("active", 6.9), observed: [moved(6)] }],
    ["active when somebody began to delete it", { ...seen("active", 30), observed: [deleting(20)] }],
    [
      "moved for a day when somebody began to delete it",
      { ...seen("active", 21), observed: [moved(20), deleting(19)] },
    ],
    ["never seen", {}],
    ...["provisioned", "pending_provisioned", "test_active", "test_active_apex"].map(
      (status): [string, Partial<StateObject>] => [
        `${status} for as long as the service tries, and so validated`,
        { ...seen(status, 8), observed: [{ status, at: daysAgo(0.5) }] },
      ],
    ),
  ])("was deleted by somebody where it was %s: drift, and created again", (_what, more) => {
    const change = onlyChange(gone(more));
    expect([change.action, change.cause]).toEqual(["create", "drift"]);
    expect(judged(gone(more)).drifted).toMatchObject([{ key: NAME, what: "deleted" }]);
  });

  it("is shown with what was last applied beside what it is created with", () => {
    const change = onlyChange({
      ...gone({}),
      objects: [wanted("custom_hostname", NAME, { ssl: { method: "txt" }, custom_origin_server: "a.saas.net" })],
    });
    expect(change.leaves).toEqual([
      { path: ["ssl", "method"], after: "txt", prior: "http", cause: "drift" },
      { path: ["custom_origin_server"], after: "a.saas.net", cause: "drift" },
    ]);
  });

  it.each([
    ["had moved", seen("moved", 7)],
    ["had moved, and was seen at the same minute of a day", seen("moved", 6.99)],
    ["had moved, and was deleted already when last seen", { ...seen("moved", 20), observed: [deleting(13)] }],
    [
      "was pending for as long as the service tries, until yesterday",
      { ...seen("pending", 7), observed: [pending(1)] },
    ],
    ["was pending for weeks, until yesterday", { ...seen("pending", 30), observed: [pending(1)] }],
    ["was blocked until yesterday", { ...seen("blocked", 10), observed: [{ status: "blocked", at: daysAgo(1) }] }],
  ])("was deleted by the service where it %s: reported, and no drift", (_what, more) => {
    const plan = planned(gone(more));
    expect(judged(gone(more))).toMatchObject({ drifted: [] });
    expect(plan.changes).toEqual([]);
    expect(plan.counts.expired).toBe(1);
    expect(plan.findings.map(({ code }) => code)).toEqual(["expired-hostnames"]);
  });

  it.each([
    ["was last seen too long ago", seen("pending", 20)],
    ["was pending when last seen, and may have been active since", seen("pending", 8)],
    ["was blocked when last seen, and may have been active since", seen("blocked", 10)],
    ["was moved since nobody knows when", seen("moved", 3)],
    ["may have been moved for long when it was first seen so", { ...seen("active", 30), observed: [moved(3)] }],
    ["was being deleted when it was first seen", seen("pending_deletion", 3)],
    [
      "was in a status that nobody knows",
      { ...seen("new_status", 8), observed: [{ status: "new_status", at: daysAgo(0.5) }] },
    ],
    ...["blocked", "pending_migration", "pending"].map((status): [string, Partial<StateObject>] => [
      `was ${status} for as long as the service tries, but active before`,
      { ...seen("active", 30), observed: [8, 0.5].map((days) => ({ status, at: daysAgo(days) })) },
    ]),
  ])("may have been deleted by either where it %s: said so, and nobody calls it nothing", (_what, more) => {
    const plan = planned(gone(more));
    for (const whenExpired of ["report", "create"] as const) {
      expect(judged(gone(more, { whenExpired }))).toMatchObject({ drifted: [{ key: NAME, what: "vanished" }] });
    }
    expect([plan.changes, plan.findings.map(({ code }) => code)]).toEqual([[], ["vanished-hostnames"]]);
    expect(plan.counts.expired).toBe(0);
  });

  it("is created again where that is asked for, with the service as the cause", () => {
    const moved = gone(seen("moved", 8), { whenExpired: "create" });
    const change = onlyChange(moved);
    expect([change.action, change.cause]).toEqual(["create", "service"]);
    expect(judged(moved)).toMatchObject({ drifted: [] });
  });
});

describe("a hostname that is neither declared nor known", () => {
  const foreign = (hostnames: Given["hostnames"]): Given => ({
    hostnames: { policies: [policy({ ssl: { settings: { min_tls_version: "1.2" } } })], ...hostnames },
    live: [liveHostname(NAME, { ssl: { method: "http", settings: { min_tls_version: "1.0" } } })],
  });

  it("is left alone with ignore, and neither mentioned nor counted", () => {
    const plan = planned(foreign({ foreign: "ignore" }));
    expect([plan.changes, plan.findings, plan.counts.foreign]).toEqual([[], [], 0]);
  });

  it("is reported with report", () => {
    const { findings, counts } = planned(foreign({ foreign: "report" }));
    expect([findings.map(({ code }) => code), counts.foreign]).toEqual([["foreign-hostnames"], 1]);
  });

  it("comes under the policies with adopt, and is marked as never declared", () => {
    const change = onlyChange(foreign({ foreign: "adopt" }));
    expect([change.action, change.undeclared, change.cause]).toEqual(["adopt", true, "config"]);
  });

  it("is shown and counted with adopt, also where it is as the policies want it", () => {
    const { changes, counts } = planned({
      hostnames: { foreign: "adopt", policies: [policy(HTTP)] },
      live: [liveHostname(NAME, HTTP)],
    });
    expect(changes.map(({ action, leaves }) => [action, leaves])).toEqual([["adopt", []]]);
    expect([counts.byAction.adopt, counts.byAction["no-op"]]).toEqual([1, 0]);
  });

  it.each(["ignore", "report", "adopt"] as const)("once adopted is never deleted for want of an entry (%s)", (kind) => {
    const plan = planned({
      hostnames: { foreign: kind },
      known: [known("custom_hostname", NAME, HTTP, { undeclared: true })],
      live: [liveHostname(NAME, HTTP)],
    });
    expect(plan.changes.filter(({ action }) => action !== "forget")).toEqual([]);
  });

  it("is not what a removed entry becomes: that is deleted, also with adopt", () => {
    const change = onlyChange({
      hostnames: { foreign: "adopt", policies: [policy(HTTP)] },
      known: [known("custom_hostname", NAME, HTTP)],
      live: [liveHostname(NAME, HTTP)],
    });
    expect(change.action).toBe("delete");
  });
});

describe("another object under the name of a protected one", () => {
  const KEY = "shop.saas.net";
  const pack = (days: number): JsonObject => ({ hosts: [KEY], validity_days: days });
  const given = (days: number, entry: Partial<DesiredObject> = {}, more: Partial<StateObject> = {}): Given => {
    const [kind, again] = live("certificate_pack", KEY, pack(90), { status: "active" });
    return {
      objects: [wanted("certificate_pack", KEY, pack(days), entry)],
      known: [known("certificate_pack", KEY, pack(90), { protect: true, ...more })],
      live: [[kind, { ...again, id: "another-id" }]],
    };
  };
  const told = (made: Given): readonly unknown[] => {
    const { action, protect, refused } = onlyChange(made);
    return [action, protect, refused?.code];
  };

  it("is protected when it is adopted, also where a create of unknown fate stands in between", () => {
    expect(told(given(90))).toEqual(["adopt", true, undefined]);
    const pending = { pending: "create", since: daysAgo(2), applied: pack(14) } as const;
    expect(told(given(90, {}, pending))).toEqual(["adopt", true, undefined]);
  });

  it.each([
    [{}, true],
    [{ protect: false }, false],
  ])("is not replaced (the entry says %o)", (entry, protect) => {
    expect(told(given(14, entry))).toEqual(["replace", protect, "protected"]);
  });

  it("is replaced as any other where nothing was protected", () => {
    const { known: _known, ...unknown } = given(14);
    expect(told(unknown)).toEqual(["replace", false, undefined]);
  });
});

describe("a zone whose hostnames the application owns", () => {
  const app = (more: Given): Given => ({ hostnames: { lifecycle: "app", policies: [policy(HTTP)] }, ...more });

  it("has nothing created and nothing deleted, and what is gone is dropped and named", () => {
    const plan = planned(
      app({ known: [known("custom_hostname", NAME, HTTP, { undeclared: true, ...seen("active", 1) })] }),
    );
    const address = `custom_hostname["${NAME}"]`;
    expect([plan.changes, plan.gone, plan.bookkeeping.drop]).toEqual([[], [address], [address]]);
  });

  it("says nothing of drift where a hostname was deleted and created again under its name", () => {
    const [kind, again] = liveHostname(NAME, { ssl: { method: "txt" } });
    const change = onlyChange(
      app({
        known: [known("custom_hostname", NAME, HTTP, { undeclared: true })],
        live: [[kind, { ...again, id: "another-id" }]],
      }),
    );
    expect([change.action, change.cause, change.id, change.prior]).toEqual([
      "update",
      "config",
      "another-id",
      undefined,
    ]);
  });

  it.each([
    ["less", "1.0"],
    ["no less", "1.3"],
  ])("waits for the next apply with a hostname that was created again and protects %s", (_title, version) => {
    const [kind, again] = liveHostname(NAME, { ssl: { settings: { min_tls_version: version } } });
    const floor = { ssl: { settings: { min_tls_version: "1.2" } } };
    const given: Given = {
      hostnames: { lifecycle: "app", policies: [policy(floor)] },
      known: [known("custom_hostname", NAME, floor, { undeclared: true })],
      live: [[kind, { ...again, id: "another-id" }]],
    };
    const change = onlyChange(given);
    expect([change.action, change.cause, change.dangers]).toEqual(["update", "config", undefined]);
    expect(judged(given).drifted).toEqual([]);
  });

  it("has no drift where a hostname is new, though it protects less than its policy: the next apply sets it", () => {
    const given: Given = {
      hostnames: { lifecycle: "app", policies: [policy({ ssl: { settings: { min_tls_version: "1.2" } } })] },
      known: [],
      live: [liveHostname(NAME, { ssl: { settings: { min_tls_version: "1.0" } } })],
    };
    const change = onlyChange(given);
    expect([change.action, change.cause, change.dangers]).toEqual(["update", "config", undefined]);
    expect(judged(given).drifted).toEqual([]);
  });

  it("lets go of hostnames that were declared, and deletes none of them", () => {
    const plan = planned({
      hostnames: { lifecycle: "app" },
      known: [known("custom_hostname", NAME, HTTP)],
      live: [liveHostname(NAME, HTTP)],
    });
    expect(plan.changes.map(({ action }) => action)).toEqual(["forget"]);
  });
});

describe("a change of ssl on a hostname that is not active", () => {
  const pending = (sslUpdates: "when_active" | "always" = "when_active"): Given => ({
    objects: [
      wanted(
        "custom_hostname",
        NAME,
        { ssl: { method: "txt" }, custom_metadata: { tier: "gold" } },
        { options: { ssl_updates: sslUpdates } },
      ),
    ],
    known: [known("custom_hostname", NAME, { ...HTTP, custom_metadata: { tier: "silver" } })],
    live: [
      liveHostname(
        NAME,
        { ...HTTP, custom_metadata: { tier: "silver" } },
        { status: "pending", ssl_status: "pending_validation" },
      ),
    ],
  });

  it("waits, with the reason, while the rest is changed", () => {
    const change = onlyChange(pending());
    expect(change.leaves.map(({ path }) => path[0])).toEqual(["custom_metadata"]);
    expect(change.held?.leaves.map(({ path }) => path.join("."))).toEqual(["ssl.method"]);
    expect(change.held?.reason).toContain("pending_validation");
  });

  it("is made all the same where ssl_updates says always", () => {
    const change = onlyChange(pending("always"));
    expect([change.held, change.leaves.length]).toEqual([undefined, 2]);
  });

  it("is drift where somebody changed live, although the repair waits", () => {
    const given: Given = {
      objects: [wanted("custom_hostname", NAME, HTTP)],
      known: [known("custom_hostname", NAME, HTTP)],
      live: [liveHostname(NAME, { ssl: { method: "txt" } }, { status: "pending", ssl_status: "initializing" })],
    };
    const change = onlyChange(given);
    expect([change.action, change.cause]).toEqual(["held", "drift"]);
    expect(judged(given).drifted).toMatchObject([
      { what: "changed", waits: change.held?.reason, leaves: [{ before: "txt", prior: "http", after: "http" }] },
    ]);
  });

  it("does not keep the state from learning the status", () => {
    const { bookkeeping } = planned({
      objects: [wanted("custom_hostname", NAME, { ssl: { method: "txt" } })],
      known: [known("custom_hostname", NAME, HTTP, seen("pending", 1))],
      live: [liveHostname(NAME, HTTP, { ssl_status: "pending_issuance" })],
    });
    expect(bookkeeping.remember).toEqual([
      known("custom_hostname", NAME, HTTP, { seen: { status: "active", at: NOW } }),
    ]);
  });
});

describe("protection", () => {
  const removed = (protect: Partial<StateObject>): Given => ({
    known: [known("custom_hostname", NAME, HTTP, protect)],
    live: [liveHostname(NAME, HTTP)],
  });

  it("that the state keeps refuses the delete after the entry is gone", () => {
    const change = onlyChange(removed({ protect: true }));
    expect([change.action, change.refused?.code]).toEqual(["delete", "protected"]);
    expect(onlyChange(removed({})).refused).toBeUndefined();
  });

  it("stays where the YAML says nothing of it; where it says false, taking it off is a change to approve", () => {
    const planOf = (protect?: boolean): ReturnType<typeof planned> => {
      const entry = wanted(
        "custom_hostname",
        NAME,
        { ssl: { method: "http", type: "dv" } },
        protect === undefined ? {} : { protect },
      );
      return planned({
        objects: [entry],
        known: [known("custom_hostname", NAME, HTTP, { protect: true })],
        live: [liveHostname(NAME, { ssl: { method: "http", type: "dv" } })],
      });
    };
    expect(planOf()).toMatchObject({ changes: [], bookkeeping: { remember: [{ protect: true }] } });
    expect(planOf(false)).toMatchObject({
      changes: [{ action: "forget", letGo: [["protect"]], leaves: [], protect: false }],
      bookkeeping: { remember: [] },
    });
  });
});

describe("a leaf that leaves the YAML", () => {
  it("is let go and not reset, and the plan says so, with the value that stays live", () => {
    const given: Given = {
      objects: [wanted("custom_hostname", NAME, HTTP)],
      known: [known("custom_hostname", NAME, { ...HTTP, custom_metadata: { tier: "gold" } })],
      live: [liveHostname(NAME, { ...HTTP, custom_metadata: { tier: "silver" } })],
    };
    const change = onlyChange(given);
    expect([change.action, change.letGo, change.leaves]).toEqual(["forget", [["custom_metadata", "tier"]], []]);
    expect(change.keeps).toEqual({ "custom_metadata.tier": "silver" });
    expect(judged(given).drifted).toEqual([]);
  });

  it("of a rule is let go as well, but not what belonged to another action", () => {
    const rule = { ref: "a", expression: "true", enabled: true };
    const before = { ...rule, action: "block", action_parameters: { response: { status_code: 429 } } };
    const letGo = (wants: JsonObject, applied: JsonObject): readonly (readonly string[])[] =>
      planned({
        objects: [wanted("ruleset", "http_ratelimit", { rules: [wants] })],
        known: [known("ruleset", "http_ratelimit", { rules: [applied] })],
        live: [live("ruleset", "http_ratelimit", { name: "default", description: "", rules: [applied] })],
      }).changes.flatMap((change) => change.letGo);
    expect(letGo({ ...rule, action: "log" }, { ...rule, action: "log", description: "why" })).toEqual([
      ["rules", "a", "description"],
    ]);
    expect(letGo({ ...rule, action: "log" }, { ...before, description: "why" })).toEqual([
      ["rules", "a", "description"],
    ]);
  });

  it("is nobody's business from then on", () => {
    const plan = planned({
      objects: [wanted("custom_hostname", NAME, HTTP)],
      known: [known("custom_hostname", NAME, HTTP)],
      live: [liveHostname(NAME, { ...HTTP, custom_metadata: { tier: "whatever" } })],
    });
    expect(plan.changes).toEqual([]);
  });
});

describe("a create that nobody saw the answer of", () => {
  it("is taken over when it is found, and created again when it is not", () => {
    const created_at = "2026-11-20T12:00:00.000Z";
    const pending = known("custom_hostname", NAME, HTTP, { id: "", pending: "create", since: created_at });
    const objects = [wanted("custom_hostname", NAME, HTTP)];
    const found = onlyChange({ objects, known: [pending], live: [liveHostname(NAME, HTTP, { created_at })] });
    expect([found.action, found.reason]).toEqual(["adopt", "created by a run that was stopped"]);
    const lost = onlyChange({ objects, known: [pending] });
    expect([lost.action, lost.cause]).toEqual(["create", "config"]);
  });

  it("of a replacement is none where the old object is still there", () => {
    const plan = planned({
      objects: [wanted("custom_hostname", NAME, { ssl: { method: "http", cloudflare_branding: true } })],
      known: [
        known("custom_hostname", NAME, { ssl: { method: "http", cloudflare_branding: false } }, { pending: "create" }),
      ],
      live: [liveHostname(NAME, HTTP)],
    });
    expect(plan.changes.map(({ action }) => action)).toEqual(["replace"]);
  });
});
