import { describe, expect, it } from "vitest";
import { findForImport, importIntoState } from "../../../lib/engine/import.ts";
import { keepDrift } from "../../../lib/engine/keep-drift.ts";
import {
  changesOf,
  dnsRecords,
  driftInWords,
  failuresOf,
  HOLDER,
  inWords,
  openRig,
  type Rig,
  ZONE,
} from "../../support/engine.ts";
import { type Life, LIVES, writeLife } from "../../support/lives.ts";

const HOUR_MILLISECONDS = 3_600_000;
/** A life up to its last spec. */
async function grown(life: Life): Promise<Rig> {
  const { before = {}, specs } = life;
  const rig = openRig({ zone: { plan: "enterprise", dns_records: dnsRecords(), ...before }, files: {} });
  for (const spec of specs) {
    writeLife(rig, life, spec);
    await reached(rig);
  }
  return rig;
}

/** Applies, lets the service finish, and checks that nothing is left to do and nobody would be alerted. */
async function reached(rig: Rig): Promise<void> {
  expect(failuresOf(await rig.run())).toEqual([]);
  expect(inWords(changesOf(await rig.plan()).filter(({ action }) => action !== "held"))).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  expect(failuresOf(await rig.run())).toEqual([]);
  await rig.wait(HOUR_MILLISECONDS);
  expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  expect(driftInWords(await rig.drift())).toEqual([]);
}

/** The action on the object; nothing may be done to its surroundings, unless everything is destroyed. */
async function actionOn(rig: Rig, { address, beside }: Life, isDestroy = false): Promise<string | undefined> {
  const changes = changesOf(await rig.plan({ isDestroy }));
  expect(changes).toHaveLength(isDestroy && beside ? 2 : 1);
  return changes.find((change) => change.address === address)?.action;
}

describe.each(Object.entries(LIVES))("%s", (name, life) => {
  const last = life.specs.at(-1) ?? {};

  it("reaches each spec of its life from the one before", async () => {
    const rig = await grown(life);
    expect((await rig.state())?.objects.get(life.address)?.kind).toBe(name);
  });

  it.skipIf(!life.edit)("reports a foreign edit as drift, and reverts it", async () => {
    const rig = await grown(life);
    life.edit?.(rig);
    await rig.wait(HOUR_MILLISECONDS);
    expect((await rig.drift()).map(({ address }) => address)).toEqual([life.address]);
    await reached(rig);
  });

  it.skipIf(!life.edit)("declares a foreign edit instead, and then nothing is drift or planned", async () => {
    const rig = await grown(life);
    life.edit?.(rig);
    await rig.wait(HOUR_MILLISECONDS);
    const { files, kept, notKept } = await keepDrift(rig.world(), { file: rig.file });
    expect(notKept).toEqual([]);
    expect(kept.map(({ address }) => address)).toEqual([life.address]);
    for (const { name: file, after } of files) rig.write(file, after);
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
    expect(driftInWords(await rig.drift())).toEqual([]);
  });

  it("is imported by its id without a change", async () => {
    const grownRig = await grown(life);
    const rig = openRig({ besides: grownRig, files: {} });
    writeLife(rig, life, last);
    const [id, address] = life.importId(rig);
    const found = await findForImport(rig.world(), { file: rig.file }, id, address);
    const again = await findForImport(
      rig.world(),
      { file: rig.file },
      found.kind.importId(ZONE.id, found.live),
      address,
    );
    expect(again.live.id).toBe(found.live.id);
    if (!found.object) throw new Error("the last spec declares it");
    await importIntoState(rig.world(), { ...found, object: found.object }, HOLDER, 0);
    const changes = changesOf(await rig.plan());
    expect(inWords(changes.filter(({ address: of }) => of === life.address || !life.beside))).toEqual([]);
  });

  it("leaves the zone file as its kind says", async () => {
    const rig = await grown(life);
    writeLife(rig, life, name === "custom_hostname" ? { custom_hostnames: { lifecycle: "zoneform" } } : {});
    expect(await actionOn(rig, life)).toBe(life.removed);
    await reached(rig);
    expect((await rig.state())?.objects.has(life.address)).toBe(false);
  });

  it("is destroyed as its kind says", async () => {
    const rig = await grown(life);
    if (JSON.stringify(last).includes("protect")) {
      writeLife(rig, life, JSON.parse(JSON.stringify(last).replace('"protect":true', '"protect":false')));
      await reached(rig);
    }
    expect(await actionOn(rig, life, true)).toBe(life.destroyed);
    expect(failuresOf(await rig.run({ isDestroy: true }))).toEqual([]);
    expect((await rig.state())?.objects.size).toBe(0);
  });
});
