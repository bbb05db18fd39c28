import fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../../lib/core/diagnostic.ts";
import type { Change } from "../../lib/plan/change.ts";
import { changesOf, driftInWords, failuresOf, inWords, openRig, type Rig, ZONE } from "../support/engine.ts";
import { importWritten } from "../support/importing.ts";
import { certificate } from "../support/x509.ts";
import { filesOf, type Scenario, scenario } from "./configurations.ts";
import { declaredOf } from "./expected.ts";
import { zoneOf } from "./live.ts";

const OWN = certificate({ subject: "*.uploaded.net", issuer: ["Own", "CA"], sans: ["*.uploaded.net"] });
const ENV = {
  FIRST_CERTIFICATE: OWN.certificate,
  FIRST_KEY: OWN.key,
  SECOND_CERTIFICATE: OWN.certificate,
  SECOND_KEY: OWN.key,
};
const HOUR_MILLISECONDS = 3_600_000;
const RUNS = { numRuns: process.env["ZONEFORM_FULL"] ? 100 : 30, seed: 20261121 };

/** A zone in which a configuration has been applied, and everything has settled. */
async function applied({ setting, live, first }: Scenario): Promise<Rig> {
  const rig = openRig({ behaviour: setting.behaviour, zone: live, files: filesOf(first), env: ENV });
  for (let round = 0; round < 2; round += 1) {
    expect(failuresOf(await rig.run())).toEqual([]);
    await rig.wait(HOUR_MILLISECONDS);
  }
  return rig;
}

async function importAll(rig: Rig, isWanted: (hostname: string) => boolean): Promise<void> {
  const zone = zoneOf(rig);
  if (zone.fallbackOrigin) await importWritten(rig, ZONE.id, "fallback_origin");
  await importWritten(rig, ZONE.id, "total_tls");
  for (const [index, { hostname, id }] of [...zone.hostnames.all()].entries()) {
    if (isWanted(hostname)) await importWritten(rig, `${ZONE.id}/${index % 2 === 0 ? id : hostname}`);
  }
  for (const { id, kind } of zone.rulesets.values())
    if (kind === "zone") await importWritten(rig, `zone/${ZONE.id}/${id}`);
}

/** A live skip that does nothing, because it comes after what it skips, may not be declared either. */
function uselessSkip(thrown: unknown): Refusal {
  if (thrown instanceof Refusal && thrown.diagnostics.every(({ code }) => code === "skip-after-execute")) return thrown;
  throw thrown;
}

/** An uploaded certificate is never shown, so it is sent once more to be sure. */
function isNews({ leaves }: Change): boolean {
  return !leaves.some(({ path }) => path.some((step) => step.startsWith("custom_cert")));
}

test("everything live, imported with --write into an empty zone file: no changes", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (drawn) => {
      const rig = openRig({ besides: await applied(drawn), files: { "zones/a.yaml": { version: 1, zone: ZONE } } });
      const refused = await importAll(rig, () => true).catch(uselessSkip);
      fc.pre(refused === undefined);
      const plan = await rig.plan();
      expect(inWords(changesOf(plan))).toEqual([]);
      expect(plan.zones.flatMap(({ findings }) => findings)).toEqual([]);
    }),
    RUNS,
  );
});

test("everything declared and live, imported into an empty state: no changes", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (drawn) => {
      const rig = openRig({ besides: await applied(drawn), files: filesOf(drawn.first), env: ENV });
      const declared = declaredOf(drawn.first);
      await importAll(rig, (hostname) => declared.has(hostname));
      const changes = changesOf(await rig.plan());
      const ours = changes.filter(({ kind, key }) => kind !== "custom_hostname" || declared.has(key));
      expect(inWords(ours.filter((change) => change.action !== "held" && isNews(change)))).toEqual([]);
      expect(driftInWords(await rig.drift())).toEqual([]);
    }),
    RUNS,
  );
});
