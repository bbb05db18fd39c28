// Breaks the behaviour behind each row of docs/service-coverage.md in the emulator, one row at a time, and runs only the test
// that the row names. A row whose test still passes does not mean what it says.
//
//   npm run coverage:mutate [-- --rows 20-40] [--jobs 2]
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MUTANTS, mutantsOf, readRows, ROOT, testOf } from "./rows.mjs";

const { values } = parseArgs({ options: { rows: { type: "string" }, jobs: { type: "string" } } });
const [from = 0, to = Infinity] = values.rows?.split("-").map(Number) ?? [];
const jobs = Number(values.jobs ?? availableParallelism());
/** A run that does not end is killed. That proves nothing: the machine may be busy. */
const LIMIT_MILLISECONDS = 300_000;

const tasks = readRows()
  .filter(({ line }) => line >= from && line <= to)
  .flatMap((row) => mutantsOf(row).map((number) => ({ row, number })));
const folder = mkdtempSync(join(tmpdir(), "zoneform-coverage-"));
const escaped = [];
let done = 0;
const queue = [...tasks];
await Promise.all(
  Array.from({ length: jobs }, async () => {
    for (let task = queue.shift(); task; task = queue.shift()) {
      const outcome = await tried(task);
      done += 1;
      if (outcome !== undefined) escaped.push(`line ${task.row.line}: ${outcome}`);
      if (outcome !== undefined) console.log(`line ${task.row.line} (${task.row.where}): ${outcome}`);
    }
  }),
);
rmSync(folder, { recursive: true });
console.log(`${done - escaped.length} of ${done} rows are caught by the test that they name`);
if (escaped.length > 0) process.exitCode = 1;

/** Undefined where the named test fails, as it should. */
async function tried({ row, number }) {
  const test = testOf(row, MUTANTS[number]);
  if (!test) return "names no such test";
  const report = join(folder, `${number}.json`);
  const code = await run(number, test, report);
  if (code === "killed") return `${test.file} > ${test.title} did not end in ${LIMIT_MILLISECONDS / 1000} s`;
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
  if (numFailedTests > 0) return undefined;
  return numPassedTests > 0 ? `${test.file} > ${test.title} still passes` : `${test.file} > ${test.title} did not run`;
}

function run(number, { file, title }, report) {
  // A placeholder stands for any value; a title is the end of a test's full name.
  const pattern = title.split(/%[a-zA-Z#]/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config",
      join(ROOT, "tests/service-coverage/vitest.config.mjs"),
      `tests/${file}`,
      "-t",
      `${pattern.join(".*")}$`,
      "--reporter=json",
      `--outputFile=${report}`,
    ],
    { cwd: ROOT, stdio: "ignore", env: { ...process.env, COVERAGE_MUTANT: String(number) } },
  );
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve("killed");
    }, LIMIT_MILLISECONDS);
    child.on("exit", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}
