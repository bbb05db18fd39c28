import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../lib/core/diagnostic.ts";
import { applyPlan } from "../../../lib/engine/apply.ts";
import { findDrift } from "../../../lib/engine/drift.ts";
import { driftExit, driftExits } from "../../../lib/engine/exit.ts";
import { inspect, makePlan } from "../../../lib/engine/plan.ts";
import { why } from "../../../lib/engine/why.ts";
import type { World } from "../../../lib/engine/world.ts";
import { zoneStatus } from "../../../lib/engine/hostnames/status.ts";
import { disk } from "../../../lib/real/disk.ts";
import { driftDocument } from "../../../lib/report/commands/drift-json.ts";
import { statusDocument } from "../../../lib/report/commands/status.ts";
import { whyDocument } from "../../../lib/report/commands/why.ts";
import { planDocument } from "../../../lib/report/plan/json.ts";
import { localStores } from "../../../lib/state/engines/local/engine.ts";
import type { StateStores } from "../../../lib/state/stores.ts";
import { temporaryFolder } from "../../support/disk.ts";
import { dnsRecords, FALLBACK, failuresOf, WITHOUT_SECRETS, openRig, type Rig, ZONE } from "../../support/engine.ts";
import { readOnlyDisk, readOnlyStores } from "../../support/read-only-store.ts";
import { processOf, random, clocksOf } from "../../support/state-world.ts";
import { changedStore } from "../../support/changed-store.ts";
import { driftText, statusText } from "../../support/texts.ts";

const DAY = 24 * 3_600_000;
const [MOVED, EDITED] = ["a.one.net", "b.one.net"] as const;
const PLAIN = { colour: false, columns: 80 };

interface Applied {
  readonly rig: Rig;
  readonly folder: string;
}

function storesIn(folder: string, rig: Rig, fs = disk("refuse")): StateStores {
  return localStores(fs, folder, { identity: processOf(1000), ...clocksOf(rig.clock), random });
}

/**
 * A zone in which a hostname moved away and another one was edited since the apply: each command has something to say,
 * and something to record.
 */
async function applied(): Promise<Applied> {
  const rig = openRig({
    zone: { plan: "enterprise", validation: "world", dns_records: dnsRecords(), fallback_origin: FALLBACK },
    files: {
      "zones/saas.yaml": {
        version: 1,
        zone: ZONE,
        fallback_origin: { origin: FALLBACK },
        custom_hostnames: {
          lifecycle: "zoneform",
          entries: [{ hostname: MOVED }, { hostname: EDITED }],
          policies: [{ name: "all", set: { ssl: { type: "dv", method: "http" }, custom_metadata: { tier: "gold" } } }],
        },
      },
    },
  });
  for (const name of [MOVED, EDITED]) rig.admin.setDns(name, { cname: FALLBACK });
  const folder = await temporaryFolder();
  const stores = storesIn(folder, rig);
  await apply(rig, stores);
  await rig.wait(DAY);
  await apply(rig, stores);
  rig.admin.setDns(MOVED, { a: ["192.0.2.1"] });
  const path = `/zones/${ZONE.id}/custom_hostnames`;
  const [{ id }] = JSON.parse(rig.admin.dashboard("GET", `${path}?hostname=${EDITED}`).body).result;
  rig.admin.dashboard("PATCH", `${path}/${id}`, { custom_metadata: { tier: "bronze" } });
  await rig.wait(DAY);
  return { rig, folder };
}

async function apply(rig: Rig, stores: StateStores): Promise<void> {
  const world = worldOf(rig, stores);
  const { plan } = await makePlan(world, { file: rig.file });
  const project = { project: plan.project, stores, store: stores.of(plan.project) };
  const report = await applyPlan({ ...world, ...project }, plan, {
    ...WITHOUT_SECRETS,
  });
  expect(failuresOf(report)).toEqual([]);
}

function worldOf(rig: Rig, stores: StateStores, notes: Diagnostic[] = []): World {
  return { ...rig.world(), openStores: async () => stores, note: (found) => void notes.push(found) };
}

