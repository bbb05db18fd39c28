// Measures what a start costs: `npm run bench:start -- [--runs N]`. Compares `zoneform --version` and `zoneform validate` of the
// example with Node doing nothing. The three take turns, so that other load on the machine slows down all of them. Processor
// time varies less; wall time is what a person waits for. Needs bash.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const ROOT = resolve(import.meta.dirname, "..");
const MAIN = join(ROOT, "dist/zoneform.js");
const EXAMPLE = join(ROOT, "examples/saas/zoneform.yaml");
const BASE = "node -e 0";
const COMMANDS = {
  [BASE]: ["-e", "0"],
  "zoneform --version": [MAIN, "--version"],
  "zoneform validate": [MAIN, "validate", "--config", EXAMPLE],
};

const { values } = parseArgs({ options: { runs: { type: "string", default: "40" } } });
const runs = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, []]));
for (let run = 0; run < Number(values.runs); run += 1)
  for (const [name, args] of Object.entries(COMMANDS)) runs[name].push(timed(args));

console.log(`median of ${values.runs}`.padEnd(20), "processor".padStart(16), "wall".padStart(16));
for (const name of Object.keys(COMMANDS))
  console.log(name.padEnd(20), compared(name, "processor").padStart(16), compared(name, "wall").padStart(16));

/** How many seconds one run takes. */
function timed(args) {
  const script = `TIMEFORMAT='%R %U %S'; time "$@" > /dev/null`;
  const { status, stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], {
    encoding: "utf8",
    // Prints seconds with a decimal point in every locale.
    env: { ...process.env, LC_ALL: "C" },
  });
  const [wall, user, system] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  if (status !== 0 || Number.isNaN(wall)) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return { wall, processor: user + system };
}

function compared(name, what) {
  const [taken, base] = [name, BASE].map((each) => median(runs[each].map((run) => run[what])));
  return `${Math.round(taken * 1000)} ms ${(taken / base).toFixed(2)}x`;
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)];
}
