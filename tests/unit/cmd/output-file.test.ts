import { execFileSync } from "node:child_process";
import { constants, openSync } from "node:fs";
import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { replaceFile, writeOutput } from "../../../cmd/output-file.ts";
import { temporaryFolder } from "../../support/disk.ts";

/** A working folder, a file beside it that is none of its business, and what is written. */
async function place(): Promise<{
  cwd: string;
  outside: string;
  write: (file: string, lines?: Iterable<string>) => Promise<void>;
  stdout: PassThrough;
}> {
  const folder = await temporaryFolder();
  const [cwd, outside] = [join(folder, "work"), join(folder, "outside")];
  for (const each of [cwd, outside]) await mkdir(each);
  await writeFile(join(outside, "file"), "somebody else's");
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const write = (file: string, lines: Iterable<string> = ["one", "two"]): Promise<void> =>
    writeOutput({ cwd, stdout, stderr }, file, lines);
  return { cwd, outside, write, stdout };
}

const REFUSED = { diagnostics: [{ code: "output-link" }] };

describe("a symbolic link", () => {
  test("is refused with its name, and what it leads to stays as it is", async () => {
    const { cwd, outside, write } = await place();
    await symlink(join(outside, "file"), join(cwd, "link"));
    await symlink(join(outside, "new"), join(cwd, "dangling"));
    await symlink(outside, join(cwd, "folder"));
    await mkdir(join(cwd, "deep"));
    await symlink("../../outside", join(cwd, "deep/folder"));
    const refusals = [
      ["link", `cannot write link: link is a symbolic link to ${outside}/file`],
      ["dangling", `cannot write dangling: dangling is a symbolic link to ${outside}/new`],
      ["folder/new", `cannot write folder/new: folder is a symbolic link to ${outside}`],
      ["deep/folder/x", "cannot write deep/folder/x: deep/folder is a symbolic link to ../../outside"],
      [join(cwd, "link"), `cannot write ${cwd}/link: link is a symbolic link to ${outside}/file`],
    ] as const;
    for (const [file, message] of refusals)
      await expect(write(file)).rejects.toMatchObject({ diagnostics: [{ code: "output-link", message }] });
    expect(await readdir(outside)).toEqual(["file"]);
    expect(await readFile(join(outside, "file"), "utf8")).toBe("somebody else's");
  });

  test("is refused outside of the working folder too, at the end of the path", async () => {
    const { outside, write } = await place();
    await symlink("file", join(outside, "link"));
    await expect(write("../outside/link")).rejects.toMatchObject(REFUSED);
  });

  test("above the working folder is the machine's own", async () => {
    const { cwd, outside } = await place();
    await symlink(cwd, join(outside, "here"));
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    await writeOutput({ cwd: join(outside, "here"), ...streams }, "file", ["one"]);
    expect(await readFile(join(cwd, "file"), "utf8")).toBe("one\n");
  });

  test("in the place of a file of the project is refused as well", async () => {
    const { cwd, outside } = await place();
    await symlink(join(outside, "file"), join(cwd, "zone.yaml"));
    await expect(replaceFile(cwd, join(cwd, "zone.yaml"), "one")).rejects.toMatchObject(REFUSED);
    expect(await readFile(join(outside, "file"), "utf8")).toBe("somebody else's");
  });
});

describe("a file", () => {
  test("is for its owner only, a new one and one that others could read", async () => {
    const { cwd, write } = await place();
    await writeFile(join(cwd, "open"), "old");
    await chmod(join(cwd, "open"), 0o666);
    for (const file of ["new", "open"]) {
      await write(file);
      expect([file, (await stat(join(cwd, file))).mode & 0o777]).toEqual([file, 0o600]);
      expect(await readFile(join(cwd, file), "utf8")).toBe("one\ntwo\n");
    }
  });

  test("of the project keeps its mode", async () => {
    const { cwd } = await place();
    const file = join(cwd, "zone.yaml");
    await writeFile(file, "old");
    await chmod(file, 0o664);
    await replaceFile(cwd, file, "one");
    expect((await stat(file)).mode & 0o777).toBe(0o664);
  });

  test("is replaced whole, so that a second name of the old one is not written through", async () => {
    const { cwd, outside, write } = await place();
    await link(join(outside, "file"), join(cwd, "second"));
    await write("second");
    expect(await readFile(join(outside, "file"), "utf8")).toBe("somebody else's");
  });

  test("stays as it was where writing fails, and nothing is left beside it", async () => {
    const { cwd, write } = await place();
    await writeFile(join(cwd, "file"), "old");
    const failing = function* (): Iterable<string> {
      yield "one";
      throw new Error("no more lines");
    };
    await expect(write("file", failing())).rejects.toThrow("no more lines");
    expect(await readdir(cwd)).toEqual(["file"]);
    expect(await readFile(join(cwd, "file"), "utf8")).toBe("old");
  });

  test.each([
    ["nowhere/file", "there is no such folder"],
    [".", "it is a folder"],
    ["file/below", "a part of the path is no folder"],
  ])("cannot be written to %s: one error says why", async (file, reason) => {
    const { cwd, write } = await place();
    await writeFile(join(cwd, "file"), "old");
    const message = `cannot write ${file}: ${reason}`;
    await expect(write(file)).rejects.toMatchObject({ diagnostics: [{ code: "cannot-write", message }] });
  });
});

describe.runIf(process.platform === "linux")("what is no file", () => {
  test.each(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])("%s is standard output", async (name) => {
    const { write, stdout } = await place();
    await write(name);
    stdout.end();
    expect(await textOf(stdout)).toBe("one\ntwo\n");
  });

  test("is written into where it is a pipe that somebody reads, however much it is", async () => {
    const { cwd, write } = await place();
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    const { O_RDONLY, O_NONBLOCK } = constants;
    const reader = new Socket({ fd: openSync(join(cwd, "pipe"), O_RDONLY | O_NONBLOCK), readable: true });
    const read = textOf(reader);
    await write("pipe", Array<string>(100_000).fill("a line"));
    expect(await read).toBe("a line\n".repeat(100_000));
  });

  test("is refused where it is a pipe that nobody reads: nobody waits", async () => {
    const { cwd, write } = await place();
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    await expect(write("pipe")).rejects.toThrow("cannot write pipe: no process reads from this pipe");
  });

  test("may be a device, whose errors are told", async () => {
    const { write } = await place();
    await expect(write("/dev/null")).resolves.toBeUndefined();
    await expect(write("/dev/full")).rejects.toThrow("cannot write /dev/full: the disk is full");
  });
});
