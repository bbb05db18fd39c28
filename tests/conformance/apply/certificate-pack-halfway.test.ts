import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { findForImport, importIntoState } from "../../../lib/engine/import.ts";
import type { Change, Plan } from "../../../lib/plan/change.ts";
import { decodePlan, encodePlan } from "../../../lib/plan/file.ts";
import { EVERYTHING } from "../../../lib/plan/inputs.ts";
import { certificatePack } from "../../../lib/kinds/certificate-pack/kind.ts";
import { changesOf, endingsOf, failuresOf, HOLDER, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { applyApproved, statuses } from "../../support/approving.ts";

const HOUR_MILLISECONDS = 3_600_000;
const PACKS = `/zones/${ZONE.id}/ssl/certificate_packs`;
const KEY = "*.saas.net,saas.net";
const ADDRESS = `certificate_pack["${KEY}"]`;

const GOOGLE = { validation_method: "txt", validity_days: 90, certificate_authority: "google" };
const SSL_COM = { ...GOOGLE, certificate_authority: "ssl_com" };
const LETS_ENCRYPT = { ...GOOGLE, certificate_authority: "lets_encrypt" };
/** Nobody reads the mail, so it stays pending. */
const NEVER_SERVES = { ...SSL_COM, validation_method: "email" };

interface Pack {
  readonly id: string;
  readonly hosts: readonly string[];
  readonly certificate_authority: string;
  readonly status: string;
}

/** A zone file with one pack of those values, or none, and another one that nobody touches. */
function zoneFile(values?: object, more: object = {}): object {
  const own = values ? [{ hosts: ["saas.net", "*.saas.net"], ...values }] : [];
  const beside = { hosts: ["saas.net", "beside.saas.net"], ...GOOGLE };
  return { version: 1, zone: ZONE, certificate_packs: [...own, beside], ...more };
}

/** The advanced packs for both names. */
function packsOf(rig: Rig): readonly Pack[] {
  const { result } = JSON.parse(rig.admin.dashboard("GET", `${PACKS}?status=all&per_page=50`).body);
  return result.filter(
    ({ type, status, hosts }: Pack & { type: string }) =>
      type === "advanced" && status !== "pending_deletion" && hosts.includes("*.saas.net"),
  );
}

function inShort(rig: Rig): readonly string[] {
  return packsOf(rig).map(({ certificate_authority, status }) => `${certificate_authority} ${status}`);
}

/** What is planned for the packs: their address, and the action. */
function planned(changes: readonly Change[]): readonly unknown[] {
  return changes.map(({ key, action, hazards, refused }) => [
    key.includes("#") ? "old" : "new",
    action,
    hazards,
    refused?.code,
  ]);
}

/** A zone in which the pack of google serves, and its replacement has been ordered. Returns the plan that did that. */
async function midway(next: object = NEVER_SERVES, more: object = {}): Promise<{ rig: Rig; plan: Plan; hash: string }> {
  const rig = openRig({ zone: {}, files: { "zones/a.yaml": zoneFile(GOOGLE, more) } });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  rig.write("zones/a.yaml", zoneFile(next, more));
  const plan = await rig.plan();
  const { hash } = plan;
  if (next === NEVER_SERVES) {
    expect(statuses(await applyApproved(rig, { expect: hash }))).toEqual([`replace ${ADDRESS} done`]);
    expect(inShort(rig)).toEqual(["google active", "ssl_com pending_validation"]);
  } else await cutWhenOrdered(rig, hash);
  return { rig, plan, hash };
}

/** The run dies while it waits for the new pack, which serves an hour later. */
async function cutWhenOrdered(rig: Rig, hash: string): Promise<void> {
  let isOrdered = false;
  rig.network(async ({ method }, _index, pass) => {
    if (isOrdered) rig.crash();
    isOrdered = method === "POST";
    return pass();
  });
  expect(await rig.untilCrash(applyApproved(rig, { expect: hash }))).toBe("crashed");
  await rig.restart();
  await rig.wait(HOUR_MILLISECONDS);
  expect(inShort(rig).every((pack) => pack.endsWith(" active"))).toBe(true);
}

describe("an entry that is removed while the old pack still serves", () => {
  it("deletes both packs, and for the one that serves that is an outage like any other", async () => {
    const { rig } = await midway();
    rig.write("zones/a.yaml", zoneFile());
    const plan = await rig.plan();
    expect(planned(changesOf(plan))).toEqual([
      ["new", "delete", [], undefined],
      ["old", "delete", ["outage"], undefined],
    ]);
    const denying = await rig.plan({ selection: { target: [], exclude: [], deny: ["outage"] } });
    expect(planned(changesOf(denying)).at(-1)).toEqual(["old", "delete", ["outage"], "denied-by-flag"]);
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect(inShort(rig)).toEqual([]);
    expect(changesOf(await rig.plan())).toEqual([]);
  });

  it.each([
    ["two of three are within two thirds", { percent: "67%" }, undefined],
    ["two of three are more than half", { percent: "50%" }, "deletion-limit"],
    ["two are more than one", { percent: "100%", count: 1 }, "deletion-limit"],
  ])("counts both of them against the deletion limit: %s", async (_what, limit, refused) => {
    const { rig } = await midway();
    rig.write("zones/a.yaml", zoneFile(undefined, { deletion_limits: { certificate_pack: limit } }));
    expect(changesOf(await rig.plan()).map((change) => change.refused?.code)).toEqual([refused, refused]);
  });

  it("counts as a share of what is declared, however many wait for their successors", async () => {
    const { rig } = await midway();
    const file = zoneFile(NEVER_SERVES, { deletion_limits: { certificate_pack: { percent: "40%" } } });
    rig.write("zones/a.yaml", { ...file, certificate_packs: [{ hosts: ["saas.net", "*.saas.net"], ...NEVER_SERVES }] });
    const beside = changesOf(await rig.plan()).find(({ action }) => action === "delete");
    expect([beside?.key, beside?.refused?.code]).toEqual(["beside.saas.net,saas.net", "deletion-limit"]);
  });

  it("needs an approval of its own: the replacement's approval allows neither deletion", async () => {
    const { rig, hash } = await midway();
    rig.write("zones/a.yaml", zoneFile());
    const report = await applyApproved(rig, { expect: hash });
    expect(endingsOf(report).map(({ outcome }) => outcome.status)).toEqual(["conflict", "refused"]);
    expect(inShort(rig)).toEqual(["google active", "ssl_com pending_validation"]);
  });

  it("and released in the YAML leaves both of them live", async () => {
    const { rig } = await midway();
    rig.write("zones/a.yaml", zoneFile(undefined, { forget: [ADDRESS] }));
    expect(planned(changesOf(await rig.plan()))).toEqual([
      ["new", "forget", [], undefined],
      ["old", "forget", [], undefined],
    ]);
  });

  it("does not hide from a destroy that the old one serves", async () => {
    const { rig, hash } = await midway();
    const changes = changesOf(await rig.plan({ isDestroy: true }));
    expect(planned(changes.filter(({ key }) => key.startsWith(KEY)))).toEqual([
      ["new", "delete", [], undefined],
      ["old", "delete", ["outage"], undefined],
    ]);
    await applyApproved(rig, { expect: hash }, { isDestroy: true });
    expect(inShort(rig)).toContain("google active");
  });
});

describe("the old pack, once the new one serves", () => {
  it("is deleted under the approval of the replacement, without a hazard and outside the deletion limits", async () => {
    const none = { deletion_limits: { certificate_pack: { percent: "0%" } } };
    const { rig, hash } = await midway(SSL_COM, none);
    expect(planned(changesOf(await rig.plan()))).toEqual([["old", "delete", [], undefined]]);
    expect(failuresOf(await applyApproved(rig, { expect: hash }))).toEqual([]);
    expect(inShort(rig)).toEqual(["ssl_com active"]);
  });

  it("is not deleted under the approval of an earlier replacement, which meant another old pack", async () => {
    const { rig, hash } = await midway(SSL_COM);
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("zones/a.yaml", zoneFile(LETS_ENCRYPT));
    await cutWhenOrdered(rig, (await rig.plan()).hash);
    expect(inShort(rig)).toEqual(["ssl_com active", "lets_encrypt active"]);
    const report = await applyApproved(rig, { expect: hash });
    expect(endingsOf(report).map(({ action, outcome }) => [action, outcome.status])).toEqual([["delete", "refused"]]);
    expect(inShort(rig)).toEqual(["ssl_com active", "lets_encrypt active"]);
  });

  it("is deleted by the plan that ordered the new one, which then did something", async () => {
    const { rig, plan } = await midway(SSL_COM);
    const report = await rig.apply(plan);
    expect(inShort(rig)).toEqual(["ssl_com active"]);
    expect(endingsOf(report).map(({ action, outcome }) => [action, outcome])).toEqual([
      ["replace", { status: "done" }],
    ]);
    // Once more, it finds everything as it wants it.
    expect(endingsOf(await rig.apply(plan)).map(({ outcome }) => outcome)).toEqual([
      { status: "done", note: "was already so", wasSo: true },
    ]);
  });

  it("is deleted with a plan that was saved in a file", async () => {
    const { rig } = await midway(SSL_COM);
    const scope = { ...EVERYTHING, zones: [], sources: {}, isDestroy: false };
    const saved = encodePlan({ plan: await rig.plan(), endpoint: "https://api.test/client/v4", scope });
    const { plan } = await decodePlan(Readable.from(saved), "plan.zfplan");
    expect(failuresOf(await rig.apply(plan))).toEqual([]);
    expect(inShort(rig)).toEqual(["ssl_com active"]);
  });

  it("stays if the new one was deleted after the plan, and the missing one is ordered again", async () => {
    const { rig } = await midway(SSL_COM);
    const plan = await rig.plan();
    expect(planned(changesOf(plan))).toEqual([["old", "delete", [], undefined]]);
    const next = packsOf(rig).find(({ certificate_authority }) => certificate_authority === "ssl_com");
    rig.admin.dashboard("DELETE", `${PACKS}/${next?.id ?? ""}`);
    expect(endingsOf(await rig.apply(plan)).map(({ outcome }) => outcome)).toEqual([
      { status: "held", reason: "its replacement no longer serves traffic" },
    ]);
    expect(inShort(rig)).toEqual(["google active"]);
    expect(planned(changesOf(await rig.plan()))).toEqual([
      ["new", "create", ["needs-customer"], undefined],
      ["old", "held", [], undefined],
    ]);
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(inShort(rig)).toEqual(["ssl_com active"]);
  });

  it("stays if a new one that another run ordered meanwhile does not serve yet", async () => {
    const { rig } = await midway(SSL_COM);
    const plan = await rig.plan();
    const next = packsOf(rig).find(({ certificate_authority }) => certificate_authority === "ssl_com");
    rig.admin.dashboard("DELETE", `${PACKS}/${next?.id ?? ""}`);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(inShort(rig)).toEqual(["google active", "ssl_com initializing"]);
    expect(statuses(await rig.apply(plan)).map((line) => line.split(" ").at(-1))).toEqual(["held"]);
    expect(inShort(rig)).toContain("google active");
  });
});

describe("the old pack, imported again", () => {
  it("has one address only once the new one is gone, and is not deleted as the one that it replaces itself", async () => {
    const { rig } = await midway(SSL_COM);
    const [old, next] = packsOf(rig);
    rig.admin.dashboard("DELETE", `${PACKS}/${next?.id ?? ""}`);
    rig.write("zones/a.yaml", zoneFile(GOOGLE));
    const { object, ...found } = await findForImport(rig.world(), { file: rig.file }, `${ZONE.id}/${old?.id ?? ""}`);
    if (!object) throw new Error("it is declared");
    await importIntoState(rig.world(), { ...found, object }, HOLDER, 0);
    const known = [...((await rig.state())?.objects ?? [])].filter(([, { id }]) => id === old?.id);
    expect(known.map(([address]) => address)).toEqual([ADDRESS]);
    expect(changesOf(await rig.plan())).toEqual([]);
    expect(inShort(rig)).toEqual(["google active"]);
  });
});

describe("a new pack whose validation timed out", () => {
  it("serves in the end if its remedy is followed, and the old one serves until then", async () => {
    const rig = openRig({ zone: {}, files: { "zones/a.yaml": zoneFile(GOOGLE) } });
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
    const data = { flags: 0, tag: "issue", value: "pki.goog" };
    const caa = rig.admin.dashboard("POST", `/zones/${ZONE.id}/dns_records`, { type: "CAA", name: "saas.net", data });
    rig.write("zones/a.yaml", zoneFile(SSL_COM));
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(30 * 24 * HOUR_MILLISECONDS);
    expect(inShort(rig)).toEqual(["google active", "ssl_com issuance_timed_out"]);
    const late = packsOf(rig).find(({ status }) => status.endsWith("_timed_out"));
    const live = { id: late?.id ?? "", key: KEY, values: {}, status: { status: late?.status ?? "" } };
    const said = certificatePack.readiness?.(live);
    const remedy = said === undefined || said === "ready" ? "" : said.remedy;
    const [, method, path] = /: ([A-Z]+) (\S+)$/.exec(remedy) ?? [];
    const record: string = JSON.parse(caa.body).result.id;
    expect(rig.admin.dashboard("DELETE", `/zones/${ZONE.id}/dns_records/${record}`).status).toBe(200);
    expect(rig.admin.dashboard(method ?? "", (path ?? "").replace("ZONE_ID", ZONE.id), {}).status).toBe(200);
    expect(inShort(rig)).toContain("google active");
    await rig.wait(24 * HOUR_MILLISECONDS);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(inShort(rig)).toEqual(["ssl_com active"]);
  });
});
