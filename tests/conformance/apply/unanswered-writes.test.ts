import { describe, expect, it } from "vitest";
import { findDrift, type ZoneDrift } from "../../../lib/engine/drift.ts";
import { HttpFailure } from "../../../lib/service/http.ts";
import {
  changesOf,
  endingsOf,
  failuresOf,
  inWords,
  openRig,
  type Rig,
  runCutOffAfter,
  ZONE,
} from "../../support/engine.ts";
import { MANAGED, THEIRS } from "./foreign-edits.ts";

const NAME = "one.customer.net";
const PHASE = "http_request_firewall_managed";

const setting = (value: string): object => ({ zone_settings: { ssl: { value } } });
const hostname = (tier: string): object => ({
  custom_hostnames: { lifecycle: "zoneform", entries: [{ hostname: NAME, custom_metadata: { tier } }] },
});
const totalTls = (certificate_authority: string): object => ({ total_tls: { enabled: true, certificate_authority } });
const fallback = (origin: string): object => ({ fallback_origin: { origin } });
const rules = (...all: readonly object[]): object => ({
  entry_points: { [PHASE]: { own: ["ours/"], adopt: true, rules: all } },
});
const first = { ...MANAGED, ref: "ours/first", expression: "true" };
const second = { ...MANAGED, ref: "ours/second", expression: "false" };

/** What an update writes, by kind: the YAML before and after. */
const UPDATES: readonly (readonly [string, object, object])[] = [
  ['zone_setting["ssl"]', setting("full"), setting("strict")],
  [`custom_hostname["${NAME}"]`, hostname("gold"), hostname("silver")],
  ["total_tls", totalTls("google"), totalTls("lets_encrypt")],
  ["fallback_origin", fallback("fallback.saas.net"), fallback("fallback2.saas.net")],
  [`ruleset["${PHASE}"]`, rules(first, second), rules(second, { ...first, expression: 'http.host eq "a.org"' })],
  [`ruleset["${PHASE}"]`, rules(first), rules(first, second)],
  [`ruleset["${PHASE}"]`, rules(first, second), rules(first)],
];

function declare(rig: Rig, content: object): void {
  rig.write("zones/a.yaml", { version: 1, zone: ZONE, ...content });
}

