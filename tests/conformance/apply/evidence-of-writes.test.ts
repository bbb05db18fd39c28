import { describe, expect, it } from "vitest";
import type { ApplyReport } from "../../../lib/apply/outcome.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import type { HttpRequest, HttpResponse } from "../../../lib/service/http.ts";
import { listRuns, loadRun } from "../../../lib/state/runs.ts";
import type { StateObject } from "../../../lib/state/state.ts";
import { at, type Json } from "../../support/emulator.ts";
import { changesOf, dnsRecords, endingsOf, failuresOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { dashboard, hostnameOf, MANAGED, members, pathOf, type Rule, rulesOf, THEIRS } from "./foreign-edits.ts";
import { PATH, statusOf } from "./fresh-reads-world.ts";
import { runText } from "../../support/texts.ts";

const HOUR_MILLISECONDS = 3_600_000;
const ONE = "one.customer.net";
const ADDRESS = `custom_hostname["${ONE}"]`;
const PACK = 'certificate_pack["*.saas.net,saas.net"]';
const RULESET = 'ruleset["http_request_firewall_managed"]';
const ENTRY_POINT = `${PATH}/rulesets/phases/http_request_firewall_managed/entrypoint`;
const PACKS = `${PATH}/ssl/certificate_packs`;
/** A foreign hostname, which is live beside ours. */
const THEIR_NAME = "theirs.customer.net";
const BAD_IDS = ["../../../zones/x", "a\u001b[2Jb", "", "x".repeat(5000)];

const hostnames = (tier?: string): object => ({
  custom_hostnames: {
    lifecycle: "zoneform",
    entries:
      tier === undefined ? [] : [{ hostname: ONE, custom_metadata: { tier }, ssl: { type: "dv", method: "http" } }],
  },
});
const pack = (authority: string): object => ({
  certificate_packs: [
    {
      hosts: ["saas.net", "*.saas.net"],
      validation_method: "txt",
      validity_days: 90,
      certificate_authority: authority,
    },
  ],
});
const rules = (...expressions: readonly string[]): object => ({
  entry_points: {
    http_request_firewall_managed: {
      own: ["ours/"],
      adopt: true,
      rules: expressions.map((expression, index) => ({ ...MANAGED, ref: `ours/${"ab"[index] ?? ""}`, expression })),
    },
  },
});

/** A zone with a foreign hostname and a foreign rule; `before` is applied and settled, `after` comes next. */
async function rigOf(before: object | undefined, after: object): Promise<Rig> {
  const file = (content: object): object => ({ version: 1, zone: ZONE, ...content });
  const rig = openRig({
    zone: {
      plan: "enterprise",
      dns_records: dnsRecords(),
      custom_hostnames: [{ hostname: THEIR_NAME }],
      rulesets: [{ phase: "http_request_firewall_managed", rules: [THEIRS] }],
    },
    files: { "zones/a.yaml": file(before ?? after) },
  });
  if (before) {
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    rig.write("zones/a.yaml", file(after));
  }
  return rig;
}

/** Turns the first write into another answer; `pass` carries the write out, if called. */
type Answering = (pass: () => Promise<HttpResponse>, request: HttpRequest) => Promise<HttpResponse>;

/** Plans and applies; the first write with that method gets another answer. Then the network works again. */
async function runWith(rig: Rig, method: string, answering: Answering): Promise<ApplyReport> {
  let isOver = false;
  rig.network((request, _index, pass) => {
    if (isOver || request.method !== method) return pass();
    isOver = true;
    return answering(pass, request);
  });
  const report = await rig.run();
  expect(isOver).toBe(true);
  rig.network((_request, _index, pass) => pass());
  return report;
}

async function tracked(rig: Rig, address: string): Promise<StateObject | undefined> {
  return (await rig.state())?.objects.get(address);
}

const json = (status: number, body: Json): HttpResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const success = (result: Json): HttpResponse => json(200, { success: true, errors: [], messages: [], result });
const NO_CONTENT: HttpResponse = { status: 204, headers: {}, body: "" };
const HTML_404: HttpResponse = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: "<html><body><h1>404 Not Found</h1></body></html>",
};
const NO_ROUTE: HttpResponse = json(404, {
  success: false,
  errors: [{ code: 7003, message: "Could not route to /client/v4/zones, perhaps your object identifier is invalid?" }],
  messages: [],
  result: null,
});

