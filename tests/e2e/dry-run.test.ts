import { describe, expect, test } from "vitest";
import { appliedWorlds } from "../support/project.ts";

const appliedWorld = appliedWorlds();

describe("apply FILE --dry-run", () => {
  test("shows what is left of the approved plan, takes no lock and writes nothing: exit 0", async () => {
    const { zoneform, zoneformWith, edit, writes, states } = await appliedWorld();
    await edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
    await zoneform("plan", "--out", "p.zfplan");
    const before = await states();
    const readOnly = { CLOUDFLARE_API_TOKEN: "demo-read-only" };
    const shown = await zoneformWith(readOnly, "apply", "p.zfplan", "--dry-run");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("+ create new.violin-academy.de") });
    expect(shown.stdout).toMatch(/\nDry run: nothing was changed\.\n$/);
    expect(writes()).toEqual({});
    expect(await states()).toEqual(before);

    await zoneform("apply", "p.zfplan");
    const again = await zoneform("apply", "p.zfplan", "--dry-run", "--json");
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      zones: [{ changes: [] }, { changes: [] }],
    });
  });

  test("exits with 4 if there is a change that was not approved, and with 5 if live changed since", async () => {
    const { zoneform, edit, dashboard } = await appliedWorld();
    const zone = "023e105f4ecef8ad9ca31a8372d0c353";
    await edit(
      "zones/saas-dev.yaml",
      "total_tls: { enabled: true, certificate_authority: google }",
      "total_tls: { enabled: true, certificate_authority: ssl_com }",
    );
    await zoneform("plan", "--out", "p.zfplan");
    await edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
    expect(await zoneform("apply", "p.zfplan", "--dry-run")).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("it was not part of the approved plan [not-approved]"),
    });
    await edit("data/customers.csv", "new.violin-academy.de,silver,,eu\n", "");
    dashboard(zone, "POST", "acm/total_tls", { enabled: false });
    expect(await zoneform("apply", "p.zfplan", "--dry-run")).toMatchObject({ code: 5 });
  });
});
