import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createService, faultText, InputError, openFaultPlaces, parseSeed } from "../../../../lib/emulator.ts";
import { DEFAULT_SEED, readSeed } from "../../../../lib/emulator/seed/seed.ts";
import { inFull } from "../../../support/full.ts";

const ROOT = join(import.meta.dirname, "../../../..");

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | false;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema: Schema = JSON.parse(readFileSync(join(ROOT, "schemas/emulator-seed.schema.json"), "utf8"));
const accepts = new Ajv2020({ strict: true }).compile(schema);
const RUNS = inFull(20_000, 1_000);

/** Everything that is wrong with a seed, each with its place in the text. */
function faultsOf(text: string): readonly string[] {
  try {
    createService({ clock: "manual", seed: parseSeed(text) });
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.faults.map((fault) => {
      const { line, column } = openFaultPlaces(text)(fault);
      return `${line}:${column} ${faultText(fault)}${fault.remedy === undefined ? "" : ` (${fault.remedy})`}`;
    });
  }
}

function isRead(value: unknown): boolean {
  try {
    readSeed(value);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** Values by the schema, now and then with a member that is missing, unknown or of another type. */
function valuesOf(from: Schema): fc.Arbitrary<unknown> {
  const right = rightValuesOf(from);
  const wrong = fc.constantFrom<unknown>("", "nonsense", -1, 1.5, true, [], [1], {}, { unknown: 1 });
  return fc.oneof({ arbitrary: right, weight: 40 }, { arbitrary: wrong, weight: 1 });
}

function rightValuesOf(from: Schema): fc.Arbitrary<unknown> {
  if (from.$ref !== undefined) return valuesOf(schema.$defs?.[from.$ref.replace("#/$defs/", "")] ?? {});
  if (from.anyOf !== undefined) return fc.oneof(...from.anyOf.map(valuesOf));
  if (from.enum !== undefined) return fc.constantFrom(...from.enum);
  if (from.pattern !== undefined) return fc.constantFrom(...(from.examples ?? []));
  switch (from.type ?? "object") {
    case "string":
      return fc.string({ minLength: 1, maxLength: 8 });
    case "integer":
      return fc.nat(9);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valuesOf(from.items ?? {}), { maxLength: 2 });
    default:
      return objectsOf(from);
  }
}

function objectsOf({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, valuesOf(each)]));
  const known = fc.oneof(
    { arbitrary: fc.record(members, { requiredKeys: [...required] }), weight: 40 },
    { arbitrary: fc.record(members, { requiredKeys: [] }), weight: 1 },
  );
  if (typeof additionalProperties !== "object") return known;
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), valuesOf(additionalProperties), {
    maxKeys: 2,
    noNullPrototype: true,
  });
}

describe("the schema of a seed and the emulator", () => {
  test("accept and refuse the same seeds", () => {
    const judged = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(valuesOf(schema), (value) => {
        const isAccepted = accepts(value);
        judged[isAccepted ? "accepted" : "refused"] += 1;
        expect([value, isRead(value)]).toEqual([value, isAccepted]);
      }),
      { numRuns: RUNS, seed: 12 },
    );
    expect(judged.accepted).toBeGreaterThan(RUNS / 10);
    expect(judged.refused).toBeGreaterThan(RUNS / 10);
  });

  test("know the same keys of a seed and of a zone", () => {
    expect(knownKeys({ nonsense: 1 })).toEqual(Object.keys(schema.properties ?? {}).toSorted());
    expect(knownKeys({ zones: [{ nonsense: 1 }] })).toEqual(
      Object.keys(schema.$defs?.["zone"]?.properties ?? {}).toSorted(),
    );
  });

  test("accept examples/emulator.yaml and what the emulator starts with by itself", () => {
    const example = parseSeed(readFileSync(join(ROOT, "examples/emulator.yaml"), "utf8"));
    for (const seed of [example, DEFAULT_SEED]) expect([accepts(seed), accepts.errors]).toEqual([true, null]);
  });
});

/** The keys that the message about an unknown one lists. */
function knownKeys(value: unknown): readonly string[] {
  try {
    readSeed(value);
  } catch (error) {
    const faults = error instanceof InputError ? error.faults : [];
    const remedy = faults.find(({ at }) => at.endsWith("nonsense"))?.remedy ?? "";
    return remedy.replace("known here: ", "").split(", ");
  }
  return [];
}

