import { expect, test } from "vitest";
import {
  changesOf,
  driftInWords,
  endingsOf,
  inWords,
  openRig,
  type Rig,
  seededRandom,
  ZONE,
} from "../support/engine.ts";
import { openApplication } from "./application.ts";
import { isActive, storedHostname, zoneOf } from "./live.ts";

const RUNS = process.env["ZONEFORM_FULL"] ? 200 : 30;
const ROUNDS = 5;
const HOUR_MILLISECONDS = 3_600_000;

const FILES = {
  "zones/a.yaml": {
    version: 1,
    zone: ZONE,
    custom_hostnames: {
      lifecycle: "app",
      policies: [
        {
          name: "base",
          set: {
            custom_origin_server: "origin1.saas.net",
            ssl: { method: "http", settings: { min_tls_version: "1.2" } },
          },
        },
        { name: "gold", match: { "metadata.tier": "gold" }, set: { ssl: { settings: { min_tls_version: "1.3" } } } },
        {
          name: "txt",
          match: { hostname: "c1*" },
          set: { ssl: { method: "txt", certificate_authority: "lets_encrypt" } },
        },
      ],
    },
  },
};

/** What the policies set, in plain words. */
function wanted(name: string, tier: string | undefined): object {
  const isTxt = name.startsWith("c1");
  return {
    custom_origin_server: "origin1.saas.net",
    ssl: {
      method: isTxt ? "txt" : "http",
      settings: { min_tls_version: tier === "gold" ? "1.3" : "1.2", http2: "off" },
      ...(isTxt ? { certificate_authority: "lets_encrypt" } : {}),
    },
  };
}

async function expectNoDrift(rig: Rig): Promise<void> {
  expect(driftInWords(await rig.drift())).toEqual([]);
}

/** One simulation; returns what the application did. */
async function simulate(seed: number): Promise<Readonly<Record<string, number>>> {
  const isLarge = seed % 10 === 0;
  const rig = openRig({
    seed,
    behaviour: seed % 2 ? "described" : "public",
    files: FILES,
    zone: { plan: "enterprise" },
  });
  const random = seededRandom(seed);
  const application = openApplication(rig, random, isLarge ? 150 : 12);
  for (let count = isLarge ? 150 : 10; count > 0; count -= 1) application.act();

  // The application acts before every few requests, whatever they are for.
  const every = 1 + Math.floor(random.fraction() * 4);
  rig.network((_request, index, pass) => {
    if (index % every === 0) application.act();
    return pass();
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    await rig.wait(random.fraction() * 2 * HOUR_MILLISECONDS);
    application.act();
    // Before the first apply there is no state, so nothing can be judged.
    if (round > 0) await expectNoDrift(rig);
    const plan = await rig.plan();
    for (let count = Math.floor(random.fraction() * 4); count > 0; count -= 1) application.act();
    const endings = endingsOf(await rig.apply(plan, { parallelism: 1 + (seed % 4) }));
    expect(endings.filter(({ outcome }) => outcome.status !== "done" && outcome.status !== "held")).toEqual([]);
  }

  await rig.restart();
  for (let round = 0; round < 3; round += 1) {
    await rig.wait(HOUR_MILLISECONDS);
    await rig.run();
  }
  await rig.wait(HOUR_MILLISECONDS);
  expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  expectKept(rig, application.hostnames());
  return application.done;
}

/** Exactly the application's hostnames exist, with the metadata that it wrote last, and as the policies want them. */
function expectKept(rig: Rig, hostnames: ReadonlyMap<string, Readonly<Record<string, string>>>): void {
  expect(
    zoneOf(rig)
      .hostnames.all()
      .map(({ hostname }) => hostname)
      .sort(),
  ).toEqual([...hostnames.keys()].sort());
  for (const [name, metadata] of hostnames) {
    const stored = storedHostname(rig, name);
    expect(stored?.["custom_metadata"]).toEqual(metadata);
    expect(isActive(rig, name)).toBe(true);
    expect(stored).toMatchObject(wanted(name, metadata["tier"]));
  }
}

test("an application that works on its hostnames between and during runs causes no drift, no conflict and no lost write", async () => {
  const done: Record<string, number> = {};
  for (let seed = 1; seed <= RUNS; seed += 1) {
    for (const [what, count] of Object.entries(await simulate(seed))) done[what] = (done[what] ?? 0) + count;
  }
  for (const what of ["create", "delete", "edit", "recreate"]) expect(done[what], what).toBeGreaterThan(RUNS);
});
