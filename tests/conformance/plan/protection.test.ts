import { describe, expect, it } from "vitest";
import { findForImport, importIntoState } from "../../../lib/engine/import.ts";
import { changesOf, failuresOf, HOLDER, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";

const HOSTNAMES = `/zones/${ZONE.id}/custom_hostnames`;
const SSL = { method: "http", type: "dv" };
const STRICT = { ...SSL, settings: { min_tls_version: "1.2" } };
const ADDRESS = 'custom_hostname["a.net"]';
const A_DAY = 24 * 60 * 60_000;

/** The zone with `b.net`, and with the given entry of `a.net`; undefined for no entry. */
function zoneFile(entry: object | undefined, ssl: object = SSL): object {
  const entries = [...(entry ? [{ hostname: "a.net", ssl, ...entry }] : []), { hostname: "b.net", ssl }];
  return { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", entries } };
}

/** A zone in which this was applied. */
async function applied(entry: object): Promise<Rig> {
  const rig = openRig({ zone: { plan: "enterprise" }, files: { "zones/a.yaml": zoneFile(entry) } });
  expect(failuresOf(await rig.run())).toEqual([]);
  return rig;
}

/** A zone in which `a.net` serves and only the state protects it: the YAML has its entry without protection. */
async function protectedByState(): Promise<Rig> {
  const rig = await applied({ protect: true });
  await rig.wait(A_DAY);
  rig.write("zones/a.yaml", zoneFile({}));
  expect(failuresOf(await rig.run())).toEqual([]);
  expect(await isProtected(rig)).toBe(true);
  return rig;
}

async function isProtected(rig: Rig): Promise<boolean | undefined> {
  return (await rig.state())?.objects.get(ADDRESS)?.protect;
}

/** The plan for `a.net` once its entry is gone. */
async function withoutEntry(rig: Rig, ssl: object = SSL): Promise<readonly string[]> {
  rig.write("zones/a.yaml", zoneFile(undefined, ssl));
  return inWords(changesOf(await rig.plan()).filter(({ key }) => key === "a.net"));
}

const REFUSED = [`delete ${ADDRESS} config refused protected`];

async function imported(rig: Rig): Promise<void> {
  const { object, ...found } = await findForImport(rig.world(), { file: rig.file }, `${ZONE.id}/a.net`);
  if (!object) return expect.fail("a.net is declared");
  return importIntoState(rig.world(), { ...found, object }, HOLDER, 0);
}

/** Somebody deletes `a.net` and creates another hostname with that name. */
async function replacedOutside(rig: Rig): Promise<void> {
  const id = (await rig.state())?.objects.get(ADDRESS)?.id ?? "";
  rig.admin.dashboard("DELETE", `${HOSTNAMES}/${id}`);
  rig.admin.dashboard("POST", HOSTNAMES, { hostname: "a.net", ssl: SSL });
  await rig.wait(A_DAY);
}

describe("protection in the state", () => {
  it.each([{}, { protect: false }])("is not removed by an import (the YAML says %o)", async (entry) => {
    const rig = await protectedByState();
    rig.write("zones/a.yaml", zoneFile(entry));
    await imported(rig);
    expect(await isProtected(rig)).toBe(true);
    expect(await withoutEntry(rig)).toEqual(REFUSED);
  });

  it("is applied while changes of the certificate are held", async () => {
    const rig = await applied({});
    rig.write("zones/a.yaml", zoneFile({ protect: true }, STRICT));
    expect(changesOf(await rig.plan()).map(({ action }) => action)).toEqual(["held", "held"]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await isProtected(rig)).toBe(true);
    expect(await withoutEntry(rig, STRICT)).toEqual(REFUSED);
  });

  it("is removed together with what is held, and not before", async () => {
    const rig = await applied({ protect: true });
    rig.write("zones/a.yaml", zoneFile({ protect: false }, STRICT));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await isProtected(rig)).toBe(true);
    await rig.wait(A_DAY);
    expect(inWords(changesOf(await rig.plan()))[0]).toContain("let go protect");
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await isProtected(rig)).toBeUndefined();
  });

  it("is applied even if the change itself is refused", async () => {
    const rig = await applied({});
    await rig.wait(A_DAY);
    rig.write("zones/a.yaml", zoneFile({ protect: true }, STRICT));
    const deny = { target: [], exclude: [], deny: ["update"] } as const;
    const plan = await rig.plan({ selection: deny });
    expect(changesOf(plan).map(({ refused }) => refused?.code)).toEqual(["denied-by-flag", "denied-by-flag"]);
    await rig.apply(plan);
    expect(await isProtected(rig)).toBe(true);
  });

  it("passes to another hostname that took the name", async () => {
    const rig = await protectedByState();
    await replacedOutside(rig);
    expect(inWords(changesOf(await rig.plan()))).toEqual([`adopt ${ADDRESS} drift`]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await isProtected(rig)).toBe(true);
    expect(await withoutEntry(rig)).toEqual(REFUSED);
  });

  it("is removed from another hostname that took the name only by a change that says so", async () => {
    const rig = await protectedByState();
    await replacedOutside(rig);
    rig.write("zones/a.yaml", zoneFile({ protect: false }));
    expect(inWords(changesOf(await rig.plan()))).toEqual([`adopt ${ADDRESS} drift let go protect`]);
    expect(failuresOf(await rig.run())).toEqual([]);
    expect(await isProtected(rig)).toBeUndefined();
  });
});
