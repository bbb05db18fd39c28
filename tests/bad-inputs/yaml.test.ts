import { describe, expect, test } from "vitest";
import { load, loadZone, PROJECT, sound } from "../unit/config/project.ts";
import { said, wording } from "./said.ts";

/** Loads a project of which the zone file is these bytes or this text. */
function loadFile(content: string | Uint8Array): ReturnType<typeof load> {
  return load({ "zoneform.yaml": PROJECT, "zones/a.yaml": content });
}

const HEAD = 'version: 1\nzone: { id: "11111111111111111111111111111111", name: saas.dev }\n';
const HOSTNAMES = "custom_hostnames: { lifecycle: zoneform, entries: [";

describe("aliases and nesting", () => {
  test("nine levels of ten aliases each are refused before they are expanded", async () => {
    const names = "abcdefghi".split("");
    const levels = names.map((name, index) => {
      const inside = index === 0 ? "x" : `*${names[index - 1]}`;
      return `${name}: &${name} [${Array.from({ length: 10 }, () => inside).join(", ")}]`;
    });
    expect(said(await loadFile(`${HEAD}${levels.join("\n")}\n`))).toContainEqual(expect.stringMatching(/^alias-bomb /));
  });

  test("a million aliases of one value are more than a file may have", async () => {
    const many = `a: &a [x, x]\nb: [${"*a,".repeat(1_000_000)}]\n`;
    expect(said(await loadFile(many))).toEqual([expect.stringMatching(/^file-too-large /)]);
    // Fewer of them, each of more values, are counted while they are unfolded.
    const fewer = `a: &a [${"x,".repeat(200)}]\nb: [${"*a,".repeat(1000)}]\n`;
    expect(said(await loadFile(fewer))).toContainEqual(expect.stringMatching(/^alias-bomb /));
  });

  test("an alias inside its own anchor is named with its line", async () => {
    expect(said(await loadFile(`${HEAD}labels: &a [*a]\n`))).toContain("alias-cycle 3:13");
  });

  test("20,000 open brackets are one error, and no stack overflow", async () => {
    expect(said(await loadFile(`${HEAD}a: ${"[".repeat(20_000)}`))).toEqual([
      expect.stringMatching(/^nested-too-deep 3:/),
    ]);
    expect(said(await loadFile(`${HEAD}a: ${"{a: ".repeat(20_000)}`))).toEqual([
      expect.stringMatching(/^nested-too-deep 3:/),
    ]);
  });
});

describe("keys that reach the prototype", () => {
  test.each([
    ["__proto__: { admin: true }", "forbidden-key 3:1"],
    ["constructor: { prototype: { x: 1 } }", "forbidden-key 3:1"],
    ["<<: { __proto__: { x: 1 } }", "merge-key 3:1"],
    ['"__proto__": { admin: true }', "forbidden-key 3:1"],
  ])("%s is an error, and no object gets a property", async (line, expected) => {
    expect(said(await loadFile(`${HEAD}${line}\n`))).toContain(expected);
    expect(Reflect.get({}, "admin")).toBeUndefined();
    expect(Reflect.get({}, "x")).toBeUndefined();
  });
});

describe("the same key or name twice", () => {
  test("a key is an error that names both lines", async () => {
    const found = await loadFile(`${HEAD}total_tls: { enabled: true }\ntotal_tls: { enabled: false }\n`);
    expect(said(found)).toEqual(["duplicate-key 4:1"]);
    expect(wording(found)).toContain("zones/a.yaml:3:1");
  });

  const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"];

  test("a key in two spellings of one letter is the same key", async () => {
    const metadata = `{ "${composed}": a, "${decomposed}": b }`;
    const found = await loadFile(`${HEAD}${HOSTNAMES}{ hostname: a.net, custom_metadata: ${metadata} }] }\n`);
    expect(said(found)).toContainEqual(expect.stringMatching(/^duplicate-key /));
  });

  test("a hostname in two spellings of one letter is the same hostname", async () => {
    const found = await loadFile(
      `${HEAD}${HOSTNAMES}{ hostname: ${composed}.net }, { hostname: ${decomposed}.net }] }\n`,
    );
    expect(said(found)).toContainEqual(expect.stringMatching(/^duplicate-hostname /));
  });
});