/** What each command prints, and its exit code. */
const COMMANDS: { readonly [name: string]: (world: World, file: string) => Promise<unknown> } = {
  status: async (world, file) => {
    const { made, failed } = await inspect(world, { file, records: true }, async ({ input, section }) =>
      zoneStatus(input, section, new Map(), 0),
    );
    return [statusText(made, PLAIN, failed), statusDocument(made, failed, driftExits([], failed))];
  },
  plan: async (world, file) => planDocument((await makePlan(world, { file })).plan),
  why: async (world, file) => whyDocument(await why(world, { file }, `custom_hostname["${EDITED}"]`)),
  drift: async (world, file) => {
    const { project, zones, failed } = await findDrift(world, { file, records: true });
    const codes = zones.map(({ section, judgement }) => ({ name: section.zone.name, code: driftExit(judgement) }));
    const exits = driftExits(codes, failed);
    const text = driftText({ project, zones, failed }, PLAIN, world.clock.now());
    return [text, driftDocument(project, zones, failed, exits), exits.code];
  },
};

/** Every file below a folder, with its bytes and its time. */
async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs } = await stat(path);
    found[path] = `${mtimeMs} ${entry.isFile() ? (await readFile(path)).toString("base64") : "folder"}`;
  }
  return found;
}

const NOTE = [{ severity: "warning", code: "observations-not-kept" }];

describe("beside read-only states", () => {
  it.each(Object.keys(COMMANDS))("%s reports the same with a store that grants only reading", async (name) => {
    const { rig, folder } = await applied();
    const command = COMMANDS[name] ?? (async () => undefined);
    const [tried, notes]: [string[], Diagnostic[]] = [[], []];
    const before = await filesIn(folder);
    const readOnly = readOnlyStores(storesIn(folder, rig), tried);
    const said = JSON.stringify(await command(worldOf(rig, readOnly, notes), rig.file));
    expect(await filesIn(folder)).toEqual(before);
    const isRecording = name === "drift" || name === "status";
    expect(new Set(tried)).toEqual(new Set(isRecording ? ["observe"] : []));
    expect(new Set(notes.map(({ message }) => message)).size).toBe(isRecording ? 1 : 0);
    expect(notes.slice(0, 1)).toMatchObject(isRecording ? NOTE : []);
    const others: Diagnostic[] = [];
    expect(said).toBe(JSON.stringify(await command(worldOf(rig, storesIn(folder, rig), others), rig.file)));
    expect(others).toEqual([]);
  });

  it.each(Object.keys(COMMANDS))("%s reports the same on a disk that is mounted read-only", async (name) => {
    const { rig, folder } = await applied();
    const command = COMMANDS[name] ?? (async () => undefined);
    const [tried, notes]: [string[], Diagnostic[]] = [[], []];
    const readOnly = storesIn(folder, rig, readOnlyDisk(disk("refuse"), tried));
    const said = JSON.stringify(await command(worldOf(rig, readOnly, notes), rig.file));
    const isRecording = name === "drift" || name === "status";
    expect(new Set(tried)).toEqual(new Set(isRecording ? [join(folder, "rig", `${ZONE.id}.observations-1`)] : []));
    expect(new Set(notes.map(({ message }) => message)).size).toBe(isRecording ? 1 : 0);
    expect(notes.slice(0, 1)).toMatchObject(isRecording ? NOTE : []);
    expect(said).toBe(JSON.stringify(await command(worldOf(rig, storesIn(folder, rig)), rig.file)));
  });

  it("no command that only reads moves a state, even if it may write", async () => {
    const { rig, folder } = await applied();
    const before = Object.keys(await filesIn(folder));
    for (const command of Object.values(COMMANDS)) await command(worldOf(rig, storesIn(folder, rig)), rig.file);
    expect(Object.keys(await filesIn(folder)).sort()).toEqual(
      [...before, join(folder, "rig", `${ZONE.id}.observations-1`)].sort(),
    );
  });
});

it("a run that may add to the record but not condense it records what it saw, and says nothing", async () => {
  const { rig, folder } = await applied();
  const world = worldOf(rig, storesIn(folder, rig));
  const { project } = rig.world();
  const tried: string[] = [];
  const writable = storesIn(folder, rig);
  const { condense } = readOnlyStores(writable, tried).of(project);
  // So many lines of hostnames that are long gone that the next run condenses the record.
  const old = Array.from({ length: 3000 }, () => "{}");
  await writable.of(project).observe(ZONE.id, old);
  const adding = { ...writable, of: () => changedStore(writable.of(project), { condense }) };
  const notes: Diagnostic[] = [];
  await findDrift(worldOf(rig, adding, notes), { file: rig.file, records: true });
  expect(tried).toEqual(["condense"]);
  expect(notes.map(({ code }) => code)).toEqual(["observations-damaged"]);
  const { made } = await inspect(world, { file: rig.file }, async ({ input }) => input.driftChecks);
  expect(made).toMatchObject([{ last: { counts: { drifted: 1 } } }]);
});
