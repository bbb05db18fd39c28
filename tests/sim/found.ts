import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Violation } from "./ledger.ts";
import type { Scenario } from "./scenario.ts";

/** A scenario that once broke a promise, shrunk as far as possible, and what it broke. */
export interface Found {
  readonly violations: readonly Violation[];
  readonly scenario: Scenario;
}

/** Where they are kept: in the sources, even when this code runs compiled. */
export function foundFolder(): string {
  return join(rootAbove(import.meta.dirname), "tests", "sim", "found");
}

/** Keeps one. Returns its path. */
export function keepFound(found: Found): string {
  const folder = foundFolder();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${found.scenario.seed}.json`);
  writeFileSync(path, `${JSON.stringify(found, null, 2)}\n`);
  return path;
}

/** All kept scenarios, by file name. */
export function allFound(): readonly (readonly [file: string, found: Found])[] {
  const folder = foundFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file): [string, Found] => [file, JSON.parse(readFileSync(join(folder, file), "utf8"))]);
}

function rootAbove(folder: string): string {
  if (existsSync(join(folder, "package.json")) && existsSync(join(folder, "schemas"))) return folder;
  if (dirname(folder) === folder) throw new Error("the package is nowhere above this file");
  return rootAbove(dirname(folder));
}
