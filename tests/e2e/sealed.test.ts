import { expect, onTestFinished, test } from "vitest";
import { start } from "../support/command.ts";
import { DEV, freshWorld, type World, STATES } from "../support/project.ts";
import { flat } from "../support/text.ts";

const PASSPHRASE = "a long passphrase, for tests alone";
const SEALED = { ZONEFORM_STATE_PASSPHRASE: PASSPHRASE };
const ZONE = ["--zone", "saas.dev"] as const;

/** An apply that is killed while it creates hostnames. */
async function killed(world: World): Promise<void> {
  world.emulator.faults.order({ fault: { kind: "slow", milliseconds: 60_000 }, method: "POST", skip: 3 });
  const { surroundings } = world;
  const running = start(["apply", "--auto-approve", ...ZONE, "--parallelism", "1"], {
    ...surroundings,
    env: { ...surroundings.env, ...SEALED },
  });
  onTestFinished(() => running.kill("SIGKILL"));
  await world.asked("POST /zones/:zone/custom_hostnames", 4);
  running.kill("SIGKILL");
  await running.ended;
  world.emulator.faults.clear();
}

test("a killed apply is finished by the next one, and no file ever shows its content", async () => {
  const world = await freshWorld();
  await killed(world);
  const journal = Object.values(await world.states()).join("\n");
  expect(journal.length).toBeGreaterThan(500);
  for (const word of ["custom_hostname", "violin-academy", "lineage"]) expect(journal).not.toContain(word);

  const finished = await world.zoneformWith(SEALED, "apply", "--auto-approve", ...ZONE, "--debug");
  expect(finished).toMatchObject({ code: 0 });
  const kept = await world.states();
  for (const text of [...Object.values(kept), finished.stdout, finished.stderr]) expect(text).not.toContain(PASSPHRASE);
  expect(Object.values(kept).join("\n")).not.toContain("violin-academy");
  expect(await world.zoneformWith(SEALED, "plan", ...ZONE, "--detailed-exitcode")).toMatchObject({ code: 0 });
  const closed = await world.zoneform("plan", ...ZONE);
  expect(closed).toMatchObject({ code: 1, stdout: "" });
  expect(flat(closed.stderr)).toContain("is encrypted, and no passphrase is set");
  const other = { ZONEFORM_STATE_PASSPHRASE: "another long passphrase" };
  expect(flat((await world.zoneformWith(other, "apply", "--auto-approve", ...ZONE)).stderr)).toContain(
    "cannot be decrypted: the passphrase is wrong, or somebody changed the file [state-not-opened]",
  );
  expect(await world.states()).toEqual(kept);
});

