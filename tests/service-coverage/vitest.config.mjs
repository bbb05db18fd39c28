import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

const ROOT = resolve(import.meta.dirname, "../..");

/** The change that `tests/service-coverage/mutate.mjs` asks for, by its number in mutants.json. */
const number = Number(process.env["COVERAGE_MUTANT"] ?? -1);
const mutants = JSON.parse(readFileSync(resolve(import.meta.dirname, "mutants.json"), "utf8"));
const mutant = mutants[number];
if (!mutant) throw new Error("COVERAGE_MUTANT is the number of a mutant in tests/service-coverage/mutants.json");

// The text is replaced as the file is loaded: no file is touched, and nothing is built.
export default defineConfig({
  root: ROOT,
  plugins: [
    {
      name: "coverage-mutant",
      enforce: "pre",
      transform: (code, id) =>
        id === resolve(ROOT, mutant.file) ? { code: code.replace(mutant.find, () => mutant.replace) } : undefined,
    },
  ],
  test: {
    include: ["tests/**/*.test.ts"],
    // A mutant may make a test wait for ever; that counts as noticed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
});
