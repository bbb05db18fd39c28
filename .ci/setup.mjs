// Prepares a checkout: installs the exact dependencies if they are missing or out of date, then builds. Plain
// JavaScript without dependencies, because it runs before there are any.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";

const STAMP = "node_modules/.zoneform-setup";
const lock = readFileSync("package-lock.json", "utf8");

if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== lock) {
  run(["ci", "--no-audit", "--no-fund"]);
  mkdirSync("node_modules", { recursive: true });
  writeFileSync(STAMP, lock);
}
run(["run", "--silent", "build"]);

function run(npmArguments) {
  // npm tells its children where it is. If somebody runs `node .ci/setup.mjs` directly, the shell finds npm.
  const npm = process.env.npm_execpath;
  const result = npm
    ? spawnSync(process.execPath, [npm, ...npmArguments], { stdio: "inherit" })
    : spawnSync("npm", npmArguments, { stdio: "inherit", shell: true });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
