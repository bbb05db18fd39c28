import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../support/command.ts";

const DOCS = readFileSync(join(ROOT, "docs/library.md"), "utf8");
const NAMED = /save this as `([^`]+)`|and this as `([^`]+)`/gi;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "zoneform-library-"));
  unpackInto(join(folder, "node_modules"));
  const names = [...DOCS.matchAll(NAMED)].map(([, first, second]) => first ?? second ?? "");
  for (const [index, text] of blocks("yaml").entries()) writeFileSync(join(folder, names[index] ?? ""), text);
  for (const [index, text] of blocks("ts").entries()) writeFileSync(join(folder, `example-${index + 1}.ts`), text);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const compilerOptions = { module: "nodenext", target: "es2023", lib: ["es2023"], strict: true, types: ["node"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed library, in an empty TypeScript project", () => {
  test("has types that let the examples compile", () => {
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc")], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  test.each([1, 2, 3])("example %i prints what the docs say", (number) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`example-${number}.js`], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toContain(blocks("")[number - 1]);
  });

  test("contains source maps with the sources, the docs and the examples", () => {
    const root = join(folder, "node_modules/zoneform");
    const map: unknown = JSON.parse(readFileSync(join(root, "dist/lib/index.js.map"), "utf8"));
    expect(map).toMatchObject({ sourcesContent: [expect.stringContaining("The public API of the package")] });
    expect(readdirSync(join(root, "docs"))).toContain("library.md");
    expect(readdirSync(join(root, "examples"))).toContain("saas");
  });

  test("has no other entry point", () => {
    const load = (name: string): unknown =>
      spawnSync(process.execPath, ["--input-type=module", "-e", `await import(${JSON.stringify(name)})`], {
        cwd: folder,
        encoding: "utf8",
      }).stderr;
    expect(load("zoneform/dist/lib/engine/plan.js")).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
    expect(load("zoneform/emulator")).toBe("");
  });
});

/** The fenced blocks of the page in one language, in their order. */
function blocks(language: string): readonly string[] {
  const fences = [...DOCS.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return fences.filter(([, found]) => found === language).map(([, , text]) => text ?? "");
}

/** Unpacks what would be published, and links the dependencies that this checkout has, so that no network is needed. */
function unpackInto(modules: string): void {
  const packed = mkdtempSync(join(tmpdir(), "zoneform-pack-"));
  try {
    execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", packed], { cwd: ROOT });
    const [tarball = ""] = readdirSync(packed);
    mkdirSync(join(modules, "zoneform"), { recursive: true });
    const into = join(modules, "zoneform");
    execFileSync("tar", ["-xzf", join(packed, tarball), "--strip-components=1", "-C", into]);
    for (const name of readdirSync(join(ROOT, "node_modules")))
      if (!name.startsWith(".") && name !== "zoneform")
        symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}
