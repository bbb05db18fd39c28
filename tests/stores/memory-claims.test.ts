import { memoryClaims } from "../support/memory-claims.ts";
import { memoryBudget } from "../support/memory-budget.ts";
import { describeBudget } from "./budget-suite.ts";
import { describeClaims } from "./claims-suite.ts";

describeClaims("the store in memory", async () => {
  let now = Date.parse("2026-03-01T12:00:00Z");
  const claims = memoryClaims(() => now);
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { claims, other: claims, pass };
});

describeBudget("the store in memory", async () => {
  let now = Date.parse("2026-03-01T12:00:00Z");
  const budget = memoryBudget(() => now);
  const pass = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
  };
  return { budget, other: budget, pass };
});
