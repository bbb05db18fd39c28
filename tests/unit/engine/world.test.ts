import { expect, test } from "vitest";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { zonesOf } from "../../../lib/engine/world.ts";
import { load, PROJECT } from "../config/project.ts";

const ZONE = 'version: 1\nzone: { id: "11111111111111111111111111111111", name: saas.dev }\n';
const FILES = {
  "zoneform.yaml": PROJECT,
  "zones/a.yaml": ZONE,
  "zones/b.yaml": ZONE.replaceAll("1111", "2222").replace("saas", "shop"),
};

test.each([
  ["by name", ["saas.dev"], ["saas.dev"]],
  ["by id", ["2".repeat(32)], ["shop.dev"]],
  ["all where none is named", [], ["saas.dev", "shop.dev"]],
])("zones are chosen %s", async (_how, wanted, expected) => {
  expect(zonesOf(await project(), wanted).map(({ name }) => name)).toEqual(expected);
});

test("zones that are not there are errors, all of them, with the nearest name", async () => {
  const loaded = await project();
  const attempt = (): unknown => zonesOf(loaded, ["sas.dev", "shop.dev", "nowhere"]);
  expect(attempt).toThrow(Refusal);
  expect(attempt).toThrow(
    expect.objectContaining({
      diagnostics: [
        expect.objectContaining({ code: "unknown-zone", remedy: 'did you mean "saas.dev"?' }),
        expect.objectContaining({ code: "unknown-zone", remedy: "the project has: saas.dev, shop.dev" }),
      ],
    }),
  );
});

async function project(): Promise<Parameters<typeof zonesOf>[0]> {
  const loaded = await load(FILES);
  if (!loaded.ok) throw new Error("the project does not load");
  return loaded.value;
}
