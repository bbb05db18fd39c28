import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Json } from "../../lib/core/json.ts";
import { weakens } from "../../lib/kinds/custom-hostname/weakens.ts";

interface Schema {
  readonly properties: {
    readonly ssl: {
      readonly properties: {
        readonly settings: { readonly properties: Readonly<Record<string, { readonly enum?: readonly Json[] }>> };
      };
    };
  };
}

const SCHEMA: Schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../lib/kinds/custom-hostname/schema.json"), "utf8"),
);

/** The TLS settings of a hostname that are on or off. */
const SWITCHES = Object.entries(SCHEMA.properties.ssl.properties.settings.properties)
  .filter(([, setting]) => setting.enum?.includes("on"))
  .map(([name]) => name);

it("the schema has such settings", () => {
  expect(SWITCHES).toContain("tls_1_3");
});

// A setting that nobody has judged counts as protecting, so that turning it on and turning it off would both be a danger.
it.each(SWITCHES)("%s does not weaken protection in both directions", (name) => {
  const [on, off] = ["on", "off"].map((value) => ({ ssl: { settings: { [name]: value } } }));
  expect([weakens(on ?? {}, off ?? {}), weakens(off ?? {}, on ?? {})]).toContain(false);
});
