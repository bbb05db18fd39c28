import { describe, expect, test } from "vitest";
import { run } from "../support/command.ts";
import { appliedWorlds, DEV, freshWorld } from "../support/project.ts";
import { HAS_TERMINAL, onTerminal } from "../support/terminal.ts";

const ESCAPE = "\u001b[";
// oxlint-disable-next-line no-control-regex -- the codes of colours are what is looked for
const COLOUR = /\u001b\[\d+m/g;

const appliedWorld = appliedWorlds();

/** The lines of an output without their colours. */
function plainLines(text: string): string[] {
  return text.replaceAll("\r", "").replaceAll(COLOUR, "").split("\n");
}

describe("in a pipe", () => {
  test("a plan is neither wrapped nor coloured: each address and each command is on one line", async () => {
    const { zoneform } = await freshWorld();
    const { stdout } = await zoneform("plan");
    expect(stdout).not.toContain(ESCAPE);
    for (const line of stdout.split("\n"))
      expect((line.match(/\["/g) ?? []).length).toBe((line.match(/"\]/g) ?? []).length);
    expect(stdout.split("\n").some((line) => line.length > 100)).toBe(true);
  });

  test.each([[{ FORCE_COLOR: "1" }], [{ CLICOLOR_FORCE: "1" }]])("%j colours it", async (env) => {
    const { zoneformWith } = await freshWorld();
    expect((await zoneformWith(env, "plan")).stdout).toContain(ESCAPE);
    expect((await zoneformWith(env, "--no-color", "plan")).stdout).not.toContain(ESCAPE);
    expect((await zoneformWith({ ...env, NO_COLOR: "1" }, "plan")).stdout).not.toContain(ESCAPE);
  });

  test("the old value is dim and the dangerous one red, and words say so too", async () => {
    const world = await appliedWorld();
    await world.edit("profiles/tls.yaml", 'min_tls_version: "1.2"', 'min_tls_version: "1.1"');
    const coloured = await world.zoneformWith({ FORCE_COLOR: "1" }, "plan", "--zone", DEV);
    expect(coloured.stdout).toContain(`${ESCAPE}2m1.2${ESCAPE}22m`);
    expect(coloured.stdout).toContain(`${ESCAPE}31m1.1${ESCAPE}39m`);
    const plain = await world.zoneform("plan", "--zone", DEV);
    expect(plainLines(coloured.stdout)).toEqual(plain.stdout.split("\n"));
  });
});

describe.skipIf(!HAS_TERMINAL)("on a terminal (needs python3)", () => {
  test.each([80, 60])("with %i columns, lines and tables fit, and commands are complete", async (columns) => {
    const world = await appliedWorld();
    const { through, env } = onTerminal("never printed", "", columns);
    const surroundings = { ...world.surroundings, through, env: { ...world.surroundings.env, ...env } };
    const isTooLong = (line: string): boolean => line.length > columns && !/^\s*zoneform /.test(line);
    for (const args of [["state", "list"], ["hostname", "list"], ["status"]]) {
      const { stdout, code } = await run(args, surroundings);
      expect(code).toBe(0);
      const long = plainLines(stdout).filter(isTooLong);
      // An address is never cut, however narrow the terminal is.
      expect(long.filter((line) => !line.includes('["'))).toEqual([]);
    }
    expect((await run(["plan"], surroundings)).stdout).toContain(ESCAPE);
  });

  test("with TERM=dumb has no colours, and progress is plain lines", async () => {
    const world = await freshWorld();
    const { through, env } = onTerminal("never printed", "", 80);
    const surroundings = { ...world.surroundings, through, env: { ...world.surroundings.env, ...env, TERM: "dumb" } };
    const applied = await run(["apply", "--auto-approve"], surroundings);
    expect(applied.code).toBe(0);
    expect(applied.stdout).not.toContain("\u001b");
    expect(applied.stdout).toContain("created (4/20)");
  });

  test("shows progress, and removes it at the end", async () => {
    const world = await freshWorld();
    const { through, env } = onTerminal("never printed", "", 80);
    const surroundings = { ...world.surroundings, through, env: { ...world.surroundings.env, ...env } };
    const { stdout, code } = await run(["apply", "--auto-approve"], surroundings);
    expect(code).toBe(0);
    expect(stdout).toContain("saas.dev  [");
    expect(stdout).toContain("/20 in all)");
    expect(stdout.lastIndexOf(`${ESCAPE}?25h`)).toBeGreaterThan(stdout.lastIndexOf("saas.dev  ["));
  });
});
