import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/**
 * Who may import whom: a room sees itself and what is listed. A folder of `lib/engine` is a room of its own, and so is one of
 * `pages`. `lib` itself holds the public entries, and nothing else.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "lib/core": [],
  "lib/rules-language": [],
  "lib/service": ["lib/core"],
  "lib/state": ["lib/core"],
  "lib/kinds": ["lib/core", "lib/rules-language", "lib/service"],
  "lib/config": ["lib/core", "lib/kinds"],
  "lib/refresh": ["lib/core", "lib/service", "lib/state", "lib/kinds", "lib/config"],
  "lib/plan": ["lib/core", "lib/state", "lib/kinds", "lib/config", "lib/refresh"],
  "lib/approval": ["lib/core", "lib/state", "lib/kinds", "lib/plan"],
  "lib/engine/checks": ["lib/core", "lib/service", "lib/kinds", "lib/config", "lib/plan"],
  "lib/apply": ["lib/core", "lib/service", "lib/state", "lib/kinds", "lib/plan", "lib/approval"],
  "lib/undo": ["lib/core", "lib/state", "lib/kinds", "lib/config", "lib/refresh", "lib/plan"],
  "lib/engine/explain": ["lib/core", "lib/service", "lib/kinds"],
  "lib/engine/hostnames": [
    "lib/core",
    "lib/service",
    "lib/state",
    "lib/kinds",
    "lib/config",
    "lib/plan",
    "lib/engine/checks",
  ],
  "lib/engine/certificates": ["lib/core", "lib/service", "lib/state", "lib/kinds", "lib/config", "lib/plan"],
  "lib/engine": [
    "lib/core",
    "lib/service",
    "lib/state",
    "lib/kinds",
    "lib/config",
    "lib/refresh",
    "lib/plan",
    "lib/approval",
    "lib/engine/checks",
    "lib/apply",
    "lib/undo",
  ],
  "lib/report": [
    "lib/core",
    "lib/state",
    "lib/rules-language",
    "lib/kinds",
    "lib/plan",
    "lib/apply",
    "lib/engine",
    "lib/engine/explain",
    "lib/engine/hostnames",
    "lib/engine/certificates",
  ],
  "lib/real": [
    "lib/approval",
    "lib/core",
    "lib/service",
    "lib/state",
    "lib/kinds",
    "lib/config",
    "lib/plan",
    "lib/apply",
    "lib/engine",
  ],
  // The language of expressions is a third thing, held against the real parser, so both sides use the same.
  "lib/emulator": ["lib/rules-language"],
  lib: [
    "lib/rules-language",
    "lib/real",
    "lib/core",
    "lib/service",
    "lib/state",
    "lib/kinds",
    "lib/config",
    "lib/plan",
    "lib/engine/checks",
    "lib/apply",
    "lib/engine",
    "lib/report",
    "lib/emulator",
  ],
  cmd: [
    "lib/real",
    "lib",
    "lib/core",
    "lib/service",
    "lib/state",
    "lib/kinds",
    "lib/config",
    "lib/plan",
    "lib/approval",
    "lib/apply",
    "lib/engine",
    "lib/engine/explain",
    "lib/engine/hostnames",
    "lib/engine/certificates",
    "lib/report",
    "lib/undo",
  ],
  // What runs in a browser. It knows nothing of the engine or of the emulator, and they reach it only as text that the build made.
  pages: [],
  "pages/parts": [],
  "pages/emulator": ["pages/parts"],
  "pages/report": ["pages/parts"],
};

/** Files and folders that decide and never act: they can reach nothing outside of the process. */
const PURE = [
  "lib/core",
  "lib/rules-language",
  "lib/plan",
  "lib/report/lines",
  "lib/engine/explain",
  "lib/engine/hostnames/status.ts",
  "lib/engine/hostnames/todo.ts",
  "lib/engine/certificates/audit.ts",
  "lib/engine/checks/names.ts",
  "lib/engine/checks/caa.ts",
  "lib/engine/checks/caa-findings.ts",
  "lib/engine/checks/cname-findings.ts",
  "lib/engine/checks/hostnames.ts",
  "lib/engine/checks/check-dns.ts",
  "lib/config/document.ts",
  "lib/config/parse-yaml.ts",
  "lib/config/validate.ts",
  "lib/config/policies.ts",
  "lib/state/codec.ts",
  "lib/state/journal.ts",
];

/** Of Node, pure code may only compute; of packages, and of the compiled schemas, only what does no more. `cli-progress` writes to a stream that it is given. */
const PURE_MODULES = [
  "node:crypto",
  "node:util",
  "node:path",
  "diff",
  "fastest-levenshtein",
  "re2js",
  "yaml",
  "string-width",
  "#validators",
  "cli-progress",
  "picomatch",
];

