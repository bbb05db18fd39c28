import { describe, expect, test } from "vitest";
import { faults, load, loadZone, PROJECT, sound } from "./project.ts";

const ENTRY = `custom_hostnames:
  lifecycle: zoneform
  entries: [{ hostname: a.customer.net }]
  policies: [{ name: own, set: { ssl: { method: txt, settings: { ciphers: [OWN] } } } }]
`;
const layer = (body: string): string => `version: 1\n${body}`;

describe("layers", () => {
  test("lie below the zone file, the first one lowest, and every value keeps its file", async () => {
    const loaded = sound(
      await loadZone(
        `use: [../profiles/one.yaml, ../profiles/two.yaml]\nfallback_origin: { protect: true }\n${ENTRY}`,
        {
          "profiles/one.yaml": layer(`fallback_origin: { origin: one.saas.dev, protect: false }
custom_hostnames: { when_expired: create, foreign: ignore, policies: [{ name: base, set: { ssl: { type: dv, method: http } } }] }
`),
          "profiles/two.yaml": layer(
            `fallback_origin: { origin: two.saas.dev }\ncustom_hostnames: { foreign: null, when_expired: report }\n`,
          ),
        },
      ),
    );
    const [zone] = loaded.desired.zones;
    expect(zone?.objects[0]).toMatchObject({ values: { origin: "two.saas.dev" }, protect: true });
    expect(zone?.hostnames).toMatchObject({ foreign: "ignore", whenExpired: "report" });
    expect(zone?.hostnames.policies.map(({ name, at }) => `${name} ${at.file}`)).toEqual([
      "base profiles/one.yaml",
      "own zones/a.yaml",
    ]);
    const hostname = { kind: "custom_hostname", key: "a.customer.net" } as const;
    expect(loaded.originOf("saas.dev", hostname, ["ssl", "type"])).toEqual({
      at: { file: "profiles/one.yaml", line: 3, column: 105 },
      through: 'policy "base" of the layer profiles/one.yaml',
      isShared: true,
    });
    expect(loaded.originOf("saas.dev", { kind: "fallback_origin", key: "" }, ["origin"])).toEqual({
      at: { file: "profiles/two.yaml", line: 2, column: 28 },
      through: "layer profiles/two.yaml",
    });
  });

  test("may use layers, and one that is met twice counts once", async () => {
    const loaded = sound(
      await loadZone(`use: [../profiles/one.yaml, ../profiles/base.yaml]\n${ENTRY}`, {
        "profiles/one.yaml": layer("use: [base.yaml]\n"),
        "profiles/base.yaml": layer("custom_hostnames: { policies: [{ name: base, set: { ssl: { type: dv } } }] }\n"),
      }),
    );
    expect(loaded.desired.zones[0]?.hostnames.policies.map(({ name }) => name)).toEqual(["base", "own"]);
  });

  test("in a circle are an error", async () => {
    const found = faults(
      await loadZone(`use: [../profiles/one.yaml]\n`, {
        "profiles/one.yaml": layer("use: [two.yaml]\n"),
        "profiles/two.yaml": layer("use: [one.yaml]\n"),
      }),
    );
    expect(found.map(({ code, at }) => `${code} ${at?.file}:${at?.line}:${at?.column}`)).toEqual([
      "layer-cycle profiles/two.yaml:2:7",
    ]);
  });

  test("on more than eight levels are an error", async () => {
    const files = Object.fromEntries(
      Array.from(
        { length: 12 },
        (_, index) => [`profiles/${index}.yaml`, layer(`use: [${index + 1}.yaml]\n`)] as const,
      ),
    );
    const found = faults(await loadZone("use: [../profiles/0.yaml]\n", { ...files, "profiles/12.yaml": layer("") }));
    expect(found.map(({ code }) => code)).toEqual(["too-many-layers"]);
  });

  test("belong to no zone", async () => {
    const zone = (id: string, name: string, more: string): string =>
      `version: 1\nzone: { id: "${id.repeat(32)}", name: ${name} }\n${more}`;
    const found = faults(
      await load({
        "zoneform.yaml": PROJECT,
        "zones/a.yaml": zone("a", "a.dev", "use: [b.yaml]\n"),
        "zones/b.yaml": zone("b", "b.dev", ""),
      }),
    );
    expect(found.map(({ code, at }) => `${code} ${at?.file}:${at?.line}:${at?.column}`)).toEqual([
      "layer-names-zone zones/b.yaml:2:1",
    ]);
  });

  test("with a policy of the same name as one above are an error that names both places", async () => {
    const found = faults(
      await loadZone(`use: [../profiles/one.yaml]\n${ENTRY}`, {
        "profiles/one.yaml": layer("custom_hostnames: { policies: [{ name: own, set: { ssl: { type: dv } } }] }\n"),
      }),
    );
    expect(found.map(({ code, message, at }) => `${code} ${at?.file} ${message}`)).toEqual([
      'duplicate-policy zones/a.yaml two policies are named "own", the first at profiles/one.yaml:2:40',
    ]);
  });
});
