import { describe, expect, it } from "vitest";
import type { SeedZone } from "../../../lib/emulator.ts";
import { planText } from "../../../lib/report/plan.ts";
import { applyApproved, statuses } from "../../support/approving.ts";
import { changesOf, FALLBACK, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { importWritten } from "../../support/importing.ts";
import { loadRun } from "../../../lib/state/runs.ts";
import { runsOf, undo } from "../../support/undoing.ts";
import { refusal } from "../../unit/service/world.ts";

type Plan = "business" | "enterprise";

const RULES = [
  {
    ref: "uploads",
    action: "skip",
    expression: 'starts_with(http.request.uri.path, "/upload")',
    action_parameters: { ruleset: "current" },
  },
  { ref: "managed", action: "execute", expression: "true", action_parameters: { id: "cloudflare_managed" } },
];

/** A zone file that asks for a step of the migration, by default with its entry point. */
function zoneFile(migration: object, hasEntryPoint = true): object {
  const entryPoint = hasEntryPoint ? { entry_points: { http_request_firewall_managed: { rules: RULES } } } : {};
  return { version: 1, zone: ZONE, ...entryPoint, waf_migration: migration };
}

function zoneWith(plan: Plan, waf: NonNullable<SeedZone["waf"]> = {}): Partial<SeedZone> {
  return { plan, waf: { migration: "start", ...waf } };
}

function rigFor(plan: Plan, migration: object, waf: NonNullable<SeedZone["waf"]> = {}, hasEntryPoint = true): Rig {
  return openRig({ zone: zoneWith(plan, waf), files: { "zones/a.yaml": zoneFile(migration, hasEntryPoint) } });
}

/** The state of the zone according to the service. */
function stateOf(rig: Rig): unknown {
  return JSON.parse(rig.admin.dashboard("GET", `/zones/${ZONE.id}/waf_migration/status`).body).result.migration_state;
}

function liveRefs(rig: Rig): readonly string[] {
  const path = `/zones/${ZONE.id}/rulesets/phases/http_request_firewall_managed/entrypoint`;
  const { result } = JSON.parse(rig.admin.dashboard("GET", path).body);
  return result.rules.map(({ ref }: { ref: string }) => ref);
}

const NEW = { target: "new", confirm_irreversible: ZONE.id };
const A_MINUTE = 60_000;
/** Plus a minute: within an hour the service carries out what was requested. */
const AN_HOUR = 61 * A_MINUTE;

/** The calls of the migration that reached the service. */
function stepsSent(rig: Rig): readonly unknown[] {
  return rig.service.core.log
    .entries()
    .filter(({ method, query }) => method === "PUT" && query.includes("waf_migration="));
}

async function hasOpenIntent(rig: Rig): Promise<boolean> {
  for await (const line of (await rig.world().store.view(ZONE.id)).journal())
    if (line.includes('"kind":"intent"')) return true;
  return false;
}

describe("the migration of a zone, from YAML alone", () => {
  it("offers no undo after the irreversible step, but offers one if something else was done too", async () => {
    const offered = async (more: object): Promise<unknown> => {
      const rig = rigFor("business", NEW);
      rig.write("zones/a.yaml", { ...zoneFile(NEW), ...more });
      const { zones } = await rig.run();
      return zones.map(({ canBeUndone }) => canBeUndone);
    };
    expect(await offered({})).toEqual([undefined]);
    expect(await offered({ fallback_origin: { origin: FALLBACK } })).toEqual([true]);
  });

  describe("to validation, which has no way back either", () => {
    const overrides = {
      uri_overrides: [{ urls: ["saas.net/api/*"], rules: { "100015": "disable" }, groups: {}, priority: 1 }],
    };
    const VALIDATION = { target: "validation", delete_uri_overrides: true };

    it("is irreversible: the plan says so, names the lost overrides, and --deny irreversible blocks it", async () => {
      const rig = rigFor("enterprise", VALIDATION, overrides);
      const plan = await rig.plan();
      expect(changesOf(plan)[0]?.hazards).toContain("irreversible");
      expect(planText(plan, { colour: false })).toContain(
        "DANGER  waf_migration takes the zone to validation, with no way back; deletes 1 URI-based override for good",
      );
      const denied = await rig.plan({ selection: { target: [], exclude: [], deny: ["irreversible"] } });
      expect(changesOf(denied).map(({ refused }) => refused?.code)).toEqual(["waits-for-another", "denied-by-flag"]);
    });

    it("offers no undo, and an undo says that nothing leads back, without a remedy that does not help", async () => {
      const rig = rigFor("enterprise", VALIDATION, overrides);
      expect((await rig.run()).zones.map(({ canBeUndone }) => canBeUndone)).toEqual([undefined]);
      await rig.wait(A_MINUTE);
      const { plan } = await undo(rig);
      expect(changesOf(plan).filter(({ kind }) => kind === "waf_migration")).toEqual([]);
      const [said] = plan.zones[0]?.findings ?? [];
      expect(said?.message).toMatch(
        /waf_migration: .*cannot go back to previous.*overrides that it deleted stay deleted/,
      );
      expect(said?.remedy).toBeUndefined();
    });
  });

  describe("in two steps, without a declared entry point", () => {
    const COMMAND = /zoneform import --write (zone\/\w{32}\/\w{32})/;

    it("warns in the first step, and takes the rules over with the command that the second one names", async () => {
      const rig = rigFor("enterprise", { target: "validation" }, {}, false);
      const first = await rig.plan();
      expect(changesOf(first)[0]?.notes.join()).toMatch(
        /the YAML does not declare these rules; a later step .* needs them there.*import --write/,
      );
      expect(failuresOf(await rig.apply(first))).toEqual([]);
      await rig.wait(A_MINUTE);

      rig.write("zones/a.yaml", zoneFile(NEW, false));
      const [blocked] = changesOf(await rig.plan());
      expect(blocked?.refused?.code).toBe("companion-not-declared");
      // They are live already: they are not shown as if they were added.
      expect(blocked?.leaves.map(({ path }) => path)).toEqual([["target"]]);
      const [, id = ""] = COMMAND.exec(blocked?.refused?.remedy ?? "") ?? [];
      await importWritten(rig, id);
      const refs = liveRefs(rig);
      expect(failuresOf(await rig.run())).toEqual([]);
      await rig.wait(A_MINUTE);
      expect([stateOf(rig), liveRefs(rig)]).toEqual(["complete", refs]);
    });
  });

  it("sends no step once the lock was freed, because another run may have continued from the state", async () => {
    const rig = rigFor("business", NEW);
    const plan = await rig.plan();
    let isFreed = false;
    rig.network(async (_request, _index, pass) => {
      const { store } = rig.world();
      if (!isFreed && (await hasOpenIntent(rig))) {
        isFreed = true;
        await store.unlock(ZONE.id, (await store.holding(ZONE.id))?.unlockId ?? "");
      }
      return pass();
    });
    expect(failuresOf(await rig.apply(plan))).toContainEqual(
      expect.stringContaining("this run no longer has the lock"),
    );
    expect([isFreed, stepsSent(rig)]).toEqual([true, []]);
    // The next run does not know whether it was sent, and gives it an hour to show.
    await rig.run();
    await rig.wait(AN_HOUR);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(stepsSent(rig)).toHaveLength(1);
  });

  it("takes a Business zone to the new rules in one planned step with its entry point", async () => {
    const rig = rigFor("business", NEW);
    const plan = await rig.plan();
    expect(changesOf(plan)).toHaveLength(1);
    expect(inWords(changesOf(plan))).toEqual([
      "update waf_migration config target:config insert uploads:config insert managed:config",
    ]);
    expect(changesOf(plan)[0]?.hazards).toContain("irreversible");
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    await rig.wait(A_MINUTE);
    expect(stateOf(rig)).toBe("complete");
    expect(liveRefs(rig)).toEqual(["uploads", "managed"]);
    expect(changesOf(await rig.plan())).toEqual([]);
    expect(await rig.drift()).toEqual([]);
  });

  it("takes an Enterprise zone to validation first, then to the new rules, and sends each step once", async () => {
    const rig = rigFor("enterprise", { target: "validation" });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(A_MINUTE);
    expect(stateOf(rig)).toBe("validation");
    expect(changesOf(await rig.plan())).toEqual([]);
    rig.write("zones/a.yaml", zoneFile(NEW));
    expect(failuresOf(await rig.run())).toEqual([]);
    // The service takes its time; meanwhile the step is held and never sent again.
    expect(changesOf(await rig.plan()).filter(({ action }) => action !== "held")).toEqual([]);
    await rig.wait(A_MINUTE);
    expect(stateOf(rig)).toBe("complete");
    expect(changesOf(await rig.plan())).toEqual([]);
    expect(stepsSent(rig)).toHaveLength(2);
  });

  it("saves what the service derives if no entry point is declared", async () => {
    const rig = rigFor("business", NEW, { owasp: { sensitivity: "high", action_mode: "simulate" } }, false);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(A_MINUTE);
    expect(stateOf(rig)).toBe("complete");
    expect(liveRefs(rig).length).toBeGreaterThan(0);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  describe("with the rules that the service derives", () => {
    const PHASE = "http_request_firewall_managed";

    /** Somebody turns the previous OWASP rules down: the derived ones now log and no longer challenge. */
    function turnDown(rig: Rig): void {
      const path = `/zones/${ZONE.id}/firewall/waf/packages`;
      const packages: readonly { id: string; detection_mode: string }[] = JSON.parse(
        rig.admin.dashboard("GET", path).body,
      ).result;
      const owasp = packages.find(({ detection_mode }) => detection_mode === "anomaly");
      const answer = rig.admin.dashboard("PATCH", `${path}/${owasp?.id}`, {
        sensitivity: "low",
        action_mode: "simulate",
      });
      expect(answer.status).toBe(200);
    }

    it("shows each of them in the plan, and saves exactly those", async () => {
      const rig = rigFor("business", NEW, {}, false);
      const plan = await rig.plan();
      const shown = changesOf(plan)[0]?.leaves.filter(({ path: [field] }) => field === "saved_rules") ?? [];
      expect(shown).toMatchObject([
        { path: ["saved_rules", "1"], after: { action: "execute", enabled: true } },
        { path: ["saved_rules", "2"], after: { action: "execute", enabled: true } },
      ]);
      expect(failuresOf(await rig.apply(plan))).toEqual([]);
      const entryPoint = rig.admin.dashboard("GET", `/zones/${ZONE.id}/rulesets/phases/${PHASE}/entrypoint`).body;
      expect(JSON.parse(entryPoint).result.rules).toMatchObject(shown.map(({ after }) => after));
    });

    it("is not approved with other rules than those that were shown", async () => {
      const rig = rigFor("business", NEW, {}, false);
      const saved = await rig.plan();
      turnDown(rig);
      expect((await rig.plan()).hash).not.toBe(saved.hash);
      expect(statuses(await applyApproved(rig, { saved }))).toEqual(["update waf_migration conflict"]);
      expect(stepsSent(rig)).toEqual([]);
    });

    it("is a conflict if they change just before the step", async () => {
      const rig = rigFor("business", NEW, {}, false);
      const plan = await rig.plan();
      turnDown(rig);
      expect((await rig.apply(plan)).zones[0]?.ended).toMatchObject([{ outcome: { status: "conflict" } }]);
      expect(stepsSent(rig)).toEqual([]);
    });
  });

  it("keeps what was deployed between the plan and the apply, if no entry point is declared", async () => {
    const rig = rigFor("business", NEW, {}, false);
    const plan = await rig.plan();
    rig.admin.waf.deploy(ZONE.id);
    const refs = liveRefs(rig);
    expect((await rig.apply(plan)).zones[0]?.ended).toMatchObject([
      { outcome: { status: "refused", refused: { code: "companion-not-declared" } } },
    ]);
    expect(stepsSent(rig)).toEqual([]);
    expect(liveRefs(rig)).toEqual(refs);
  });

  describe("a step of the migration without a response", () => {
    const [uploads, managed] = RULES;
    const file = (migration: object | undefined): object => ({
      version: 1,
      zone: ZONE,
      entry_points: { http_request_firewall_managed: { rules: [{ ...uploads, expression: "true" }, managed] } },
      ...(migration ? { waf_migration: migration } : {}),
    });

    /** An Enterprise zone whose entry point is tracked, after a run that died during the step, and an edit of the rules. */
    async function stoppedRig(): Promise<Rig> {
      const rig = openRig({
        zone: zoneWith("enterprise"),
        files: { "zones/a.yaml": zoneFile({ target: "previous" }) },
      });
      expect(failuresOf(await rig.run())).toEqual([]);
      rig.write("zones/a.yaml", file(NEW));
      rig.network(({ method, url }, _index, pass) => {
        if (method !== "PUT" || !url.includes("waf_migration=")) return pass();
        rig.crash();
        return new Promise<never>(() => undefined);
      });
      expect(await rig.untilCrash(rig.run())).toBe("crashed");
      await rig.restart();
      return rig;
    }

    const actions = async (rig: Rig, given?: Parameters<Rig["plan"]>[0]): Promise<readonly string[]> =>
      changesOf(await rig.plan(given)).map(({ action, address }) => `${action} ${address}`);
    const RULESET = 'ruleset["http_request_firewall_managed"]';

    it("is held with what it writes along, and says why", async () => {
      const rig = await stoppedRig();
      expect(await actions(rig)).toEqual([`held ${RULESET}`, "held waf_migration"]);
      const reasons = changesOf(await rig.plan()).map(({ held }) => held?.reason);
      expect(reasons.join()).toMatch(/written together with an unfinished change.*does not show yet/);
    });

    it("holds what it writes along even if the step itself is left out of the plan, or denied", async () => {
      const rig = await stoppedRig();
      const left = { target: [], exclude: ["waf_migration"], deny: [] };
      expect(await actions(rig, { selection: left })).toEqual([`held ${RULESET}`]);
      const denied = await rig.plan({ selection: { ...left, deny: ["update"] } });
      expect(changesOf(denied).map(({ action, refused }) => [action, refused])).toEqual([["held", undefined]]);
    });

    it("is not forgotten if the YAML no longer asks for it", async () => {
      const rig = await stoppedRig();
      rig.write("zones/a.yaml", file(undefined));
      expect(await actions(rig)).toEqual([`held ${RULESET}`, "held waf_migration"]);
      expect(failuresOf(await rig.run())).toEqual([]);
      rig.write("zones/a.yaml", file(NEW));
      expect(await actions(rig)).toEqual([`held ${RULESET}`, "held waf_migration"]);
      await rig.wait(AN_HOUR);
      expect(await actions(rig)).toEqual(["update waf_migration"]);
    });
  });

  it("is sent again if the service reported success and an hour later still shows nothing of it", async () => {
    const rig = rigFor("business", NEW);
    let isSwallowed = false;
    rig.network(async (request, _index, pass) => {
      if (isSwallowed || request.method !== "PUT" || !request.url.includes("waf_migration=")) return pass();
      isSwallowed = true;
      const result = {
        id: "a".repeat(32),
        name: "default",
        kind: "zone",
        version: "1",
        phase: "http_request_firewall_managed",
        rules: [],
      };
      const body = JSON.stringify({ success: true, errors: [], messages: [], result });
      return { status: 200, headers: {}, body };
    });
    await rig.run();
    expect(isSwallowed).toBe(true);
    expect(stepsSent(rig)).toEqual([]);
    await rig.wait(A_MINUTE);
    expect(statuses(await rig.run())).toEqual([
      'held ruleset["http_request_firewall_managed"] held',
      "held waf_migration held",
    ]);
    await rig.wait(AN_HOUR);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(stepsSent(rig)).toHaveLength(1);
  });

  describe("cut short after it deleted an override", () => {
    const overrides = {
      uri_overrides: [{ urls: ["saas.net/api/*"], rules: { "100015": "disable" }, groups: {}, priority: 1 }],
    };
    const isStep = (method: string, url: string): boolean => method === "PUT" && url.includes("waf_migration=");

    /** What the record of the newest run has of each object, and how much an undo of it changes. */
    async function recorded(rig: Rig): Promise<unknown> {
      const [run = ""] = await runsOf(rig);
      const record = await loadRun(await rig.world().store.view(ZONE.id), run);
      const { plan } = await undo(rig);
      return {
        changes: record?.changes.map(({ address, action, isUnfinished }) => [address, action, isUnfinished]),
        undo: changesOf(plan).length,
      };
    }

    it.each([
      ["the service refuses the step itself", "failed", refuseStep],
      ["somebody changes the zone in between", "conflict", changeBetween],
    ] as const)("is in the record of its run, and the next apply goes on, if %s", async (_how, status, interfere) => {
      const rig = rigFor("business", { ...NEW, delete_uri_overrides: true }, overrides);
      const undoInterference = interfere(rig);
      const [first] = (await rig.run()).zones;
      expect(first?.ended).toMatchObject([
        { address: "waf_migration", outcome: { status, hasWritten: expect.anything() } },
      ]);
      expect(await recorded(rig)).toEqual({
        changes: [["waf_migration", "update", true]],
        undo: 0,
      });
      // The step itself was not sent, so nothing waits for its result.
      undoInterference();
      expect(failuresOf(await rig.run())).toEqual([]);
      await rig.wait(A_MINUTE);
      expect([stepsSent(rig).length, stateOf(rig), liveRefs(rig)]).toEqual([1, "complete", ["uploads", "managed"]]);
      expect(changesOf(await rig.plan())).toEqual([]);
    });

    function refuseStep(rig: Rig): () => void {
      rig.network(async ({ method, url }, _index, pass) => (isStep(method, url) ? refusal(400, 20_217) : pass()));
      return () => rig.network((_request, _index, pass) => pass());
    }

    /** Somebody adds an override of their own, and deletes it afterwards. */
    function changeBetween(rig: Rig): () => void {
      const path = `/zones/${ZONE.id}/firewall/waf/overrides`;
      let id = "";
      rig.network(async ({ method }, _index, pass) => {
        const answer = await pass();
        if (method === "DELETE") {
          const made = rig.admin.dashboard("POST", path, { urls: ["saas.net/theirs"], rules: { "100015": "disable" } });
          id = JSON.parse(made.body).result.id;
        }
        return answer;
      });
      return () => {
        rig.network((_request, _index, pass) => pass());
        expect(rig.admin.dashboard("DELETE", `${path}/${id}`).status).toBe(200);
      };
    }
  });

  it("is not requested by a plan that was made before another run requested it", async () => {
    const rig = rigFor("business", NEW);
    const plan = await rig.plan();
    expect(failuresOf(await rig.run())).toEqual([]);
    expect((await rig.apply(plan)).zones[0]?.ended).toMatchObject([{ outcome: { status: "held" } }]);
    expect(stepsSent(rig)).toHaveLength(1);
  });

  it("reads what the dashboard already did as done", async () => {
    const rig = rigFor("business", NEW, {}, false);
    rig.admin.waf.deploy(ZONE.id);
    await rig.wait(A_MINUTE);
    expect(stateOf(rig)).toBe("complete");
    expect(inWords(changesOf(await rig.plan()))).toEqual(["adopt waf_migration config"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it.each(["business", "enterprise"] as const)("converges on %s when it is cut off at any request", async (plan) => {
    for (let [stop, arrives, isWhole] = [1, false, false]; !isWhole; stop += arrives ? 0 : 1) {
      const rig = rigFor(plan, NEW);
      let isWrite = false;
      rig.network(async ({ method }, index, pass) => {
        if (index !== stop) return pass();
        isWrite = method !== "GET";
        if (arrives) await pass();
        rig.crash();
        return new Promise<never>(() => undefined);
      });
      isWhole = (await rig.untilCrash(rig.run())) !== "crashed";
      await rig.restart();
      expect(failuresOf(await rig.run())).toEqual([]);
      // Nobody knows whether the step was requested, and it must not be requested twice: the service gets its hour to
      // show it.
      await rig.wait(AN_HOUR);
      expect(failuresOf(await rig.run())).toEqual([]);
      await rig.wait(A_MINUTE);
      expect(stepsSent(rig)).toHaveLength(1);
      expect([stop, arrives, stateOf(rig), liveRefs(rig)]).toEqual([stop, arrives, "complete", ["uploads", "managed"]]);
      expect(failuresOf(await rig.run())).toEqual([]);
      expect(changesOf(await rig.plan())).toEqual([]);
      // A write that was cut off is cut off once more, with its effect.
      arrives = isWrite && !arrives;
    }
  });
});

describe("a step of the migration that is not allowed", () => {
  const refusals = async (rig: Rig): Promise<readonly string[]> =>
    changesOf(await rig.plan()).flatMap(({ address, refused }) =>
      refused ? [`${address}: ${refused.code}: ${refused.message}`] : [],
    );

  it("is refused without the zone's id as confirmation, and nothing is sent", async () => {
    const rig = rigFor("business", { target: "new" });
    expect((await refusals(rig))[1]).toMatch(/waf-unconfirmed/);
    await rig.run();
    expect(stateOf(rig)).toBe("start");
    expect(rig.service.core.log.entries().some(({ method }) => method !== "GET")).toBe(false);
  });

  it("is refused if the service derives no rules, and none are declared", async () => {
    const rig = rigFor("business", NEW, {}, false);
    rig.network(async (request, _index, pass) => {
      const refused = {
        success: false,
        errors: [{ code: 1004, message: "contact support" }],
        messages: [],
        result: null,
      };
      const answer = await pass();
      const isConfig = request.url.includes("/waf_migration/config");
      return isConfig ? { ...answer, status: 400, body: JSON.stringify(refused) } : answer;
    });
    expect((await refusals(rig)).join()).toMatch(/companion-not-declared.*does not say with which rules/);
  });

  it("is refused below live", async () => {
    const rig = openRig({
      zone: { plan: "business", waf: { migration: "complete" } },
      files: { "zones/a.yaml": zoneFile({ target: "previous" }, false) },
    });
    expect((await refusals(rig)).join()).toMatch(/waf-target-below-live/);
  });

  it("is refused with URI-based overrides, unless their deletion is planned", async () => {
    const overrides = {
      uri_overrides: [{ urls: ["saas.net/api/*"], rules: { "100015": "disable" }, groups: {}, priority: 1 }],
    };
    const rig = rigFor("business", NEW, overrides);
    expect((await refusals(rig)).join()).toMatch(/waf-uri-overrides/);
    rig.write("zones/a.yaml", zoneFile({ ...NEW, delete_uri_overrides: true }));
    const [change] = changesOf(await rig.plan());
    expect(change?.leaves.some(({ path }) => path[0] === "uri_overrides")).toBe(true);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(A_MINUTE);
    expect(stateOf(rig)).toBe("complete");
  });

  it("is refused while overrides of groups or rules would be lost unnamed", async () => {
    const rig = rigFor("business", NEW, { groups: { "Cloudflare Php": "off" }, rules: { "100030": "simulate" } });
    const [said] = (await refusals(rig)).filter((text) => text.startsWith("waf_migration"));
    expect(said).toMatch(/Cloudflare Php/);
    expect(said).toMatch(/100030/);
    rig.write("zones/a.yaml", zoneFile({ ...NEW, accept_lost: { groups: ["Cloudflare Php"], rules: ["100030"] } }));
    expect(await refusals(rig)).toEqual([]);
  });

  it.each([
    [200, "ip.src eq 192.0.2.7", undefined],
    [201, "ip.src eq 192.0.2.7", "waf-firewall-rules"],
    [1, `http.host eq "${"a".repeat(4096 - 15)}"`, undefined],
    [1, `http.host eq "${"a".repeat(4097 - 15)}"`, "waf-expression-length"],
  ])("knows the limits of what migrates: %i rules", async (count, expression, code) => {
    expect([15 + 4081, Buffer.byteLength('http.host eq ""')]).toEqual([4096, 15]);
    const rig = rigFor("business", NEW, {
      firewall_rules: Array.from({ length: count }, () => ({
        action: "bypass",
        products: ["waf"],
        filter: { expression },
      })),
    });
    const said = (await refusals(rig)).join();
    if (code === undefined) expect(said).toBe("");
    else expect(said).toContain(code);
  });

  it("is refused if its call would replace undeclared rules", async () => {
    const rig = openRig({
      zone: {
        ...zoneWith("enterprise"),
        rulesets: [
          {
            phase: "http_request_firewall_managed",
            rules: [
              {
                ref: "theirs",
                action: "execute",
                expression: "true",
                action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee" },
              },
            ],
          },
        ],
      },
      files: { "zones/a.yaml": zoneFile(NEW, false) },
    });
    expect((await refusals(rig)).join()).toMatch(/companion-not-declared.*1 live rule/);
    await rig.run();
    expect(liveRefs(rig)).toEqual(["theirs"]);
  });
});

describe("what a migration says about foreign rules", () => {
  it("is their number and what the first five of 202 do", async () => {
    const rules = Array.from({ length: 202 }, (_each, index) => ({
      ref: `theirs-${index + 1}`,
      action: "skip",
      expression: `ip.src eq 192.0.2.${index}`,
      action_parameters: { ruleset: "current" },
      enabled: false,
    }));
    const rig = openRig({
      zone: {
        ...zoneWith("enterprise"),
        rulesets: [{ phase: "http_request_firewall_managed", rules }],
      },
      files: {
        "zones/a.yaml": {
          version: 1,
          zone: ZONE,
          entry_points: { http_request_firewall_managed: { own: ["uploads", "managed"], adopt: true, rules: RULES } },
          waf_migration: NEW,
        },
      },
    });
    const notes = changesOf(await rig.plan()).flatMap(({ notes }) => notes);
    const does = (index: number): string =>
      `#${index + 1} skips requests past all remaining rules (switched off): expression ip.src eq 192.0.2.${index}`;
    expect(notes.slice(0, 7)).toEqual([
      "202 foreign rules kept (not in the YAML):",
      ...[0, 1, 2, 3, 4].map(does),
      "and 197 more",
    ]);
  });
});
