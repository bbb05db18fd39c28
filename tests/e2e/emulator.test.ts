import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT, run, type Running, start } from "../support/command.ts";
import { freshWorld } from "../support/project.ts";
import { flat } from "../support/text.ts";
import { temporaryFolder } from "../support/disk.ts";

const execute = promisify(execFile);

/** Starts the built emulator, and waits until it has printed its whole screen. */
async function started(args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Running> {
  const running = start(["emulator", "--port", "0", ...args], { cwd, env });
  onTestFinished(() => running.kill("SIGTERM"));
  await running.said("Press Ctrl-C");
  return running;
}

/** What it printed, with a port that is the same each time. */
function screen(running: Running): string {
  return running.printed().replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8787");
}

describe("the screen of the emulator", () => {
  test("without a seed shows a zone, tokens, the lines to paste and the next command, and nothing else", async () => {
    const running = await started([], await temporaryFolder(), { CLOUDFLARE_API_TOKEN: "emulator-token" });
    await expect(screen(running)).toMatchFileSnapshot(join(ROOT, "tests/golden/emulator/start.txt"));
  });

  test("has lines to paste that make its own curl command work", async () => {
    const running = await started([], await temporaryFolder());
    const lines = running
      .printed()
      .split("\n")
      .map((line) => line.trim());
    const pasted = lines.filter((line) => line.startsWith("export ") || line.startsWith("curl "));
    const shell = await execute("bash", ["--norc", "-euc", pasted.join("\n")]);
    expect(JSON.parse(shell.stdout)).toMatchObject({ success: true, result: [{ name: "saas.dev" }] });
  });

  test("with a seed shows its zones, and none of its tokens", async () => {
    const running = await started(["--seed", join(ROOT, "examples/emulator.yaml")], ROOT);
    const text = screen(running).replaceAll(`${ROOT}/`, "");
    await expect(text).toMatchFileSnapshot(join(ROOT, "tests/golden/emulator/start-with-seed.txt"));
    expect(text).not.toMatch(/demo-token|demo-read-only/);
  });

  test("names an admin API whose clock stands still at the given time with --clock-rate 0", async () => {
    const args = ["--clock-rate", "0", "--start-time", "2026-11-21T08:00:00Z"];
    const running = await started(args, await temporaryFolder());
    const [, adminUrl = ""] = /admin API on (\S+)/.exec(running.printed()) ?? [];
    const answer = await fetch(`${adminUrl}/clock`);
    expect(await answer.json()).toMatchObject({ result: { now: "2026-11-21T08:00:00.000Z", rate: 0 } });
  });

  test("says that a seed without tokens is useless", async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "seed.yaml"), "zones: []\n");
    expect(screen(await started(["--seed", "seed.yaml"], cwd))).toContain("no tokens, so every call is refused");
  });

  test("says that everything is restored from the file of --persist", async () => {
    const cwd = await temporaryFolder();
    const first = await started(["--persist", "store.json"], cwd);
    expect(screen(first)).toContain("Everything is kept in store.json.");
    first.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 0, stderr: "" });
    expect(screen(await started(["--persist", "store.json"], cwd))).toContain(
      "Restored from store.json; the seed is not read:",
    );
  });

  test("matches --help", async () => {
    const { stdout } = await run(["emulator", "--help"], { cwd: ROOT });
    await expect(stdout).toMatchFileSnapshot(join(ROOT, "tests/golden/emulator/help.txt"));
  });
});

describe("what prevents the emulator from starting", () => {
  test.each([
    [["--clock-rate", "-1"], "argument '-1' is invalid. Expected a number, 0 or more.\n"],
    [["--port", "99999"], "argument '99999' is invalid. Expected a port from 0 to 65535.\n"],
    [["--start-time", "soon"], "argument 'soon' is invalid. Expected a time such as 2026-11-21T08:00:00Z.\n"],
  ])("%j is one error", async (args, message) => {
    const ended = await run(["emulator", ...args], { cwd: ROOT });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(message);
  });

  test.each(["0.0.0.0", "::", "192.0.2.1", "emulator.example"])(
    "an address that other machines reach: %s",
    async (host) => {
      const { zoneform } = await freshWorld();
      const ended = await zoneform("emulator", "--port", "0", "--host", host);
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expect(flat(ended.stderr)).toContain(
        `error: "${host}" is not a loopback address: other machines could reach the admin API, which has no password`,
      );
      expect(flat(ended.stderr)).toContain("[not-loopback]");
    },
  );

  test("a port in use is one error that says what to do", async () => {
    const { emulator, zoneform } = await freshWorld();
    const { port } = new URL(emulator.url);
    const ended = await zoneform("emulator", "--port", port);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toBe(
      `error: cannot listen on 127.0.0.1:${port}: another program listens there [cannot-listen]\n` +
        "  choose another --port (0 takes any free one) or --host\n1 error\n",
    );
  });

  test("everything wrong with a seed is reported, each at file:line:column with its remedy", async () => {
    const { zoneform, folder } = await freshWorld();
    await writeFile(join(folder, "seed.yaml"), "zones:\n  - id: abc\n    nam: a.net\ntokens: [{ value: 1 }]\n");
    const ended = await zoneform("emulator", "--port", "0", "--seed", "seed.yaml");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr.split("\n").filter((line) => !line.startsWith(" "))).toEqual([
      "seed.yaml:2:5: error: zones[0].name is missing [bad-seed]",
      "seed.yaml:2:5: error: zones[0].id has 3 characters, expected 32 hexadecimal digits in lower case [bad-seed]",
      "seed.yaml:3:5: error: zones[0].nam is not a known key [bad-seed]",
      "seed.yaml:4:12: error: tokens[0].value is a number, expected a string [bad-seed]",
      "4 errors",
      "",
    ]);
    expect(ended.stderr).toContain('\n  did you mean "name"? known here: account, ');
  });

  test("a file that it cannot read or did not write is named, and not changed", async () => {
    const { zoneform, folder } = await freshWorld();
    await writeFile(join(folder, "notes.txt"), "mine");
    expect((await zoneform("emulator", "--port", "0", "--seed", "gone.yaml")).stderr).toBe(
      "error: cannot read gone.yaml: there is no such file [cannot-read]\n  check the path\n1 error\n",
    );
    expect((await zoneform("emulator", "--port", "0", "--persist", "notes.txt")).stderr).toBe(
      "error: notes.txt is not a file that this version of the emulator wrote [bad-persist-file]\n" +
        "  name another file, or delete this one to start from the seed\n1 error\n",
    );
    expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("mine");
  });

  test("an admin token that could be guessed is refused, and not printed", async () => {
    const { surroundings } = await freshWorld();
    const env = { ...surroundings.env, ZONEFORM_EMULATOR_TOKEN: "short-token" };
    const ended = await run(["emulator", "--port", "0", "--host", "0.0.0.0"], { ...surroundings, env });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toBe(
      "error: ZONEFORM_EMULATOR_TOKEN has 11 characters, expected 16 or more [bad-admin-token]\n" +
        "  make one with: openssl rand -hex 16\n1 error\n",
    );
  });
});
