import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { isList, isObject, type Json } from "../../lib/core/json.ts";
import { loadSchemas } from "../support/schemas.ts";
import { formatDiagnostics } from "../../lib/report/lines/diagnostics.ts";
import { escape } from "../../lib/report/escape/terminal.ts";
import { faults, load, loadZone, sound } from "../unit/config/project.ts";
import { said, wording } from "./said.ts";
import { onProcessor } from "../support/processor.ts";

/** Loads a zone of one hostname, which stands in double quotes, so that YAML's escapes can be used. */
function loadHostname(written: string, more = ""): ReturnType<typeof loadZone> {
  return loadZone(`custom_hostnames: { lifecycle: zoneform, entries: [{ hostname: "${written}"${more} }] }\n`);
}

/** Loads a zone of one rule with this expression. */
function loadExpression(expression: string): ReturnType<typeof loadZone> {
  const rule = { ref: "a", action: "skip", expression, action_parameters: { ruleset: "current" } };
  return loadZone(`entry_points: ${JSON.stringify({ http_request_firewall_managed: { rules: [rule] } })}\n`);
}

describe("a hostname with terminal control codes", () => {
  test.each([
    ["clears lines", String.raw`\e[2K\e[1A.customer.net`],
    ["is C1", String.raw`\u009b31m.customer.net`],
    ["turns back", String.raw`delete\b\b\b\b\b\bcreate.customer.net`],
    ["overwrites the line", String.raw`destroy\rcreate.customer.net`],
  ])("that %s is an error whose message is escaped", async (_case, written) => {
    const found = faults(await loadHostname(written));
    expect(found).not.toEqual([]);
    for (const format of ["text", "github"] as const) {
      for (const line of formatDiagnostics(found, { format, colour: false }).split("\n"))
        expect(escape(line)).toBe(line);
    }
  });
});

describe("a hostname that imitates another one", () => {
  test.each([
    ["has a zero-width space", "pay\u200bpal.customer.net"],
    ["has a Cyrillic letter", "p\u0430ypal.customer.net"],
    ["has letters outside ASCII", "b\u00fccher.customer.net"],
    ["turns the direction of writing", "good\u202elive.customer.net"],
    ["has full-width letters", "\uff41.customer.net"],
    ["has a full stop of another script", "a\u3002customer.net"],
  ])("that %s is refused, with the request to write it in punycode", async (_case, written) => {
    const found = await loadHostname(written);
    expect(said(found)).toContainEqual(expect.stringMatching(/^hostname-not-ascii /));
    expect(wording(found)).toContain("punycode");
    const row = await load({
      "zoneform.yaml":
        "version: 1\nproject: x\nzones: [a.yaml]\nsources: { s: { csv: s.csv, fields: { hostname: h } } }\n",
      "s.csv": `h\n${written}\n`,
      "a.yaml": `version: 1\nzone: { id: "${"1".repeat(32)}", name: a.dev }\ncustom_hostnames: { lifecycle: zoneform, from: [{ source: s }] }\n`,
    });
    expect(said(row)).toContainEqual(expect.stringMatching(/^hostname-not-ascii 2:/));
  });

  test("is accepted in punycode, where everybody can read it", async () => {
    sound(await loadHostname("xn--bcher-kva.customer.net"));
  });
});

describe("text that changes the writing direction", () => {
  test.each([
    ["in a value", 'custom_metadata: { team: "good\u202elive" }'],
    ["in a value, escaped", String.raw`custom_metadata: { team: "good\u202Elive" }`],
  ])("%s causes a warning at its place", async (_case, metadata) => {
    const loaded = await loadHostname("a.customer.net", `, ${metadata}`);
    expect(loaded.ok && loaded.warnings.map(({ code, at }) => `${code} ${at?.line}`)).toEqual(["turned-direction 3"]);
  });

  test("causes a warning in comments too, because reviewers read them", async () => {
    const loaded = await loadZone("# allow only \u2066admins\u2069\n");
    expect(loaded.ok && loaded.warnings.map(({ code }) => code)).toEqual(["turned-direction", "turned-direction"]);
  });

  test("does not hide an error at the same place", async () => {
    expect(said(await loadZone("\u202e: 1\n"))).toContainEqual(expect.stringMatching(/^unknown-key /));
  });
});

describe("a hostname of 64 or 65 characters", () => {
  const of = (length: number): string => `${"a".repeat(length - 23)}.${"b".repeat(9)}.customer.net`;
  const ssl = (branding: string): string => `, ssl: { method: txt, type: dv${branding} }`;

  test("fits a certificate up to 64, and needs branding beyond that", async () => {
    expect(of(64)).toHaveLength(64);
    sound(await loadHostname(of(64), ssl("")));
    const found = await loadHostname(of(65), ssl(""));
    expect(said(found)).toEqual([expect.stringMatching(/^hostname-needs-branding /)]);
    expect(wording(found)).toContain("1469");
    sound(await loadHostname(of(65), ssl(", cloudflare_branding: true")));
  });
});

