import { describe, expect, test } from "vitest";
import { faults, load, loadZone, PROJECT } from "./project.ts";

const ZONE = 'version: 1\nzone: { id: "11111111111111111111111111111111", name: saas.dev }\n';
const OTHER = 'version: 1\nzone: { id: "22222222222222222222222222222222", name: saas.eu }\n';

function hostnames(more: string): string {
  return `custom_hostnames:\n  lifecycle: zoneform\n  entries: [{ hostname: a.customer.net }]\n${more}`;
}

async function codesOf(body: string): Promise<readonly string[]> {
  return faults(await loadZone(body)).map(({ code }) => code);
}

describe("an error hides no other one", () => {
  test("of another part of its policy", async () => {
    const policy = "  policies: [{ name: p, set: { ssl: { type: dv, settings: { min_tls_version: 1.2 } } } }]\n";
    expect(await codesOf(hostnames(policy))).toEqual(["ssl-method-missing", "wrong-type"]);
  });

  test("of another entry", async () => {
    const body = "custom_hostnames:\n  lifecycle: zoneform\n  entries:\n";
    const entries = [
      "{ hostname: a.customer.net, ssl: { type: dv } }",
      "{ hostname: b.customer.net, ssl: { method: dns } }",
    ];
    expect(await codesOf(body + entries.map((entry) => `    - ${entry}\n`).join(""))).toEqual([
      "ssl-method-missing",
      "unknown-value",
    ]);
  });

  test("of another section, nor that something is missing", async () => {
    const body = "total_tls: { certificate_authority: google }\nfallback_orign: { origin: x }\ncustom_hostnames: {}\n";
    expect(await codesOf(body)).toEqual(["missing-key", "unknown-key", "missing-lifecycle"]);
  });

  test("of a zone whose id is wrong: its origin, and a hostname that another zone declares", async () => {
    const body = `fallback_origin: { origin: fallback.example.org }\n${hostnames("")}`;
    const files = {
      "zones/a.yaml": ZONE.replace("1111", "111g") + body,
      "zones/b.yaml": OTHER.replace("2222", "22") + hostnames(""),
    };
    const found = faults(await load({ "zoneform.yaml": PROJECT, ...files }));
    expect(found.map(({ code }) => code).toSorted()).toEqual([
      "duplicate-hostname",
      "malformed-value",
      "origin-outside-zone",
      "wrong-length",
    ]);
  });

  test("where a key is written twice", async () => {
    expect(await codesOf("custom_hostnames: {}\nmoved: []\nmoved: []\n")).toEqual([
      "missing-lifecycle",
      "duplicate-key",
    ]);
  });
});

describe("what is only absent because it is wrong is not missing as well:", () => {
  test.each([
    [
      "a misspelt method",
      hostnames("  policies: [{ name: p, set: { ssl: { type: dv, metod: txt } } }]\n"),
      ["unknown-key"],
    ],
    [
      "a method of an unknown value",
      hostnames("  policies: [{ name: p, set: { ssl: { method: dns } } }]\n"),
      ["unknown-value"],
    ],
    [
      "a policy that is wrong as a whole",
      hostnames(
        "  policies:\n    - { name: p, set: { ssl: { type: dv } } }\n    - { set: { ssl: { method: txt } } }\n",
      ),
      ["missing-key"],
    ],
    ["a misspelt lifecycle", "custom_hostnames: { lifecyle: app }\n", ["unknown-key"]],
    ["a section of a misspelt name", "total_tls: { enabeld: true }\n", ["unknown-key"]],
    [
      "a hostname that an exception names",
      "custom_hostnames:\n  lifecycle: zoneform\n  entries: [{ hostname: 3 }]\n  exceptions: [{ match: { hostname: a.b.net }, set: {} }]\n",
      ["wrong-type"],
    ],
  ])("%s", async (_name, body, codes) => {
    expect(await codesOf(body)).toEqual(codes);
  });

  test("a source whose declaration is wrong", async () => {
    const project = `${PROJECT}sources: { customers: { csv: data/x.csv } }\n`;
    const zone = `${ZONE}custom_hostnames: { lifecycle: zoneform, from: [{ source: customers }] }\n`;
    const found = faults(await load({ "zoneform.yaml": project, "zones/a.yaml": zone }));
    expect(found.map(({ code }) => code)).toEqual(["missing-key"]);
  });

  test("a zone that something moves from", async () => {
    const moved = `custom_hostnames: { lifecycle: zoneform, entries: [{ hostname: a.customer.net }] }
moved: [{ from: saas.eu/a.customer.net }]
`;
    const files = {
      "zoneform.yaml": PROJECT,
      "zones/a.yaml": ZONE + moved,
      "zones/b.yaml": OTHER.replace("2222", "22"),
    };
    expect(faults(await load(files)).map(({ code }) => code)).toEqual(["wrong-length"]);
  });
});

test("a hostname in two zones is an error that names both, and one that moves is none", async () => {
  const declared = "custom_hostnames: { lifecycle: zoneform, entries: [{ hostname: a.customer.net }] }\n";
  const files = { "zoneform.yaml": PROJECT, "zones/a.yaml": ZONE + declared };
  const [found, ...others] = faults(await load({ ...files, "zones/b.yaml": OTHER + declared }));
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code: "duplicate-hostname", at: { file: "zones/b.yaml", line: 3 } });
  expect(found?.message).toMatch(/saas\.eu here and saas\.dev at zones\/a\.yaml:3:/);
  const moving = { "zones/a.yaml": `${ZONE + declared}moved: [{ from: saas.eu/a.customer.net }]\n` };
  const codes = faults(await load({ ...files, ...moving, "zones/b.yaml": OTHER + declared })).map(({ code }) => code);
  expect(codes).toEqual(["moved-and-declared"]);
});
