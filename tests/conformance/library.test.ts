import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../../lib/emulator.ts";
import { apply, applyExit, type OpenWorld, openWorld, plan } from "../../lib/index.ts";
import { ZONE } from "../support/engine.ts";

const FIRST = ["a.customer.net"];
const LATER = [...FIRST, "b.customer.net"];

/** A project with these hostnames, and a world for it over an emulator of its own. */
async function projectWith(hostnames: readonly string[]): Promise<{
  readonly world: OpenWorld;
  readonly declare: (hostnames: readonly string[]) => Promise<void>;
  readonly live: () => readonly string[];
}> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-library-"));
  const zones = [{ id: ZONE.id, name: ZONE.name }];
  const emulator = await startEmulator({
    seed: { tokens: [{ value: "some-token-for-tests", permissions: "all" }], zones },
  });
  const file = join(folder, "zoneform.yaml");
  const world = openWorld({ file, apiUrl: emulator.url, env: { CLOUDFLARE_API_TOKEN: "some-token-for-tests" } });
  onTestFinished(async () => {
    await world.close();
    await emulator.close();
    await rm(folder, { recursive: true });
  });
  const declare = (names: readonly string[]): Promise<void> => {
    const entries = names.map((hostname) => ({ hostname, ssl: { method: "http", type: "dv" } }));
    const custom_hostnames = { lifecycle: "zoneform", entries };
    return writeFile(join(folder, "zone.yaml"), JSON.stringify({ version: 1, zone: ZONE, custom_hostnames }));
  };
  await writeFile(file, JSON.stringify({ version: 1, project: "library", zones: ["zone.yaml"] }));
  await declare(hostnames);
  const live = (): readonly string[] => {
    const { body } = emulator.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames`);
    const { result }: { readonly result: readonly { readonly hostname: string }[] } = JSON.parse(body);
    return result.map(({ hostname }) => hostname).toSorted();
  };
  return { world, declare, live };
}

test("what the YAML asks for since the plan is refused, and what was approved is carried out", async () => {
  const { world, declare, live } = await projectWith(FIRST);
  const approved = (await plan(world)).plan;
  await declare(LATER);
  const report = await apply(world, approved);
  expect(live()).toEqual(FIRST);
  expect(report.zones.flatMap(({ ended }) => ended.map(({ outcome }) => outcome.status))).toEqual(["done", "refused"]);
  expect(applyExit(report).code).toBe(4);
});

test("what the YAML asks for no longer is not carried out", async () => {
  const { world, declare, live } = await projectWith(LATER);
  const approved = (await plan(world)).plan;
  await declare(FIRST);
  const report = await apply(world, approved);
  expect(live()).toEqual(FIRST);
  expect(report.approval?.dropped).toEqual(['custom_hostname["b.customer.net"]']);
  expect(applyExit(report).code).toBe(0);
});

test("a plan of a part is applied with what it was made with", async () => {
  const { world, live } = await projectWith(LATER);
  const part = { selection: { target: ['custom_hostname["b.customer.net"]'], exclude: [], deny: [] } };
  const approved = (await plan(world, part)).plan;
  const report = await apply(world, approved, part);
  expect(live()).toEqual(["b.customer.net"]);
  expect(applyExit(report).code).toBe(0);
});
