import { memoryClaims } from "../support/memory-claims.ts";
import { describeClaims } from "./claims-suite.ts";

describeClaims("the store in memory", async () => {
  let now = Date.parse("2026-03-01T12:00:00Z");
  const claims = memoryClaims(() => now);
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { claims, other: claims, pass };
});
