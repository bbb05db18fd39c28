import { describe, expect, it } from "vitest";
import { DecodeError } from "../../../lib/core/decode.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import type { Fault } from "../../../lib/emulator.ts";
import type { Live } from "../../../lib/kinds/live.ts";
import type { WriteContext } from "../../../lib/kinds/traits/remote.ts";
import { kindNamed } from "../../../lib/kinds/registry.ts";
import type { HttpResponse } from "../../../lib/service/http.ts";
import { AmbiguousError } from "../../../lib/service/errors.ts";
import { explainFailure } from "../../../lib/service/explain-failure.ts";
import { endingsOf, failuresOf, FALLBACK, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { failureOf } from "../../unit/service/world.ts";

const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const PACKS = `/zones/${ZONE.id}/ssl/certificate_packs`;
const HOSTNAME = { hostname: "app.customer.net", ssl: { method: "http" } };
const PACK = {
  hosts: ["saas.net", "*.saas.net"],
  validation_method: "txt",
  validity_days: 90,
  certificate_authority: "google",
};

/** Answers that show nothing about a request that took effect. */
const SHOW_NOTHING: Readonly<Record<string, Fault>> = {
  "204": { kind: "no-content" },
  "the result null": { kind: "null-result" },
  "an HTML 401": { kind: "html", status: 401, after: true },
  "an HTML 403": { kind: "html", status: 403, after: true },
  "an HTML 404": { kind: "html", status: 404, after: true },
  "an HTML 407": { kind: "html", status: 407, after: true },
  "a redirect": { kind: "html", status: 303, after: true },
  "a gateway's JSON 403": { kind: "gateway-json", status: 403, after: true },
  "a gateway's JSON 404": { kind: "gateway-json", status: 404, after: true },
};

function rigWith(hostnames: readonly object[], packs: readonly object[] = []): Rig {
  return openRig({ zone: { plan: "enterprise" }, files: { "zones/a.yaml": zoneFile(hostnames, packs) } });
}

function zoneFile(hostnames: readonly object[], packs: readonly object[] = []): object {
  const entries = { lifecycle: "zoneform", entries: hostnames };
  return { version: 1, zone: ZONE, custom_hostnames: entries, certificate_packs: packs };
}

function liveNames(rig: Rig): readonly string[] {
  const { result } = JSON.parse(rig.admin.dashboard("GET", HOSTNAMES).body);
  return result.map(({ hostname }: { hostname: string }) => hostname);
}

/** The advanced packs that stay. */
function livePacks(rig: Rig): number {
  const { result } = JSON.parse(rig.admin.dashboard("GET", `${PACKS}?status=all&per_page=50`).body);
  return result.filter(
    ({ type, status }: { type: string; status: string }) => type === "advanced" && status !== "pending_deletion",
  ).length;
}

function envelope(status: number, code: number): HttpResponse {
  const body = { success: false, errors: [{ code, message: "no" }], messages: [], result: null };
  return { status, headers: {}, body: JSON.stringify(body) };
}

describe.each(Object.entries(SHOW_NOTHING))("a write that took effect and whose response is %s", (_name, fault) => {
  it("is found again after it created a hostname: nothing is lost when the entry is removed", async () => {
    const rig = rigWith([HOSTNAME]);
    rig.service.core.faults.order({ fault, method: "POST", path: HOSTNAMES });
    expect(endingsOf(await rig.run()).map(({ outcome }) => outcome.status)).toEqual(["done"]);
    rig.write("zones/a.yaml", zoneFile([]));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(liveNames(rig)).toEqual([]);
  });

  it("is found again after it ordered a pack: nothing is lost when the entry is removed", async () => {
    const rig = rigWith([], [PACK]);
    rig.service.core.faults.order({ fault, method: "POST", path: `${PACKS}/order` });
    expect(endingsOf(await rig.run()).map(({ outcome }) => outcome.status)).toEqual(["done"]);
    rig.write("zones/a.yaml", zoneFile([]));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(livePacks(rig)).toBe(0);
  });

  it("counts as done if it deleted a hostname", async () => {
    const rig = rigWith([HOSTNAME]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([]));
    rig.service.core.faults.order({ fault, method: "DELETE" });
    expect(endingsOf(await rig.run()).map(({ outcome }) => outcome.status)).toEqual(["done"]);
    expect(liveNames(rig)).toEqual([]);
  });
});

describe("a delete that had no effect", () => {
  const answers: Readonly<Record<string, HttpResponse>> = {
    "an HTML 404": { status: 404, headers: { "content-type": "text/html" }, body: "<html>Not Found</html>" },
    "a gateway's JSON 404": { status: 404, headers: {}, body: '{"message":"no route matched"}' },
    "a JSON 404 that could not be routed": envelope(404, 7003),
    "a JSON 404 of another family": envelope(404, 10_003),
    "a JSON 404 without a code": {
      status: 404,
      headers: {},
      body: '{"success":false,"errors":[{"message":"not found"}],"result":null}',
    },
  };

  it.each(Object.entries(answers))(
    "with the response %s is not done: the object stays tracked",
    async (_name, answer) => {
      const rig = rigWith([HOSTNAME], [PACK]);
      await rig.run();
      rig.write("zones/a.yaml", zoneFile([]));
      const plan = await rig.plan();
      rig.network((request, _index, pass) => (request.method === "DELETE" ? Promise.resolve(answer) : pass()));
      const statuses = endingsOf(await rig.apply(plan)).map(({ outcome }) => outcome.status);
      expect(statuses).not.toContain("done");
      expect([liveNames(rig).length, livePacks(rig)]).toEqual([1, 1]);
      await rig.restart();
      expect(failuresOf(await rig.run())).toEqual([]);
      expect([liveNames(rig).length, livePacks(rig)]).toEqual([0, 0]);
    },
  );
});

describe("a response that shows another object", () => {
  const wrong: Fault = { kind: "wrong-object" };

  function contextOf(rig: Rig): WriteContext {
    const client = rig
      .world()
      .connect({ apiShare: 1, issuancePerMinute: 100, issuanceReserve: 0, countsPatches: true });
    const freshly: WriteContext["freshly"] = (needs, act, signal) => client.freshly(needs, act, signal);
    return { client, freshly, zone: ZONE.id, reveal: () => expect.fail("no secrets here") };
  }

  async function liveOf(
    rig: Rig,
    name: "custom_hostname" | "certificate_pack" | "ruleset",
    key: string,
  ): Promise<Live> {
    const live = await kindNamed(name).find(contextOf(rig).client, ZONE.id, key);
    return live ?? expect.fail(`${name} is not there`);
  }

  const RULES: JsonObject = { rules: [{ ref: "a", action: "block", expression: "ip.src eq 192.0.2.1" }] };
  const PHASE = "http_request_firewall_custom";

  it.each([
    ["custom_hostname", "app.customer.net", { ssl: { method: "http", type: "dv" } }],
    ["ruleset", PHASE, RULES],
  ] as const)("does not confirm a create: %s", async (name, key, spec) => {
    const rig = rigWith([]);
    rig.service.core.faults.order({ fault: wrong });
    expect(await failureOf(kindNamed(name).create(contextOf(rig), key, spec, {}))).toBeInstanceOf(DecodeError);
  });

  it("is no result of a read, and no proof that a pack is gone", async () => {
    const rig = rigWith([HOSTNAME], [PACK]);
    await rig.run();
    const hostname = await liveOf(rig, "custom_hostname", HOSTNAME.hostname);
    const pack = await liveOf(rig, "certificate_pack", "*.saas.net,saas.net");
    for (const [name, live] of [
      ["custom_hostname", hostname],
      ["certificate_pack", pack],
    ] as const) {
      rig.service.core.faults.order({ fault: wrong });
      expect(await failureOf(kindNamed(name).read(contextOf(rig).client, ZONE.id, live))).toBeInstanceOf(DecodeError);
    }
  });

  it("does not confirm a delete", async () => {
    const rig = rigWith([HOSTNAME], [PACK]);
    await rig.run();
    const hostname = await liveOf(rig, "custom_hostname", HOSTNAME.hostname);
    const pack = await liveOf(rig, "certificate_pack", "*.saas.net,saas.net");
    for (const [name, live] of [
      ["custom_hostname", hostname],
      ["certificate_pack", pack],
    ] as const) {
      rig.service.core.faults.order({ fault: wrong });
      const removed = kindNamed(name).remove(contextOf(rig), live, undefined);
      expect(await failureOf(Promise.resolve(removed))).toBeInstanceOf(DecodeError);
    }
  });

  it("does not confirm an update", async () => {
    const rig = rigWith([HOSTNAME]);
    await rig.run();
    const live = await liveOf(rig, "custom_hostname", HOSTNAME.hostname);
    rig.service.core.faults.order({ fault: wrong });
    const desired = { custom_metadata: { tier: "gold" } };
    const leaves = [{ path: ["custom_metadata", "tier"], after: "gold", cause: "config" as const }];
    const input = { desired, leaves, prior: undefined, live, options: {} };
    const updated = kindNamed("custom_hostname").update(contextOf(rig), input);
    expect(await failureOf(updated)).toBeInstanceOf(DecodeError);
  });

  it("an id that would lead elsewhere, or moves the cursor, is not accepted", async () => {
    const rig = rigWith([]);
    rig.network(async (request, _index, pass) => {
      const answer = await pass();
      const body = answer.body.replace(/"id":"[0-9a-f-]{36}"/, String.raw`"id":"../../../zones/x\u001b[2J"`);
      return request.method === "POST" ? { ...answer, body } : answer;
    });
    const made = kindNamed("custom_hostname").create(contextOf(rig), HOSTNAME.hostname, { ssl: HOSTNAME.ssl }, {});
    expect(await failureOf(made)).toBeInstanceOf(DecodeError);
  });

  it("an empty response is ambiguous for every kind", async () => {
    const rig = rigWith([]);
    for (const [name, spec] of [
      ["fallback_origin", { origin: FALLBACK }],
      ["total_tls", { enabled: true, certificate_authority: "google" }],
      ["ruleset", RULES],
    ] as const) {
      rig.service.core.faults.order({ fault: { kind: "null-result" } });
      const made = kindNamed(name).create(contextOf(rig), name === "ruleset" ? PHASE : "", spec, {});
      expect(await failureOf(made)).toBeInstanceOf(AmbiguousError);
    }
  });
});

describe("a zone that was deleted", () => {
  it.each([
    ["9109", 403, 9109],
    ["7003", 404, 7003],
  ])("is an error with a remedy: %s", async (_name, status, code) => {
    const rig = rigWith([HOSTNAME]);
    await rig.run();
    rig.network(() => Promise.resolve(envelope(status, code)));
    const { remedy } = explainFailure(await failureOf(rig.plan()));
    expect(remedy).toContain("zoneform state rm --zone ZONE");
    expect((await rig.state())?.objects.size).toBe(1);
  });
});

it("a list that shows an object of another zone plans nothing", async () => {
  const rig = rigWith([HOSTNAME]);
  await rig.run();
  rig.network(async (request, _index, pass) => {
    const answer = await pass();
    const isList = request.url.includes("/custom_hostnames?");
    return isList
      ? { ...answer, body: answer.body.replaceAll('"hostname":', '"zone_id":"other","hostname":') }
      : answer;
  });
  const failure = await failureOf(rig.plan());
  expect(failure).toMatchObject({ message: expect.stringContaining("shows an object of another zone") });
});
