import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** How a test gets at the real time, by which it would depend on how busy the machine is. */
const REAL_TIME =
  /\b(?:performance\.now|Date\.now|new Date\(\)|hrtime|timers\/promises|setTimeout)\b|\btimeout: [\d_]+|\}, [\d_]{4,}\);/;

const WAITS = "waits for another process or the disk, which announces nothing, and no result depends on how long";
const DEFAULT = "only a default: whoever depends on the time gives a clock";

/** Who may all the same, and why. */
const MAY: Readonly<Record<string, string>> = {
  "architecture.test.ts": "names them in a pattern",
  "real-time.test.ts": "names them in a pattern",
  "sim/main.ts": "says how long the simulation took",
  "support/ci/story.ts": `${WAITS}; and chooses a window that is closed for days`,
  "support/command.ts": "ends a command that hangs",
  "support/http-state-model.ts": DEFAULT,
  "support/memory-bucket.ts": DEFAULT,
  "support/postgres-server.ts": WAITS,
  "support/project.ts": WAITS,
  "support/s3-engine.ts": WAITS,
  "support/s3-server.ts":
    "brings two requests together that race; the probe races often enough that one late pair is no matter",
  "support/virtual-clock.ts": "takes turns of the event loop, no time",
};

test("no test looks at the real time or limits it: work is counted, and clocks are moved", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" });
  const found = files
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => REAL_TIME.test(readFileSync(join(import.meta.dirname, file), "utf8")));
  expect(found.sort()).toEqual(Object.keys(MAY).sort());
});
