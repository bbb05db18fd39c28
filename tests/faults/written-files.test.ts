import { readdir, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { nameBeside, type Processes } from "../../cmd/beside.ts";
import { disk } from "../../cmd/disk.ts";
import { writeLines } from "../../cmd/files.ts";
import { temporaryFolder } from "../support/disk.ts";
import { faultyDisk } from "../support/faulty-disk.ts";

const OLD = "version: 1\n";
const NEW = ["version: 1", "custom_hostnames: {}"];
const KILLED: Processes = { own: 4711, isRunning: () => false };
const NEXT: Processes = { own: 4712, isRunning: (id) => id === 4712 };

test("wherever the writing of a zone file is killed, the file is whole, and the next write leaves it alone in its folder", async () => {
  for (let failAt = 1; ; failAt += 1) {
    const folder = await temporaryFolder();
    const path = `${folder}/zone.yaml`;
    await writeFile(path, OLD);
    const faulty = faultyDisk(disk(), { failAt, code: "crash" });
    await writeLines(faulty, path, NEW, KILLED).catch(() => undefined);
    if (!faulty.hasStruck()) break;
    expect([OLD, `${NEW.join("\n")}\n`]).toContain(await readFile(path, "utf8"));
    await writeLines(disk(), path, NEW, NEXT);
    expect(await readdir(folder)).toEqual(["zone.yaml"]);
    expect(await readFile(path, "utf8")).toBe(`${NEW.join("\n")}\n`);
  }
});

test("a write that the disk refuses leaves nothing beside the file", async () => {
  for (const failAt of [2, 3, 4]) {
    const folder = await temporaryFolder();
    await writeFile(`${folder}/zone.yaml`, OLD);
    const faulty = faultyDisk(disk(), { failAt, code: "ENOSPC" });
    await expect(writeLines(faulty, `${folder}/zone.yaml`, NEW)).rejects.toThrow("the disk is full");
    expect(await readdir(folder)).toEqual(["zone.yaml"]);
  }
});

test("what one that still runs is writing, and what is not zoneform's, stays", async () => {
  const folder = await temporaryFolder();
  const path = `${folder}/zone.yaml`;
  const running = nameBeside(path, { own: 4713, isRunning: () => true });
  const others = [running, `${path}.new`, `${path}.4711.new`, `${folder}/another.yaml.4711-${"0".repeat(36)}.new`];
  for (const each of others) await writeFile(each, "somebody else's");
  await writeLines(disk(), path, NEW, { own: 4712, isRunning: (id) => id === 4713 });
  expect((await readdir(folder)).map((name) => `${folder}/${name}`).sort()).toEqual([path, ...others].sort());
});