describe("hostnames follow RFC 1035 and the service's rules", () => {
  test.each([
    ["a label of 64", `${"a".repeat(64)}.customer.net`],
    ["a name of 256", `${"a.".repeat(122)}customer.net`],
    ["an empty label", "a..customer.net"],
    ["a hyphen at the beginning of a label", "-a.customer.net"],
    ["a hyphen at the end of a label", "a-.customer.net"],
    ["an IPv4 address", "192.0.2.1"],
    ["an IPv6 address", "[2001:db8::1]"],
    ["one label", "customer"],
    ["a blank inside", "a b.customer.net"],
    ["a URL", "https://a.customer.net/"],
    ["a wildcard in the middle", "a.*.customer.net"],
  ])("%s is refused", async (_case, written) => {
    expect(said(await loadHostname(written))).not.toEqual([]);
  });

  test.each([
    ["App.Customer.NET", "app.customer.net"],
    ["app.customer.net.", "app.customer.net"],
    ["_dmarc.customer.net", "_dmarc.customer.net"],
    ["*.customer.net", "*.customer.net"],
    [`${"a".repeat(63)}.customer.net`, `${"a".repeat(63)}.customer.net`],
  ])("%s has one normalised form", async (written, form) => {
    const loaded = sound(await loadHostname(written, ", ssl: { method: txt, type: dv, cloudflare_branding: true }"));
    expect(loaded.desired.zones[0]?.objects.map(({ key }) => key)).toEqual([form]);
  });
});

describe("the length of an expression is measured in bytes", () => {
  const around = (filling: string): string => `http.host eq "${filling}"`;
  const room = 4096 - around("").length;

  test("4,096 bytes are allowed, in letters of one byte or of several", async () => {
    sound(await loadExpression(around("a".repeat(room))));
    sound(await loadExpression(around("\u00e9".repeat(Math.floor(room / 2)))));
  });

  test("4,097 bytes are refused, even with fewer characters", async () => {
    expect(said(await loadExpression(around("a".repeat(room + 1))))).toEqual([expect.stringMatching(/^too-long /)]);
    const multibyte = around(`${"\u00e9".repeat(Math.floor(room / 2))}aa`);
    expect(multibyte.length).toBeLessThan(4096);
    const found = await loadExpression(multibyte);
    expect(said(found)).toEqual([expect.stringMatching(/^expression-too-long /)]);
    expect(wording(found)).toContain("4097 bytes");
  });
});

/** Every regular expression of a schema. */
function patternsIn(schema: Json): readonly string[] {
  if (isList(schema)) return schema.flatMap(patternsIn);
  if (!isObject(schema)) return [];
  const own = typeof schema["pattern"] === "string" ? [schema["pattern"]] : [];
  return [...own, ...Object.values(schema).flatMap(patternsIn)];
}

/** What a pattern may take of the processor for all attacks, and after which time on the clock it is stopped. */
const [LIMIT_SECONDS, LIMIT_MILLISECONDS] = [10, 300_000];

describe("no pattern backtracks", () => {
  const ATTACKS = ["a", "a-", "a.", "-", "0", "A_", "*.", "x/", "a b"].flatMap((piece) => [
    `${piece.repeat(40)}!`,
    `${piece.repeat(20_000)}!`,
  ]);

  test("in the schemas, on any text built to provoke it", async () => {
    const schemas = Object.values(await loadSchemas());
    const patterns = [...new Set(schemas.flatMap((schema) => patternsIn(JSON.parse(JSON.stringify(schema)))))];
    expect(patterns.length).toBeGreaterThan(5);
    for (const pattern of patterns) {
      const [matched, seconds] = await onProcessor<unknown>(() =>
        runInNewContext(
          "attacks.map((text) => new RegExp(pattern, 'u').test(text)).length",
          { attacks: ATTACKS, pattern },
          { timeout: LIMIT_MILLISECONDS },
        ),
      );
      expect(matched).toBe(ATTACKS.length);
      expect([pattern, seconds < LIMIT_SECONDS]).toEqual([pattern, true]);
    }
  });

  test("from users, because those are only names with asterisks", async () => {
    const policy = (match: string): string =>
      `custom_hostnames: { lifecycle: zoneform, entries: [{ hostname: a.customer.net }], policies: [{ name: p, match: ${match}, set: { ssl: { method: txt, type: dv } } }] }\n`;
    expect(said(await loadZone(policy('{ matches: "(a+)+$" }')))).toEqual([expect.stringMatching(/^unknown-key /)]);
    // Written where a name is wanted, it is a name, and hits nothing that is no such name.
    const loaded = sound(await loadZone(policy('{ hostname: "(a+)+$" }')));
    expect(loaded.desired.zones[0]?.objects[0]?.values).toEqual({});
  });
});

test("the same hostname a hundred thousand times is twenty errors and a count", async () => {
  const rows = "app.customer.net\n".repeat(100_000);
  const found = await load({
    "zoneform.yaml":
      "version: 1\nproject: x\nzones: [a.yaml]\nsources: { s: { csv: s.csv, fields: { hostname: h } } }\n",
    "s.csv": `h\n${rows}`,
    "a.yaml": `version: 1\nzone: { id: "${"1".repeat(32)}", name: a.dev }\ncustom_hostnames: { lifecycle: zoneform, from: [{ source: s }] }\n`,
  });
  expect(faults(found)).toHaveLength(21);
  expect(wording(found)).toContain("99979 more hostnames are declared twice");
});

test("a value never becomes a command of a CI log, in any report format", async () => {
  const found = faults(await loadZone(`"\\n::stop-commands::x": 1\n"##[error]y": 2\n"::add-mask::z": 3\n`));
  expect(found).toHaveLength(3);
  for (const format of ["text", "json"] as const) {
    const lines = formatDiagnostics(found, { format, colour: false }).split("\n");
    expect(lines.filter((line) => line.trimStart().startsWith("::") || line.includes("##["))).toEqual([]);
  }
  const annotations = formatDiagnostics(found, { format: "github", colour: false }).trimEnd().split("\n");
  expect(annotations).toHaveLength(3);
  for (const line of annotations) expect(line).toMatch(/^::error file=(?!.*##\[)/);
});
