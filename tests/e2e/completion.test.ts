import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { sourceOf } from "../../cmd/completion/sources.ts";
import { LAUNCHER, ROOT, run } from "../support/command.ts";
import { appliedWorlds, freshWorld, type World } from "../support/project.ts";
import { programAlone } from "../support/program.ts";
import { HAS_TERMINAL, typeInto } from "../support/terminal.ts";

const appliedWorld = appliedWorlds();

/** What is offered for the words typed so far, as a shell's script reads it. */
async function offered({ zoneform }: Pick<World, "zoneform">, ...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await zoneform("complete", "zsh", "--", ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("completion", () => {
  test("describes commands and flags as the help does", async () => {
    const world = await freshWorld();
    expect(await offered(world, "pl")).toEqual([expect.stringMatching(/^plan\tshow what an apply would change/)]);
    expect(await offered(world, "state", "li")).toEqual(["list\tlist the objects in the state"]);
    expect(await offered(world, "plan", "--det")).toEqual(["--detailed-exitcode\texit 2 if changes are planned"]);
    expect((await offered(world, "")).map((line) => line.split("\t")[0])).not.toContain("complete");
  });

  test("offers values from the choices, the project and its state, and never calls the service", async () => {
    const world = await appliedWorld();
    expect(await offered(world, "plan", "--format", "")).toEqual(["text\tfor people", "json\tfor programs"]);
    expect(await offered(world, "plan", "--zone=saas.")).toEqual([
      expect.stringMatching(/^--zone=saas\.dev\tzone 023e/),
    ]);
    expect(await offered(world, "why", "saas.dev/fall")).toEqual([
      "saas.dev/fallback_origin\tdeclared at zones/saas-dev.yaml:6:1",
    ]);
    expect(await offered(world, "why", "saas-app.dev/custom_hostname[one")).toEqual([
      'saas-app.dev/custom_hostname["one.tenant-alpha.com"]\ttracked, not declared',
    ]);
    expect(await offered(world, "hostname", "retry", "shop.n")).toEqual(["shop.northwind-books.com\tin saas.dev"]);
    const [last, newest] = await offered(world, "undo", "");
    expect(last).toBe("last\tthe newest of them");
    expect(newest).toMatch(/^[0-9a-f-]{36}\tapply of .* UTC, \d+ changes in saas/);
    expect(await offered(world, "schema", "custom")).toEqual([expect.stringMatching(/^custom-hostname\t/)]);
    expect(await offered(world, "drift", "--fail-on", "out")).toEqual([expect.stringMatching(/^outage\t\S/)]);
    expect(await offered(world, "plan", "--deny", "out")).toEqual([expect.stringMatching(/^outage\t\S/)]);
    expect(await offered(world, "explain", "caa_err")).toEqual([expect.stringMatching(/^caa_error\tCAA records/)]);
    expect(await offered(world, "hostname", "list", "--status", "mov")).toEqual([expect.stringMatching(/^moved\t/)]);
    expect(await offered(world, "apply", "")).toEqual([":files"]);
    expect(world.emulator.requests.counts()).toEqual({});
  });

  test("uses the project that --config names", async () => {
    const { surroundings } = await freshWorld();
    const elsewhere = { ...surroundings, cwd: ROOT };
    const project = join(surroundings.cwd, "zoneform.yaml");
    const { stdout } = await run(["complete", "fish", "--", "plan", "--config", project, "--zone", ""], elsewhere);
    expect(stdout).toMatch(/^saas-app\.dev\t.*\nsaas\.dev\t/);
  });

  test("offers and prints nothing if the project is broken, or the shell or the state unknown", async () => {
    const world = await freshWorld();
    await writeFile(join(world.folder, "zoneform.yaml"), "zones: [");
    expect(await offered(world, "plan", "--zone", "")).toEqual([]);
    for (const line of await offered(world, "why", "")) expect(line).toMatch(/^--/);
    expect(await offered(world, "no-such-command", "--no-such-flag", "")).not.toContain("no-such-flag");
    expect(await world.zoneform("complete")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await world.zoneform("complete", "tcsh", "--", "plan")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("does not offer a value with a character that a shell might interpret", async () => {
    const world = await freshWorld();
    await world.edit("zoneform.yaml", "customers:", "'cust$(touch evil)':");
    for (const line of await offered(world, "plan", "--source", "")) expect(line).not.toMatch(/[$();&|<>`]/);
    await world.edit("zones/saas-dev.yaml", /name: saas\.dev/, "name: 'saas.dev;touch evil'");
    for (const line of await offered(world, "plan", "--zone", "")) expect(line).not.toMatch(/[$();&|<>`]/);
  });
});

test("knows the source of the values of every flag and argument", () => {
  const untold: string[] = [];
  const look = (command: Command): void => {
    for (const option of command.options)
      if ((option.required || option.optional) && !option.argChoices && sourceOf({ command, option }) === undefined)
        untold.push(`${command.name()} ${option.long ?? ""}`);
    for (const argument of command.registeredArguments)
      if (!argument.argChoices && sourceOf({ command, argument }) === undefined)
        untold.push(`${command.name()} ${argument.name()}`);
    for (const child of command.commands) if (child.name() !== "complete") look(child);
  };
  look(programAlone());
  expect(untold).toEqual([]);
});

test("a shell without a script is refused", async () => {
  const other = await run(["completion", "tcsh"], { cwd: ROOT });
  expect(other).toMatchObject({ code: 1, stdout: "" });
  expect(other.stderr).toContain("Allowed choices are bash, zsh, fish");
});

/** Whether this machine has a shell. */
function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** A project with `zoneform` on the PATH, as after an installation. */
async function installed(): Promise<{ readonly cwd: string; readonly env: Readonly<Record<string, string>> }> {
  const { folder, surroundings } = await appliedWorld();
  const programs = join(folder, "bin");
  await mkdir(programs);
  await writeFile(join(programs, "zoneform"), LAUNCHER);
  await chmod(join(programs, "zoneform"), 0o755);
  return { cwd: folder, env: { ...surroundings.env, PATH: `${programs}:${process.env["PATH"] ?? ""}` } };
}

const PROMPT = "ready> ";

/** What both shells are asked: keys, and what has to appear. */
const ASKED: readonly (readonly [keys: string, seen: string])[] = [
  ["zoneform plan --det\t", "--detailed-exitcode"],
  ["zoneform plan --format \t\t", "for programs"],
  ["zoneform plan --zone=saas.\t", "--zone=saas.dev"],
  ["zoneform undo la\t", "undo last"],
  ["zoneform validate --config zonef\t", "zoneform.yaml"],
  ["zoneform why $(touch evil) --z\t", "--zone"],
];

/** What was inserted is what the command takes: the state of the object is printed. */
const INSERTED = ["zoneform state show saas.dev/rul\t\n", '"import_id": "zone/'] as const;

/** The text without what moves the cursor or colours. */
function printed(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control sequences are what is taken out
  return text.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, "");
}

describe("in the real shell", () => {
  test.skipIf(!has("bash") || !HAS_TERMINAL)("bash completes and quotes (needs bash and python3)", async () => {
    const { cwd, env } = await installed();
    await writeFile(join(cwd, "bashrc"), `PS1='${PROMPT}'\nsource <(zoneform completion bash)\n`);
    const bash = ["bash", "--noprofile", "--rcfile", "bashrc", "-i"];
    for (const [keys, seen] of [...ASKED, INSERTED]) {
      const text = printed(
        typeInto(
          bash,
          [
            [PROMPT, keys],
            [seen, null],
          ],
          { cwd, env },
        ),
      );
      expect(text, keys).toContain(seen);
    }
    expect(existsSync(join(cwd, "evil"))).toBe(false);
  });

  test.skipIf(!has("zsh") || !HAS_TERMINAL)("zsh completes and quotes (needs zsh and python3)", async () => {
    const { cwd, env } = await installed();
    const setup = "autoload -Uz compinit\ncompinit -u -D\nsource <(zoneform completion zsh)\n";
    await writeFile(join(cwd, ".zshrc"), `PS1='${PROMPT}'\nunsetopt PROMPT_SP\n${setup}`);
    for (const [keys, seen] of [...ASKED, INSERTED]) {
      const text = printed(
        typeInto(
          ["zsh", "-i"],
          [
            [PROMPT, keys],
            [seen, null],
          ],
          { cwd, env: { ...env, ZDOTDIR: cwd } },
        ),
      );
      expect(text, keys).toContain(seen);
      expect(text).not.toMatch(/unrecognized modifier|command not found/);
    }
    expect(existsSync(join(cwd, "evil"))).toBe(false);
  });

  test.skipIf(!has("fish"))("fish completes, with descriptions (needs fish)", async () => {
    const { cwd, env } = await installed();
    const ask = (line: string): string[] => {
      const script = "zoneform completion fish | source; complete -C $argv[1]";
      const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script, line], {
        cwd,
        env: { HOME: cwd, ...env },
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      return stdout.trimEnd().split("\n");
    };
    expect(ask("zoneform pla")).toEqual([expect.stringMatching(/^plan\tshow what an apply would change/)]);
    expect(ask("zoneform plan --format ")).toEqual(["json\tfor programs", "text\tfor people"]);
    expect(ask("zoneform plan --zone=saas.")).toEqual([expect.stringMatching(/^--zone=saas\.dev\tzone /)]);
    expect(ask("zoneform why saas.dev/rul")).toEqual([
      expect.stringMatching(/^saas\.dev\/ruleset\["http_request_firewall_managed"\]\tdeclared at /),
    ]);
    expect(ask("zoneform validate --config zonef")).toEqual(["zoneform.yaml"]);
    expect(ask("zoneform why $(touch evil) --z")).toEqual([expect.stringMatching(/^--zone\t/)]);
    expect(existsSync(join(cwd, "evil"))).toBe(false);
  });
});
