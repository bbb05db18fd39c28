import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inFull } from "../support/full.ts";
import { appliedWorlds, DEV, type World, STATES } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();
const ZONE = ["--zone", "saas.dev"] as const;
const VIOLIN = 'custom_hostname["lessons.violin-academy.de"]';
const PASSPHRASE = { ZONEFORM_STATE_PASSPHRASE: "correct horse battery staple" };

/** A project of which the state was put back to what it was before a hostname became protected. */
async function putBack(env: Readonly<Record<string, string>> = {}): Promise<World> {
  const world = await appliedWorld();
  const state = join(world.folder, STATES, `${DEV}.state`);
  if (Object.keys(env).length > 0)
    await world.zoneformWith({ ...env, ZONEFORM_STATE_PLAIN: "accept" }, "state", "encrypt");
  await copyFile(state, join(world.folder, "older"));
  for (let change = 0; change < 2; change += 1) {
    await world.edit("zones/saas-dev.yaml", /$/, `\n# ${change}`);
    const dropped = await world.zoneformWith(env, "state", "rm", VIOLIN);
    expect(dropped).toMatchObject({ code: 0 });
    const [, taken = ""] = /zoneform import (\S+)\n/.exec(dropped.stdout) ?? [];
    expect(await world.zoneformWith(env, "import", taken)).toMatchObject({ code: 0 });
  }
  await copyFile(join(world.folder, "older"), state);
  world.emulator.requests.reset();
  return world;
}

/** The commands that an error names, each on a line of its own, as words. */
function commandsIn(stderr: string): readonly (readonly string[])[] {
  const lines = stderr.split("\n").filter((line) => line.startsWith("    zoneform "));
  return lines.map((line) => line.trim().split(" ").slice(1));
}

describe("a state that is older than the records next to it", () => {
  test.each([
    ["in the clear", {}],
    ["encrypted", PASSPHRASE],
  ])("is refused by every command that needs it, %s, without any call or write", async (_how, env) => {
    const world = await putBack(env);
    const before = await world.states();
    const commands = [
      ["plan", ...ZONE],
      ["drift", ...ZONE],
      ["status", ...ZONE],
      ["destroy", "--auto-approve", ...ZONE],
      ["state", "rm", VIOLIN],
      ["state", "pull", ...ZONE],
      ["state", "mv", 'certificate_pack["a.saas.dev"]', 'certificate_pack["b.saas.dev"]', ...ZONE],
      ["state", "doctor", ...ZONE],
      ["apply", "--auto-approve", ...ZONE],
    ];
    // To make a key of a passphrase takes long: of the encrypted ones every third, but with `npm run test:full`.
    const step = env === PASSPHRASE ? inFull(1, 3) : 1;
    for (const command of commands.filter((_, index) => index % step === 0)) {
      const { code, stdout, stderr } = await world.zoneformWith(env, ...command);
      expect([command.join(" "), code]).toEqual([command.join(" "), 1]);
      expect(flat(stdout + stderr)).toContain("[older-state]");
    }
    expect(world.writes()).toEqual({});
    expect(await world.states()).toEqual(before);
  });

  test("is reported with both serials, and both remedies as commands", async () => {
    const world = await putBack();
    const { stderr } = await world.zoneform("plan", ...ZONE);
    const [, here, there] = /it has serial (\d+), and serial (\d+) was there/.exec(flat(stderr)) ?? [];
    expect(Number(there)).toBe(Number(here) + 4);
    const [repair = [], push = []] = commandsIn(stderr);
    expect(repair).toEqual(["state", "repair", "--zone", "saas.dev"]);

    const repaired = await world.zoneform(...repair, "--auto-approve");
    expect(repaired).toMatchObject({ code: 0 });
    expect(await world.zoneform("state", "doctor", ...ZONE)).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", ...ZONE)).toMatchObject({ code: 0 });

    await copyFile(join(world.folder, "older"), join(world.folder, STATES, `${DEV}.state`));
    expect(await world.zoneform("plan", ...ZONE)).toMatchObject({ code: 1 });
    expect(await world.zoneform(...push)).toMatchObject({ code: 0 });
    expect((await world.zoneform("state", "doctor", ...ZONE)).stdout).toContain(
      "restored by state push --older (from serial 2)",
    );
    expect(await world.zoneform("plan", "--detailed-exitcode", ...ZONE)).toMatchObject({ code: 0 });
  });

  test("does not become the newest by an ordinary push", async () => {
    const world = await putBack();
    const ended = await world.zoneform("state", "push", "older", ...ZONE);
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toContain("[state-not-newer]");
    await writeFile(join(world.folder, "newest"), await readFile(join(world.folder, "older")));
    expect(await world.zoneform("state", "push", "newest", "--older", "--dry-run", ...ZONE)).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", ...ZONE)).toMatchObject({ code: 1 });
  });
});