test("a command encrypts a state, and an earlier unencrypted copy can be restored", async () => {
  const world = await freshWorld();
  expect(await world.zoneform("apply", "--auto-approve", ...ZONE)).toMatchObject({ code: 0 });
  expect(flat((await world.zoneformWith(SEALED, "plan", ...ZONE)).stderr)).toContain(
    "if you trust it, encrypt it: ZONEFORM_STATE_PLAIN=accept zoneform state encrypt",
  );
  expect(await world.zoneform("state", "encrypt")).toMatchObject({ code: 1, stdout: "" });
  const accepted = { ...SEALED, ZONEFORM_STATE_PLAIN: "accept" };
  const before = await world.states();
  // A dry run refuses what the real one refuses, in the same words.
  const runs = [["--dry-run"], []].map((more) => world.zoneformWith(SEALED, "state", "encrypt", ...ZONE, ...more));
  const [dry, real] = await Promise.all(runs);
  expect([dry?.code, dry?.stdout, flat(dry?.stderr ?? "")]).toEqual([1, "", flat(real?.stderr ?? "")]);
  expect(flat(dry?.stderr ?? "")).toContain("is not encrypted, and a passphrase is set");
  const none = await world.zoneformWith(SEALED, "state", "encrypt", "--zone", "saas-app.dev", "--dry-run");
  expect(none).toMatchObject({ code: 0, stdout: "saas-app.dev has no state yet\n" });
  const said = await world.zoneformWith(accepted, "state", "encrypt", ...ZONE, "--dry-run");
  expect(said.stdout).toMatch(/^would encrypt the state of saas\.dev, and \d+ records next to it\n$/);
  expect(await world.states()).toEqual(before);
  expect(await world.zoneformWith(accepted, "state", "encrypt", ...ZONE)).toMatchObject({ code: 0 });
  expect(await world.zoneformWith(SEALED, "plan", ...ZONE, "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect((await world.zoneformWith(SEALED, "undo", "--list")).stdout).toContain("apply");

  const other = { ZONEFORM_STATE_PASSPHRASE: "another long passphrase" };
  const wrong = await world.zoneformWith(other, "state", "encrypt", ...ZONE, "--dry-run");
  expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
  expect(wrong.stderr).toContain("[state-not-opened]");

  await world.zoneformWith(SEALED, "state", "encrypt", ...ZONE);
  const serials = Object.keys(await world.states()).flatMap((name) => /backup-(\d+)$/.exec(name)?.slice(1) ?? []);
  const newest = serials.map(Number).sort((left, right) => right - left)[0];
  const copy = `${STATES}/${DEV}.state.backup-${newest}`;
  const pushed = await world.zoneformWith(SEALED, "state", "push", copy, "--older", ...ZONE);
  expect(pushed).toMatchObject({ code: 0 });
  expect(pushed.stdout).toContain(`stored ${copy} as serial`);
  expect(pushed.stdout).toContain(
    "\nthe state that was there is kept as an earlier copy; to see what differs from live:\n  zoneform plan",
  );
});

test("repair does not take an encrypted state for damaged if the passphrase is missing or old", async () => {
  const world = await freshWorld();
  const [old, now] = [SEALED, { ZONEFORM_STATE_PASSPHRASE: "the passphrase since the change" }];
  expect(await world.zoneform("apply", "--auto-approve", ...ZONE)).toMatchObject({ code: 0 });
  const begun = { ...old, ZONEFORM_STATE_PLAIN: "accept" };
  expect(await world.zoneformWith(begun, "state", "encrypt", ...ZONE)).toMatchObject({ code: 0 });
  await refused({}, "is encrypted, and no passphrase is set [state-sealed]");
  const changed = { ...now, ZONEFORM_STATE_PASSPHRASE_PREVIOUS: PASSPHRASE };
  expect(await world.zoneformWith(changed, "state", "encrypt", ...ZONE)).toMatchObject({ code: 0 });
  await refused(old, "cannot be decrypted: the passphrase is wrong, or somebody changed the file");
  const whole = await world.zoneformWith(now, "state", "repair", "--auto-approve", ...ZONE);
  expect(whole).toMatchObject({ code: 0, stdout: "the state of saas.dev is intact; there is nothing to repair\n" });

  async function refused(env: Readonly<Record<string, string>>, message: string): Promise<void> {
    const before = await world.states();
    for (const more of [["--dry-run"], ["--auto-approve"], ["--auto-approve"]]) {
      const ended = await world.zoneformWith(env, "state", "repair", ...ZONE, ...more);
      expect([ended.code, ended.stdout]).toEqual([1, ""]);
      expect(flat(ended.stderr)).toContain(message);
      expect(flat(ended.stderr)).toContain("set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with");
      expect(flat(ended.stderr)).not.toContain("to restore the copy of serial");
    }
    expect(await world.states()).toEqual(before);
  }
});

test("a passphrase that could be guessed, or that replaces none, is refused", async () => {
  const world = await freshWorld();
  const short = await world.zoneformWith({ ZONEFORM_STATE_PASSPHRASE: "short" }, "state", "list");
  expect(short.code).toBe(1);
  expect(flat(short.stderr)).toContain("ZONEFORM_STATE_PASSPHRASE has fewer than 16 characters");
  const alone = await world.zoneformWith({ ZONEFORM_STATE_PASSPHRASE_PREVIOUS: PASSPHRASE }, "state", "list");
  expect(flat(alone.stderr)).toContain(
    "ZONEFORM_STATE_PASSPHRASE_PREVIOUS is set, and ZONEFORM_STATE_PASSPHRASE is not",
  );
});
