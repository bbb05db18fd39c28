import { execFile, spawnSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ROOT, run, start } from "../support/command.ts";
import { temporaryFolder } from "../support/disk.ts";

const execute = promisify(execFile);

/** The folder of what these tests share. */
let folder: string;
/** The folder of the package as it would be published, with nothing installed beside it. */
let unpacked: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zoneform-packed-"));
  const packed = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { stdout } = await execute("npm", packed, { cwd: ROOT, env: { ...process.env, npm_config_cache: folder } });
  await execute("tar", ["-xzf", join(folder, stdout.trim()), "-C", folder]);
  unpacked = join(folder, "package");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("the packed command needs no other package for version, schemas, validate, and a plan against its own emulator", async () => {
  const { version, bin } = JSON.parse(await readFile(join(unpacked, "package.json"), "utf8"));
  const project = await temporaryFolder();
  await cp(join(ROOT, "examples/saas"), project, { recursive: true });
  const surroundings = { cwd: project, main: join(unpacked, bin.zoneform) };

  expect(await run(["--version"], surroundings)).toMatchObject({ code: 0, stdout: `${version}\n` });
  const schema = await run(["schema", "zone"], surroundings);
  expect(JSON.parse(schema.stdout)).toEqual(JSON.parse(await readFile(join(ROOT, "schemas/zone.schema.json"), "utf8")));
  expect(await run(["validate"], surroundings)).toMatchObject({ code: 0, stderr: "" });

  const emulator = start(["emulator", "--port", "0", "--seed", join(ROOT, "examples/emulator.yaml")], surroundings);
  onTestFinished(() => emulator.kill("SIGTERM"));
  await emulator.said("admin API on");
  const [, url = ""] = /listening on (\S+)/.exec(emulator.printed()) ?? [];
  const env = { CLOUDFLARE_BASE_URL: url, CLOUDFLARE_API_TOKEN: "demo-token" };
  const planned = await run(["plan", "--detailed-exitcode"], { ...surroundings, env });
  expect(planned).toMatchObject({ code: 2, stderr: "" });
  expect(planned.stdout).toMatch(/^Plan for project saas-edge: /);
  expect(planned.stdout).toContain("pos.old-mill-bakery.com");
});

describe("the packed library, in an empty TypeScript project", () => {
  let project: string;

  beforeAll(async () => {
    project = join(folder, "project");
    const modules = join(project, "node_modules");
    await cp(unpacked, join(modules, "zoneform"), { recursive: true });
    // The dependencies that this checkout has, so that no network is needed.
    for (const name of await readdir(join(ROOT, "node_modules")))
      if (!name.startsWith(".") && name !== "zoneform")
        await symlink(join(ROOT, "node_modules", name), join(modules, name));
    const docs = await page();
    const names = [...docs.matchAll(NAMED)].map(([, first, second]) => first ?? second ?? "");
    for (const [index, text] of blocks(docs, "yaml").entries())
      await writeFile(join(project, names[index] ?? ""), text);
    for (const [index, text] of blocks(docs, "ts").entries())
      await writeFile(join(project, `example-${index + 1}.ts`), text);
    await writeFile(join(project, "package.json"), JSON.stringify({ type: "module" }));
    const compilerOptions = { module: "nodenext", target: "es2023", lib: ["es2023"], strict: true, types: ["node"] };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  });

  test("has types that let the examples compile", () => {
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc")], {
      cwd: project,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  test.each([1, 2, 3, 4])("example %i prints what the docs say", async (number) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`example-${number}.js`], {
      cwd: project,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toContain(blocks(await page(), "")[number - 1]);
  });

  test("contains source maps with the sources, the docs and the examples", async () => {
    const root = join(project, "node_modules/zoneform");
    const map: unknown = JSON.parse(await readFile(join(root, "dist/lib/index.js.map"), "utf8"));
    expect(map).toMatchObject({ sourcesContent: [expect.stringContaining("The public API of the package")] });
    expect(await readdir(join(root, "docs"))).toContain("library.md");
    expect(await readdir(join(root, "examples"))).toContain("saas");
  });

  test("has no other entry point", () => {
    const load = (name: string): unknown =>
      spawnSync(process.execPath, ["--input-type=module", "-e", `await import(${JSON.stringify(name)})`], {
        cwd: project,
        encoding: "utf8",
      }).stderr;
    expect(load("zoneform/dist/lib/engine/plan.js")).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
    expect(load("zoneform/emulator")).toBe("");
  });
});

/** What the page about the library calls its files. */
const NAMED = /save this as `([^`]+)`|and this as `([^`]+)`/gi;

function page(): Promise<string> {
  return readFile(join(ROOT, "docs/library.md"), "utf8");
}

/** The fenced blocks of the page in one language, in their order. */
function blocks(docs: string, language: string): readonly string[] {
  const fences = [...docs.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return fences.filter(([, found]) => found === language).map(([, , text]) => text ?? "");
}
