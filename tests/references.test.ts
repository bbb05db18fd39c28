import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** What a person writes; `tests/golden` is recorded output. */
const FOLDERS = [".ci", "bench", "cmd", "docs", "examples", "lib", "pages", "schemas", "tests"];
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "dist", "golden", ".zoneform"]);
const IS_TEXT = /\.(?:tsx?|mts|mjs|js|json|md|ya?ml|csv|sh|css)$|^\.ci\/run$/;

/** Papers that are not in the repository, by the ways in which they were cited. A comment cites a heading of `docs/`. */
const OUTSIDE_PAPERS = new RegExp(
  [
    /product(?:['’]s)?\s+(?:semantics|contract)/,
    /public\s+facts?\b/,
    /description(?:['’]s)?,?\s+(?:sections?|rules?)\s+\d/,
    /(?:sections?|rules?)\s+\d[\d.]*(?:\s+and\s+\d[\d.]*)?\s+of\s+(?:the\s+description|section)/,
    /\bsemantics\s+\d/,
    /\btable\s+of\s+choices\b/,
    /\bfirst\s+design\b/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);

const FILES: ReadonlyMap<string, string> = new Map(
  [...FOLDERS.flatMap((folder) => filesBelow(join(ROOT, folder))), ...rootFiles()]
    .filter((path) => IS_TEXT.test(path))
    .map((path) => [path, readFileSync(join(ROOT, path), "utf8")]),
);

/** Every file by its path, and by each end of it that begins at a folder. */
const NAMES: ReadonlySet<string> = new Set(
  [...FILES.keys()].flatMap((path) => {
    const parts = path.split("/");
    return parts.map((_part, index) => parts.slice(index).join("/"));
  }),
);

describe("references", () => {
  it("to a page of docs, and to a heading of it, resolve in every file", () => {
    expect(everywhere(brokenCitations)).toEqual([]);
  });

  it("are links that resolve in every Markdown file", () => {
    expect(everywhere((path, text) => (path.endsWith(".md") ? brokenLinks(path, text) : []))).toEqual([]);
  });

  it("to a source file resolve, in comments and in docs", () => {
    expect(everywhere(brokenNames)).toEqual([]);
  });

  it("from the YAML to the API call lead to files that exist and types that are exported, at most 20 files and 8 types", () => {
    const { files, forms, exporters } = wayOfHostname(read("docs/architecture.md"));
    expect([...files, ...exporters].filter((file) => !FILES.has(file))).toEqual([]);
    const exported = exporters.map((file) => FILES.get(file) ?? "").join("\n");
    expect(
      forms.filter((form) => !new RegExp(`^export (?:type|interface|class) ${form}\\b`, "m").test(exported)),
    ).toEqual([]);
    expect(files.length).toBeGreaterThan(10);
    expect(files.length).toBeLessThanOrEqual(20);
    expect(forms.length).toBeGreaterThan(5);
    expect(forms.length).toBeLessThanOrEqual(8);
  });

  it("name no paper that is not in the repository", () => {
    expect(everywhere(outsidePapers)).toEqual([]);
  });

  it("lead from each place of the description in docs/service-coverage.md to its facts", () => {
    const text = read("docs/service-coverage.md");
    expect(placesWithoutFacts(text)).toEqual([]);
    expect(placesWithoutFacts(text.replaceAll(/^Facts: .*$/gm, ""))).not.toEqual([]);
  });

  it("lead from docs/architecture.md to every decision, and each has its four parts", () => {
    const names = readdirSync(join(ROOT, "docs/decisions")).toSorted();
    const linked = [...read("docs/architecture.md").matchAll(/\]\(decisions\/([\w-]+\.md)\)/g)].map(([, name]) => name);
    expect(new Set(linked)).toEqual(new Set(names));
    const parts = ["Context", "Decision", "Consequences", "Otherwise"];
    const headings = names.map((name) => [name, headingsIn(read(`docs/decisions/${name}`)).slice(1)]);
    expect(headings).toEqual(names.map((name) => [name, parts]));
  });

  it("are found by this test where they are broken", () => {
    const page = ["docs", "semantics.md"].join("/");
    expect(brokenCitations("lib/a.ts", `// (${page}#drift)`)).toEqual([]);
    expect(brokenCitations("lib/a.ts", `\n// (${page}#no-such)`)).toEqual([`lib/a.ts:2: ${page}#no-such`]);
    expect(brokenCitations("lib/a.ts", ` * (${["docs", "no-such.md"].join("/")}).`)).toHaveLength(1);
    expect(brokenLinks(page, "[a](semantics.md#drift) [b](../README.md) [c](https://example.com)")).toEqual([]);
    expect(brokenLinks(page, "[a](semantics.md#no-such) [b](README.md) [c](#no-such)")).toHaveLength(3);
    expect(brokenNames("lib/a.ts", "// `engine/plan.ts` and `plan.ts`\nconst name = 'no-such.ts';")).toEqual([]);
    expect(brokenNames("lib/a.ts", `\n/** See ${["engine", "no-such.ts"].join("/")}. */`)).toHaveLength(1);
    expect(outsidePapers("lib/a.ts", "/**\n * As said (product\n * semantics 3).\n */")).toHaveLength(1);
    expect(outsidePapers("lib/a.ts", "// Public fact: 4 KB")).toHaveLength(1);
    expect(headingsIn("# A\n```\n# not one\n```\n## B `c`\n")).toEqual(["A", "B `c`"]);
  });
});

function everywhere(broken: (path: string, text: string) => readonly string[]): readonly string[] {
  return [...FILES].flatMap(([path, text]) => broken(path, text));
}

/** Mentions of a page of `docs/`, or of a heading of one, that lead nowhere. */
function brokenCitations(path: string, text: string): readonly string[] {
  return [...text.matchAll(/\bdocs\/[\w./-]+\.md(?:#[\w-]+)?/g)]
    .filter(([target]) => !isThere(target))
    .map(({ index, 0: target }) => `${path}:${lineAt(text, index)}: ${target}`);
}

/** Relative links `[text](target)` that lead nowhere. */
function brokenLinks(path: string, text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .filter(([, target = ""]) => !/^[a-z]+:/.test(target) && !isThere(targetFrom(path, target)))
    .map(({ index, 1: target }) => `${path}:${lineAt(text, index)}: ${target}`);
}

function targetFrom(path: string, target: string): string {
  return target.startsWith("#") ? `${path}${target}` : posix.join(dirname(path), target);
}

/** Names of source files, whole or from any folder on (`plan/digest.ts`), that no file has, and no example of the page (`// NAME`). */
function brokenNames(path: string, text: string): readonly string[] {
  if (path === "CHANGELOG.md" || !/\.(?:ts|mjs|md)$/.test(path)) return [];
  const prose = path.endsWith(".md") ? text : text.replaceAll(/^(?!\s*(?:\/\*\*|\*|\/\/)).*$/gm, "");
  return [...prose.matchAll(/(?<![\w@./-])(?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs)\b/g)]
    .filter(([name]) => !NAMES.has(name) && !text.includes(`\n// ${name}\n`))
    .map(({ index, 0: name }) => `${path}:${lineAt(prose, index)}: ${name}`);
}

/** The table of docs/architecture.md: the files of its rows, their forms once each, and the files that export those. */
function wayOfHostname(text: string): {
  readonly files: readonly string[];
  readonly forms: readonly string[];
  readonly exporters: readonly string[];
} {
  const section = text.split(/^## /m).find((each) => each.startsWith("From the YAML to the API call")) ?? "";
  const rows = [...section.matchAll(/^\| (?:`(\w+)`|text) \| `([\w./-]+)` \|/gm)];
  const forms = new Set(rows.flatMap(([, form]) => form ?? []));
  const after = section.slice(section.lastIndexOf("\n|"));
  const exporters = [...after.matchAll(/`(lib\/[\w./-]+)`/g)].map(([, file = ""]) => file);
  return { files: rows.map(([, , file = ""]) => file), forms: [...forms], exporters };
}

/** Citations of papers that the reader does not have; also where a comment breaks in the middle of one. */
function outsidePapers(path: string, text: string): readonly string[] {
  if (path === "tests/references.test.ts") return [];
  const joined = text.replaceAll(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, (between) => " ".repeat(between.length));
  return [...joined.matchAll(OUTSIDE_PAPERS)].map(
    ({ index, 0: found }) => `${path}:${lineAt(text, index)}: ${found.replaceAll(/\s+/g, " ")}`,
  );
}

/** Places in the first column, such as `2.1`, that the line "Facts:" above their table does not lead to. */
function placesWithoutFacts(text: string): readonly string[] {
  const sections = text.split(/^## /m).filter((section) => /^\d/.test(section));
  return sections.flatMap((section) => {
    const facts = /^Facts: .*$/m.exec(section)?.[0] ?? "";
    const places = new Set([...section.matchAll(/^\| (\d(?:\.\d)?), /gm)].map(([, place = ""]) => place));
    return [...places].filter((place) => !new RegExp(`[:;] ${place.replace(".", "\\.")} \\[`).test(facts));
  });
}

/** Whether there is such a file, with such a heading; paths are relative to the root. */
function isThere(target: string): boolean {
  const [path = "", anchor] = target.split("#");
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchorsOf(path).has(anchor);
}

const ANCHORS = new Map<string, ReadonlySet<string>>();

/** The anchors of a Markdown file, as GitHub makes them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const known = ANCHORS.get(path);
  if (known) return known;
  const anchors = new Set<string>();
  for (const heading of headingsIn(read(path))) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  ANCHORS.set(path, anchors);
  return anchors;
}

function headingsIn(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = ""]) => heading);
}

/** The text with the content of its code blocks blanked, so that every index stays. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, (block) => block.replaceAll(/[^\n]/g, " "));
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function rootFiles(): readonly string[] {
  return readdirSync(ROOT).filter((name) => name !== "package-lock.json");
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [relative(ROOT, path)] : [];
  });
}
