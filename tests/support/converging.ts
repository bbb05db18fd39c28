import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { text } from "./emulator.ts";
import { DEV, type World } from "./project.ts";

/** Makes the service answer these requests later, although they take effect at once. */
export function slow({ emulator }: Pick<World, "emulator">, method: string, path: string, milliseconds: number): void {
  emulator.faults.order({ fault: { kind: "slow", milliseconds }, method, path, rate: 1 });
}

/** The names of the live hostnames of the first zone, sorted. A hostname that is live twice appears twice. */
export function liveNames({ dashboard }: Pick<World, "dashboard">): string[] {
  const found = dashboard(DEV, "GET", "custom_hostnames?per_page=50");
  return (Array.isArray(found) ? found : []).map((each) => text(each, "hostname")).sort();
}

/** The names that the example declares in that zone, sorted. */
export async function declaredNames({ folder }: Pick<World, "folder">): Promise<string[]> {
  const rows = (await readFile(join(folder, "data/customers.csv"), "utf8")).trim().split("\n").slice(1);
  const entries = ["store.juniper-and-sons.com", "tenants.cloudburst-hosting.com"];
  return [...rows.map((row) => row.replace(/,.*/, "")), ...entries].sort();
}

/** Expects that one apply without faults is enough: then nothing is lost or twice there, and the next plan is empty. */
export async function expectToConverge(world: World, ...flags: readonly string[]): Promise<void> {
  world.emulator.faults.clear();
  const applied = await world.zoneform("apply", "--auto-approve", ...flags);
  expect([applied.code, applied.stdout]).toEqual([0, expect.any(String)]);
  expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect(liveNames(world)).toEqual(await declaredNames(world));
}
