import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { faults, load, loadFolder, PROJECT, projectFolder, temporaryFolder } from "./project.ts";

const ZONE = 'version: 1\nzone: { id: "11111111111111111111111111111111", name: saas.dev }\n';

describe("what a project reads stays inside of its folder", () => {
  test("a symbolic link that leads out is refused, one that stays inside is followed", async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, "secret.yaml"), ZONE);
    const folder = await projectFolder({ "zoneform.yaml": PROJECT, "shared/zone.yaml": ZONE });
    await mkdir(join(folder, "zones"));
    await symlink(join(folder, "shared/zone.yaml"), join(folder, "zones/inside.yaml"));
    expect((await loadFolder(folder)).ok).toBe(true);
    await symlink(join(outside, "secret.yaml"), join(folder, "zones/leads-out.yaml"));
    expect(faults(await loadFolder(folder)).map(({ code }) => code)).toEqual(["outside-project"]);
  });

  test("a folder that is a link out of the project is not searched", async () => {
    const outside = await temporaryFolder();
    await writeFile(join(outside, "a.yaml"), ZONE);
    const folder = await projectFolder({ "zoneform.yaml": PROJECT.replace("zones/*.yaml", "zones/**/*.yaml") });
    await mkdir(join(folder, "zones"));
    await symlink(outside, join(folder, "zones/link"));
    expect(faults(await loadFolder(folder)).map(({ code }) => code)).toEqual(["file-not-found"]);
  });

  test("a named pipe is no file", async () => {
    const folder = await projectFolder({ "zoneform.yaml": PROJECT.replace("zones/*.yaml", "zones/pipe.yaml") });
    await mkdir(join(folder, "zones"));
    execFileSync("mkfifo", [join(folder, "zones/pipe.yaml")]);
    expect(faults(await loadFolder(folder)).map(({ code }) => code)).toEqual(["not-a-file"]);
  });
});

describe("zones", () => {
  test("a pattern finds files across folders, once each, and passes over hidden ones", async () => {
    const zone = (digit: string): string => `version: 1\nzone: { id: "${digit.repeat(32)}", name: z${digit}.dev }\n`;
    const loaded = await load({
      "zoneform.yaml": PROJECT.replace("zones/*.yaml", "zones/**/*.yaml, zones/1.yaml"),
      "zones/1.yaml": zone("1"),
      "zones/deep/er/2.yaml": zone("2"),
      "zones/.hidden/3.yaml": zone("3"),
      "zones/readme.md": "not YAML: at: all",
    });
    expect(loaded.ok && loaded.value.desired.zones.map(({ name }) => name)).toEqual(["z1.dev", "z2.dev"]);
  });
});

test("a project file that is not there is one error that says where it was looked for", async () => {
  const folder = await projectFolder({});
  expect(faults(await loadFolder(folder)).map(({ code }) => code)).toEqual(["file-not-found"]);
  expect(faults(await loadFolder(join(folder, "nowhere"))).map(({ code }) => code)).toEqual(["file-not-found"]);
});