/** A zone where `before` is applied, and the YAML wants `after`. */
async function changedRig(before: object, after: object): Promise<Rig> {
  const rig = openRig({
    zone: { plan: "enterprise", rulesets: [{ phase: PHASE, rules: [THEIRS] }] },
    files: { "zones/a.yaml": { version: 1, zone: ZONE, ...before } },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(3_600_000);
  expect(failuresOf(await rig.run())).toEqual([]);
  declare(rig, after);
  return rig;
}

/** Applies while the connection fails from the first write on, which takes effect or never arrives. */
async function runThatSeesNoAnswer(rig: Rig, { takesEffect = true } = {}): Promise<string> {
  let isCut = false;
  rig.network(async (request, _index, pass) => {
    if (isCut) throw new HttpFailure("cut", true, { reason: "cut" });
    if (request.method === "GET") return pass();
    isCut = true;
    if (takesEffect) await pass();
    throw new HttpFailure("cut", true, { reason: "cut" });
  });
  const report = await rig.run();
  expect(endingsOf(report).map(({ outcome }) => outcome.status)).toEqual(["unknown"]);
  rig.network((_request, _index, pass) => pass());
  return report.run;
}

async function look(rig: Rig): Promise<ZoneDrift["judgement"]> {
  const { zones } = await findDrift(rig.world(), { file: rig.file });
  const [zone] = zones;
  if (!zone) throw new Error("the zone could not be looked at");
  return zone.judgement;
}

/** The causes that a plan gives for its differences. */
async function causes(rig: Rig): Promise<readonly string[]> {
  const changes = changesOf(await rig.plan());
  const parts = changes.flatMap(({ cause, leaves, rules: steps }) => [
    cause,
    ...[...leaves, ...steps].map((each) => each.cause),
  ]);
  return [...new Set(parts)];
}

describe.each(UPDATES)("an update of %s without a response", (address, before, after) => {
  it("is no drift: drift names the run, until an apply has checked", async () => {
    const rig = await changedRig(before, after);
    const run = await runThatSeesNoAnswer(rig);
    for (const yaml of [after, before]) {
      declare(rig, yaml);
      expect(await look(rig)).toMatchObject({ drifted: [], adopted: [], underWay: [{ address, run, hasEnded: true }] });
    }
    expect(await causes(rig)).toEqual(["config"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await look(rig)).toMatchObject({ drifted: [], adopted: [], underWay: [] });
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  });

  it("is settled by an apply that has nothing to change, because live is as wanted", async () => {
    const rig = await changedRig(before, after);
    await runThatSeesNoAnswer(rig);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
    await rig.run();
    expect(await look(rig)).toMatchObject({ drifted: [], adopted: [], underWay: [] });
  });

  it("is planned again if it never arrived, with config as the cause", async () => {
    const rig = await changedRig(before, after);
    await runThatSeesNoAnswer(rig, { takesEffect: false });
    expect(await causes(rig)).toEqual(["config"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await look(rig)).toMatchObject({ drifted: [], adopted: [], underWay: [] });
  });

  it("is no drift in a plan, either, if the run was killed", async () => {
    const rig = await changedRig(before, after);
    await runCutOffAfter(
      rig,
      address.startsWith("ruleset") || address === "fallback_origin" ? "PUT" : (METHODS[address] ?? "PATCH"),
    );
    declare(rig, before);
    expect(await causes(rig)).toEqual(["config"]);
    const [change] = changesOf(await rig.plan());
    expect(change?.notes).toContainEqual(expect.stringMatching(/^run \S+ got no response to its change$/));
  });
});

const METHODS: Readonly<Record<string, string>> = { total_tls: "POST" };

describe("beside an update without a response", () => {
  it("later foreign edits are drift, field by field", async () => {
    const wanted = (tier: string, version: string): object => ({
      custom_hostnames: {
        lifecycle: "zoneform",
        ssl_updates: "always",
        entries: [
          {
            hostname: NAME,
            custom_metadata: { tier },
            ssl: { type: "dv", method: "http", settings: { min_tls_version: version } },
          },
        ],
      },
    });
    const rig = await changedRig(wanted("gold", "1.2"), wanted("silver", "1.2"));
    await runThatSeesNoAnswer(rig);
    const path = `/zones/${ZONE.id}/custom_hostnames`;
    const { result } = JSON.parse(rig.admin.dashboard("GET", `${path}?hostname=${NAME}`).body);
    rig.admin.dashboard("PATCH", `${path}/${result[0].id}`, {
      ssl: { type: "dv", method: "http", settings: { min_tls_version: "1.0" } },
    });
    declare(rig, wanted("gold", "1.2"));
    expect(inWords(changesOf(await rig.plan()))).toEqual([
      `update custom_hostname["${NAME}"] both custom_metadata.tier:config ssl.settings.min_tls_version:drift`,
    ]);
  });
});

describe("a deletion without a response", () => {
  const none = { custom_hostnames: { lifecycle: "zoneform", entries: [] } };

  it("is no drift: an object that is declared again is created, with config as the cause", async () => {
    const rig = await changedRig(hostname("gold"), none);
    const run = await runThatSeesNoAnswer(rig);
    const underWay = [{ address: `custom_hostname["${NAME}"]`, run, hasEnded: true }];
    expect(await look(rig)).toMatchObject({ drifted: [], adopted: [], underWay });
    declare(rig, hostname("gold"));
    expect(await look(rig)).toMatchObject({ drifted: [], adopted: [], underWay });
    expect(await causes(rig)).toEqual(["config"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await look(rig)).toMatchObject({ drifted: [], adopted: [], underWay: [] });
  });

  it("is settled by an apply that does not find it", async () => {
    const rig = await changedRig(hostname("gold"), none);
    await runThatSeesNoAnswer(rig);
    await rig.run();
    expect((await rig.state())?.objects.size).toBe(0);
  });
});
