import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // More than there are cores: many tests wait for processes that they have started, and for their own clocks.
    maxWorkers: "150%",
  },
});
