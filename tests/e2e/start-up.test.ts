import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { type Ended, ROOT, run } from "../support/command.ts";
import { temporaryFolder } from "../support/disk.ts";

/** Packages that take longer to load than a person waits for help: HTTP, YAML, schemas, CSV, progress bars. */
const HEAVY = ["undici", "yaml", "ajv", "csv-parse", "cli-progress", "cli-table3", "diff", "picomatch"];

/** A hook on the loader that prints every module on standard error, and what it was found by. */
const HOOK = `
import { register } from "node:module";
const hooks = "export async function resolve(name, context, next) {" +
  "const found = await next(name, context); process._rawDebug('loads ' + found.url); return found; }";
register("data:text/javascript," + encodeURIComponent(hooks));
`;

/** Runs the command, and gives the modules that it loaded. */
async function loadedBy(...args: string[]): Promise<{ ended: Ended; modules: readonly string[] }> {
  const folder = await temporaryFolder();
  const hook = join(folder, "hook.mjs");
  await writeFile(hook, HOOK);
  const ended = await run(args, { cwd: ROOT, env: { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` } });
  const modules = ended.stderr.split("\n").flatMap((line) => (line.startsWith("loads ") ? [line.slice(6)] : []));
  return { ended, modules };
}

/** Which of the heavy packages are among the modules. */
function heavyAmong(modules: readonly string[]): string[] {
  return HEAVY.filter((name) => modules.some((url) => url.includes(`/node_modules/${name}/`)));
}

/** Every command and subcommand with its help. */
async function helps(...path: string[]): Promise<{ path: string; help: Ended }[]> {
  const help = await run([...path, "--help"], { cwd: ROOT });
  const list = /\nCommands:\n((?: {2}.*\n)+)/.exec(help.stdout)?.[1] ?? "";
  const names = [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  const below = await Promise.all(names.map((name) => helps(...path, name)));
  return [{ path: ["zoneform", ...path].join(" "), help }, ...below.flat()];
}

describe("--version and --help", () => {
  test.each([
    [["--version"]],
    [["--help"]],
    [["plan", "--help"]],
    [["emulator", "--help"]],
    [["state", "rm", "--help"]],
  ])("%j loads no HTTP, YAML or schema library", async (args) => {
    const { ended, modules } = await loadedBy(...args);
    expect(ended.code).toBe(0);
    expect(modules.length).toBeGreaterThan(5);
    expect(heavyAmong(modules)).toEqual([]);
    // Of our own, nothing but what is as small as the names of the exit codes.
    expect(modules.filter((url) => /\/dist\/lib\/(?!core\/)/.test(url))).toEqual([]);
  });

  test("what is loaded is seen: validate does load YAML and the schema library, and no HTTP", async () => {
    const { modules } = await loadedBy("validate", "--config", "examples/saas/zoneform.yaml");
    expect(heavyAmong(modules)).toEqual(expect.arrayContaining(["yaml", "ajv"]));
    expect(heavyAmong(modules)).not.toContain("undici");
  });

  test("the version is that of the package", async () => {
    const { version } = await import(join(ROOT, "package.json"), { with: { type: "json" } }).then(
      (loaded: { default: { version: string } }) => loaded.default,
    );
    expect(await run(["--version"], { cwd: ROOT })).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("every command and subcommand has help, with an example that begins with the command", async () => {
    const commands = await helps();
    expect(commands.length).toBeGreaterThanOrEqual(16);
    const without = commands.filter(({ path, help }) => {
      const example = new RegExp(`\\nExamples?:\\n {2}\\$ .*${path}`);
      return help.code !== 0 || !example.test(help.stdout) || help.stderr !== "";
    });
    expect(without.map(({ path }) => path)).toEqual([]);
  });
});