describe("a write whose response is lost, and whose object is edited before it is looked up", () => {
  const lost = (): never => {
    throw new Error("the connection was cut");
  };

  it("leaves a create unconfirmed, and never calls it foreign", async () => {
    const rig = await rigOf(undefined, hostnames("gold"));
    const report = await runWith(rig, "POST", async (pass) => {
      await pass();
      dashboard(rig, "PATCH", pathOf(rig, ONE) ?? "", { custom_metadata: { tier: "theirs" } });
      return lost();
    });
    expect(statusOf(report, ADDRESS)).toBe("unconfirmed");
    expect(applyExit(report).code).toBe(6);
    expect((await tracked(rig, ADDRESS))?.pending).toBe("create");
  });

  it("reports what a ruleset lost just before, although others wrote after it", async () => {
    const rig = await rigOf(undefined, rules("true"));
    const live = rulesOf(rig);
    const save = (added: readonly Rule[], description: string): void => {
      const kept = rulesOf(rig).map(({ version: _version, last_updated: _updated, ...rule }) => rule);
      dashboard(rig, "PUT", ENTRY_POINT, { description, rules: [...kept, ...added] });
    };
    const report = await runWith(rig, "PUT", async (pass) => {
      save([{ ...MANAGED, ref: "lost", expression: "false", enabled: false }], "one");
      await pass();
      save([], "two");
      save([{ ...MANAGED, ref: "later", expression: "false", enabled: false }], "three");
      return lost();
    });
    expect(live.map(({ ref }) => ref)).toEqual(["theirs"]);
    const [ended] = report.zones.flatMap((zone) => zone.ended);
    expect(ended?.outcome).toMatchObject({
      status: "conflict",
      diagnostic: { code: "overwrote-another-write" },
      fields: expect.arrayContaining([
        expect.objectContaining({ path: ["rules", "lost"], live: expect.objectContaining({ ref: "lost" }) }),
      ]),
    });
  });
});

const NO_RESULT: readonly (readonly [string, HttpResponse])[] = [
  ["204", NO_CONTENT],
  ["200 with result: null", success(null)],
  ["200 with an empty result", success({})],
  ["200 with a list as result", success([])],
];

