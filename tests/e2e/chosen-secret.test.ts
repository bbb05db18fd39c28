import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshWorld } from "../support/project.ts";

test("a file or a variable that the YAML calls a secret hides no word of a report", async () => {
  const world = await freshWorld();
  const before = await world.zoneform("plan");
  const words = before.stdout.split(/\s+/).filter((word) => word.length >= 6);
  expect(words.length).toBeGreaterThan(50);
  await writeFile(join(world.folder, "data/words.txt"), `${words.join("\n")}\n`);
  await writeFile(
    join(world.folder, "data/framed.txt"),
    `-----BEGIN CERTIFICATE-----\n${words.join("\n")}\n-----END CERTIFICATE-----\n`,
  );
  const policy = (name: string, certificate: string, key: string): string => `    - name: ${name}
      match: { hostname: nothing.is.called.this }
      set: { ssl: { custom_certificate: { file: data/${certificate} }, custom_key: ${key} } }
`;
  await world.edit(
    "zones/saas-dev.yaml",
    "  policies:\n",
    `  policies:\n${policy("words", "words.txt", "{ env: WORD }")}${policy("framed", "framed.txt", "{ file: data/framed.txt }")}`,
  );
  const after = await world.zoneformWith({ WORD: words[0] ?? "" }, "plan");
  const withoutLines = (text: string): string => text.replaceAll(/\.yaml:\d+/g, ".yaml");
  expect(withoutLines(after.stdout)).toBe(withoutLines(before.stdout));
});
