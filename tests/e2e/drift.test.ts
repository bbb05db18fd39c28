import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { editHostname, editRules, editTls } from "../support/dashboard.ts";
import { at, text } from "../support/emulator.ts";
import { APP, appliedWorlds, DEV, type World, STATES } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const VIOLIN = "lessons.violin-academy.de";
const SHOP = "shop.northwind-books.com";

async function theNewestRun({ zoneform }: World): Promise<string> {
  const [, run = ""] =
    /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/.exec((await zoneform("undo", "--list")).stdout) ?? [];
  return run;
}

describe("drift", () => {
  test("names each field that somebody changed, exits 3, and one apply repairs it all", async () => {
    const world = await appliedWorld();
    const { zoneform, dashboard, hostname, writes, emulator } = world;
    editTls(world, SHOP, "1.0");
    editRules(world, (rules) => rules.map((rule) => ({ ...rule, enabled: rule["ref"] !== "sec/skip-uploads" })));
    dashboard(DEV, "POST", "acm/total_tls", { enabled: true, certificate_authority: "lets_encrypt" });

    const found = await zoneform("drift");
    expect(found.code).toBe(3);
    expect(found.stdout).toContain("Drift in project saas-edge: 3 objects were changed outside Zoneform.\n");
    expect(found.stdout).toContain(`\n  DANGER  ${SHOP} accepts TLS 1.0 `);
    expect(found.stdout).toContain(`\n  ${SHOP}\n      ssl.settings.min_tls_version  applied 1.3, now 1.0\n`);
    expect(found.stdout).toContain("\n      #1 sec/skip-uploads was disabled\n");
    expect(found.stdout).toContain("certificate_authority  applied google, now lets_encrypt\n");
    expect(found.stdout).toMatch(
      /^saas-app\.dev: no drift, last applied \d{4}-\d\d-\d\d \d\d:\d\d UTC \(run \w{8}\)$/m,
    );
    expect(found.stdout).toContain("\n  zoneform apply --zone saas.dev\n");

    const document: unknown = JSON.parse((await zoneform("drift", "--json")).stdout);
    expect(document).toMatchObject({
      exit_code: 3,
      zones: [{ exit_code: 0 }, { exit_code: 3, counts: { changed: 3, deleted: 0 } }],
    });

    emulator.requests.reset();
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(writes()).toEqual({
      "PATCH /zones/:zone/custom_hostnames/:id": 1,
      "PATCH /zones/:zone/rulesets/:ruleset/rules/:rule": 1,
      "POST /zones/:zone/acm/total_tls": 1,
    });
    expect(at(hostname(DEV, SHOP), "ssl.settings.min_tls_version")).toBe("1.3");
    expect(await zoneform("drift")).toMatchObject({ code: 0, stderr: "" });
    expect(await zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  test("includes our rules that somebody deleted, but not their own rules", async () => {
    const world = await appliedWorld();
    const { zoneform } = world;
    editRules(world, (rules) => rules.filter((rule) => rule["ref"] !== "dashboard-exposed-credentials"));
    expect(await zoneform("drift")).toMatchObject({ code: 0 });
    editRules(world, (rules) => rules.filter((rule) => rule["ref"] !== "sec/managed"));
    const found = await zoneform("drift");
    expect(found.code).toBe(3);
    expect(found.stdout).toContain("\n      #2 sec/managed was removed\n");
  });

  test("includes a hostname that somebody deleted; an apply creates it again", async () => {
    const world = await appliedWorld();
    const { zoneform, dashboard, hostname } = world;
    dashboard(DEV, "DELETE", `custom_hostnames/${text(hostname(DEV, SHOP), "id")}`);
    const found = await zoneform("drift");
    expect(found).toMatchObject({ code: 3 });
    expect(flat(found.stdout)).toContain(` ${SHOP} was deleted `);
    const document: unknown = JSON.parse((await zoneform("drift", "--json")).stdout);
    expect(document).toMatchObject({
      zones: [{ drift: [] }, { counts: { deleted: 1 }, drift: [{ what: "deleted" }] }],
    });
    expect(JSON.stringify(document)).not.toContain("create");
    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(at(hostname(DEV, SHOP), "custom_metadata.tier")).toBe("gold");
  });

  test("does not include what the service does by itself: status, renewal, a hostname that moved away", async () => {
    const { zoneform, emulator } = await appliedWorld();
    emulator.admin.forceHostname(DEV, SHOP, { status: "moved" });
    emulator.admin.forceHostname(DEV, "www.northwind-books.com", { sslStatus: "pending_validation" });
    emulator.admin.forceHostname(DEV, "learn.rosetta-academy.fr", { sslStatus: "expired" });
    expect(await zoneform("drift")).toMatchObject({ code: 0 });
    emulator.advance(70 * 24 * 3600 * 1000);
    expect(await zoneform("drift")).toMatchObject({ code: 0 });
  });

  test("does not include hostnames that the application creates, changes or deletes in its own zone", async () => {
    const { zoneform, dashboard, hostname } = await appliedWorld();
    dashboard(APP, "POST", "custom_hostnames", {
      hostname: "three.tenant-gamma.com",
      ssl: { method: "http", type: "dv" },
    });
    const one = text(hostname(APP, "one.tenant-alpha.com"), "id");
    dashboard(APP, "PATCH", `custom_hostnames/${one}`, { custom_metadata: { tier: "gold", seats: "12" } });
    dashboard(APP, "DELETE", `custom_hostnames/${text(hostname(APP, "two.tenant-beta.com"), "id")}`);
    const found = await zoneform("drift");
    expect(found.stdout).toMatch(/^No drift in project saas-edge\.\n/);
    expect(found.code).toBe(0);
  });

  test("names a hostname of the application that is gone, as do the plan and the apply that drops it", async () => {
    const { zoneform, dashboard, hostname } = await appliedWorld();
    dashboard(APP, "DELETE", `custom_hostnames/${text(hostname(APP, "two.tenant-beta.com"), "id")}`);
    const address = 'saas-app.dev/custom_hostname["two.tenant-beta.com"]';
    const found = await zoneform("drift");
    expect(found.stdout).toContain("\nNot drift: 1 hostname of the application is gone: two.tenant-beta.com.\n");
    const sentence = "\n1 hostname of the application is gone; apply drops it from the state:\n  two.tenant-beta.com\n";
    expect((await zoneform("status")).stdout.replaceAll("\n  ", "\n")).toContain(sentence);
    const planned = await zoneform("plan", "--out", "p.zfplan");
    expect(planned.stdout).toContain(sentence);
    for (const command of ["drift", "plan", "status"]) {
      const { zones } = JSON.parse((await zoneform(command, "--json")).stdout);
      expect(zones).toMatchObject([{ gone: [address] }, { gone: [] }]);
    }
    expect((await zoneform("apply", "p.zfplan")).stdout).toContain(sentence);
    expect((await zoneform("plan")).stdout).not.toContain("two.tenant-beta.com");
  });

  test.each([["against the state"], ["against the YAML", "--against", "config"]])(
    "with --fail-on wakes somebody only for these hazards, and prints the rest, %s",
    async (_title, ...flags) => {
      const world = await appliedWorld();
      editTls(world, SHOP, "1.0");
      const codeFor = async (hazards: string): Promise<number | null> => {
        const { code, stdout } = await world.zoneform("drift", ...flags, "--fail-on", hazards);
        expect(stdout).toContain(SHOP);
        return code;
      };
      expect(await codeFor("outage")).toBe(0);
      expect(await codeFor("weakens-protection")).toBe(3);
      expect(await codeFor("outage,weakens-protection")).toBe(3);
      world.emulator.requests.reset();
      const wrong = await world.zoneform("drift", ...flags, "--fail-on", "outage,weakens-protections");
      expect(wrong).toMatchObject({ code: 1, stdout: "" });
      expect(flat(wrong.stderr)).toContain(
        'error: "weakens-protections" is not a hazard [unknown-hazard] did you mean "weakens-protection"?',
      );
      expect(world.emulator.requests.counts()).toEqual({});
    },
  );

  test("without danger is counted by status too, which never exits with 3 and says that all is well", async () => {
    const world = await appliedWorld();
    editHostname(world, SHOP, { custom_metadata: { tier: "bronze" } });
    const { code, stdout } = await world.zoneform("status", "--detailed-exitcode");
    expect(code).toBe(3);
    expect(stdout).toContain(
      "saas.dev: 1 problem needs attention\n  1 object differs from what was applied\n    to see what was changed:\n      zoneform drift --zone saas.dev\n",
    );
    const document: unknown = JSON.parse((await world.zoneform("status", "--json")).stdout);
    expect(document).toMatchObject({ zones: [{ drifted: [] }, { drifted: [`saas.dev/custom_hostname["${SHOP}"]`] }] });
  });

  test("gives status --detailed-exitcode and --fail-on their code; without them status exits with 0", async () => {
    const world = await appliedWorld();
    const codeOf = async (...flags: readonly string[]): Promise<number | null> =>
      (await world.zoneform("status", ...flags)).code;
    expect(await codeOf("--detailed-exitcode")).toBe(0);
    editTls(world, SHOP, "1.0");
    expect(await codeOf()).toBe(0);
    expect(await codeOf("--detailed-exitcode")).toBe(3);
    expect(await codeOf("--fail-on", "outage")).toBe(0);
    expect(await codeOf("--fail-on", "weakens-protection")).toBe(3);
    const wrong = await world.zoneform("status", "--fail-on", "outrage");
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(flat(wrong.stderr)).toContain('"outrage" is not a hazard [unknown-hazard] did you mean "outage"?');
    await rm(join(world.folder, STATES), { recursive: true });
    expect(await codeOf("--detailed-exitcode")).toBe(3);
  });

  test("works with a read-only token", async () => {
    const world = await appliedWorld();
    const readOnly = { CLOUDFLARE_API_TOKEN: "demo-read-only" };
    expect(await world.zoneformWith(readOnly, "drift")).toMatchObject({ code: 0 });
    editTls(world, SHOP, "1.1");
    expect(await world.zoneformWith(readOnly, "drift")).toMatchObject({ code: 3 });
    expect(world.writes()).toEqual({});
  });

  test("includes a change whose repair is held because the certificate never becomes active", async () => {
    const world = await appliedWorld();
    const { dashboard, emulator, hostname, zoneform } = world;
    emulator.admin.setDns(SHOP, { caa: ["pki.goog"] });
    dashboard(DEV, "PATCH", `custom_hostnames/${text(hostname(DEV, SHOP), "id")}`, {
      ssl: { type: "dv", method: "http", certificate_authority: "lets_encrypt", settings: { min_tls_version: "1.0" } },
    });
    emulator.advance(DAY_MILLISECONDS);
    expect(at(hostname(DEV, SHOP), "ssl.status")).not.toBe("active");
    const found = await zoneform("drift", "--zone", "saas.dev");
    expect(found.code).toBe(3);
    expect(found.stdout).toContain("ssl.settings.min_tls_version  applied 1.3, now 1.0\n");
    expect(found.stdout).toMatch(/ssl\.certificate_authority +applied google, now lets_encrypt\n/);
  });

  test("reports what somebody did to rules, not what an apply would do about it", async () => {
    const world = await appliedWorld();
    editRules(world, (rules) => {
      const [skip = {}] = rules;
      return [{ ...skip, ref: "sec/quick-fix", description: "quick fix" }, ...rules.toReversed()];
    });
    const found = await world.zoneform("drift", "--zone", "saas.dev");
    expect(found.code).toBe(3);
    expect(found.stdout).toContain('\n      #1 sec/quick-fix ("quick fix") was added\n');
    expect(found.stdout).toMatch(/sec\/\S+ was moved from #(1 to #2|2 to #1)\n/);
    expect(found.stdout).not.toMatch(/removed|inserted|as an apply/);
    const document: unknown = JSON.parse((await world.zoneform("drift", "--json", "--zone", "saas.dev")).stdout);
    const added: unknown = expect.objectContaining({ what: "added", ref: "sec/quick-fix" });
    expect(document).toMatchObject({ zones: [{ drift: [{ rules: expect.arrayContaining([added]) }] }] });
  });

  test("does not include a change that matches the YAML by now: it is counted as adopted", async () => {
    const world = await appliedWorld();
    await world.edit("data/customers.csv", `${VIOLIN},bronze`, `${VIOLIN},silver`);
    editHostname(world, VIOLIN, { custom_metadata: { tier: "silver" } });
    const found = await world.zoneform("drift", "--zone", "saas.dev");
    expect(found).toMatchObject({ code: 0 });
    expect(flat(found.stdout)).toContain("1 value is already as the YAML declares; the next apply records it");
  });

  test("does not include what the state does not know yet, because nobody changed that by hand", async () => {
    const world = await appliedWorld();
    const address = `saas.dev/custom_hostname["${VIOLIN}"]`;
    await world.zoneform("state", "rm", address);
    const found = await world.zoneform("drift", "--zone", "saas.dev");
    expect(found).toMatchObject({ code: 0 });
    expect(flat(found.stdout)).toContain("1 object is live as declared; the next apply adds it to the state");
    expect(found.stdout).not.toContain("adopted");
    const document: unknown = JSON.parse((await world.zoneform("drift", "--zone", "saas.dev", "--json")).stdout);
    expect(document).toMatchObject({
      zones: [{ counts: { adopted: 0, untracked: 1 }, adopted: [], untracked: [address] }],
    });
  });

  test("does not include a run's write without a response: drift, status, doctor and why name it until an apply has read the object", async () => {
    const world = await appliedWorld();
    const { zoneform, emulator } = world;
    const address = `saas.dev/custom_hostname["${VIOLIN}"]`;
    await world.edit("data/customers.csv", `${VIOLIN},bronze`, `${VIOLIN},silver`);
    const path = `/zones/*/custom_hostnames/${text(world.hostname(DEV, VIOLIN), "id")}`;
    emulator.faults.order({ fault: { kind: "status", status: 500, after: true }, method: "PATCH", path });
    // The read before the write passes, and no look-up after it.
    emulator.faults.order({
      fault: { kind: "status", status: 403, after: false },
      method: "GET",
      path,
      skip: 1,
      rate: 1,
    });
    const applied = await zoneform("apply", "--auto-approve", "--target", address);
    expect([applied.code, applied.stdout]).toEqual([
      6,
      expect.stringContaining("\n1 unknown: sent, but the response was lost"),
    ]);
    emulator.faults.clear();

    const run = await theNewestRun(world);
    for (const tier of ["silver", "bronze"]) {
      if (tier === "bronze") await world.edit("data/customers.csv", `${VIOLIN},silver`, `${VIOLIN},bronze`);
      const found = await zoneform("drift", "--zone", "saas.dev");
      expect(found.code).toBe(1);
      expect(flat(found.stdout)).toContain(
        `not checked: 1 object left unfinished by run ${run.slice(0, 8)}, which got no response ${VIOLIN}`,
      );
      expect(found.stdout).not.toContain("adopted");
    }
    const document: unknown = JSON.parse((await zoneform("drift", "--zone", "saas.dev", "--json")).stdout);
    expect(document).toMatchObject({
      exit_code: 1,
      zones: [{ exit_code: 1, being_changed: [{ address, run, has_ended: true }] }],
    });
    const status = await zoneform("status", "--zone", "saas.dev");
    expect(flat(status.stdout)).toContain(
      `1 object was left unfinished by run ${run.slice(0, 8)}, which got no response`,
    );
    const doctor = await zoneform("state", "doctor");
    expect(flat(doctor.stdout + doctor.stderr)).toContain(`run ${run} got no response to its change`);
    const why = await zoneform("why", address);
    expect(flat(why.stdout)).toContain(`run ${run} got no response to its change`);
    expect(why.stdout).not.toContain("drift");

    expect(await zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(await zoneform("drift")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("unfinished") });
  });

  test("right after an undo says what is not applied, and why", async () => {
    const world = await appliedWorld();
    await world.edit("data/customers.csv", `${VIOLIN},bronze`, `${VIOLIN},silver`);
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(await world.zoneform("undo", "last", "--auto-approve")).toMatchObject({ code: 0 });
    const found = await world.zoneform("drift", "--zone", "saas.dev");
    expect(found).toMatchObject({ code: 0 });
    expect(found.stdout).toMatch(
      /^No drift in project saas-edge\.\n\nsaas\.dev: no drift, last undo .*\n\nNot drift: 1 configuration change is not applied yet\.\n/,
    );
    expect(flat(found.stdout)).toContain(`update ${VIOLIN}: custom_metadata.tier`);
    expect(flat(found.stdout)).toMatch(/run \w{8} was an undo: the YAML still declares what it reverted/);

    // The YAML goes back too; another change, and a released field, wait: the next apply redoes nothing of the run.
    await world.edit("data/customers.csv", `${VIOLIN},silver`, `${VIOLIN},bronze`);
    await world.edit("data/customers.csv", ",gold,pool-us.saas.dev,", ",gold,,");
    const reverted = await world.zoneform("drift", "--zone", "saas.dev");
    expect(reverted.stdout).toContain("1 configuration change is not applied yet");
    expect(reverted.stdout).not.toContain("was an undo");
    expect(reverted.stdout).toContain("release custom_origin_server of app.meridian-freight.com");
  });
});

describe("without a state", () => {
  test("is an error that lists the existing states and the remedy, and never claims that there is no drift", async () => {
    const world = await appliedWorld();
    editTls(world, SHOP, "1.0");
    for (const name of await readdir(join(world.folder, STATES)))
      if (name.startsWith(DEV)) await rm(join(world.folder, STATES, name), { recursive: true });
    const alone = await world.zoneform("drift", "--zone", "saas.dev");
    expect(alone).toMatchObject({ code: 1, stdout: "" });
    expect(alone.stderr).toMatch(
      /zones\/saas-dev\.yaml:\d+:\d+: error: no state of project saas-edge for saas\.dev in \S+\/\.zoneform; there are states of saas-app\.dev \[no-state\]/,
    );
    expect(alone.stderr).toContain("\n    zoneform drift --against config --zone saas.dev\n");

    const both = await world.zoneform("drift");
    expect(both.code).toBe(1);
    expect(both.stdout).toMatch(/^No drift in the zones of project saas-edge that could be checked\.\n/);
    expect(both.stderr).toContain("[no-state]");

    await rm(join(world.folder, ".zoneform"), { recursive: true });
    const said = await world.zoneform("drift");
    expect(said.stderr.replace(/^zones\S+ /, "")).toBe(
      [
        `error: no state of project saas-edge for saas-app.dev and saas.dev in ${world.folder}/.zoneform [no-state]`,
        "  wrong place? set ZONEFORM_STATE or --state to the right one",
        "  never applied? an apply makes the state:",
        "    zoneform apply",
        "  to compare live with the YAML only:",
        "    zoneform drift --against config",
        "1 error",
        "",
      ].join("\n"),
    );
    expect((await world.zoneform("status", "--zone", "saas.dev")).stdout).toMatch(
      /^saas\.dev: no state: nothing was applied yet/,
    );
    expect((await world.zoneform("state", "doctor")).stdout).not.toContain("ended normally");
    const none = await world.zoneform("drift", "--json");
    expect(none.code).toBe(1);
    expect(JSON.parse(none.stdout)).toMatchObject({
      exit_code: 1,
      zones: [
        { exit_code: 1, errors: [{ code: "no-state" }] },
        { exit_code: 1, errors: [{ code: "no-state" }] },
      ],
    });
  });

  test("compares live with the YAML alone: what differs, what does not, and what cannot be known", async () => {
    const world = await appliedWorld();
    await rm(join(world.folder, ".zoneform"), { recursive: true });
    const config = ["drift", "--against", "config"] as const;
    const same = await world.zoneform(...config);
    expect(same).toMatchObject({ code: 0, stderr: "" });
    expect(same.stdout).toMatch(/^No difference between live and the YAML in [\d,]+ of [\d,]+ declared\s+fields\.\n/);
    expect(same.stdout).not.toMatch(/no drift/i);
    expect(await readdir(world.folder)).not.toContain(".zoneform");

    world.dashboard(DEV, "DELETE", `custom_hostnames/${text(world.hostname(DEV, VIOLIN), "id")}`);
    expect(await world.zoneform(...config)).toMatchObject({ code: 3 });
    editTls(world, SHOP, "1.0");
    editRules(world, (rules) => rules.map((rule) => ({ ...rule, enabled: rule["ref"] !== "sec/skip-uploads" })));
    const found = await world.zoneform(...config, "--zone", "saas.dev");
    expect(found.code).toBe(3);
    expect(flat(found.stdout)).toMatch(
      /^Live differs from the YAML in 3 of \d+ objects of project saas-edge\. Without a state the cause is unknown\./,
    );
    expect(found.stdout).toContain("ssl.settings.min_tls_version  live 1.0, YAML 1.3\n");
    expect(flat(found.stdout)).toContain("#1 sec/skip-uploads is disabled live, enabled in the YAML");
    expect(flat(found.stdout)).toMatch(/declared \(data\/customers\.csv:\d+:1\), not live: deleted, or never created/);
    const document: unknown = JSON.parse((await world.zoneform(...config, "--json")).stdout);
    expect(document).toMatchObject({
      against: "config",
      exit_code: 3,
      zones: [{ exit_code: 0 }, { exit_code: 3, counts: { missing: 1 }, differences: [{}, {}, {}] }],
    });
  });
});

describe("a zone that fails does not hide the others", () => {
  test.each([["plan"], ["drift"]])("%s names its file and its name, and shows the others", async (command) => {
    const world = await appliedWorld();
    await world.edit("zones/saas-app.yaml", APP, "a".repeat(32));
    editTls(world, SHOP, "1.0");
    const text = await world.zoneform(command);
    expect(text.code).toBe(command === "drift" ? 3 : 1);
    expect(text.stderr).toMatch(/^zones\/saas-app\.yaml:3:\d+: error: .*saas-app\.dev/);
    expect(flat(text.stderr)).toContain(
      command === "plan"
        ? "saas-app.dev: the zone does not exist"
        : `there is a state of saas-app.dev with the zone id ${APP}: check zone.id in the YAML [no-state]`,
    );
    expect(text.stdout).toContain(SHOP);
    expect(text.stdout).toMatch(
      /Zone saas-app\.dev \(zones\/saas-app\.yaml:\d+:\d+\) could not be read: this report covers the other zones/,
    );

    const json = await world.zoneform(command, "--json");
    expect(json.code).toBe(text.code);
    expect(JSON.parse(json.stdout)).toMatchObject({
      zones: [
        { zone: { name: "saas.dev" }, exit_code: command === "drift" ? 3 : 0 },
        {
          zone: { name: "saas-app.dev" },
          exit_code: 1,
          errors: [{ message: expect.stringContaining("saas-app.dev") }],
        },
      ],
    });
  });

  test("but such a plan is neither saved nor applied", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-app.yaml", APP, "a".repeat(32));
    editTls(world, SHOP, "1.0");
    const saved = await world.zoneform("plan", "--out", "partial.zfplan");
    expect(saved.code).toBe(1);
    expect(saved.stderr).toContain("[plan-not-saved]");
    expect(await readdir(world.folder)).not.toContain("partial.zfplan");
    world.emulator.requests.reset();
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 1, stdout: "" });
    expect(world.writes()).toEqual({});
  });
});
