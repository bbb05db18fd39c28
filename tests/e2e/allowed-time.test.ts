import { describe, expect, test } from "vitest";
import { appliedWorlds, freshWorld } from "../support/project.ts";

const appliedWorld = appliedWorlds();

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** A window that is closed for at least a day from now on. */
function closed(): string {
  return `${DAYS[(new Date().getUTCDay() + 3) % 7] ?? ""} 09:00-10:00`;
}

describe("apply --window and --freeze", () => {
  test("outside of the window nothing is read or written: exit 4, with the time at which it opens", async () => {
    const { zoneform, emulator } = await freshWorld();
    emulator.requests.reset();
    const refused = await zoneform("apply", "--auto-approve", "--window", closed());
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toMatch(
      /^error: it is \d{4}-\d\d-\d\d \d\d:\d\d UTC, and nothing may be applied outside of --window \[outside-window\]\n {2}run this again after \d{4}-\d\d-\d\d 09:00 UTC\n/,
    );
    const berlin = await zoneform("apply", "--auto-approve", "--window", `${closed()} Europe/Berlin`);
    expect(berlin.stderr).toMatch(/run this again after \S+ 0[78]:00 UTC \(\d{4}-\d\d-\d\d 09:00 Europe\/Berlin\)\n/);
    expect(emulator.requests.counts()).toEqual({});
  });

  test("during a freeze nothing is read or written: exit 4, with the reason", async () => {
    const { zoneform, emulator } = await freshWorld();
    emulator.requests.reset();
    const refused = await zoneform("apply", "--auto-approve", "--freeze", "Black Friday, ask #edge");
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("error: nothing may be applied now: Black Friday, ask #edge [frozen]\n");
    expect(emulator.requests.counts()).toEqual({});
  });

  test("empty ones allow everything, and so does a window that is open", async () => {
    const { zoneform } = await freshWorld();
    const target = ["--auto-approve", "--target", "saas.dev/fallback_origin"];
    expect(await zoneform("apply", ...target, "--window", "", "--freeze", "")).toMatchObject({ code: 0 });
    expect(await zoneform("apply", ...target, "--window", "daily 00:00-24:00 Europe/Berlin")).toMatchObject({
      code: 0,
    });
  });

  test("a run that stops says which time is over, and the command that resumes it keeps to the window", async () => {
    const { zoneform } = await freshWorld();
    const times = "daily 00:00-24:00 Europe/Berlin";
    const flags = ["--auto-approve", "--max-duration", "0s", "--freeze", ""];
    const stopped = await zoneform("apply", ...flags, "--window", times);
    expect(stopped.code).toBe(6);
    expect(stopped.stdout).toContain("the --max-duration of 0 s is over");
    expect(stopped.stdout).not.toContain("or the end of --window");
    expect(stopped.stdout).toMatch(new RegExp(`^ *zoneform apply --window '${times}' --expect zf1:\\w+$`, "m"));
    expect((await zoneform("apply", ...flags, "--window", "")).stdout).toMatch(/^ *zoneform apply --expect zf1:\w+$/m);
    expect((await zoneform("apply", "--window", times)).stderr).toMatch(/zoneform apply --window '.*' --expect zf1:/);
  });

  test("a window that cannot be read is an error", async () => {
    const { zoneform } = await freshWorld();
    expect(await zoneform("apply", "--window", "weekends")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Expected days, times and a time zone"),
    });
    for (const [times, words] of [
      ["mon-fri 08:00-16:00 Europe/Atlantis", "There is no time zone Europe/Atlantis."],
      ["mon-fri 10:00-10:00", "It opens and closes at the same time; all day is 00:00-24:00."],
    ] as const)
      expect(await zoneform("apply", "--window", times)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(words),
      });
  });
});

describe("apply FILE --dry-run", () => {
  test("shows what is left of the approved plan, takes no lock and writes nothing: exit 0, also in a freeze", async () => {
    const { zoneform, zoneformWith, edit, writes, states } = await appliedWorld();
    await edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
    await zoneform("plan", "--out", "p.zfplan");
    const before = await states();
    const readOnly = { CLOUDFLARE_API_TOKEN: "demo-read-only" };
    const shown = await zoneformWith(readOnly, "apply", "p.zfplan", "--dry-run", "--freeze", "holidays");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("+ create new.violin-academy.de") });
    expect(shown.stdout).toMatch(
      /\nDry run: nothing was changed\. An apply would be refused now: nothing may be applied now: holidays \[frozen\]\.\n$/,
    );
    const open = await zoneformWith(readOnly, "apply", "p.zfplan", "--dry-run");
    expect(open.stdout).toMatch(/\nDry run: nothing was changed\.\n$/);
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
