import { describe, expect, it } from "vitest";
import { zoneId } from "../../../lib/core/brand.ts";
import { approvalOf, withApproval } from "../../../lib/approval/approval.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import { EVERYTHING } from "../../../lib/plan/inputs.ts";
import { planText } from "../../../lib/report/plan.ts";
import { applyApproved, hostnamesOf, refusalOf, statuses } from "../../support/approving.ts";
import { changesOf, dnsRecords, endingsOf, HOLDER, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { certificate } from "../../support/x509.ts";

const SSL = { method: "http", type: "dv" };
const PHASE = "http_request_firewall_custom";
const ENTRY_POINT = `/zones/${ZONE.id}/rulesets/phases/${PHASE}/entrypoint`;
const OTHER = { id: zoneId("9a7806061c88ada191ed06f989cc3dac"), name: "other.net" };

/** An entry of the YAML: its hostname alone, or with more. */
type Entry = string | { readonly hostname: string; readonly [field: string]: unknown };

function zoneFile(entries: readonly Entry[], zone: object = ZONE): object {
  const full = entries.map((entry) => ({ ssl: SSL, ...(typeof entry === "string" ? { hostname: entry } : entry) }));
  return { version: 1, zone, custom_hostnames: { lifecycle: "zoneform", entries: full } };
}

function rigWith(entries: readonly Entry[], more: Partial<Parameters<typeof openRig>[0]> = {}): Rig {
  return openRig({ ...more, files: { "zones/a.yaml": zoneFile(entries), ...more.files } });
}

function rule(ref: string, path = ref): { [field: string]: string | boolean } {
  return { ref, action: "block", expression: `http.request.uri.path eq "/${path}"`, enabled: true, description: "" };
}

function rulesFile(options: object): object {
  return { version: 1, zone: ZONE, entry_points: { [PHASE]: { rules: [rule("sec/1")], ...options } } };
}

function rigWithRules(options: object): Rig {
  const zone = { plan: "enterprise", rulesets: [{ phase: PHASE, rules: [rule("theirs")] }] } as const;
  return openRig({ zone, files: { "zones/a.yaml": rulesFile(options) } });
}

const errors = [{ code: 1, message: "not this one" }];
const REFUSAL = {
  status: 400,
  headers: {},
  body: JSON.stringify({ success: false, errors, messages: [], result: null }),
};

describe("what the approved plan showed as blocked", () => {
  it("by --deny is approved neither by its hash nor by its file", async () => {
    const rig = rigWith(["a.net", "b.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    const saved = await rig.plan({ selection: { ...EVERYTHING, deny: ["delete"] } });
    expect((await refusalOf(applyApproved(rig, { expect: saved.hash }))).diagnostics[0]?.code).toBe("another-plan");
    const [ended] = endingsOf(await applyApproved(rig, { saved }));
    expect(ended?.outcome).toMatchObject({ status: "refused", refused: { code: "not-approved" } });
    expect(hostnamesOf(rig)).toEqual(["a.net", "b.net"]);
  });

  it("because it was protected is not deleted once the protection is gone", async () => {
    const rig = rigWith([{ hostname: "a.net", protect: true }, "b.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    const saved = await rig.plan();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.net", protect: false }, "b.net"]));
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net"]));
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(['delete custom_hostname["a.net"] refused']);
    expect(hostnamesOf(rig)).toEqual(["a.net", "b.net"]);
  });

  it("because it lacked adopt: true is not written once the YAML has it", async () => {
    const rig = rigWithRules({});
    const saved = await rig.plan();
    rig.write("zones/a.yaml", rulesFile({ adopt: true }));
    expect((await rig.plan()).hash).not.toBe(saved.hash);
    expect(statuses(await applyApproved(rig, { saved }))).toEqual([`adopt ruleset["${PHASE}"] refused`]);
  });

  it("stays blocked in the approval that an earlier run recorded", async () => {
    const rig = rigWith(["a.net", "b.net"]);
    await rig.run();
    rig.write("zones/a.yaml", zoneFile(["b.net", "c.net"]));
    const deny = { selection: { ...EVERYTHING, deny: ["delete"] as const } };
    const { hash } = await rig.plan(deny);
    await applyApproved(rig, { expect: hash }, deny);
    expect(statuses(await applyApproved(rig, { expect: hash }))).toEqual(['delete custom_hostname["a.net"] refused']);
    expect(hostnamesOf(rig)).toEqual(["a.net", "b.net", "c.net"]);
  });

  it("by a deletion limit is applied only with --approve, whatever the limit is now", async () => {
    const limits = { version: 1, project: "rig", zones: ["zones/*.yaml"] };
    const none = { ...limits, deletion_limits: { custom_hostname: { percent: "100%", count: 100 } } };
    const rig = rigWith(["a.net", "b.net", "c.net"], { files: { "zoneform.yaml": limits } });
    await rig.run();
    rig.write("zones/a.yaml", zoneFile([]));
    const saved = await rig.plan();
    rig.write("zoneform.yaml", none);
    expect(new Set(endingsOf(await applyApproved(rig, { saved })).map(({ outcome }) => outcome.status))).toEqual(
      new Set(["refused"]),
    );
    expect(hostnamesOf(rig)).toEqual(["a.net", "b.net", "c.net"]);
    await applyApproved(rig, { saved, approve: saved.hash });
    expect(hostnamesOf(rig)).toEqual([]);
  });
});

describe("an approval covers one zone", () => {
  const zones = [ZONE, OTHER].map((zone) => ({ ...zone, dns_records: zone === ZONE ? dnsRecords() : [] }));

  it("neither its hash nor its file does anything in another one", async () => {
    const rig = rigWith(["a.net"], { zones });
    const saved = await rig.plan();
    rig.write("zones/a.yaml", zoneFile(["a.net"], OTHER));
    const byHash = await refusalOf(applyApproved(rig, { expect: saved.hash }));
    expect(byHash.diagnostics[0]?.code).toBe("another-plan");
    const byFile = await refusalOf(applyApproved(rig, { saved }));
    expect([byFile.exitCode, byFile.diagnostics[0]?.code]).toEqual([4, "plan-of-another-zone"]);
    expect(hostnamesOf(rig, OTHER)).toEqual([]);
  });

  it("a change of the same address is approved only in its own zone", async () => {
    const rig = rigWith(["a.net"], { zones });
    const approval = approvalOf(await rig.plan());
    rig.write("zones/a.yaml", zoneFile(["a.net"], OTHER));
    const judged = changesOf(withApproval(await rig.plan(), approval));
    expect(judged.map(({ address, refused }) => [address, refused?.code])).toEqual([
      ['custom_hostname["a.net"]', "not-approved"],
    ]);
  });
});

describe("an approval also covers what is lost", () => {
  it("the hash differs if a rule that will be deleted was changed", async () => {
    const rig = rigWithRules({ adopt: true });
    const { hash } = await rig.plan();
    rig.admin.dashboard("PUT", ENTRY_POINT, { rules: [rule("theirs", "edited-to-stop-an-attack")] });
    expect((await refusalOf(applyApproved(rig, { expect: hash }))).diagnostics[0]?.code).toBe("another-plan");
    const { result } = JSON.parse(rig.admin.dashboard("GET", ENTRY_POINT).body);
    expect(result.rules.map(({ expression }: { expression: string }) => expression)).toEqual([
      'http.request.uri.path eq "/edited-to-stop-an-attack"',
    ]);
  });
});

describe("an approval covers exactly the given references to secrets", () => {
  const withSecrets = (certificate: string, key: string): Entry => ({
    hostname: "a.net",
    ssl: { ...SSL, custom_certificate: { env: certificate }, custom_key: { env: key } },
  });
  const own = certificate({ subject: "a.net", issuer: ["Own", "CA"], sans: ["a.net"] });
  // The other references lead to the same certificate and key: only that matters.
  const env = { CERTIFICATE: own.certificate, KEY: own.key, OTHER_CERTIFICATE: own.certificate, OTHER_KEY: own.key };

  /** The zone has no state when the plan is made, so the plan contains no hashes; then it gets a state. */
  async function planned(rig: Rig): Promise<Plan> {
    const saved = await rig.plan();
    await rig.run({ selection: { ...EVERYTHING, target: ['custom_hostname["z.net"]'] } });
    return saved;
  }

  it("the same references are approved although only the state has their hashes", async () => {
    const rig = rigWith([withSecrets("CERTIFICATE", "KEY"), "z.net"], { env });
    const saved = await planned(rig);
    expect(changesOf(withApproval(await rig.plan(), approvalOf(saved))).map(({ refused }) => refused)).toEqual([
      undefined,
    ]);
  });

  it.each([
    ["certificate", withSecrets("OTHER_CERTIFICATE", "KEY")],
    ["key", withSecrets("CERTIFICATE", "OTHER_KEY")],
  ])("another reference for the %s is not approved", async (_name, entry) => {
    const rig = rigWith([withSecrets("CERTIFICATE", "KEY"), "z.net"], { env });
    const saved = await planned(rig);
    rig.write("zones/a.yaml", zoneFile([entry, "z.net"]));
    expect(statuses(await applyApproved(rig, { saved }))).toEqual(['create custom_hostname["a.net"] conflict']);
    expect(hostnamesOf(rig)).toEqual(["z.net"]);
  });
});

describe("an approval covers removing protection", () => {
  const ADDRESS = 'custom_hostname["a.net"]';

  async function protectedRig(): Promise<Rig> {
    const rig = rigWith([{ hostname: "a.net", protect: true }]);
    await rig.run();
    return rig;
  }

  async function isProtected(rig: Rig): Promise<boolean> {
    return (await rig.state())?.objects.get(ADDRESS)?.protect === true;
  }

  it("which is shown and counted, and writes nothing live", async () => {
    const rig = await protectedRig();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.net", protect: false }]));
    const plan = await rig.plan();
    expect(inWords(changesOf(plan))).toEqual([`forget ${ADDRESS} config let go protect`]);
    expect(planText(plan, { colour: false })).toContain("protect: true -> false");
    const written: string[] = [];
    rig.network((request, _index, pass) => {
      if (request.method !== "GET") written.push(request.method);
      return pass();
    });
    expect(statuses(await rig.apply(plan))).toEqual([`forget ${ADDRESS} done`]);
    expect([written, await isProtected(rig)]).toEqual([[], false]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it.each([
    ["by itself", {}],
    ["beside another change of the object", { custom_metadata: { tier: "gold" } }],
  ])("which does not happen under an approval of something else, %s", async (_name, more) => {
    const rig = await protectedRig();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.net", protect: true, ...more }, "c.net"]));
    const saved = await rig.plan();
    rig.write("zones/a.yaml", zoneFile([{ hostname: "a.net", protect: false, ...more }, "c.net"]));
    expect((await rig.plan()).hash).not.toBe(saved.hash);
    await applyApproved(rig, { saved });
    expect([hostnamesOf(rig), await isProtected(rig)]).toEqual([["a.net", "c.net"], true]);
  });
});

describe("a recorded approval", () => {
  it("stays while it is in use, however many others come and go", async () => {
    const rig = rigWith(["a.net", "b.net"]);
    const { hash } = await rig.plan();
    const others = Array.from({ length: 6 }, (_item, index) => `other-${index}.net`);
    rig.network((request, _index, pass) =>
      request.method === "POST" && String(request.body).includes("b.net") ? Promise.resolve(REFUSAL) : pass(),
    );
    await applyApproved(rig, { expect: hash });
    for (const [index, other] of others.entries()) {
      await rig.wait(1000);
      rig.write("zones/a.yaml", zoneFile(["a.net", "b.net", ...others.slice(0, index + 1)]));
      expect(statuses(await applyApproved(rig, { expect: hash }))[0]).toBe('create custom_hostname["b.net"] failed');
      await rig.wait(1000);
      await rig.run({ selection: { ...EVERYTHING, target: [`custom_hostname["${other}"]`] } });
    }
    const kept = (await rig.world().store.view(ZONE.id)).names.filter((name) => name.startsWith("approval-"));
    expect(kept).toHaveLength(5);
    expect(new Set(kept.map((name) => name.split("-").at(-1))).size).toBe(5);
  });

  it.each([
    ["that was cut off", '{"format":"zoneform-approval","version":1,"digest_version":1,"hash":"x"'],
    [
      "that lacks a field",
      '{"format":"zoneform-approval","version":1,"digest_version":1,"hash":"x"}\n{"address":"fallback_origin"}',
    ],
    ["that is not a record", "[]"],
  ])("in a record %s does not count", async (_name, text) => {
    const rig = rigWith(["a.net"]);
    const { store } = rig.world();
    const lease = await store.lock(ZONE.id, HOLDER, 0);
    const hash = `zf1:${"a".repeat(64)}`;
    await store.keep(ZONE.id, lease, `approval-1-${hash.slice(4, 36)}`, linesOf(text));
    await lease.release();
    expect((await refusalOf(applyApproved(rig, { expect: hash }))).diagnostics[0]?.code).toBe("another-plan");
  });
});

async function* linesOf(text: string): AsyncIterable<string> {
  yield* text.split("\n");
}
