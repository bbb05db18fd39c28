import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Not one core less, as without this: many tests wait for processes that they have started.
    maxWorkers: "100%",
  },
});
