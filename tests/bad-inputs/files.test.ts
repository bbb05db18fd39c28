import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadFolder, PROJECT, type ProjectFiles, projectFolder } from "../unit/config/project.ts";
import { said, wording } from "./said.ts";

const CONTENT = "content-that-nobody-may-read";

/** A zone file that uses these layers. */
function zoneUsing(...layers: readonly string[]): string {
  const zone = `{ id: "${"1".repeat(32)}", name: saas.dev }`;
  return `version: 1\nzone: ${zone}\nuse: ${JSON.stringify(layers)}\n`;
}

/** A project below a folder in which there are files that are none of its business; gives the project's folder. */
async function projectBeside(files: ProjectFiles): Promise<string> {
  const inside = Object.fromEntries(Object.entries(files).map(([name, content]) => [`project/${name}`, content]));
  const folder = await projectFolder({ "project/zoneform.yaml": PROJECT, ...inside, "outside.yaml": CONTENT });
  return join(folder, "project");
}

describe("a layer outside the project", () => {
  test.each([
    ["../../outside.yaml", "outside-project"],
    ["../../../../../../etc/passwd", "outside-project"],
    ["/etc/passwd", "outside-project"],
    ["/proc/self/environ", "outside-project"],
    ["/dev/zero", "outside-project"],
    ["~/.ssh/id_ed25519", "outside-project"],
    ["C:\\Windows\\win.ini", "outside-project"],
    ["..\\..\\outside.yaml", "outside-project"],
    ["..%2f..%2foutside.yaml", "file-not-found"],
    ["https://evil.example/layer.yaml", "outside-project"],
    ["http://169.254.169.254/latest/meta-data", "outside-project"],
    ["file:///etc/passwd", "outside-project"],
    ["file:/etc/passwd", "file-not-found"],
    ["//evil.example/layer.yaml", "outside-project"],
  ])("%s is not read, and causes no request", async (written, code) => {
    const folder = await projectBeside({ "zones/a.yaml": zoneUsing(written) });
    const found = await loadFolder(folder);
    expect(said(found)).toEqual([`${code} 3:7`]);
    expect(wording(found)).not.toMatch(/root:|content-that/);
  });

  test("named by a $ref is not used: the key is unknown", async () => {
    const folder = await projectBeside({ "zones/a.yaml": `${zoneUsing()}$ref: https://evil.example/x\n` });
    expect(said(await loadFolder(folder))).toContainEqual(expect.stringMatching(/^unknown-key 4:1$/));
  });

  test("is not reached through a symbolic link, of a file or of a folder above it", async () => {
    const folder = await projectBeside({ "zones/a.yaml": zoneUsing("../link.yaml", "../linked/outside.yaml") });
    await symlink(join(folder, "..", "outside.yaml"), join(folder, "link.yaml"));
    await symlink(join(folder, ".."), join(folder, "linked"));
    const found = await loadFolder(folder);
    expect(said(found)).toEqual([
      expect.stringMatching(/^outside-project 3:/),
      expect.stringMatching(/^outside-project 3:/),
    ]);
    expect(wording(found)).not.toContain(CONTENT);
  });
});

describe("something that is not a regular file", () => {
  test("is not a layer: a folder, a named pipe, a link to a device", async () => {
    const folder = await projectBeside({ "zones/a.yaml": zoneUsing("../folder", "../pipe", "../device") });
    await mkdir(join(folder, "folder"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await symlink("/dev/zero", join(folder, "device"));
    expect(said(await loadFolder(folder))).toEqual([
      expect.stringMatching(/^not-a-file 3:/),
      expect.stringMatching(/^not-a-file 3:/),
      expect.stringMatching(/^(?:not-a-file|outside-project) 3:/),
    ]);
  });

  test("is not a secret either, so the environment of a process stays out", async () => {
    const entry =
      "{ hostname: a.customer.net, ssl: { method: txt, custom_key: { file: secret }, custom_certificate: { file: pipe } } }";
    const zone = `${zoneUsing()}custom_hostnames: { lifecycle: zoneform, entries: [${entry}] }\n`;
    const folder = await projectBeside({ "zones/a.yaml": zone });
    await symlink("/proc/self/environ", join(folder, "secret"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const found = await loadFolder(folder);
    expect(said(found)).toEqual([
      expect.stringMatching(/^outside-project 4:/),
      expect.stringMatching(/^not-a-file 4:/),
    ]);
    expect(wording(found)).not.toContain("PATH=");
  });
});

describe("endless layers", () => {
  test("in a circle are an error", async () => {
    const folder = await projectBeside({
      "zones/a.yaml": zoneUsing("../b.yaml"),
      "b.yaml": "version: 1\nuse: [c.yaml]\n",
      "c.yaml": "version: 1\nuse: [b.yaml]\n",
    });
    expect(said(await loadFolder(folder))).toEqual(["layer-cycle 2:7"]);
  });

  test("stacked a thousand deep are an error", async () => {
    const deep = Object.fromEntries(
      Array.from({ length: 1000 }, (_layer, index) => [`${index}.yaml`, `version: 1\nuse: [${index + 1}.yaml]\n`]),
    );
    const folder = await projectBeside({ "zones/a.yaml": zoneUsing("../0.yaml"), ...deep });
    expect(said(await loadFolder(folder))).toContainEqual(expect.stringMatching(/^too-many-layers /));
  });

  test("side by side in their hundreds are an error", async () => {
    const names = Array.from({ length: 300 }, (_layer, index) => `layers/${index}.yaml`);
    const folder = await projectBeside({
      "zones/a.yaml": zoneUsing(...names.map((name) => `../${name}`)),
      ...Object.fromEntries(names.map((name) => [name, "version: 1\n"])),
    });
    expect(said(await loadFolder(folder))).toContainEqual(expect.stringMatching(/^too-many /));
  });

  test("in their hundreds below a few layers are an error", async () => {
    const groups = Array.from({ length: 10 }, (_group, index) => `g${index}.yaml`);
    const used = (group: number): readonly string[] =>
      Array.from({ length: 20 }, (_used, index) => `l${group}-${index}.yaml`);
    const folder = await projectBeside({
      "zones/a.yaml": zoneUsing(...groups.map((name) => `../${name}`)),
      ...Object.fromEntries(groups.map((name, index) => [name, `version: 1\nuse: ${JSON.stringify(used(index))}\n`])),
      ...Object.fromEntries(groups.flatMap((_name, index) => used(index).map((name) => [name, "version: 1\n"]))),
    });
    expect(said(await loadFolder(folder))).toContainEqual(expect.stringMatching(/^too-many-layers /));
  });
});

test("a pattern that matches more zone files than any project has is an error", async () => {
  const folder = await projectFolder({ "zoneform.yaml": 'version: 1\nproject: x\nzones: ["zones/*.yaml"]\n' });
  await mkdir(join(folder, "zones"));
  const zone = zoneUsing();
  await Promise.all(
    Array.from({ length: 1001 }, (_zone, index) => writeFile(join(folder, `zones/${index}.yaml`), zone)),
  );
  expect(said(await loadFolder(folder))).toContain("too-many-files 3:9");
});
