import { describe, expect, test } from "vitest";
import { appliedWorlds, freshWorld } from "../support/project.ts";

const appliedWorld = appliedWorlds();
const HOSTNAME = "store.juniper-and-sons.com";
const ADDRESS = `saas.dev/custom_hostname["${HOSTNAME}"]`;

describe("a bare hostname as an address", () => {
  test("works for --target and --exclude, also with its zone and in upper case", async () => {
    const { zoneform } = await freshWorld();
    const wanted = await zoneform("plan", "--json", "--target", ADDRESS);
    expect(wanted.stdout).toContain(JSON.stringify(ADDRESS));
    for (const typed of [HOSTNAME, HOSTNAME.toUpperCase(), `${HOSTNAME}.`, `saas.dev/${HOSTNAME}`]) {
      const { stdout } = await zoneform("plan", "--json", "--target", typed);
      expect(addressesOf(stdout)).toEqual([ADDRESS]);
    }
    const { stdout } = await zoneform("plan", "--json", "--exclude", HOSTNAME);
    expect(addressesOf(stdout)).not.toContain(ADDRESS);
    expect(addressesOf(stdout).length).toBeGreaterThan(0);
  });

  test("works for why, state rm and state mv, and state rm finds it in the zone whose state has it", async () => {
    const { zoneform } = await appliedWorld();
    expect(await zoneform("why", HOSTNAME)).toMatchObject({ code: 0, stdout: expect.stringContaining(ADDRESS) });
    const moved = await zoneform("state", "mv", "--dry-run", HOSTNAME, "new.juniper-and-sons.com");
    expect(moved.stderr).toContain("custom_hostname");
    const removed = await zoneform("state", "rm", "--dry-run", HOSTNAME);
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining(`custom_hostname["${HOSTNAME}"]`) });
  });

  test("with a typo is answered with the most similar one of all zones", async () => {
    const { zoneform } = await freshWorld();
    const { code, stderr } = await zoneform("plan", "--target", "store.juniper-and-son.com");
    expect(code).toBe(1);
    expect(stderr).toContain(`did you mean ${ADDRESS}?`);
  });
});

function addressesOf(stdout: string): readonly string[] {
  return [...stdout.matchAll(/"address": ?"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
    String(JSON.parse(`"${text}"`)),
  );
}
