import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** How a test gets at the real time, by which it would depend on how busy the machine is. */
const REAL_TIME =
  /\b(?:performance\.now|Date\.now|hrtime|timers\/promises|setTimeout)\b|\btimeout: [\d_]+|\}, [\d_]{4,}\);/;

/** Who may all the same, and why. */
const MAY: Readonly<Record<string, string>> = {
  "architecture.test.ts": "names them in a pattern",
  "real-time.test.ts": "names them in a pattern",
};

test("no test looks at the real time or limits it: work is counted, and clocks are moved", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  const found = files
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => REAL_TIME.test(readFileSync(join(import.meta.dirname, file), "utf8")));
  expect(found.sort()).toEqual(Object.keys(MAY).sort());
});
