import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { EditableYaml, type YamlEdit } from "../../../lib/config/edit-yaml.ts";

const ZONE = `# the zone of the shop
version: 1
custom_hostnames:
  entries:
    # the first customer
    - { hostname: a.net, labels: { region: us } } # gold
    - hostname: b.net # the second
      ssl:
        method: http
        settings: { min_tls_version: '1.3',   http2: "on" }   # as they asked

    # the third
    - hostname: c.net
  foreign: report
rules:
  - ref: one
    expression: >-
      http.host eq
      "a.net"
    action: block
  # why two is here
  - ref: two
    enabled: false
  - ref: three
total_tls: { enabled: true, certificate_authority: google }
`;

function edited(text: string, ...edits: readonly YamlEdit[]): string {
  return new EditableYaml(text).edited(edits) ?? "impossible";
}

describe("an edit changes its place, and every other byte stays", () => {
  const entries = ["custom_hostnames", "entries"] as const;
  test.each<[what: string, edit: YamlEdit, from: string, to: string]>([
    [
      "a value keeps its quotes and its comment",
      { what: "set", path: [...entries, 1, "ssl", "settings", "min_tls_version"], value: "1.0" },
      "'1.3',   http2",
      "'1.0',   http2",
    ],
    [
      "a plain value",
      { what: "set", path: ["total_tls", "certificate_authority"], value: "lets_encrypt" },
      "google",
      "lets_encrypt",
    ],
    [
      "a new key in braces",
      { what: "set", path: ["total_tls", "note"], value: "a, b" },
      "google }",
      'google, note: "a, b" }',
    ],
    [
      "a new key on a line of its own",
      { what: "set", path: [...entries, 2, "ssl", "settings", "min_tls_version"], value: "1.0" },
      "    - hostname: c.net\n",
      '    - hostname: c.net\n      ssl:\n        settings:\n          min_tls_version: "1.0"\n',
    ],
    [
      "a text over several lines",
      { what: "set", path: ["rules", 0, "expression"], value: 'http.host eq "b.net"' },
      '>-\n      http.host eq\n      "a.net"\n',
      'http.host eq "b.net"\n',
    ],
    ["a removed key", { what: "remove", path: ["rules", 1, "enabled"] }, "    enabled: false\n", ""],
    ["a key removed from braces", { what: "remove", path: ["total_tls", "enabled"] }, "enabled: true, ", ""],
    [
      "the last key removed from braces",
      { what: "remove", path: ["total_tls", "certificate_authority"] },
      ", certificate_authority: google",
      "",
    ],
    [
      "the only key of a map, with the map",
      { what: "remove", path: [...entries, 0, "labels", "region"] },
      ", labels: { region: us }",
      "",
    ],
    [
      "a removed item, with the comment above it",
      { what: "arrange", path: ["rules"], items: [0, 2] },
      "  # why two is here\n  - ref: two\n    enabled: false\n",
      "",
    ],
    [
      "moved items, with theirs, and a new one",
      { what: "arrange", path: ["rules"], items: [1, { added: { ref: "four" } }, 0, 2] },
      ZONE.slice(ZONE.indexOf("  - ref: one"), ZONE.indexOf("  - ref: three")),
      `  # why two is here
  - ref: two
    enabled: false
  - ref: four
  - ref: one
    expression: >-
      http.host eq
      "a.net"
    action: block
`,
    ],
    [
      "a list that becomes empty",
      { what: "arrange", path: ["rules"], items: [] },
      ZONE.slice(ZONE.indexOf("\n  - ref: one"), ZONE.indexOf("\ntotal")),
      " []",
    ],
  ])("%s", (_what, edit, from, to) => {
    expect(ZONE).toContain(from);
    expect(edited(ZONE, edit)).toBe(ZONE.replace(from, to));
  });

  test("several at once, in lines that end as Windows ends them", () => {
    const windows = ZONE.replaceAll("\n", "\r\n");
    const edits: readonly YamlEdit[] = [
      { what: "set", path: ["rules", 2, "action"], value: "log" },
      { what: "set", path: ["rules", 2, "enabled"], value: false },
      { what: "arrange", path: ["rules"], items: [2, 0, 1] },
      { what: "append", path: ["custom_hostnames", "exceptions"], items: [{ match: { hostname: "a.net" } }] },
    ];
    const after = edited(windows, ...edits);
    expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(after.replaceAll("\r\n", "\n")).toBe(edited(ZONE, ...edits));
    expect(parse(after).rules.map(({ ref }: { ref: string }) => ref)).toEqual(["three", "one", "two"]);
  });
});

describe("a value that another place shares", () => {
  const shared = "a: &tls { v: '1.3', w: &w on }\nb: *tls\nc: { d: *w }\n";
  const yaml = new EditableYaml(shared);

  test("is not alone, and is never changed there", () => {
    for (const path of [
      ["a", "v"],
      ["b", "v"],
      ["a", "w"],
    ]) {
      expect(yaml.isAlone(path)).toBe(false);
      expect(yaml.edited([{ what: "set", path, value: "1.0" }])).toBeUndefined();
    }
  });

  test("is replaced where it is only used", () => {
    expect(yaml.isAlone(["c", "d"])).toBe(true);
    expect(edited(shared, { what: "set", path: ["c", "d"], value: "off" })).toBe(shared.replace("*w", '"off"'));
  });
});
