import { describe, expect, it } from "vitest";
import { faults, load } from "../unit/config/project.ts";

/** Expressions that Cloudflare would refuse. The mistake is at the «, and the parts are lines where a style has lines. */
const BROKEN: readonly (readonly string[])[] = [
  ['starts_with(«http.request.uri.paht, "/upload")'],
  ["ssl and", "«http.hots eq x"],
  ["http.host eq «5", "and ssl"],
  ["http.host in {a «5}"],
  ["(ssl", "or http.host eq a", "and not «cf.client.bto)"],
  ["ssl", "and «lowr(http.host) eq a"],
  ["cf.waf.score lt «a"],
  ["ip.src eq «10.0.0.256"],
  ["ssl and ssl and", 'http.request.uri.path matches "«(a"'],
  ["starts_with(http.host, «5)"],
  ["http.host eq a", "and http.request.headers «eq a"],
  ["any(http.request.headers.names[*] eq «5)"],
];

/** Texts in quotes, as a style can have them: `a` alone is `"a"`. */
function quoted(parts: readonly string[], quote: string): readonly string[] {
  return parts.map((part) =>
    part
      .replaceAll(/"([^"]*)"/g, `${quote}$1${quote}`)
      .replaceAll(/(?<=[ {«])([ax])(?=[ })]|$)/g, `${quote}$1${quote}`),
  );
}

function block(header: string, parts: readonly string[], indent: string): string {
  return `${header}\n${parts.map((part) => `${indent}${part}\n`).join("")}`;
}

/** Each style of YAML: what stands after `expression:` for these parts. */
const STYLES: Readonly<Record<string, (parts: readonly string[]) => string>> = {
  plain: (parts) => `${quoted(parts, '"').join("\n            ")}\n`,
  "in single quotes": (parts) => `'${quoted(parts, '"').join("\n            ")}'\n`,
  "in double quotes": (parts) => `"${quoted(parts, String.raw`\"`).join("\n            ")}"\n`,
  folded: (parts) => block(">-", quoted(parts, '"'), "            "),
  literal: (parts) => block("|", quoted(parts, '"'), "              "),
};

const ZONE = 'version: 1\nzone: { id: "22222222222222222222222222222222", name: a.dev }\n';

function rulesOf(value: string): string {
  return `entry_points:
  http_request_firewall_custom:
    rules:
      - ref: r1
        action: block
        expression: ${value}`;
}

/** The text without its mark, and where the mark was. */
function unmarked(text: string): { readonly content: string; readonly line: number; readonly column: number } {
  const before = text.slice(0, text.indexOf("«")).split("\n");
  return { content: text.replace("«", ""), line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

describe.each(Object.entries(STYLES))("a mistake in an expression, %s,", (_style, styled) => {
  it.each(BROKEN.map((parts) => [parts.join(" "), parts] as const))(
    "is said at its place: %s",
    async (_text, parts) => {
      const { content, line, column } = unmarked(ZONE + rulesOf(styled(parts)));
      const found = await load({ "zoneform.yaml": "version: 1\nproject: p\nzones: [a.yaml]\n", "a.yaml": content });
      const [first] = faults(found);
      expect(first).toMatchObject({ severity: "error", at: { file: "a.yaml", line, column } });
      expect(first?.code).toMatch(/^expression-(?:invalid|misspelt)$/);
      expect(first?.remedy ?? "").not.toBe("");
    },
  );

  it("is said at its place beside a key that does not exist", async () => {
    const { content, line, column } = unmarked(ZONE + rulesOf(styled(["ssl", "and «http.hots eq a"])));
    const found = await load({
      "zoneform.yaml": "version: 1\nproject: p\nzones: [a.yaml]\n",
      "a.yaml": `${content}        frobnicate: 1\n`,
    });
    const at = { file: "a.yaml", line, column };
    expect(faults(found)).toContainEqual(expect.objectContaining({ code: "expression-misspelt", at }));
  });

  it("of a layer is said in the layer", async () => {
    const { content, line, column } = unmarked(`version: 1\n${rulesOf(styled(["ssl", "and «http.hots eq a"]))}`);
    const found = await load({
      "zoneform.yaml": "version: 1\nproject: p\nzones: [a.yaml]\n",
      "a.yaml": `${ZONE}use: [layer.yaml]\n`,
      "layer.yaml": content,
    });
    expect(faults(found)[0]).toMatchObject({ code: "expression-misspelt", at: { file: "layer.yaml", line, column } });
  });
});
