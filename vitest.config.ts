import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest comes first, or one worker would end with it while the others wait. */
const SLOW = [
  "tests/ci/",
  "tests/e2e/",
  "tests/pages/",
  "tests/crash/",
  "tests/generated.test.ts",
  "tests/sim/",
  "tests/conformance/",
  "tests/property/",
  "tests/faults/",
];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = SLOW.findIndex((folder) => moduleId.includes(folder));
      return found === -1 ? SLOW.length : found;
    };
    return (await super.sort(files)).toSorted((left, right) => rank(left) - rank(right));
  }
}

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: ["tests/support/shared-folder.ts"],
    // Ends what hangs, and nothing else: no test may fail because the machine is busy.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A golden that is not there fails its test, also outside of CI; "npx vitest run -u FILE" writes it.
    update: "none",
    // Tests make much that lives for a moment: with a larger nursery the collector takes a tenth less of the time.
    // Most code runs for a few seconds in all: compiled after four times the usual work, a tenth less goes to the compiler.
    execArgv: ["--max-semi-space-size=64", "--interrupt-budget=270000"],
    // Each worker loads a module once, and not once for each file of tests.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    maxWorkers: "100%",
  },
});