describe("an id that YAML reads as a number", () => {
  test.each([
    "12345678901234567890123456789012",
    "00000000000000000000000000000001",
    "0x000000000000000000000000000000ff",
    "9e105",
    "1234e5678",
    "12345678901234567890123456789e12",
  ])("%s is never changed, but must be in quotes", async (id) => {
    const found = await loadFile(`version: 1\nzone: { id: ${id}, name: saas.dev }\n`);
    expect(said(found)).toEqual([expect.stringMatching(/ 2:13$/)]);
    expect(wording(found)).toContain(id);
    expect(wording(found)).toMatch(/quotes|\\"/);
    expect(wording(found)).not.toMatch(/Infinity|null|1\.23e/);
  });
});

describe("a tag", () => {
  test.each([
    '!!js/function "x"',
    "!Ref x",
    "!!binary aGVsbG8=",
    "!!set { a, b }",
    "!!omap [a: 1]",
    "!!timestamp 2001-12-14",
  ])("%s is an error, not a warning", async (value) => {
    const found = await loadFile(
      `${HEAD}${HOSTNAMES}{ hostname: a.customer.net, custom_metadata: { x: ${value} } }] }\n`,
    );
    expect(said(found)).toContainEqual(expect.stringMatching(/^unknown-tag /));
  });
});

describe("a value that needs quotes", () => {
  test.each([
    ["*.customer.net", '"*.customer.net"'],
    ["*", '"*"'],
  ])("is a wildcard %s, and the error says so", async (written, quoted) => {
    const found = await loadFile(`${HEAD}custom_hostnames:\n  entries:\n    - hostname: ${written}\n`);
    expect(said(found)).toContainEqual(expect.stringMatching(/^unquoted-asterisk 5:/));
    expect(wording(found)).toContain(JSON.stringify(quoted).slice(1, -1));
  });

  test("is an expression with a colon, and the error says so", async () => {
    for (const map of [
      'entry_points:\n  x:\n    rules:\n      - expression: http.host eq "a: b"\n        ref: x\n',
      'entry_points: { x: { rules: [{ ref: x, expression: http.host eq "a: b" }] } }\n',
    ]) {
      const found = await loadFile(HEAD + map);
      expect(said(found)[0]).toMatch(/^yaml-syntax /);
      expect(wording(found)).toContain("put the whole value in quotes");
    }
  });
});

describe("bytes that are not text", () => {
  test.each([
    ["a raw NUL", `${HEAD}# \0\n`, "control-character 3:3"],
    ["an escaped NUL", `${HEAD}total_tls: "a\\0"\n`, "control-character 3:12"],
    ["half of a character", `${HEAD}total_tls: "\\ud800"\n`, "control-character 3:12"],
    ["half of a character in a key", `${HEAD}total_tls: { "\\udfff": 1 }\n`, "control-character 3:14"],
    ["a byte that is not UTF-8", Buffer.from([...Buffer.from(`${HEAD}# `), 0xc3, 0x28]), "invalid-utf8 3:3"],
    ["UTF-16 with its mark", Buffer.from(`\ufeff${HEAD}`, "utf16le"), "invalid-utf8 1:1"],
    ["a tab before a key", `${HEAD}total_tls:\n\tenabled: true\n`, "yaml-tab 4:1"],
  ])("%s is an error at its place", async (_case, content, expected) => {
    expect(said(await loadFile(content))).toContainEqual(expected);
  });

  test("a byte order mark and Windows line ends are fine", async () => {
    sound(await loadFile(`\ufeff${HEAD.replaceAll("\n", "\r\n")}`));
  });
});

describe("an empty file", () => {
  test.each([
    ["no bytes", "", "empty-file 1:1"],
    ["only comments", "# a\n# b\n", "empty-file 1:1"],
    ["null", "null\n", "empty-file 1:1"],
    ["an empty list", "[]\n", "not-a-map 1:1"],
    ["an empty map", "{}\n", "missing-key 1:1"],
  ])("with %s is an error, and never a plan to delete", async (_case, content, expected) => {
    expect(said(await loadFile(content))).toContain(expected);
  });
});

describe("several documents in one file", () => {
  test("are an error at the second one", async () => {
    expect(said(await loadFile(`${HEAD}---\n${HEAD}`))).toEqual(["several-documents 3:1"]);
  });

  test("are not meant by a marker at the beginning", async () => {
    sound(await loadFile(`---\n${HEAD}`));
  });

  test("are meant by a marker at the end, which begins an empty one", async () => {
    expect(said(await loadFile(`${HEAD}---\n`))).toEqual(["several-documents 3:1"]);
  });
});

describe("a file that is too large is refused before parsing", () => {
  test("for its size, such as 200 MB, or one value of 50 MB", async () => {
    expect(said(await loadFile(Buffer.alloc(200_000_000, "# comment\n")))).toEqual(["file-too-large 1:1"]);
    expect(said(await loadFile(`${HEAD}total_tls: ${"x".repeat(50_000_000)}\n`))).toEqual(["file-too-large 1:1"]);
  });

  test("for the number of its values, such as two million short keys", async () => {
    const keys = Array.from({ length: 2_000_000 }, (_value, index) => index.toString(36)).join(":,");
    expect(keys.length).toBeLessThan(16 * 1024 * 1024);
    expect(said(await loadFile(`{${keys}:}`))).toEqual([expect.stringMatching(/^file-too-large 1:/)]);
  });
});

test("an ordinary zone of this form loads, so each error above comes from its input", async () => {
  sound(await loadZone("custom_hostnames: { lifecycle: zoneform, entries: [{ hostname: a.customer.net }] }\n"));
});
