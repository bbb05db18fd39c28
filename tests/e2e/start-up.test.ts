import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { type Ended, ROOT, run, runBuilt } from "../support/command.ts";
import { temporaryFolder } from "../support/disk.ts";

/** Packages that take longer to load than a person waits for help: HTTP, YAML, schemas, CSV, progress bars. */
const HEAVY = ["undici", "yaml", "ajv", "csv-parse", "cli-progress", "picomatch"];

/** What of ours every start may load: no more than names and short checks. */
const SMALL = [
  "lib/core/",
  "lib/real/credential-redaction.ts",
  "lib/real/sealing.ts",
  "lib/real/state-address.ts",
  "lib/real/version.ts",
];

/** A hook on the loader that prints every module on standard error, and what it was found by. */
const HOOK = `
import { register } from "node:module";
const hooks = "export async function resolve(name, context, next) {" +
  "const found = await next(name, context); process._rawDebug('loads ' + found.url); return found; }";
register("data:text/javascript," + encodeURIComponent(hooks));
`;

/** Runs the command, and gives the sources of what it loaded. */
async function loadedBy(...args: string[]): Promise<{ ended: Ended; sources: readonly string[] }> {
  const folder = await temporaryFolder();
  const hook = join(folder, "hook.mjs");
  await writeFile(hook, HOOK);
  const ended = await runBuilt(args, { cwd: ROOT, env: { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` } });
  const files = ended.stderr.split("\n").flatMap((line) => (line.startsWith("loads file:") ? [line.slice(6)] : []));
  return { ended, sources: (await Promise.all(files.map(sourcesOf))).flat() };
}

/** The sources that a file of the bundle is made of, as its source map names them; a file without one holds none. */
async function sourcesOf(file: string): Promise<readonly string[]> {
  if (!(await readFile(new URL(file), "utf8")).includes("\n//# sourceMappingURL=")) return [];
  const map: { readonly sources: readonly string[] } = JSON.parse(await readFile(new URL(`${file}.map`), "utf8"));
  return map.sources.map((source) => new URL(source, file).pathname);
}

/** Which of the heavy packages are among the sources. */
function heavyAmong(sources: readonly string[]): string[] {
  return HEAVY.filter((name) => sources.some((path) => path.includes(`/node_modules/${name}/`)));
}

/** Every command and subcommand with its help. */
async function helps(...path: string[]): Promise<{ path: string; help: Ended }[]> {
  const help = await run([...path, "--help"], { cwd: ROOT });
  const sections = help.stdout.matchAll(/\n(?!Options|Arguments|Examples?)[A-Z].*:\n((?: {2}.*\n)+)/g);
  const lists = [...sections].flatMap(([, list = ""]) => [...list.matchAll(/^ {2}([a-z]\S*)/gm)]);
  const names = lists.map(([, name = ""]) => name).filter((name) => name !== "help");
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
    const { ended, sources } = await loadedBy(...args);
    expect(ended.code).toBe(0);
    expect(sources).toContain(join(ROOT, "cmd/main.ts"));
    expect(heavyAmong(sources)).toEqual([]);
    // Of our own, nothing but what is as small as the names of the exit codes.
    const own = sources.filter((path) => path.startsWith(join(ROOT, "lib")));
    expect(own.filter((path) => !SMALL.some((small) => path.startsWith(join(ROOT, small))))).toEqual([]);
  });

  test("the test sees what is loaded: validate does load YAML, but neither HTTP nor the schema library", async () => {
    const { sources } = await loadedBy("validate", "--config", "examples/saas/zoneform.yaml");
    expect(heavyAmong(sources)).toContain("yaml");
    expect(heavyAmong(sources)).not.toContain("undici");
    expect(heavyAmong(sources)).not.toContain("ajv");
  });

  test("the version is that of the package", async () => {
    const { version } = await import(join(ROOT, "package.json"), { with: { type: "json" } }).then(
      (loaded: { default: { version: string } }) => loaded.default,
    );
    expect(await runBuilt(["--version"], { cwd: ROOT })).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
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
