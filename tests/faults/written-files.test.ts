import { spawnSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { nameBeside, PROCESSES, replaceFile } from "../../cmd/output-file.ts";
import { temporaryFolder } from "../support/disk.ts";

const OLD = "version: 1\n";
const NEW = "version: 1\ncustom_hostnames: {}\n";

/** The id of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

test("the next write deletes what a killed writer left beside a file", async () => {
  const folder = await temporaryFolder();
  const path = `${folder}/zone.yaml`;
  await writeFile(path, OLD);
  await writeFile(nameBeside(path, { ...PROCESSES, own: endedProcess() }), "half of it");
  await replaceFile(folder, path, NEW);
  expect(await readdir(folder)).toEqual(["zone.yaml"]);
  expect(await readFile(path, "utf8")).toBe(NEW);
});

test("files of a running writer, and files that are not ours, stay", async () => {
  const folder = await temporaryFolder();
  const path = `${folder}/zone.yaml`;
  await writeFile(path, OLD);
  const others = [
    nameBeside(path),
    `${path}.new`,
    `${path}.4711.new`,
    `${folder}/another.yaml.4711-${"0".repeat(36)}.new`,
  ];
  for (const each of others) await writeFile(each, "somebody else's");
  await replaceFile(folder, path, NEW);
  expect((await readdir(folder)).map((name) => `${folder}/${name}`).sort()).toEqual([path, ...others].sort());
});
