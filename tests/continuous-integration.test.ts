import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);

/** The commands of a script in their order; each has to succeed before the next one begins. */
const steps = (scripts["check"] ?? "").split(" && ").map((step) => step.replace("npm run --silent ", "npm run "));

test("npm run check installs first, runs every script that checks something, and ends with the tests", () => {
  const checks = Object.keys(scripts).filter((name) => name.startsWith("check:"));
  expect(checks).toEqual(
    expect.arrayContaining(["check:types", "check:lint", "check:format", "check:unused", "check:bench"]),
  );
  expect(steps).toEqual(["npm run setup", ...checks.map((name) => `npm run ${name}`), "npm test"]);
});

test(".ci/run is npm run check and then the simulation, and stops at the first failure", () => {
  const lines = readFileSync(join(ROOT, ".ci/run"), "utf8").split("\n");
  const commands = lines.filter((line) => line !== "" && !line.startsWith("#"));
  expect(commands).toEqual([
    "set -euo pipefail",
    'cd "$(dirname "$0")/.."',
    "npm run --silent check",
    "npm run --silent sim:tree",
  ]);
  expect(scripts["sim:tree"]).toBe("npm run --silent setup && npm run --silent build:sim && node .ci/simulate.mjs");
});

/** What the simulation of `.ci/run` says that it plays. */
function simulated(env: Readonly<Record<string, string>> = {}): readonly string[] {
  const options = { cwd: ROOT, encoding: "utf8", env: { ...process.env, ...env } } as const;
  return spawnSync(process.execPath, [".ci/simulate.mjs", "--list"], options).stdout.trimEnd().split("\n");
}

const playsFrom = (seed: number): readonly string[] => [
  `npm run sim -- --seeds 1500 --from ${seed}`,
  `npm run sim -- --seeds 150 --database --from ${seed}`,
  `npm run sim -- --seeds 150 --s3 --from ${seed}`,
  `npm run sim -- --seeds 150 --http --from ${seed}`,
];

test.skipIf(!hasTree())("the simulation plays seeds that the id of the tree chooses, and prints the commands", () => {
  const tree = treeOf();
  const seed = Number.parseInt(tree.slice(0, 6), 16);
  expect(simulated()).toEqual([`simulation: from seed ${seed}, by the tree ${tree}`, ...playsFrom(seed)]);
});

test("without git's history the simulation begins at seed 1, and says why", () => {
  const said = ["simulation: from seed 1, because git knows no tree here", ...playsFrom(1)];
  expect(simulated({ GIT_DIR: "/nowhere" })).toEqual(said);
  expect(simulated({ PATH: "/nowhere" })).toEqual(said);
});

function treeOf(): string {
  return spawnSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: ROOT, encoding: "utf8" }).stdout?.trim() ?? "";
}

function hasTree(): boolean {
  return treeOf() !== "";
}

test("the tests that check runs last are those of the README", () => {
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toMatch(/^npm test\b/m);
});
