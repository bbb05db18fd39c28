import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Json } from "../../lib/core/json.ts";
import { weakens } from "../../lib/kinds/custom-hostname/weakens.ts";
import { zoneSetting } from "../../lib/kinds/zone-setting/kind.ts";
import { at, world } from "../support/emulator.ts";

interface Schema {
  readonly properties: {
    readonly ssl: {
      readonly properties: {
        readonly settings: { readonly properties: Readonly<Record<string, { readonly enum?: readonly Json[] }>> };
      };
    };
  };
}

function textOf(file: string): string {
  return readFileSync(join(import.meta.dirname, "../../lib/kinds", file), "utf8");
}

const SCHEMA: Schema = JSON.parse(textOf("custom-hostname/schema.json"));

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

interface ValueSchema {
  readonly properties: { readonly value: { readonly enum: readonly (string | null)[] } };
}

const SECTION: { readonly properties: Readonly<Record<string, { readonly $ref: string }>> } = JSON.parse(
  textOf("zone-setting/section.json"),
);
const { $defs }: { readonly $defs: Readonly<Record<string, ValueSchema>> } = JSON.parse(
  textOf("zone-setting/schema.json"),
);

/** The settings of a zone, each with the values that its schema allows. */
const ZONE_SETTINGS = Object.entries(SECTION.properties).map(([name, { $ref }]) => {
  const values = $defs[$ref.split("/").at(-1) ?? ""]?.properties.value.enum ?? [];
  return { name, values: values.filter((value) => value !== null) };
});

// Three places list these settings: the schema, the kind, which ranks their values, and the emulator.
it.each(ZONE_SETTINGS)("the values of the zone's $name are ranked", ({ name, values }) => {
  const isSafe = (from: string, to: string): boolean =>
    zoneSetting.weakens?.({ value: from }, { value: to }, name) === false;
  expect(values.some((from) => values.some((to) => from !== to && isSafe(from, to)))).toBe(true);
});

it.each(ZONE_SETTINGS)("the emulator takes each value of the zone's $name", ({ name, values }) => {
  const made = world();
  for (const value of values)
    expect(at(made.zone("PATCH", `/settings/${name}`, { value }), "result.value")).toBe(value);
});
