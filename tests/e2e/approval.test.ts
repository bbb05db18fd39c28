import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { type Ended, run } from "../support/command.ts";
import { DEV, freshWorld, type World } from "../support/project.ts";
import { HAS_TERMINAL, onTerminal } from "../support/terminal.ts";
import { flat } from "../support/text.ts";

/** Answers the question of an apply, as typed. */
function answer({ surroundings }: World, keys: string | readonly string[], ...args: string[]): Promise<Ended> {
  const { through, env } = onTerminal('Only "yes" is accepted', keys);
  return run(args, { ...surroundings, through, env: { ...surroundings.env, ...env } });
}

describe("approval", () => {
  test.skipIf(!HAS_TERMINAL)("shows every name to who answers d, and asks again", async () => {
    const world = await freshWorld();
    const answered = await answer(world, ["d\n", "no\n"], "apply", "--zone", "saas.dev");
    const [short = "", full = ""] = stripVTControlCharacters(answered.stdout).replaceAll("\r", "").split('Only "yes"');
    expect(flat(short)).toMatch(/book\.seaside-cottages\.co\.uk, .* and \d+ more/);
    expect(short).not.toContain("lessons.violin-academy.de");
    expect(full).toMatch(/^ is accepted, "d" shows every name: d\n/);
    expect(full).toMatch(/^ {4}lessons\.violin-academy\.de$/m);
    expect(full).not.toMatch(/and \d+ more/);
    expect(answered.code).toBe(1);
    expect(flat((await world.zoneform("plan", "--zone", "saas.dev", "--full")).stdout)).toContain(
      "lessons.violin-academy.de",
    );
  });

  test("is not assumed if nobody can be asked: exit 1, nothing written", async () => {
    const { zoneform, writes, states } = await freshWorld();
    const applied = await zoneform("apply");
    expect(applied.code).toBe(1);
    expect(applied.stdout).toMatch(/^Plan for project saas-edge: 20 changes in 2 zones\.\n/);
    const { hash } = JSON.parse((await zoneform("plan", "--json")).stdout);
    expect(applied.stderr).toBe(
      "error: cannot ask for approval of the plan: stdin is not a terminal [not-approved]\n" +
        "  to apply exactly these changes, review them, then run:\n" +
        `    zoneform apply --expect ${hash}\n1 error\n`,
    );
    expect(writes()).toEqual({});
    await expect(states()).rejects.toThrow("ENOENT");
  });

  test("by a saved plan asks no further question, and the run's record says so", async () => {
    const { zoneform, dashboard } = await freshWorld();
    await zoneform("plan", "--out", "p.zfplan", "--target", "saas.dev/fallback_origin");
    const applied = await zoneform("apply", "p.zfplan");
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining(": 1 created.\n") });
    expect(dashboard(DEV, "GET", "custom_hostnames/fallback_origin")).toMatchObject({ origin: "fallback.saas.dev" });

    const { hash } = JSON.parse((await zoneform("show", "p.zfplan", "--json")).stdout);
    const listed = JSON.parse((await zoneform("undo", "--list", "--json")).stdout);
    expect(listed).toMatchObject({
      runs: [{ operation: "apply", hash, approved: { how: "saved plan", by: expect.stringMatching(/^\S+@\S+$/) } }],
    });
    expect((await zoneform("undo", "--list")).stdout).toMatch(/saved plan by \S+@\S+, zf1:[0-9a-f]{12}…/);
  });

  test("by a saved plan keeps the --deny that it was made with, and apply can add more", async () => {
    const { zoneform, writes } = await freshWorld();
    const target = ["--target", "saas.dev/fallback_origin"];
    await zoneform("plan", "--out", "denied.zfplan", "--deny", "create", ...target);
    await zoneform("plan", "--out", "allowed.zfplan", ...target);
    const denied = await zoneform("apply", "denied.zfplan");
    expect(denied).toMatchObject({ code: 4, stdout: expect.stringContaining("--deny create blocks it") });
    const more = await zoneform("apply", "allowed.zfplan", "--deny", "create");
    expect(more).toMatchObject({ code: 4, stdout: expect.stringContaining("--deny create blocks it") });
    expect(writes()).toEqual({});
  });

  test("of another version is refused with that reason (exit 4), by hash, by file, and in show", async () => {
    const { zoneform, folder, writes } = await freshWorld();
    const old = await zoneform("apply", "--expect", `zf2:${"0".repeat(64)}`);
    expect(old).toMatchObject({ code: 4, stderr: expect.stringContaining("[plan-of-another-version]") });
    await zoneform("plan", "--out", "p.zfplan");
    const saved = await readFile(join(folder, "p.zfplan"), "utf8");
    await writeFile(join(folder, "old.zfplan"), saved.replace('"digest_version":1', '"digest_version":2'));
    for (const command of ["apply", "show"])
      expect(await zoneform(command, "old.zfplan")).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("old.zfplan has format 1 and digests of version 2"),
      });
    expect(writes()).toEqual({});
  });

  describe.skipIf(!HAS_TERMINAL)(
    "at a terminal (skipped where python3 is missing: it makes the pseudo-terminal)",
    () => {
      test("is spent once it was carried out: what is set back is applied again by a new plan alone, however it is approved", async () => {
        const world = await freshWorld();
        const { zoneform, dashboard, emulator, writes } = world;
        const target = ["--target", "saas.dev/fallback_origin"];
        const plan = async (file: string): Promise<string> => {
          await zoneform("plan", "--out", file, ...target);
          return JSON.parse((await zoneform("show", file, "--json")).stdout).hash;
        };
        const first = await plan("first.zfplan");
        expect(await zoneform("apply", "first.zfplan")).toMatchObject({ code: 0 });
        const approvals: readonly ((hash: string) => Promise<Ended>)[] = [
          () => zoneform("apply", "new.zfplan"),
          (hash) => zoneform("apply", "--expect", hash, ...target),
          () => answer(world, "yes\r", "apply", ...target),
        ];
        for (const approve of approvals) {
          emulator.advance(600_000);
          dashboard(DEV, "DELETE", "custom_hostnames/fallback_origin");
          emulator.advance(600_000);
          const before = writes();
          for (const spent of [["first.zfplan"], ["--expect", first, ...target]]) {
            const refused = await zoneform("apply", ...spent);
            expect([refused.code, flat(refused.stdout)]).toEqual([
              5,
              expect.stringMatching(
                /this was (?:applied|changed) by run [0-9a-f]{8} on \S+ \S+ UTC, .* plan again and apply that plan: zoneform plan/,
              ),
            ]);
          }
          expect(writes()).toEqual(before);
          expect(await approve(await plan("new.zfplan"))).toMatchObject({ code: 0 });
          expect(dashboard(DEV, "GET", "custom_hostnames/fallback_origin")).toMatchObject({
            origin: "fallback.saas.dev",
          });
        }
      });

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
        expect(stripVTControlCharacters(stdout)).toContain("not approved; nothing was changed");
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

      test("is given by yes, after the plan was shown in colour", async () => {
        const world = await freshWorld();
        const { code, stdout } = await answer(world, "yes\r", "apply", "--target", "saas.dev/fallback_origin");
        expect(flat(stripVTControlCharacters(stdout))).toMatch(
          /^Plan for project saas-edge: 1 change in zone saas\.dev\. .* Apply these changes\? Only "yes" is accepted, "d" shows every name: yes .*Applied 1 change in \d+ s: 1 created\. To undo this run: zoneform undo [0-9a-f-]{36} $/,
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

test.each([
  ["apply", "--expect"],
  ["apply", "--approve"],
  ["destroy", "--expect"],
  ["destroy", "--approve"],
  ["undo", "last", "--expect"],
])("%s %s with what is no hash is refused before the project, the states or the network are read", async (...args) => {
  const world = await freshWorld();
  const ended = await world.zoneform(
    ...args,
    "zf1:5d6a",
    "--config",
    "nowhere/zoneform.yaml",
    "--state",
    "s3://nowhere",
  );
  expect(ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("[not-a-hash]") });
  expect(ended.stderr).not.toContain("nowhere");
  expect(world.emulator.requests.counts()).toEqual({});
});
