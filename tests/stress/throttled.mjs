// Edits in the dashboard while runs wait for their share of the calls: `npm run stress:throttled -- --edits 1000 --seed 1`.
// Plans and applies with 12 calls in five minutes and with refusals (429), on a clock of their own; nothing waits for real
// time. Prints one line of figures. Exits 1 where an edit was lost, and then prints each that was.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    edits: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
  },
});
/** All that a run with many failures prints. */
const MOST_OUTPUT_BYTES = 100_000_000;
const root = join(import.meta.dirname, "../..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, "run", "tests/stress/throttled.test.ts"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: MOST_OUTPUT_BYTES,
  env: { ...process.env, ZONEFORM_THROTTLED_EDITS: values.edits, ZONEFORM_THROTTLED_SEED: values.seed, NO_COLOR: "1" },
});
const figures = stdout.split("\n").find((line) => line.startsWith("throttled "));
console.log(figures ?? "throttled: no figures");
if (status !== 0 || figures === undefined) {
  console.error(`${stdout}${stderr}`);
  process.exitCode = 1;
}
