import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { type Ended, run } from "../support/command.ts";
import { DEV, freshWorld, type World } from "../support/project.ts";
import { HAS_TERMINAL, onTerminal } from "../support/terminal.ts";
import { flat } from "../support/text.ts";

/** Answers the question of an apply, as typed. */
function answer({ surroundings }: World, keys: string, ...args: string[]): Promise<Ended> {
  const { through, env } = onTerminal("Only yes is taken as approval: ", keys);
  return run(args, { ...surroundings, through, env: { ...surroundings.env, ...env } });
}

describe("approval", () => {
  test("is refused to be guessed where nobody is there to ask: exit 1, nothing written", async () => {
    const { zoneform, writes, states } = await freshWorld();
    const applied = await zoneform("apply");
    expect(applied.code).toBe(1);
    expect(applied.stdout).toContain("Plan: 15 to create");
    const [, hash = ""] = /^hash (sha256:\w{64})$/m.exec(applied.stdout) ?? [];
    expect(applied.stderr).toBe(
      "error: nobody is there to approve the plan: standard input is no terminal [not-approved]\n" +
        `  have it reviewed, then: zoneform apply --expect ${hash}\n1 error\n`,
    );
    await zoneform("plan", "--out", "p.zfplan");
    expect(await zoneform("apply", "p.zfplan")).toMatchObject({ code: 1 });
    expect(writes()).toEqual({});
    await expect(states()).rejects.toThrow("ENOENT");
  });

  describe.skipIf(!HAS_TERMINAL)(
    "at a terminal (skipped where python3 is missing: it makes the pseudo-terminal)",
    () => {
      test.each([
        ["y, which is not yes", "y\r"],
        ["an empty line", "\r"],
        ["the end of input", "\u0004"],
      ])("is not given by %s", async (_name, keys) => {
        const world = await freshWorld();
        const { code, stdout } = await answer(
          world,
          keys,
          "apply",
          "--zone",
          "saas.dev",
          "--target",
          "fallback_origin",
        );
        expect(stripVTControlCharacters(stdout)).toContain("not approved; nothing was written");
        expect(code).toBe(1);
        expect(world.writes()).toEqual({});
      });

      test("is not given by Ctrl-C, which interrupts", async () => {
        const world = await freshWorld();
        const { code, stdout } = await answer(world, "\u0003", "apply", "--target", "saas.dev/fallback_origin");
        expect(stripVTControlCharacters(stdout)).toContain("interrupted; nothing was written");
        expect(code).toBe(130);
        expect(world.writes()).toEqual({});
      });

      test("is given by yes; the plan is shown before, and coloured", async () => {
        const world = await freshWorld();
        const { code, stdout } = await answer(world, "yes\r", "apply", "--target", "saas.dev/fallback_origin");
        expect(flat(stripVTControlCharacters(stdout))).toMatch(
          /^Plan: 1 to create; 0 unchanged .* Carry this out\? Only yes is taken as approval: yes .*Applied: 1 created run [0-9a-f-]{36}; to go back: zoneform undo [0-9a-f-]{36} $/,
        );
        expect(stdout).toContain("\u001b[");
        expect(code).toBe(0);
        expect(world.dashboard(DEV, "GET", "custom_hostnames/fallback_origin")).toMatchObject({
          origin: "fallback.saas.dev",
        });
      });
    },
  );
});
