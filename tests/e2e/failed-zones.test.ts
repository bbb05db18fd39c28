import { describe, expect, test } from "vitest";
import { at, text } from "../support/emulator.ts";
import { APP, appliedWorlds, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

/** A project of which one zone has an id that the service does not know. */
async function slippedWorld(): Promise<World> {
  const world = await appliedWorld();
  await world.edit("zones/saas-app.yaml", APP, "0".repeat(32));
  return world;
}

const COMMANDS: readonly (readonly [string, ...string[]])[] = [
  ["status"],
  ["hostname", "todo"],
  ["hostname", "list"],
  ["ca", "audit"],
  ["certificates", "list"],
];

describe("a zone that cannot be read", () => {
  test.each(COMMANDS)("is reported beside the others: %s %s", async (...command) => {
    const world = await slippedWorld();
    const found = await world.zoneform(...command);
    expect(found.code).toBe(1);
    expect(found.stdout).not.toBe("");
    expect(flat(found.stderr)).toContain("zones/saas-app.yaml:");
    expect(flat(found.stderr)).toContain("saas-app.dev");

    const json = await world.zoneform(...command, "--format", "json");
    expect(json.code).toBe(1);
    const zones = at(JSON.parse(json.stdout), "zones");
    expect(Array.isArray(zones) && zones.map((zone) => [text(zone, "zone.name"), at(zone, "exit_code") ?? 0])).toEqual([
      ["saas.dev", 0],
      ["saas-app.dev", 1],
    ]);
  });

  test.each<readonly [string, ...string[]]>([
    ["drift", "--json"],
    ["drift", "--against", "config", "--json"],
    ["plan", "--json"],
    ["status", "--format", "json"],
  ])("has its exit code in the JSON, even if an invalid token fails all of them: %s %s", async (...command) => {
    const world = await appliedWorld();
    const found = await world.zoneformWith({ CLOUDFLARE_API_TOKEN: "of-nobody" }, ...command);
    expect(found.code).toBe(1);
    expect(found.stderr.match(/^error/gm)).toHaveLength(1);
    const zones = at(JSON.parse(found.stdout), "zones");
    expect(Array.isArray(zones) && zones.map((zone) => at(zone, "exit_code"))).toEqual([1, 1]);
  });
});
