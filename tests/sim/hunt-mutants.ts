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
/** Beside the copy that is changed, one that stays as it was when the hunt began. */
const SOUND = "sound";
const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "400" },
    only: { type: "string" },
    from: { type: "string", default: "1" },
  },
});

process.exitCode = await huntAll(MUTANTS.filter(({ name }) => values.only === undefined || name.includes(values.only)));

/** Plays every mutant until a seed breaks. Gives the exit code. */
async function huntAll(mutants: readonly Mutant[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "zoneform-mutants-"));
  const survivors: string[] = [];
  try {
    for (const part of ["lib", "tests/sim", "schemas", "package.json", "tsconfig.json", "tsconfig.sim.json"])
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await cp(join(folder, "lib"), join(folder, SOUND, "lib"), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    if (values.only === undefined) await checkSound(folder);
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

/** Without any mistake no seed may be bad: else a mutant would be caught for another one's sake. */
async function checkSound(folder: string): Promise<void> {
  await compile(folder);
  const bad = await firstBadSeed(folder);
  if (bad !== undefined) throw new Error(`the sources as they are break a promise: ${bad}`);
}

/** What the first bad seed of the mutant says; undefined where none of the seeds is bad. */
async function hunt(folder: string, mutant: Mutant): Promise<string | undefined> {
  const patches = [mutant, ...(mutant.also ? [mutant.also] : [])];
  for (const patch of patches) await apply(folder, mutant.name, patch);
  try {
    await compile(folder);
    return await firstBadSeed(folder);
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

/** Types are not looked at: a mutant may leave something unused. */
async function compile(folder: string): Promise<void> {
  await mkdir(join(folder, "dist"), { recursive: true });
  await run(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.sim.json", "--noCheck"], { cwd: folder });
}

async function firstBadSeed(folder: string): Promise<string | undefined> {
  const args = [
    "--max-semi-space-size=64",
    "dist/sim/tests/sim/main.js",
    "--hunt",
    "--debug",
    "--seeds",
    values.seeds,
    "--from",
    values.from,
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
