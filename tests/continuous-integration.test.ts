import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);

/** The commands of a script in their order; each has to succeed before the next one begins. */
const steps = (scripts["check"] ?? "").split(" && ").map((step) => step.replace("npm run --silent ", "npm run "));

test("npm run check installs first, runs every script that checks something, and ends with the tests", () => {
  const checks = Object.keys(scripts).filter((name) => name.startsWith("check:"));
  expect(checks).toEqual(
    expect.arrayContaining(["check:types", "check:lint", "check:format", "check:unused", "check:bench"]),
  );
  expect(steps).toEqual(["npm run setup", ...checks.map((name) => `npm run ${name}`), "npm test"]);
});

test(".ci/run is npm run check, and stops at the first failure", () => {
  const lines = readFileSync(join(ROOT, ".ci/run"), "utf8").split("\n");
  const commands = lines.filter((line) => line !== "" && !line.startsWith("#"));
  expect(commands).toEqual(["set -euo pipefail", 'cd "$(dirname "$0")/.."', "npm run --silent check"]);
});

test("the tests that check runs last are those of the README", () => {
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toMatch(/^npm test\b/m);
});
