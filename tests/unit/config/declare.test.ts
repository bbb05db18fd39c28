import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withDeclaration } from "../../../lib/config/declare.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import { type KindName, type Kind } from "../../../lib/resources/kind.ts";
import { kindNamed } from "../../../lib/resources/registry.ts";

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
