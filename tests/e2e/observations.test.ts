import { chmod, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { at, text } from "../support/emulator.ts";
import { appliedWorlds, APP, DEV, type World, STATES } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const SHOP = "shop.northwind-books.com";
const A_DAY = 24 * 60 * 60_000;
const PASSPHRASE = { ZONEFORM_STATE_PASSPHRASE: "a long passphrase, for tests alone" };

/** A world whose state knows the hostname as active, and in which it has moved away since. */
async function movedWorld({ daysActive = 0 } = {}): Promise<World> {
  const world = await appliedWorld();
  const { emulator, hostname, zoneform } = world;
  expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect(at(hostname(DEV, SHOP), "status")).toBe("active");
  emulator.advance(daysActive * A_DAY);
  emulator.admin.setDns(SHOP, { a: ["192.0.2.1"] });
  emulator.advance(A_DAY);
  expect(at(hostname(DEV, SHOP), "status")).toBe("moved");
  return world;
}

function deleteByHand({ dashboard, hostname }: World): void {
  dashboard(DEV, "DELETE", `custom_hostnames/${text(hostname(DEV, SHOP), "id")}`);
}

function untilDeleted({ emulator, hostname }: World): void {
  emulator.advance(7 * A_DAY);
  expect(hostname(DEV, SHOP)).toBeNull();
}

describe("a hostname that moved away and was deleted by Cloudflare", () => {
  test("is expired if a drift and a status saw it moved; they only write their observations", async () => {
    const world = await movedWorld();
    const before = await world.states();
    expect(await world.zoneform("drift", "--no-record")).toMatchObject({ code: 0, stderr: "" });
    expect(await world.states()).toEqual(before);

    const first = await world.zoneform("status", "--zone", "saas.dev");
    expect(flat(first.stdout)).toContain(
      `${SHOP}: seen moved for the first time now; Cloudflare deletes it 7 days after it moved`,
    );
    world.emulator.advance(2 * A_DAY);
    const second = await world.zoneform("status", "--zone", "saas.dev", "--format", "json");
    const moved = (field: string): number => Date.parse(text(JSON.parse(second.stdout), `zones.0.moved.0.${field}`));
    expect(moved("deleted_at_the_latest") - moved("first_seen_moved")).toBe(7 * A_DAY);

    untilDeleted(world);
    const found = await world.zoneform("drift");
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(flat(found.stdout)).toContain("Cloudflare deleted 1 custom hostname by itself");
    const after = await world.states();
    for (const [name, content] of Object.entries(before)) expect([name, after[name]]).toEqual([name, content]);
    expect(
      Object.keys(after)
        .filter((name) => !(name in before))
        .sort(),
    ).toEqual([DEV, APP].map((zone) => `${zone}.observations-1`).sort());
  });

  test.each(["drift", "status"])(
    "is drift if somebody deletes it by hand, an hour after a %s saw it moved",
    async (seenBy) => {
      const world = await movedWorld();
      expect(await world.zoneform(seenBy)).toMatchObject({ code: 0 });
      world.emulator.advance(A_DAY / 24);
      deleteByHand(world);
      const found = await world.zoneform("drift");
      expect(found.code).toBe(3);
      expect(flat(found.stdout)).toContain(`${SHOP} was deleted`);
      expect(flat(found.stdout)).not.toContain("by itself");
    },
  );

  test("is drift, whoever deleted it, if nobody knows since when it was moved", async () => {
    const world = await movedWorld({ daysActive: 7 });
    expect(await world.zoneform("drift")).toMatchObject({ code: 0 });
    world.emulator.advance(A_DAY);
    deleteByHand(world);
    const found = await world.zoneform("drift");
    expect(found.code).toBe(3);
    expect(flat(found.stdout)).toContain("deleted by Cloudflare or by hand");
  });

  test("is expired, not drift, for a job that runs at the same minute of every day", async () => {
    const world = await movedWorld();
    for (let day = 0; day < 6; day += 1) {
      expect(await world.zoneform("drift")).toMatchObject({ code: 0 });
      world.emulator.advance(A_DAY);
    }
    world.emulator.advance(A_DAY - 60_000);
    expect(world.hostname(DEV, SHOP)).toBeNull();
    const found = await world.zoneform("drift");
    expect(found.code).toBe(0);
    expect(flat(found.stdout)).toContain("Cloudflare deleted 1 custom hostname by itself");
  });

  test("counts as deleted by somebody if no run saw it in between", async () => {
    const world = await movedWorld();
    untilDeleted(world);
    const found = await world.zoneform("drift");
    expect(found.code).toBe(3);
    expect(flat(found.stdout)).toContain("deleted");
  });
});

test("a drift that cannot write says so once, and continues", async () => {
  const world = await movedWorld();
  const folder = join(world.folder, STATES);
  await chmod(folder, 0o500);
  try {
    const found = await world.zoneform("drift");
    expect(found.code).toBe(0);
    expect(found.stderr.match(/\[observations-not-kept\]/g)).toHaveLength(1);
    expect(flat(found.stderr)).toContain("its folder is read-only");
    expect(await world.zoneform("drift", "--no-record")).toMatchObject({ code: 0, stderr: "" });
  } finally {
    await chmod(folder, 0o700);
  }
});

test("observations are encrypted with the state, known to doctor, and removed with the zone's state", async () => {
  const world = await movedWorld();
  const folder = join(world.folder, STATES);
  const seen = async (): Promise<string> => {
    const names = (await readdir(folder)).filter((name) => name.startsWith(`${DEV}.observations-`));
    return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("");
  };
  expect(await world.zoneform("drift")).toMatchObject({ code: 0 });
  expect(await seen()).toContain(SHOP);
  const doctor = await world.zoneform("state", "doctor", "--zone", "saas.dev");
  expect(doctor.stdout).toContain("seen by drift and status: 1 hostname");
  expect(doctor.stdout).toContain("last checked for drift: 20");
  expect(doctor.stdout).not.toContain("unknown-file");

  const encrypted = await world.zoneformWith({ ...PASSPHRASE, ZONEFORM_STATE_PLAIN: "accept" }, "state", "encrypt");
  expect(encrypted.code).toBe(0);
  expect(await seen()).not.toContain(SHOP);
  untilDeleted(world);
  expect(await world.zoneformWith(PASSPHRASE, "drift", "--zone", "saas.dev")).toMatchObject({ code: 0, stderr: "" });

  const removed = await world.zoneformWith(
    PASSPHRASE,
    "state",
    "rm",
    "--zone",
    "saas.dev",
    "--force",
    "--auto-approve",
  );
  expect(removed.code).toBe(0);
  expect(flat(removed.stdout)).toContain("and the observations of 1 hostname");
  expect(await seen()).toBe("");
});
