import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { MAIN, NODE_FLAGS, ROOT, runBuilt } from "../support/command.ts";
import { freshWorld, type World } from "../support/project.ts";

describe("a mistake on the command line", () => {
  test.each([
    [["plna"], "unknown command 'plna'\n(Did you mean plan?)\n"],
    [["state", "lst"], "unknown command 'lst'\n(Did you mean list?)\n"],
    [["plan", "--detailed-exitcod"], "unknown option '--detailed-exitcod'\n(Did you mean --detailed-exitcode?)\n"],
    [["plan", "--format", "yaml"], "argument 'yaml' is invalid. Allowed choices are text, json.\n"],
    [["plan", "--max-changes", "many"], "argument 'many' is invalid. Expected a whole number.\n"],
    [["plan", "--source", "customers"], "argument 'customers' is invalid. Expected NAME=FILE.\n"],
    [["apply", "a.zfplan", "b.zfplan"], "too many arguments for 'apply'. Expected 1 argument but got 2.\n"],
    [["why"], "missing required argument 'address'\n"],
    [["emulator", "--clock-rate", "fast"], "argument 'fast' is invalid. Expected a number, 0 or more.\n"],
    [["emulator", "--port", "99999"], "argument '99999' is invalid. Expected a port from 0 to 65535.\n"],
  ])("%j is one error on standard error, and exit code 1", async (args, message) => {
    const ended = await runBuilt(args, { cwd: ROOT });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^error: /);
    expect(ended.stderr).toContain(message);
  });

  test.each([
    [["plan", "--zone", "saas.dve"], 'the project has no zone "saas.dve" [unknown-zone]\n  did you mean "saas.dev"?\n'],
    [
      ["plan", "--deny", "deletes"],
      '"deletes" is neither a hazard nor an action [unknown-hazard]\n  did you mean "delete"?\n',
    ],
    [["plan", "--report", "yaml=x"], '"yaml=x" is not a report of zoneform plan [not-a-report]\n'],
    [["plan", "--config", "nope.yaml"], 'there is no file "nope.yaml" [file-not-found]\n'],
    [["plan", "--source", "custmers=x.csv"], 'did you mean "customers"?\n'],
  ])("%j is one error with its remedy", async (args, message) => {
    const world = await freshWorld();
    const ended = await world.zoneform(...args);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).toMatch(/\n {2}\S.*\n(1 error|\n1 error\. Nothing was sent\.)\n$/);
  });

  test("without a command, the help is printed, with exit code 1", async () => {
    const ended = await runBuilt([], { cwd: ROOT });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("Usage: zoneform");
  });
});

describe("an error in the YAML", () => {
  test("is reported as text, as JSON, and as annotations, each at its place", async () => {
    const { zoneform, edit } = await freshWorld();
    await edit("zones/saas-dev.yaml", "lifecycle: zoneform", "lifecycle: zonform");
    await edit("zones/saas-dev.yaml", "total_tls:", "total_tsl:");
    const text = await zoneform("validate");
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(
      /^zones\/saas-dev\.yaml:\d+:14: error: .*\n {6}lifecycle: zonform.*\n {17}\^{7}\n {2}did you mean "zoneform"\?/,
    );
    expect(text.stdout).toMatch(/\n\n2 errors in 1 file\. Nothing was sent\.\n$/);
    const json: unknown = JSON.parse((await zoneform("validate", "--format", "json")).stdout);
    expect(json).toMatchObject({
      format_version: "zoneform/1.0",
      valid: false,
      diagnostics: [{ severity: "error", at: { file: "zones/saas-dev.yaml" } }, { severity: "error" }],
    });
    const github = await zoneform("validate", "--format", "github");
    expect(github.stdout.trim().split("\n")).toHaveLength(2);
    expect(github.stdout).toMatch(/^::error file=zones\/saas-dev\.yaml,line=\d+,col=14,title=[a-z-]+::/);
    expect(await zoneform("plan")).toMatchObject({ code: 1, stdout: "", stderr: text.stdout });
  });
});

/** Runs the command with nobody at the other end of its output; gives its exit code. */
function unread({ surroundings }: World, ...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, ...args], {
    cwd: surroundings.cwd,
    env: { PATH: process.env["PATH"], ...surroundings.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  child.stderr.destroy();
  return new Promise((resolve) => child.on("close", resolve));
}

describe("a reader that closes the pipe, such as head,", () => {
  test("is no error, and does not change the exit code", async () => {
    const world = await freshWorld();
    expect(await unread(world, "schema", "zone")).toBe(0);
    expect(await unread(world, "--help")).toBe(0);
    expect(await unread(world, "plan", "--detailed-exitcode")).toBe(2);
    expect(await unread(world, "plan", "--config", "nope.yaml")).toBe(1);
  });

  test("does not stop an apply in the middle", async () => {
    const world = await freshWorld();
    expect(await unread(world, "apply", "--auto-approve")).toBe(0);
    expect(world.writes()["POST /zones/:zone/custom_hostnames"]).toBe(14);
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

test("warnings and progress go to standard error, so that standard output is only the document", async () => {
  const { zoneform } = await freshWorld();
  const planned = await zoneform("plan", "--json");
  expect(() => JSON.parse(planned.stdout)).not.toThrow();
  const applied = await zoneform("apply", "--auto-approve", "--json");
  const report: unknown = JSON.parse(applied.stdout);
  expect(report).toMatchObject({ zones: [{ exit_code: 0 }, { exit_code: 0 }] });
  expect(applied.stderr).toContain("created (4/20)\n");
});

test("--debug adds the stack, and nothing else does", async () => {
  const { surroundings } = await freshWorld();
  const debugging = runBuilt(["--debug", "plan", "--config", "nope.yaml"], surroundings);
  await expect(debugging).rejects.toThrow("a stack trace");
});