/** Globals by which code reaches time, chance, the process or the network. */
const EFFECTS =
  /\b(Date\.now|new Date\(\)|Math\.random|process\.|setTimeout|setInterval|fetch\(|randomBytes|randomUUID|performance\.)/;

const files = ["cmd", "lib", "pages"].flatMap((folder) => typescriptIn(join(ROOT, folder)));

describe("architecture", () => {
  it("imports point one way", () => {
    const wrong = files.flatMap((file) => {
      const own = folderOf(file);
      const allowed = new Set([own, ...(MAY_IMPORT[own] ?? [])]);
      return localImports(file)
        .filter((target) => !allowed.has(folderOf(target)))
        .map((target) => `${name(file)} imports ${name(target)}`);
    });
    expect(wrong).toEqual([]);
  });

  it("every room has its rule, and every rule its room", () => {
    expect(new Set(files.map(folderOf))).toEqual(new Set(Object.keys(MAY_IMPORT)));
  });

  it("a rule names only rooms that are imported", () => {
    const used = new Set(files.flatMap((file) => localImports(file).map((to) => `${folderOf(file)} ${folderOf(to)}`)));
    const unused = Object.entries(MAY_IMPORT).flatMap(([from, rooms]) =>
      rooms.map((to) => `${from} ${to}`).filter((arrow) => !used.has(arrow)),
    );
    expect(unused).toEqual([]);
  });

  it("every file and folder that is said to be pure exists", () => {
    expect(PURE.filter((place) => !existsSync(join(ROOT, place)))).toEqual([]);
  });

  it("lib itself holds the public entries, and nothing else", () => {
    expect(files.map(name).filter((file) => folderOf(join(ROOT, file)) === "lib")).toEqual([
      "lib/emulator.ts",
      "lib/index.ts",
      "lib/rules.ts",
    ]);
  });

  it("unit tests lie where the code lies that they are about", () => {
    const folders = foldersIn(join(ROOT, "tests/unit")).map((folder) => relative(join(ROOT, "tests/unit"), folder));
    const astray = folders.filter(
      (folder) => ![`lib/${folder}`, folder].some((place) => existsSync(join(ROOT, place))),
    );
    expect(folders.length).toBeGreaterThan(10);
    expect(astray).toEqual([]);
  });

  it("no file imports itself by way of others", () => {
    expect(cycles(new Map(files.map((file) => [file, localImports(file)])))).toEqual([]);
  });

  it("pure code reaches nothing outside of the process", () => {
    const pure = files.filter((file) =>
      PURE.some((place) => name(file) === place || name(file).startsWith(`${place}/`)),
    );
    const wrong = pure.flatMap((file) => [
      ...packageImports(file)
        .filter((module) => !PURE_MODULES.includes(module))
        .map((module) => `${name(file)} imports ${module}`),
      ...codeOf(file)
        .filter((line) => EFFECTS.test(line))
        .map((line) => `${name(file)}: ${line.trim()}`),
    ]);
    expect(pure.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });

  it("nothing is loaded late but what a command does, how an error is told, values for a Tab, what is large, and an optional package", () => {
    const late = files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\bimport\("([^"]+)"\)/g)].map(([, to]) => `${name(file)} loads ${to}`),
    );
    const door = /^cmd\/usage\/\w+\.ts loads \.\.\/commands\/[\w-]+\.ts$/;
    expect(late.some((each) => door.test(each))).toBe(true);
    expect(late.filter((each) => !door.test(each)).sort()).toEqual([
      "cmd/completion/complete.ts loads ./candidates.ts",
      "cmd/program.ts loads ./failure.ts",
      "lib/emulator/page.ts loads #emulator-page",
      "lib/engine/checks/evidence.ts loads tldts",
      "lib/real/engines.ts loads ../state/engines/http/engine.ts",
      "lib/real/engines.ts loads ../state/engines/postgres/engine.ts",
      "lib/real/engines.ts loads ../state/engines/s3/engine.ts",
      "lib/report/printers/html.ts loads #report-page",
      "lib/report/printers/html.ts loads tldts",
      "lib/service/undici-http.ts loads undici",
      "lib/state/engines/postgres/driver.ts loads pg",
      "lib/state/engines/s3/client.ts loads @aws-sdk/client-s3",
    ]);
  });

  it("only the lowest layer touches the network", () => {
    const reaching = files
      .filter((file) => !name(file).startsWith("lib/emulator/"))
      .filter((file) => {
        return packageImports(file).some((module) =>
          [
            "undici",
            "pg",
            "@aws-sdk/client-s3",
            "node:http",
            "node:https",
            "node:net",
            "node:dgram",
            "node:dns",
            "node:dns/promises",
          ].includes(module),
        );
      });
    expect(reaching.map(name)).toEqual([
      "lib/real/dns.ts",
      "lib/service/undici-http.ts",
      "lib/state/engines/postgres/driver.ts",
      "lib/state/engines/s3/client.ts",
    ]);
  });
});

function typescriptIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return typescriptIn(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(folder, entry.name), ...foldersIn(join(folder, entry.name))] : [],
  );
}

/** The room that a file is in. */
function folderOf(file: string): string {
  const [top, stage, rest, deeper] = name(file).split("/");
  if (top === "pages" && rest !== undefined) return `pages/${stage}`;
  if (top !== "lib" || rest === undefined) return top ?? "";
  return stage === "engine" && deeper !== undefined ? `lib/engine/${rest}` : `lib/${stage}`;
}

function name(file: string): string {
  return relative(ROOT, file);
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:^(?:import|export)\b[^"';]*?\bfrom |^import |\bimport\()"([^"]+)"/gm)].map(
    ([, module]) => module ?? "",
  );
}

function localImports(file: string): string[] {
  return importsOf(file)
    .filter((module) => module.startsWith("."))
    .map((module) => resolve(dirname(file), module));
}

function packageImports(file: string): string[] {
  return importsOf(file).filter((module) => !module.startsWith("."));
}

function codeOf(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line));
}

/** Strongly connected files, by depth-first search. Type-only imports count too: a cycle of types is one idea in two files. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === "done") return;
    if (state.get(file) === "open") {
      found.push([...path.slice(path.indexOf(file)), file].map(name).join(" -> "));
      return;
    }
    state.set(file, "open");
    for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
    state.set(file, "done");
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}
