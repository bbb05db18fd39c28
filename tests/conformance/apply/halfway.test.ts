import { describe, expect, it } from "vitest";
import type { ApplyReport } from "../../../lib/apply/outcome.ts";
import { zoneId } from "../../../lib/core/brand.ts";
import { applyPlan } from "../../../lib/engine/apply.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import type { HttpRequest, HttpResponse } from "../../../lib/service/http.ts";
import { changesOf, dnsRecords, endingsOf, WITHOUT_SECRETS, openRig, type Rig, ZONE } from "../../support/engine.ts";

const OTHER = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "other.net" };
const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const ENTRY_POINT = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_custom/entrypoint`;
const SSL = { method: "http", type: "dv" };
const A_DAY = 24 * 60 * 60_000;

function zoneFile(entries: readonly object[], more: object = {}, zone: object = ZONE): object {
  return { version: 1, zone, custom_hostnames: { lifecycle: "zoneform", entries }, ...more };
}

function liveHostnames(rig: Rig, zone: { readonly id: string } = ZONE): readonly { id: string; hostname: string }[] {
  return JSON.parse(rig.admin.dashboard("GET", `/zones/${zone.id}/custom_hostnames`).body).result;
}

function names(rig: Rig, zone: { readonly id: string } = ZONE): readonly string[] {
  return liveHostnames(rig, zone)
    .map(({ hostname }) => hostname)
    .toSorted();
}

function statuses(report: ApplyReport): readonly string[] {
  return endingsOf(report).map(({ action, outcome }) => `${action} ${outcome.status}`);
}

function refusal(status: number, code: number): HttpResponse {
  const envelope = { success: false, errors: [{ code, message: "no" }], messages: [], result: null };
  return { status, headers: {}, body: JSON.stringify(envelope) };
}

/** Applies until the first answer to a request of this sort; then Ctrl-C. */
function interruptedAfter(rig: Rig, plan: Plan, isIt: (request: HttpRequest) => boolean): Promise<ApplyReport> {
  const stop = new AbortController();
  rig.network(async (request, _index, pass) => {
    const answer = await pass();
    if (isIt(request)) stop.abort(new Error("SIGINT"));
    return answer;
  });
  return applyPlan({ ...rig.world(), signal: stop.signal }, plan, {
    ...WITHOUT_SECRETS,
    parallelism: 4,
  });
}

describe("a replacement, which deletes before it creates", () => {
  const hostnames = ["a.net", "b.net", "c.net", "d.net"];
  const entries = (isBranded: boolean): readonly object[] =>
    hostnames.map((hostname) => ({ hostname, ssl: { ...SSL, cloudflare_branding: isBranded } }));

  /** Four hostnames that serve, all to be replaced. */
  async function toReplace(): Promise<Rig> {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile(entries(false)) } });
    await rig.run();
    await rig.wait(A_DAY);
    rig.write("zones/a.yaml", zoneFile(entries(true)));
    expect(changesOf(await rig.plan()).map(({ action }) => action)).toEqual(hostnames.map(() => "replace"));
    return rig;
  }

  it.each([
    [400, 1],
    [403, 10000],
    [429, 10429],
    [500, 1],
  ])("that cannot create again (%i) costs one object, and not all of them: code 6", async (status, code) => {
    const rig = await toReplace();
    rig.network((request, _index, pass) =>
      request.method === "POST" ? Promise.resolve(refusal(status, code)) : pass(),
    );
    const report = await rig.run();
    expect(names(rig)).toEqual(["b.net", "c.net", "d.net"]);
    expect(statuses(report).slice(1)).toEqual(Array.from({ length: 3 }, () => "replace not-started"));
    expect(applyExit(report).code).toBe(6);
  });

  it("that is interrupted in between is completed first, and no other one is started", async () => {
    const rig = await toReplace();
    const report = await interruptedAfter(rig, await rig.plan(), ({ method }) => method === "DELETE");
    expect(names(rig)).toEqual(hostnames);
    expect(statuses(report)).toEqual(["replace done", ...Array.from({ length: 3 }, () => "replace not-started")]);
    expect(applyExit(report).code).toBe(130);
  });

  it("whose name is taken in between is partly done: code 6", async () => {
    const rig = await toReplace();
    rig.network((request, _index, pass) => {
      if (request.method === "POST") rig.admin.dashboard("POST", HOSTNAMES, { hostname: "a.net", ssl: SSL });
      return pass();
    });
    const report = await rig.run();
    expect(statuses(report)[0]).toBe("replace conflict");
    expect(applyExit(report).code).toBe(6);
    expect(names(rig)).toEqual(hostnames);
  });
});

describe("an object that is to be deleted stays while its successor is missing", () => {
  const denied = { checks: [{ name: "no-google", deny: { certificate_authority: "google" }, in: ["desired"] }] };

  it("because a guard refused it", async () => {
    const rig = openRig({ files: { "zones/a.yaml": zoneFile([{ hostname: "old.net", ssl: SSL }]) } });
    await rig.run();
    const next = { hostname: "new.net", ssl: { ...SSL, certificate_authority: "google" } };
    rig.write("zones/a.yaml", zoneFile([next], denied));
    expect(statuses(await rig.run())).toEqual(["create refused", "delete not-started"]);
    expect(names(rig)).toEqual(["old.net"]);
  });

  it("because it was not started, since the fallback origin is missing", async () => {
    const origin = (name: string): object => ({ fallback_origin: { origin: name } });
    const rig = openRig({
      files: { "zones/a.yaml": zoneFile([{ hostname: "old.net", ssl: SSL }], origin("fallback.saas.net")) },
    });
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "new.net", ssl: SSL }], origin("fallback2.saas.net")));
    rig.network((request, _index, pass) => (request.method === "PUT" ? Promise.resolve(refusal(400, 1)) : pass()));
    expect(statuses(await rig.run())).toEqual(["update failed", "create not-started", "delete not-started"]);
    expect(names(rig)).toEqual(["old.net"]);
  });

  it("because the hostname that it moves to was deleted after the plan", async () => {
    const zones = [ZONE, OTHER].map((zone) => ({ ...zone, dns_records: zone === ZONE ? dnsRecords() : [] }));
    const app = { hostname: "app.customer.net", ssl: SSL };
    const rig = openRig({ zones, files: { "zones/a.yaml": zoneFile([app, { hostname: "s.net", ssl: SSL }]) } });
    await rig.run();
    const moved = [{ from: 'saas.net/custom_hostname["app.customer.net"]' }];
    rig.write("zones/a.yaml", zoneFile([{ hostname: "s.net", ssl: SSL }]));
    rig.write("zones/b.yaml", zoneFile([app], { moved }, OTHER));
    await rig.run();
    await rig.wait(A_DAY);
    const plan = await rig.plan();
    expect(changesOf(plan).map(({ action }) => action)).toEqual(["delete"]);
    rig.admin.dashboard("DELETE", `/zones/${OTHER.id}/custom_hostnames/${liveHostnames(rig, OTHER)[0]?.id}`);
    expect(statuses(await rig.apply(plan))).toEqual(["delete held"]);
    expect(names(rig)).toEqual(["app.customer.net", "s.net"]);
  });
});

describe("a foreign write to an entry point, between read and write", () => {
  const rule = (ref: string): Record<string, string> => ({
    ref,
    action: "block",
    expression: `http.host eq "${ref}.net"`,
  });
  const ours = {
    entry_points: { http_request_firewall_custom: { own: ["sec/"], adopt: true, rules: [rule("sec/1")] } },
  };

  /** The dashboard saves these rules just before the first PUT of a run arrives. */
  function saveBefore(rig: Rig, rules: Record<string, string>[]): void {
    let isDone = false;
    rig.network((request, _index, pass) => {
      if (request.method === "PUT" && !isDone) {
        isDone = true;
        rig.admin.dashboard("PUT", ENTRY_POINT, { rules });
      }
      return pass();
    });
  }

  it("of a create, is reported with the version that was lost", async () => {
    const rig = openRig({
      zone: { plan: "enterprise" },
      files: { "zones/a.yaml": { version: 1, zone: ZONE, ...ours } },
    });
    saveBefore(rig, [rule("theirs")]);
    const report = await rig.run();
    expect(endingsOf(report)[0]?.outcome).toMatchObject({
      status: "conflict",
      diagnostic: { code: "overwrote-another-write", message: expect.stringContaining("version 1 ") },
      fields: expect.arrayContaining([
        expect.objectContaining({ path: ["rules"], live: { theirs: expect.objectContaining({ ref: "theirs" }) } }),
      ]),
    });
    expect(applyExit(report).code).toBe(5);
  });

  it("of a deletion, is reported too", async () => {
    const rulesets = [{ phase: "http_request_firewall_custom", rules: [rule("theirs")] }];
    const rig = openRig({
      zone: { plan: "enterprise", rulesets },
      files: { "zones/a.yaml": { version: 1, zone: ZONE, ...ours } },
    });
    await rig.run();
    const plan = await rig.plan({ isDestroy: true });
    saveBefore(rig, [rule("theirs"), rule("sec/1"), rule("theirs2")]);
    expect(endingsOf(await rig.apply(plan))[0]?.outcome).toMatchObject({
      status: "conflict",
      diagnostic: { code: "overwrote-another-write" },
    });
  });
});

describe("a key of the metadata", () => {
  it("that does not change stays as it was edited after the plan, although we manage it", async () => {
    const entry = (tier: string): object => ({ hostname: "a.net", ssl: SSL, custom_metadata: { tier, region: "eu" } });
    const rig = openRig({ files: { "zones/a.yaml": zoneFile([entry("gold")]) } });
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([entry("silver")]));
    const plan = await rig.plan();
    const custom_metadata = { tier: "gold", region: "theirs" };
    rig.admin.dashboard("PATCH", `${HOSTNAMES}/${liveHostnames(rig)[0]?.id}`, { custom_metadata });
    expect(statuses(await rig.apply(plan))).toEqual(["update done"]);
    expect(liveHostnames(rig)[0]).toMatchObject({ custom_metadata: { tier: "silver", region: "theirs" } });
  });
});

describe("the step of the WAF migration, once it was sent", () => {
  const rules = [
    { ref: "managed", action: "execute", expression: "true", action_parameters: { id: "cloudflare_managed" } },
  ];
  const file = {
    version: 1,
    zone: ZONE,
    entry_points: { http_request_firewall_managed: { rules } },
    waf_migration: { target: "new", confirm_irreversible: ZONE.id },
  };
  const isStep = ({ method, url }: HttpRequest): boolean => method === "PUT" && url.includes("waf_migration");

  function migratingRig(): Rig {
    return openRig({ zone: { plan: "business", waf: { migration: "start" } }, files: { "zones/a.yaml": file } });
  }

  it("is unknown if it cannot be read, and never failed; the next run recognises its ruleset as ours", async () => {
    const rig = migratingRig();
    let isSent = false;
    rig.network((request, _index, pass) => {
      if (isSent) return Promise.resolve(refusal(403, 10000));
      isSent = isStep(request);
      return pass();
    });
    const report = await rig.run();
    expect(statuses(report)).toEqual(["update unknown"]);
    expect(applyExit(report).code).toBe(6);
    rig.network((_request, _index, pass) => pass());
    await rig.wait(60_000);
    // The step itself is recorded: it was requested, and has been carried out.
    expect(statuses(await rig.run())).toEqual(["adopt done"]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("is read again although the run was interrupted", async () => {
    const rig = migratingRig();
    expect(statuses(await interruptedAfter(rig, await rig.plan(), isStep))).toEqual(["update done"]);
    expect((await rig.state())?.objects.size).toBe(2);
  });
});

describe("exit codes", () => {
  it("are 6 if one zone was written and another could not be started", () => {
    const ended = [{ address: "x", action: "create", outcome: { status: "done" } }] as never;
    const stopped = { diagnostics: [], exitCode: 1 };
    const zones = [
      { zone: ZONE, ended },
      { zone: OTHER, ended: [], stopped },
    ];
    expect(applyExit({ run: "r", zones }).code).toBe(6);
  });
});
