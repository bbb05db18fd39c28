import { describe, expect, test } from "vitest";
import { at, text } from "../support/emulator.ts";
import { appliedWorlds, DEV, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const SHOP = "shop.northwind-books.com";
const A_DAY = 24 * 60 * 60_000;

/** A world whose state knows the hostname as active. */
async function knownActive(): Promise<World> {
  const world = await appliedWorld();
  expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect(at(world.hostname(DEV, SHOP), "status")).toBe("active");
  return world;
}

/** The customer points the name elsewhere, and the service notices it. */
function moveAway({ emulator, hostname }: World): void {
  emulator.admin.setDns(SHOP, { a: ["192.0.2.1"] });
  emulator.advance(A_DAY);
  expect(at(hostname(DEV, SHOP), "status")).toBe("moved");
}

/** Lets days pass, with a command on each of them, until the service has deleted the hostname. */
async function untilDeleted(world: World, ...command: readonly string[]): Promise<void> {
  for (let day = 0; day < 10 && world.hostname(DEV, SHOP) !== null; day += 1) {
    if (command.length > 0) expect([day, (await world.zoneform(...command)).code]).toEqual([day, 0]);
    world.emulator.advance(A_DAY);
  }
  expect(world.hostname(DEV, SHOP)).toBeNull();
}

describe("a hostname that moved away and that the service deleted", () => {
  test.each([["drift"], ["status"]])("is expired, and no drift, where a %s saw it moved each day", async (command) => {
    const world = await knownActive();
    moveAway(world);
    const before = await world.states();
    await untilDeleted(world, command);

    const found = await world.zoneform("drift");
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(flat(found.stdout)).toContain(`the service deleted 1 custom hostname by itself`);
    expect(found.stdout).not.toContain("deleted outside of zoneform");
    expect((await world.zoneform("plan", "--detailed-exitcode")).stdout).not.toContain(`+ create`);
    expect((await world.zoneform("status")).stdout).toContain("deleted by the service: 1");

    const after = await world.states();
    for (const [name, content] of Object.entries(before)) expect([name, after[name]]).toEqual([name, content]);
    expect(Object.keys(after).filter((name) => !(name in before))).toEqual([`${DEV}.observations-1`]);
  });

  test("is created again by the next apply only where when_expired says so", async () => {
    const world = await knownActive();
    moveAway(world);
    await untilDeleted(world, "drift");
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(world.hostname(DEV, SHOP)).toBeNull();
  });

  test("is one that somebody deleted, as far as anybody knows, where no run looked at it meanwhile", async () => {
    const world = await knownActive();
    moveAway(world);
    await untilDeleted(world);
    const found = await world.zoneform("drift");
    expect(found.code).toBe(3);
    expect(flat(found.stdout)).toContain("deleted outside of zoneform");
  });

  test("is not expired for what was seen of another hostname of that name", async () => {
    const world = await knownActive();
    moveAway(world);
    expect(await world.zoneform("drift")).toMatchObject({ code: 0 });
    const old = text(world.hostname(DEV, SHOP), "id");
    // Deleted by hand and made again by an apply: from now on the name belongs to another object.
    world.dashboard(DEV, "DELETE", `custom_hostnames/${old}`);
    world.emulator.admin.setDns(SHOP, { cname: "customers.saas.dev" });
    await world.edit("zones/saas.dev.yaml", /when_expired: \w+/, "when_expired: create").catch(() => undefined);
    expect(await world.zoneform("drift")).toMatchObject({ code: 0 });
  });
});
