// Reads the published schemas from schemas/. Needs no build.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Every published schema by name. */
export function readPublished() {
  const names = readdirSync(join(ROOT, "schemas"))
    .filter((file) => file.endsWith(".schema.json"))
    .map((file) => file.replace(".schema.json", ""));
  return Object.fromEntries(
    names.map((name) => [name, JSON.parse(readFileSync(join(ROOT, `schemas/${name}.schema.json`), "utf8"))]),
  );
}
