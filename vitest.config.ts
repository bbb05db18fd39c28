import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // Ends what hangs, and nothing else: no test may fail because the machine is busy.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A golden that is not there fails its test, also outside of CI; "npx vitest run -u FILE" writes it.
    update: "none",
    // Each worker loads a module once, and not once for each file of tests.
    isolate: false,
    // More than there are cores: many tests wait for processes that they have started, and for their own clocks.
    maxWorkers: "150%",
  },
});
