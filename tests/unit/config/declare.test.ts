import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withDeclaration } from "../../../lib/config/declare.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import type { KindName, Kind } from "../../../lib/kinds/kind.ts";
import { kindNamed } from "../../../lib/kinds/registry.ts";

const ZONE = `# the zone of the shop
version: 1
zone: { id: "023e105f4ecef8ad9ca31a8372d0c353", name: saas.dev }
use: [../profiles/tls.yaml]

custom_hostnames:
  lifecycle: zoneform # ours
  entries:
    # the first customer
    - { hostname: a.customer.net, protect: true }
    - hostname: b.customer.net # the second
  foreign: report

entry_points:
  http_request_firewall_managed:
    own: [sec/]
    rules: []
`;

const ENTRY = { hostname: "c.customer.net", ssl: { method: "http", type: "dv" } };

function declared(text: string, kind: KindName, key: string, values: JsonObject): string {
  const found: Kind = kindNamed(kind);
  return withDeclaration(text, found, key, values);
}

/** What was added: every line of the old text is there still, in its order. */
function added(before: string, after: string): string {
  const old = before.split("\n");
  return after
    .split("\n")
    .filter((line) => {
      if (line !== old[0]) return true;
      old.shift();
      return false;
    })
    .join("\n");
}

describe("a declaration is added on lines of its own, and no other line changes", () => {
  test("a hostname behind the last entry", () => {
    const after = declared(ZONE, "custom_hostname", "c.customer.net", ENTRY);
    expect(after).toContain(`    - hostname: b.customer.net # the second
    - hostname: c.customer.net
      ssl:
        method: http
        type: dv
  foreign: report
`);
    expect(added(ZONE, after).split("\n")).toHaveLength(4);
  });

  test("a setting as a section of its own", () => {
    expect(declared(ZONE, "total_tls", "", { enabled: true })).toBe(`${ZONE}
total_tls:
  enabled: true
`);
  });

  test("an entry point beside another", () => {
    const after = declared(ZONE, "ruleset", "http_request_firewall_custom", { rules: [{ ref: "a", action: "block" }] });
    expect(after).toBe(`${ZONE}  http_request_firewall_custom:
    rules:
      - ref: a
        action: block
`);
  });

  test("a hostname in the place of an empty list", () => {
    const before = "custom_hostnames:\n  lifecycle: zoneform\n  entries: [] # none yet\n  foreign: report\n";
    expect(declared(before, "custom_hostname", "c.customer.net", { hostname: "c.customer.net" })).toBe(
      `custom_hostnames:
  lifecycle: zoneform
  entries: # none yet
    - hostname: c.customer.net
  foreign: report
`,
    );
  });

  test("a hostname where there are no entries yet", () => {
    const before = ZONE.replace(/ {2}entries:\n( {4}.*\n)+/, "");
    const after = declared(before, "custom_hostname", "c.customer.net", ENTRY);
    expect(after).toContain("  foreign: report\n  entries:\n    - hostname: c.customer.net\n");
  });

  test("a hostname where the file says nothing of hostnames, and has no last line end", () => {
    const after = declared("version: 1\nzone: { id: a, name: b }", "custom_hostname", "c.customer.net", ENTRY);
    expect(parse(after)).toEqual({
      version: 1,
      zone: { id: "a", name: "b" },
      custom_hostnames: { lifecycle: "zoneform", entries: [ENTRY] },
    });
  });
});

describe("what has no lines of its own is written anew, with its comments", () => {
  test.each([
    ["an empty list", "custom_hostnames:\n  lifecycle: zoneform\n  entries: [] # none yet\n"],
    ["a list in brackets", "custom_hostnames: { lifecycle: zoneform, entries: [] } # none yet\n"],
  ])("%s", (_name, before) => {
    const after = declared(before, "custom_hostname", "c.customer.net", ENTRY);
    expect(parse(after)).toEqual({ custom_hostnames: { lifecycle: "zoneform", entries: [ENTRY] } });
    expect(after).toContain("# none yet");
  });

  test("a hostname or an entry point below a key with nothing behind it", () => {
    const hostname = declared("custom_hostnames:\n", "custom_hostname", "c.customer.net", ENTRY);
    expect(parse(hostname)).toEqual({ custom_hostnames: { lifecycle: "zoneform", entries: [ENTRY] } });
    const after = declared("entry_points:\n", "ruleset", "http_request_firewall_custom", { rules: [] });
    expect(parse(after)).toEqual({ entry_points: { http_request_firewall_custom: { rules: [] } } });
  });
});

/** What readers of YAML 1.1 take for a truth value, a number, a date, a merge key or a line end. */
const AMBIGUOUS = ["on", "off", "no", "y", "2024-09-30", "1_000", "12:30:45", "=", "<<", "a\u2028b"];

describe("what readers of YAML 1.1 take for something else is quoted", () => {
  test.each([
    ["a block", "version: 1\ncustom_hostnames:\n  entries:\n    - hostname: a.net\n"],
    ["an empty list", "version: 1\ncustom_hostnames:\n  entries: []\n"],
    ["an empty map", "version: 1\ncustom_hostnames: {}\n"],
    ["a list in brackets", "version: 1\ncustom_hostnames:\n  entries: [{ hostname: a.net }]\n"],
    ["a file on one line", "{ version: 1, custom_hostnames: { entries: [] } }\n"],
    ["a key with nothing behind it", "version: 1\ncustom_hostnames:\n"],
    ["a file without hostnames", "version: 1\n"],
  ])("in %s", (_name, before) => {
    const metadata = Object.fromEntries(AMBIGUOUS.map((text, index) => [`key_${index}`, text]));
    const entry = { hostname: "c.customer.net", custom_metadata: metadata };
    const after = declared(before, "custom_hostname", "c.customer.net", entry);
    for (const version of ["1.1", "1.2"] as const) {
      const { custom_hostnames: hostnames } = parse(after, { version });
      expect(hostnames.entries.at(-1)).toEqual(entry);
    }
  });
});