describe("what is wrong with a seed", () => {
  test("is reported at its place with the remedy, all at once", () => {
    const text = [
      "tokens:",
      "  - value: 12345",
      "    permisions: all",
      "zones:",
      "  - id: abc",
      "    plan: gold",
      "    hostnames: []",
      "    generate: [{ count: 2, pattern: a.net }]",
      "world: { dns: { a.net: { caa_servfail: 1 } } }",
    ].join("\n");
    expect(faultsOf(text).map((fault) => fault.replace(/known here: .*/, "known here: …"))).toEqual([
      '3:5 tokens[0].permisions is not a known key (did you mean "permissions"? known here: …',
      "2:5 tokens[0].value is a number, expected a string (put it in quotes)",
      "5:5 zones[0].name is missing (add name)",
      '7:5 zones[0].hostnames is not a known key (did you mean "custom_hostnames"? known here: …',
      "5:5 zones[0].id has 3 characters, expected 32 hexadecimal digits in lower case (make one with: openssl rand -hex 16)",
      '6:5 zones[0].plan is "gold", expected free, pro, business, enterprise',
      "8:28 zones[0].generate[0].pattern does not contain {n} (write {n} where the number goes, as in app{n}.customers.net)",
      '9:26 world.dns["a.net"].caa_servfail is a number, expected true or false',
    ]);
  });

  test("is also what the service would refuse, and what contradicts itself", () => {
    const id = "023e105f4ecef8ad9ca31a8372d0c353";
    const text = [
      "tokens: [{ value: t, account: nobody }]",
      "zones:",
      `  - id: ${id}`,
      "    name: a.net",
      "    plan: free",
      "    waf: { migration: validation }",
      "    custom_hostnames: [{ hostname: b.net }, { hostname: B.net }]",
      "    rulesets:",
      "      - phase: http_request_firewall_custom",
      '        rules: [{ action: explode, expression: "true" }]',
      `  - { id: ${id}, name: c.net }`,
    ].join("\n");
    expect(faultsOf(text)).toEqual([
      '1:22 tokens[0].account is "nobody", which is not the id of an account (declare the account under accounts, or remove this key)',
      "7:45 zones[0].custom_hostnames[1] b.net appears twice (remove one of the two)",
      "6:12 zones[0].waf.migration is validation, and a zone on the free plan never had the previous managed rules (write default, or another plan)",
      expect.stringMatching(/^9:9 zones\[0\]\.rulesets\[0\] would be refused by Cloudflare: 'explode'/),
      "11:7 zones[1].id is also the id of another zone (give each zone an id of its own)",
    ]);
  });

  test.each([
    ["- a", "1:1 the seed is a list, expected a map"],
    ["zones: [", "1:9 flow sequence"],
    ["zones:\n  - a: 1\n    a: 2", "3:5 map keys must be unique"],
    ["world: 1", "1:1 world is a number, expected a map"],
    ["zones: [a]", "1:9 zones[0] is a string, expected a map"],
  ])("is found in %j", (text, fault) => {
    expect(faultsOf(text)).toEqual(expect.arrayContaining([expect.stringMatching(new RegExp(`^${escaped(fault)}`))]));
  });

  test("is a day or an hour that no calendar has", () => {
    const zone = "id: 023e105f4ecef8ad9ca31a8372d0c353, name: a.net";
    for (const time of ["2026-13-01", "2026-11-32", "2026-11-21T24:00Z", "2026-11-21 08:00"])
      expect(faultsOf(`zones: [{ ${zone}, generate: [{ pattern: "{n}.net", issued_at: "${time}" }] }]`)).toEqual([
        expect.stringMatching(/zones\[0\]\.generate\[0\]\.issued_at is not an ISO 8601 time/),
      ]);
  });

  test("is not a key without a value: that is the same as no key, but for a map whose keys are free", () => {
    const zone = "id: 023e105f4ecef8ad9ca31a8372d0c353, name: a.net";
    expect(
      faultsOf(`accounts:\nzones: [{ ${zone}, plan: , waf: , custom_hostnames: [{ hostname: b.net, ssl: }] }]`),
    ).toEqual([]);
    expect(faultsOf("world: { dns: { a.net: } }")).toEqual(['1:17 world.dns["a.net"] is empty, expected a map']);
    expect(faultsOf(`zones: [{ ${zone.replace("a.net", "")} }]`)).toEqual(["1:49 zones[0].name is missing (add name)"]);
  });

  test("does not show a value that may be a credential", () => {
    const token = "v1.0-0123456789abcdef0123456789abcdef";
    expect(
      faultsOf(`tokens: [{ value: a, status: ${token}, permissions: [${token}] }]\nzones: ${token}`).join(),
    ).not.toContain(token);
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[[\](){}.]/g, "\\$&");
}
