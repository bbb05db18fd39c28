import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

it.each([
  "bundle-schemas.mjs",
  "generate-docs.mjs",
  "generate-emulator-docs.mjs",
  "generate-errors.mjs",
  "generate-hazards.mjs",
  "generate-import-forms.mjs",
  "generate-readme.mjs",
  "generate-output-schemas.mjs",
])("what %s writes is what is checked in", (script) => {
  expect(() =>
    execFileSync(process.execPath, [join(ROOT, ".ci", script), "--check"], { cwd: ROOT, stdio: "pipe" }),
  ).not.toThrow();
});
