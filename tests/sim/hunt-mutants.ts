import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { foundFolder } from "./found.ts";
import { MUTANTS } from "./mutants.ts";
import { EQUIVALENTS } from "./mutants/equivalents.ts";
import type { Mutant, Patch } from "./mutants/mutant.ts";

const ROOT = join(foundFolder(), "..", "..", "..");
/** An unchanged copy from the start of the hunt, beside the copy that is mutated. */
const SOUND = "sound";
/** What is played, and what the tests for the remaining mutants need. */
const PARTS = [
  "lib",
  "cmd",
  "tests",
  "schemas",
  "dist/seed-validators.js",
  "dist/validators.js",
  "package.json",
  "tsconfig.json",
  "tsconfig.sim.json",
  "vitest.config.ts",
] as const;
const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "400" },
    // Comma-separated parts of names.
    only: { type: "string" },
    from: { type: "string", default: "1" },
  },
});

process.exitCode = await huntAll(MUTANTS.filter(({ name }) => isAsked(name)));

function isAsked(name: string): boolean {
  return values.only === undefined || values.only.split(",").some((part) => name.includes(part));
}

/** Plays every mutant until a seed breaks. Returns the exit code. */
async function huntAll(mutants: readonly Mutant[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-mutants-"));
  const survivors: string[] = [];
  try {
    for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await cp(join(folder, "lib"), join(folder, SOUND, "lib"), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    await checkSound(folder, mutants);
    for (const mutant of mutants) {
      const caught = await hunt(folder, mutant);
      console.log(
        `${caught === undefined ? "SURVIVED" : "caught"} ${mutant.name}${caught === undefined ? "" : `: ${caught}`}`,
      );
      if (caught === undefined) survivors.push(mutant.name);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const alive = survivors.length === 0 ? "" : `: ${survivors.join(", ")}`;
  console.log(
    `mutants ${mutants.length}, caught ${mutants.length - survivors.length}, survived ${survivors.length}${alive}, equivalent ${EQUIVALENTS.length}`,
  );
  return survivors.length === 0 ? 0 : 1;
}

/** Without a mistake no seed may fail: otherwise a mutant would seem to be caught. */
async function checkSound(folder: string, mutants: readonly Mutant[]): Promise<void> {
  if (values.only === undefined) {
    await compile(folder);
    for (const place of [undefined, "database"] as const) {
      const bad = await firstBadSeed(folder, place);
      if (bad !== undefined) throw new Error(`the sources as they are break a promise: ${bad}`);
    }
  }
  for (const { name, caughtBy } of mutants) {
    const failed = caughtBy && (await firstFailedTest(folder, caughtBy));
    if (failed !== undefined) throw new Error(`${name}: the sources as they are fail its test: ${failed}`);
  }
}

/** What the mutant's first bad seed says, or the test that it names; undefined if none notices it. */
async function hunt(folder: string, mutant: Mutant): Promise<string | undefined> {
  const patches = [mutant, ...(mutant.also ? [mutant.also] : [])];
  for (const patch of patches) await apply(folder, mutant.name, patch);
  try {
    if (mutant.caughtBy) return await firstFailedTest(folder, mutant.caughtBy);
    await compile(folder);
    return await firstBadSeed(folder, mutant.place);
  } finally {
    for (const { file } of patches) await cp(join(folder, SOUND, file), join(folder, file));
  }
}

async function apply(folder: string, name: string, { file, find, replace }: Patch): Promise<void> {
  const text = await readFile(join(folder, file), "utf8");
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Error(`${name}: its text stands ${places} times in ${file}, not once`);
  await writeFile(
    join(folder, file),
    text.replace(find, () => replace),
  );
}

/** Compiles without checking types: a mutant may leave something unused. */
async function compile(folder: string): Promise<void> {
  await mkdir(join(folder, "dist"), { recursive: true });
  await run(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.sim.json", "--noCheck"], { cwd: folder });
}

async function firstBadSeed(folder: string, place: Mutant["place"]): Promise<string | undefined> {
  const args = [
    "--max-semi-space-size=64",
    "dist/sim/tests/sim/main.js",
    "--hunt",
    "--debug",
    "--seeds",
    values.seeds,
    "--from",
    values.from,
    ...(place ? [`--${place}`] : []),
  ];
  try {
    await run(process.execPath, args, { cwd: folder });
    return undefined;
  } catch (thrown) {
    const said = thrown instanceof Error && "stdout" in thrown ? String(thrown.stdout) : "";
    const [first] = said.split("\n");
    if (first === undefined || !first.startsWith("seed ")) throw thrown;
    return first.slice(0, 160);
  }
}

/** The first failing test; undefined if all pass. Throws if there are none, or they cannot run. */
async function firstFailedTest(
  folder: string,
  { test, title }: NonNullable<Mutant["caughtBy"]>,
): Promise<string | undefined> {
  const report = join(folder, "tests.json");
  const args = [
    "run",
    test,
    `--testNamePattern=${title}`,
    "--reporter=json",
    `--outputFile=${report}`,
    "--maxWorkers=1",
  ];
  await run(join(ROOT, "node_modules", ".bin", "vitest"), args, { cwd: folder }).catch(() => undefined);
  const { testResults }: TestReport = JSON.parse(await readFile(report, "utf8"));
  await rm(report);
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (!results.some(({ status }) => status === "passed" || status === "failed"))
    throw new Error(`no test of ${test} is called ${JSON.stringify(title)}`);
  const failed = results.find(({ status }) => status === "failed");
  return failed && `${test} ${failed.fullName}`.slice(0, 160);
}

/** The part of the report that we read. */
interface TestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}
