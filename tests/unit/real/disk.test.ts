import { execFileSync } from "node:child_process";
import { mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk, diskFrom } from "../../../lib/real/disk.ts";
import { temporaryFolder } from "../../support/disk.ts";

async function drain(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const found: Uint8Array[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found).toString("utf8");
}

test("a file is read whole, and streamed whole", async () => {
  const path = `${await temporaryFolder()}/file`;
  const content = "0123456789".repeat(100_000);
  await writeFile(path, content);
  expect(Buffer.from(await disk().read(path, content.length)).toString("utf8")).toBe(content);
  expect(await drain(disk().stream(path))).toBe(content);
});

test("for a command, relative paths begin in its working folder", async () => {
  const folder = await temporaryFolder();
  const fs = diskFrom(folder);
  await fs.makeDirectory("below", 0o700);
  const made = await fs.create("below/new", 0o600);
  await made.write("content");
  await made.close();
  await fs.rename("below/new", "below/file");
  await fs.copy("below/file", "copy");
  await fs.link("copy", "linked");
  await fs.remove("copy");
  expect(await readFile(`${folder}/below/file`, "utf8")).toBe("content");
  expect(await drain(fs.stream("linked"))).toBe("content");
  expect(Buffer.from(await fs.read(`${folder}/linked`, 100)).toString("utf8")).toBe("content");
  expect((await fs.list(".")).map(({ name }) => name)).toEqual(["below", "linked"]);
  expect(await fs.stat("below")).toMatchObject({ kind: "directory" });
  expect(await fs.realPath("below/..")).toBe(await realpath(folder));
});

test("a file over the limit is refused", async () => {
  const path = `${await temporaryFolder()}/file`;
  await writeFile(path, "12345");
  await expect(disk().read(path, 4)).rejects.toMatchObject({ code: "EFBIG" });
});

test.runIf(process.platform === "linux")(
  "a device, a named pipe and a folder are refused, without waiting",
  async () => {
    const folder = await temporaryFolder();
    execFileSync("mkfifo", [`${folder}/pipe`]);
    for (const path of ["/dev/zero", `${folder}/pipe`]) {
      await expect(disk().read(path, 1000)).rejects.toMatchObject({ code: "EFTYPE" });
      await expect(drain(disk().stream(path))).rejects.toMatchObject({ code: "EFTYPE" });
    }
    await expect(disk().read(folder, 1000)).rejects.toMatchObject({ code: "EISDIR" });
    await expect(disk().append(`${folder}/pipe`)).rejects.toThrow();
  },
);

describe("symbolic links", () => {
  test("are followed by the disk for configuration", async () => {
    const folder = await temporaryFolder();
    await writeFile(`${folder}/file`, "content");
    await symlink(`${folder}/file`, `${folder}/link`);
    expect(await drain(disk().stream(`${folder}/link`))).toBe("content");
    expect(await disk().stat(`${folder}/link`)).toMatchObject({ kind: "file", sizeBytes: 7 });
  });

  test("are not opened, looked through or written through by the disk for states", async () => {
    const folder = await temporaryFolder();
    await writeFile(`${folder}/file`, "content");
    await symlink(`${folder}/file`, `${folder}/link`);
    const states = disk("refuse");
    await expect(states.read(`${folder}/link`, 100)).rejects.toMatchObject({ code: "ELOOP" });
    await expect(drain(states.stream(`${folder}/link`))).rejects.toMatchObject({ code: "ELOOP" });
    await expect(states.append(`${folder}/link`)).rejects.toMatchObject({ code: "ELOOP" });
    await expect(states.create(`${folder}/link`, 0o600)).rejects.toMatchObject({ code: "EEXIST" });
    expect(await states.stat(`${folder}/link`)).toMatchObject({ kind: "other" });
    expect(await readFile(`${folder}/file`, "utf8")).toBe("content");
  });
});

test("what is not there is undefined to look at, and no error to remove", async () => {
  const path = `${await temporaryFolder()}/none`;
  expect(await disk().stat(path)).toBeUndefined();
  await expect(disk().remove(path)).resolves.toBeUndefined();
});

test("a folder is listed by name, with what each entry is", async () => {
  const folder = await temporaryFolder();
  await writeFile(`${folder}/b`, "");
  await mkdir(`${folder}/a`);
  await symlink(`${folder}/b`, `${folder}/c`);
  expect(await disk().list(folder)).toEqual([
    { name: "a", kind: "directory" },
    { name: "b", kind: "file" },
    { name: "c", kind: "other" },
  ]);
});

test("what is written goes to the end of a file", async () => {
  const path = `${await temporaryFolder()}/file`;
  await writeFile(path, "");
  for (const text of ["one ", "two"]) {
    const file = await disk().append(path);
    await file.write(text);
    await file.sync();
    await file.close();
  }
  expect(await readFile(path, "utf8")).toBe("one two");
});

test("a second name is refused where it is taken", async () => {
  const folder = await temporaryFolder();
  await writeFile(`${folder}/a`, "a");
  await writeFile(`${folder}/b`, "b");
  await expect(disk().link(`${folder}/a`, `${folder}/b`)).rejects.toMatchObject({ code: "EEXIST" });
  await disk().link(`${folder}/a`, `${folder}/c`);
  expect(await readFile(`${folder}/c`, "utf8")).toBe("a");
});

test("the room on the disk is known", async () => {
  expect(await disk().freeBytes?.(await temporaryFolder())).toBeGreaterThan(0);
});