describe("a write that takes effect and whose response has no result", () => {
  it.each(NO_RESULT)("is looked up and tracked: a hostname is created, the response is %s", async (_what, answer) => {
    const rig = await rigOf(undefined, hostnames("gold"));
    const report = await runWith(rig, "POST", async (pass) => {
      await pass();
      return answer;
    });
    expect(statusOf(report, ADDRESS)).toBe("done");
    const object = await tracked(rig, ADDRESS);
    expect([object?.id, object?.pending]).toEqual([at(hostnameOf(rig, ONE), "id"), undefined]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it.each(NO_RESULT)(
    "is looked up and tracked: a certificate pack is ordered, the response is %s",
    async (_what, answer) => {
      const rig = await rigOf(undefined, pack("google"));
      const report = await runWith(rig, "POST", async (pass) => {
        await pass();
        return answer;
      });
      expect(statusOf(report, PACK)).toBe("done");
      const object = await tracked(rig, PACK);
      expect([object?.id, object?.pending]).toEqual([idsOfPacks(rig)[0], undefined]);
      expect(idsOfPacks(rig)).toHaveLength(1);
      expect(changesOf(await rig.plan())).toEqual([]);
    },
  );

  it.each(NO_RESULT)("is looked up and done: a hostname is updated, the response is %s", async (_what, answer) => {
    const rig = await rigOf(hostnames("silver"), hostnames("gold"));
    const report = await runWith(rig, "PATCH", async (pass) => {
      await pass();
      return answer;
    });
    expect(statusOf(report, ADDRESS)).toBe("done");
    expect((await tracked(rig, ADDRESS))?.applied["custom_metadata"]).toEqual({ tier: "gold" });
  });

  it.each(NO_RESULT)("is looked up and done: rules are edited, the response is %s", async (_what, answer) => {
    for (const [method, before, after] of [
      ["PATCH", rules("true"), rules("false")],
      ["PUT", rules("true", "true"), rules("false", "false")],
    ] as const) {
      const rig = await rigOf(before, after);
      const report = await runWith(rig, method, async (pass) => {
        await pass();
        return answer;
      });
      expect(statusOf(report, RULESET)).toBe("done");
      expect(changesOf(await rig.plan())).toEqual([]);
    }
  });

  it("is never lost when its entry is removed: the next run deletes what was created", async () => {
    const rig = await rigOf(undefined, hostnames("gold"));
    await runWith(rig, "POST", async (pass) => {
      await pass();
      return NO_CONTENT;
    });
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...hostnames() });
    await rig.run();
    expect(hostnameOf(rig, ONE)).toBeNull();
  });
});

function idsOfPacks(rig: Rig): readonly Json[] {
  const packs = dashboard(rig, "GET", `${PACKS}?status=all&per_page=50`);
  return (Array.isArray(packs) ? packs.map(members) : []).flatMap(({ type, id }) =>
    type === "advanced" && id !== undefined ? [id] : [],
  );
}

const NOT_OURS: readonly (readonly [string, HttpResponse])[] = [
  ["an HTML page", HTML_404],
  ["7003, could not route", NO_ROUTE],
];

describe("a DELETE with a 404 that is not from the service", () => {
  it.each(NOT_OURS)("has not deleted what is live: %s", async (_what, answer) => {
    const rig = await rigOf(hostnames("gold"), hostnames());
    const report = await runWith(rig, "DELETE", () => Promise.resolve(answer));
    expect(hostnameOf(rig, ONE)).not.toBeNull();
    expect(statusOf(report, ADDRESS)).not.toBe("done");
    expect(applyExit(report).code).not.toBe(0);
    expect((await tracked(rig, ADDRESS))?.id).toBe(at(hostnameOf(rig, ONE), "id"));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect([hostnameOf(rig, ONE), await tracked(rig, ADDRESS)]).toEqual([null, undefined]);
  });

  it.each(NOT_OURS)("is looked up, and done if it was carried out: %s", async (_what, answer) => {
    const rig = await rigOf(hostnames("gold"), hostnames());
    const report = await runWith(rig, "DELETE", async (pass) => {
      await pass();
      return answer;
    });
    expect([statusOf(report, ADDRESS), await tracked(rig, ADDRESS)]).toEqual(["done", undefined]);
  });

  it.each(NOT_OURS)("has not deleted an entry of a certificate pack: %s", async (_what, answer) => {
    const rig = await rigOf(pack("google"), { certificate_packs: [] });
    const report = await runWith(rig, "DELETE", () => Promise.resolve(answer));
    expect(statusOf(report, PACK)).not.toBe("done");
    expect((await tracked(rig, PACK))?.id).toBe(idsOfPacks(rig)[0]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await tracked(rig, PACK)).toBeUndefined();
  });

  it("is done if the service itself says that the hostname does not exist", async () => {
    const rig = await rigOf(hostnames("gold"), hostnames());
    const report = await runWith(rig, "DELETE", async (pass) => {
      dashboard(rig, "DELETE", pathOf(rig, ONE) ?? "");
      return pass();
    });
    expect([statusOf(report, ADDRESS), await tracked(rig, ADDRESS)]).toEqual(["done", undefined]);
  });
});

describe("a reread with a 404 that is not from the service", () => {
  it.each(NOT_OURS)("says nothing about the object, which stays tracked: %s", async (_what, answer) => {
    const rig = await rigOf(hostnames("gold"), hostnames());
    const plan = await rig.plan();
    rig.network((request, _index, pass) =>
      request.method === "GET" && request.url.includes("/custom_hostnames/") ? Promise.resolve(answer) : pass(),
    );
    const report = await rig.apply(plan);
    expect(statusOf(report, ADDRESS)).not.toBe("done");
    expect((await tracked(rig, ADDRESS))?.id).toBe(at(hostnameOf(rig, ONE), "id"));
  });
});

describe("a PUT that replaced foreign rules, which were written between its read and itself", () => {
  it("counts as written in the headline, with what it overwrote", async () => {
    const rig = await rigOf(rules("true", "true"), rules("false", "false"));
    const report = await runWith(rig, "PUT", (pass) => {
      const added = [...rulesOf(rig), { ...THEIRS, ref: "theirs-too" }];
      dashboard(rig, "PUT", ENTRY_POINT, { rules: added.map((rule) => ({ ...rule })) });
      return pass();
    });
    expect(statusOf(report, RULESET)).toBe("conflict");
    const text = runText(report, { colour: false });
    const [headline] = text.split("\n");
    expect(headline).not.toMatch(/nothing applied|applied none/i);
    expect(headline).toMatch(/updated|written|overwr|replaced|done/i);
    expect(text).not.toContain("left as is");
    expect(text).toContain("theirs-too");
  });
});

describe("a single rule that is edited, and somebody else writes between its read and its write", () => {
  /** What the dashboard makes of the rules just before our write. */
  async function racing(edit: (live: readonly Rule[]) => readonly Rule[]): Promise<[Rig, ApplyReport]> {
    const rig = await rigOf(rules("true"), rules("false"));
    const report = await runWith(rig, "PATCH", (pass) => {
      dashboard(rig, "PUT", ENTRY_POINT, { rules: edit(rulesOf(rig)).map((rule) => ({ ...rule })) });
      return pass();
    });
    return [rig, report];
  }
  const edited = (ref: string, members: Rule): ((live: readonly Rule[]) => readonly Rule[]) => {
    return (live) => live.map((rule) => (rule["ref"] === ref ? { ...rule, ...members } : rule));
  };
  const codeOf = (report: ApplyReport): unknown =>
    endingsOf(report).map(({ outcome }) => at(JSON.parse(JSON.stringify(outcome)), "diagnostic.code"));

  it("leaves a rule that was added, moved or edited meanwhile as it is, and has lost nothing", async () => {
    const added = await racing((live) => [{ ...THEIRS, ref: "theirs-too" }, ...live].toReversed());
    expect(statusOf(added[1], RULESET)).toBe("done");
    expect(rulesOf(added[0]).map(({ ref }) => ref)).toEqual(["ours/a", "theirs", "theirs-too"]);
    const [rig, report] = await racing(edited("theirs", { enabled: false }));
    expect(statusOf(report, RULESET)).toBe("done");
    expect(rulesOf(rig).map(({ ref, enabled, expression }) => [ref, enabled, expression])).toEqual([
      ["theirs", false, THEIRS["expression"]],
      ["ours/a", true, "false"],
    ]);
  });

  it("reports that it replaced an edit of the same rule", async () => {
    const [, report] = await racing(edited("ours/a", { description: "theirs" }));
    expect([statusOf(report, RULESET), codeOf(report)]).toEqual(["conflict", ["overwrote-another-write"]]);
  });

  it("is a conflict if the rule was deleted, and makes no new one", async () => {
    const [rig, report] = await racing((live) => live.filter(({ ref }) => ref !== "ours/a"));
    expect([statusOf(report, RULESET), applyExit(report).code]).toEqual(["conflict", 5]);
    expect(rulesOf(rig).map(({ ref }) => ref)).toEqual(["theirs"]);
  });
});

/** Answers a PATCH with the object as it was before. */
const answerOld = (rig: Rig, isCarriedOut: boolean): Answering => {
  const old = hostnameOf(rig, ONE);
  return async (pass) => {
    if (isCarriedOut) await pass();
    return success(old);
  };
};

describe("a response to a write that differs from what was sent", () => {
  it("leaves an update unconfirmed if live really is old: code 6, and the next run continues", async () => {
    const rig = await rigOf(hostnames("silver"), hostnames("gold"));
    const report = await runWith(rig, "PATCH", answerOld(rig, false));
    expect([statusOf(report, ADDRESS), applyExit(report).code]).toEqual(["unconfirmed", 6]);
    expect(await openIntents(rig)).toEqual([ADDRESS]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(at(hostnameOf(rig, ONE), "custom_metadata.tier")).toBe("gold");
    expect(await openIntents(rig)).toEqual([]);
  });

  /** The changes that the last run's record has as unfinished. */
  async function openIntents(rig: Rig): Promise<readonly string[]> {
    const { store } = rig.world();
    const runs = [...(await listRuns(await store.view(ZONE.id)))].sort((left, right) => right.serial - left.serial);
    const record = runs[0] && (await loadRun(await store.view(ZONE.id), runs[0].run));
    return (record?.changes ?? []).filter(({ isUnfinished }) => isUnfinished).map(({ address }) => address);
  }

  it("is done if live is as it was sent", async () => {
    const rig = await rigOf(hostnames("silver"), hostnames("gold"));
    const report = await runWith(rig, "PATCH", answerOld(rig, true));
    expect([statusOf(report, ADDRESS), applyExit(report).code]).toEqual(["done", 0]);
    expect((await tracked(rig, ADDRESS))?.pending).toBeUndefined();
  });

  it("leaves an entry point unconfirmed if live really is old", async () => {
    const rig = await rigOf(rules("true"), rules("false"));
    const old = dashboard(rig, "GET", ENTRY_POINT);
    const report = await runWith(rig, "PATCH", () => Promise.resolve(success(old)));
    expect([statusOf(report, RULESET), applyExit(report).code]).toEqual(["unconfirmed", 6]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it("leaves the removal of a rule unconfirmed if live still has it, whatever its ref, and keeps it tracked", async () => {
    const entryPoint = (...refs: readonly string[]): object => ({
      entry_points: {
        http_request_firewall_managed: {
          own: ["ours/"],
          adopt: true,
          rules: refs.map((ref) => ({ ...MANAGED, ref, expression: "false" })),
        },
      },
    });
    const rig = await rigOf(entryPoint("ours/a", "old"), entryPoint("ours/a"));
    const before = dashboard(rig, "GET", ENTRY_POINT);
    const report = await runWith(rig, "PUT", () => Promise.resolve(success(before)));
    expect([statusOf(report, RULESET), applyExit(report).code]).toEqual(["unconfirmed", 6]);
    expect(JSON.stringify((await tracked(rig, RULESET))?.applied)).toContain('"old"');
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(rulesOf(rig).map(({ ref }) => ref)).toEqual(["theirs", "ours/a"]);
  });

  it("leaves a create unconfirmed if the service keeps another value: code 6", async () => {
    const rig = await rigOf(undefined, hostnames("gold"));
    const report = await runWith(rig, "POST", async (pass) => {
      const { result } = JSON.parse((await pass()).body);
      const path = `/zones/${ZONE.id}/custom_hostnames/${result.id}`;
      return success(dashboard(rig, "PATCH", path, { custom_metadata: { tier: "bronze" } }));
    });
    expect([statusOf(report, ADDRESS), applyExit(report).code]).toEqual(["unconfirmed", 6]);
    expect(await openIntents(rig)).toEqual([ADDRESS]);
  });

  it("never tracks one pack twice if the answer to an order shows a known one", async () => {
    const rig = await rigOf(pack("google"), pack("lets_encrypt"));
    const old = (await tracked(rig, PACK))?.id ?? "";
    const record = dashboard(rig, "GET", `/zones/${ZONE.id}/ssl/certificate_packs/${old}`);
    // The old pack stays for now, and is known beside the new one.
    await runWith(rig, "DELETE", () => Promise.resolve(NO_ROUTE));
    expect((await tracked(rig, PACK))?.id).not.toBe(old);
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...pack("google") });
    await runWith(rig, "POST", () => Promise.resolve(success(record)));
    const ids = [...((await rig.state())?.objects.values() ?? [])].map(({ id }) => id);
    expect(ids.filter((id) => id === old)).toHaveLength(1);
    expect((await tracked(rig, PACK))?.id).not.toBe(old);
  });

  it("is done if a foreign hostname was shown, and ours is live: under its own id", async () => {
    const rig = await rigOf(undefined, hostnames("gold"));
    const theirs = hostnameOf(rig, THEIR_NAME);
    const report = await runWith(rig, "POST", async (pass) => {
      await pass();
      return success(theirs);
    });
    expect(statusOf(report, ADDRESS)).toBe("done");
    expect((await tracked(rig, ADDRESS))?.id).toBe(at(hostnameOf(rig, ONE), "id"));
  });

  it("never stores a foreign hostname under our address if ours was not created", async () => {
    const rig = await rigOf(undefined, hostnames("gold"));
    const theirs = hostnameOf(rig, THEIR_NAME);
    const report = await runWith(rig, "POST", () => Promise.resolve(success(theirs)));
    expect(statusOf(report, ADDRESS)).not.toBe("done");
    expect(applyExit(report).code).not.toBe(0);
    expect((await tracked(rig, ADDRESS))?.id).not.toBe(at(theirs, "id"));
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...hostnames() });
    await rig.run();
    expect(hostnameOf(rig, THEIR_NAME)).not.toBeNull();
  });

  it.each(BAD_IDS.map((id) => [JSON.stringify(id.slice(0, 20)), id] as const))(
    "never stores an invalid id: %s",
    async (_what, id) => {
      const rig = await rigOf(undefined, hostnames("gold"));
      const report = await runWith(rig, "POST", async (pass) => {
        const answer = await pass();
        return success({ ...members(at(JSON.parse(answer.body), "result")), id });
      });
      expect(statusOf(report, ADDRESS)).toBe("done");
      expect((await tracked(rig, ADDRESS))?.id).toBe(at(hostnameOf(rig, ONE), "id"));
      expect(failuresOf(await rig.run())).toEqual([]);
    },
  );
});

describe("a POST that took effect and whose response is a foreign page", () => {
  it.each([
    [403, "text/html", "<html><body><h1>403 Forbidden</h1></body></html>"],
    [404, "text/html", "<html><body><h1>404 Not Found</h1></body></html>"],
    [403, "application/json", JSON.stringify({ error: "blocked by policy" })],
  ])("is looked up and tracked: %i %s", async (status, type, body) => {
    const rig = await rigOf(undefined, hostnames("gold"));
    const report = await runWith(rig, "POST", async (pass) => {
      await pass();
      return { status, headers: { "content-type": type }, body };
    });
    expect(statusOf(report, ADDRESS)).toBe("done");
    expect((await tracked(rig, ADDRESS))?.id).toBe(at(hostnameOf(rig, ONE), "id"));
  });
});
