import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk } from "../../../../../lib/real/disk.ts";
import type { FileSystem } from "../../../../../lib/core/file-system.ts";
import { decodeState } from "../../../../../lib/state/codec.ts";
import { StateError } from "../../../../../lib/state/error.ts";
import { loadState, saveState } from "../../../../../lib/state/load.ts";
import { localStore, projectFolder } from "../../../../support/local-store.ts";
import type { ProjectStore } from "../../../../../lib/state/zone/store.ts";
import { StoreConflict } from "../../../../../lib/state/lock.ts";
import { temporaryFolder } from "../../../../support/disk.ts";
import { inFull } from "../../../../support/full.ts";
import {
  collect,
  clocksOf,
  given,
  HOLDER,
  jumpingClock,
  processOf,
  random,
  stateOf,
  ZONE,
} from "../../../../support/state-world.ts";

const FILE = `${ZONE}.state`;

function open(folder: string, fs: FileSystem = disk("refuse")): ProjectStore {
  return localStore(fs, folder, { identity: processOf(1000), ...clocksOf(jumpingClock()), random });
}

/** A folder with a state of three hostnames, saved twice. */
async function folderWithState(): Promise<string> {
  const folder = await projectFolder();
  const store = open(folder);
  const lease = await store.lock(ZONE, HOLDER, 0);
  const { version, state } = await saveState(store, lease, undefined, stateOf(2));
  await saveState(store, lease, version, { ...stateOf(3), serial: state.serial });
  await lease.release();
  return folder;
}

async function refusal(action: Promise<unknown>): Promise<StateError["diagnostic"]> {
  const error = await action.catch((thrown: unknown) => thrown);
  if (!(error instanceof StateError)) throw new Error("nothing was refused", { cause: error });
  expect(error.diagnostic.remedy).toBeTruthy();
  return error.diagnostic;
}

function failingWith(code: string): FileSystem {
  const create = (): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }));
  return { ...disk("refuse"), create };
}

describe("files", () => {
  test("are readable only by this user, including the folder", async () => {
    const folder = `${await temporaryFolder()}/shop`;
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await saveState(store, lease, undefined, stateOf(1));
    await store.append(ZONE, lease, ["line"]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of [FILE, `${ZONE}.journal-${lease.fence}`])
      expect((await stat(`${folder}/${name}`)).mode & 0o777).toBe(0o600);
    expect(await store.warnings(ZONE)).toEqual([]);
  });

  test("that others can read cause a warning", async () => {
    const folder = await folderWithState();
    await chmod(`${folder}/${FILE}`, 0o644);
    expect(await open(folder).warnings(ZONE)).toMatchObject([
      { severity: "warning", code: "state-open-to-others", remedy: `chmod go= ${folder}/${FILE}` },
    ]);
  });

  test("include the previous state", async () => {
    const folder = await folderWithState();
    const [backup, state] = await Promise.all(
      [`${FILE}.backup-4`, FILE].map((name) => readFile(`${folder}/${name}`, "utf8")),
    );
    expect(backup).toContain('"count":2');
    expect(state).toContain('"count":3');
  });

  test("include the five previous states, under their serials, and no more", async () => {
    const folder = await folderWithState();
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    let loaded = await loadState(store, ZONE);
    for (let count = 1; count <= 6; count++) {
      if (loaded)
        loaded = {
          ...(await saveState(store, lease, loaded.version, loaded.state)),
          hasJournal: false,
          intents: [],
          sha256: "",
        };
    }
    expect(loaded?.state.serial).toBe(11);
    expect((await store.view(ZONE)).backups).toEqual([10, 9, 8, 7, 6]);
    expect((await decodeState((await store.view(ZONE)).backup(8), "backup", ZONE)).serial).toBe(8);
    expect((await store.files(ZONE)).filter(({ role }) => role === "backup")).toHaveLength(5);
  });

  test("that are damaged can be set aside as they are, and a journal can be replaced", async () => {
    const folder = await folderWithState();
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const damaged = Buffer.from([0xff, 0x00, 0x0a, 0x7b]);
    await writeFile(store.describe(ZONE, "journal"), damaged);
    const copy = await store.setAside(ZONE, lease, "journal");
    await store.rewriteJournal(ZONE, lease, given(["new"]));
    expect(await readFile(`${folder}/${ZONE}.${copy}`)).toEqual(damaged);
    expect(await readFile(store.describe(ZONE, "journal"), "utf8")).toBe("new\n");
    expect((await store.files(ZONE)).map(({ role }) => role)).toContain("set-aside");
    await lease.release();
    await expect(store.setAside(ZONE, lease, "journal")).rejects.toThrow(StoreConflict);
    await expect(store.rewriteJournal(ZONE, lease, given(["late"]))).rejects.toThrow(StoreConflict);
  });

  test("include the previous state on a file system without hard links", async () => {
    const folder = await folderWithState();
    const link = (): Promise<void> => Promise.reject(Object.assign(new Error("no links here"), { code: "ENOTSUP" }));
    const store = open(folder, { ...disk("refuse"), link });
    const loaded = await loadState(store, ZONE);
    const before = await readFile(`${folder}/${FILE}`, "utf8");
    await saveState(store, await store.lock(ZONE, HOLDER, 0), loaded?.version, stateOf(4));
    expect(await readFile(`${folder}/${FILE}.backup-5`, "utf8")).toBe(before);
  });

  test("that dead runs left half-written are deleted by the next write", async () => {
    const folder = await folderWithState();
    await writeFile(`${folder}/${ZONE}.temporary-left`, "half a sta");
    const store = open(folder);
    const loaded = await loadState(store, ZONE);
    await saveState(store, await store.lock(ZONE, HOLDER, 0), loaded?.version, stateOf(4));
    expect(await readdir(folder)).not.toContain(`${ZONE}.temporary-left`);
  });
});

test("a record of the last write comes only once the state that it speaks of has its name on the disk", async () => {
  const folder = await folderWithState();
  const [real, calls] = [disk("refuse"), new Array<string>()];
  const store = open(folder, {
    ...real,
    rename: (from, to) => {
      calls.push(`rename ${to.slice(folder.length)}`);
      return real.rename(from, to);
    },
    syncDirectory: (path) => {
      calls.push(`sync ${path.slice(folder.length)}`);
      return real.syncDirectory(path);
    },
  });
  const lease = await store.lock(ZONE, HOLDER, 0);
  const loaded = await loadState(store, ZONE);
  calls.length = 0;
  await saveState(store, lease, loaded?.version, loaded?.state ?? stateOf(1));
  expect(calls.slice(-5)).toEqual([`rename /${FILE}`, "sync ", `rename /${ZONE}.kept-last-write`, "sync ", "sync "]);
});

test("a journal goes only once the state that contains it has its name on the disk", async () => {
  const folder = await folderWithState();
  const real = disk("refuse");
  const calls: string[] = [];
  const store = open(folder, {
    ...real,
    rename: (from, to) => {
      calls.push(`rename ${to.slice(folder.length)}`);
      return real.rename(from, to);
    },
    remove: (path) => {
      calls.push(`remove ${path.slice(folder.length)}`);
      return real.remove(path);
    },
    syncDirectory: (path) => {
      calls.push(`sync ${path.slice(folder.length)}`);
      return real.syncDirectory(path);
    },
  });
  const lease = await store.lock(ZONE, HOLDER, 0);
  const loaded = await loadState(store, ZONE);
  await store.append(ZONE, lease, ["line"]);
  calls.length = 0;
  await store.write(ZONE, lease, loaded?.version, given(["x"]));
  expect(calls).toEqual([
    `rename /${FILE}.backup-5`,
    `rename /${FILE}`,
    "sync ",
    "sync ",
    `remove /${ZONE}.journal-${lease.fence}`,
    "sync ",
  ]);
});

describe("a damaged file is refused with its place", () => {
  test("0 bytes", async () => {
    const folder = await folderWithState();
    await truncate(`${folder}/${FILE}`, 0);
    expect(await refusal(loadState(open(folder), ZONE))).toMatchObject({
      message: "the state is damaged: it is empty; a state always has a header and a footer",
      at: { file: `${folder}/${FILE}` },
    });
  });

  test("cut at any byte", async () => {
    const folder = await folderWithState();
    const whole = await readFile(`${folder}/${FILE}`);
    // The last byte is the last line end: without it nothing is missing.
    for (let length = whole.length - 2; length >= 0; length -= inFull(1, 5)) {
      await writeFile(`${folder}/${FILE}`, whole.subarray(0, length));
      await expect(loadState(open(folder), ZONE)).rejects.toThrow(StateError);
    }
  });

  test("bytes that are not text", async () => {
    const folder = await folderWithState();
    await appendFile(`${folder}/${FILE}`, Buffer.from([0xff, 0x0a]));
    expect(await refusal(loadState(open(folder), ZONE))).toMatchObject({ at: { line: 6 } });
  });
});

describe("something else in place of a state is not followed", () => {
  test("a symbolic link, even to a good state", async () => {
    const folder = await projectFolder();
    await symlink(`${await folderWithState()}/${FILE}`, `${folder}/${FILE}`);
    expect((await refusal(loadState(open(folder), ZONE))).message).toContain("symbolic link");
  });

  test("a folder that is a symbolic link", async () => {
    const link = `${await temporaryFolder()}/shop`;
    await symlink(await folderWithState(), link);
    const message = "the state cannot be stored: its folder is a symbolic link or a file";
    expect((await refusal(loadState(open(link), ZONE))).message).toBe(message);
    expect((await refusal(open(link).lock(ZONE, HOLDER, 0))).message).toBe(message);
    expect((await refusal(open(link).checkWritable(ZONE, 0))).message).toBe(message);
  });

  test("a folder", async () => {
    const folder = await projectFolder();
    await mkdir(`${folder}/${FILE}`);
    expect((await refusal(loadState(open(folder), ZONE))).message).toBe(
      "the state cannot be read: it is a folder (EISDIR)",
    );
  });
});

describe("a disk that cannot be written is found before anything is changed live", () => {
  test.each([
    ["EACCES", "the state cannot be written: this user has no right to (EACCES)"],
    ["EROFS", "the state cannot be written: the file system is read-only (EROFS)"],
    ["ENOSPC", "the state cannot be written: the disk is full (ENOSPC)"],
    ["EIO", "the state cannot be written: the disk reports an error (EIO)"],
  ])("%s", async (code, message) => {
    const folder = await folderWithState();
    expect((await refusal(open(folder, failingWith(code)).checkWritable(ZONE, 0))).message).toBe(message);
    expect((await refusal(open(folder, failingWith(code)).lock(ZONE, HOLDER, 0))).message).toContain(code);
  });

  test("a state file that was made read-only, even for an administrator", async () => {
    const folder = await folderWithState();
    await chmod(`${folder}/${FILE}`, 0o400);
    const store = open(folder);
    expect(await refusal(store.checkWritable(ZONE, 0))).toMatchObject({
      message: "the state cannot be written: its file is read-only",
      remedy: `chmod u+w ${folder}/${FILE}`,
    });
    const loaded = await loadState(store, ZONE);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await expect(store.write(ZONE, lease, loaded?.version, given(["x"]))).rejects.toThrow("read-only");
    expect((await store.view(ZONE)).state?.version).toBe(loaded?.version);
  });

  test("a folder that was made read-only", async () => {
    const folder = await folderWithState();
    await chmod(folder, 0o500);
    expect((await refusal(open(folder).checkWritable(ZONE, 0))).message).toBe(
      "the state cannot be written: its folder is read-only",
    );
  });

  test("too little space for the old state, the new one and the journal", async () => {
    const folder = await folderWithState();
    const freeBytes = (): Promise<number> => Promise.resolve(299);
    const store = open(folder, { ...disk("refuse"), freeBytes });
    await store.checkWritable(ZONE, 99);
    expect((await refusal(store.checkWritable(ZONE, 100))).message).toBe(
      "not enough disk space for the state: 299 bytes are free, 300 may be needed",
    );
  });

  test("a good disk passes, and no files stay behind", async () => {
    const folder = await folderWithState();
    const before = await readdir(folder);
    await open(folder).checkWritable(ZONE, 1000);
    expect(await readdir(folder)).toEqual(before);
  });
});

test("a journal is continued although a power cut kept it and lost who held the lock", async () => {
  const folder = await projectFolder();
  for (const operation of ["first", "second"]) {
    const lease = await open(folder).lock(ZONE, { ...HOLDER, operation }, 0);
    await lease.release();
  }
  const lost = await open(folder).lock(ZONE, HOLDER, 0);
  await open(folder).append(ZONE, lost, ["ours"]);
  await rm(`${folder}/${ZONE}.lock`, { recursive: true });
  const next = await open(folder).lock(ZONE, HOLDER, 0);
  expect(next.fence).toBe(lost.fence + 1);
  await open(folder).append(ZONE, next, ["theirs"]);
  expect(await collect((await open(folder).view(ZONE)).journal())).toEqual(["ours", "theirs"]);
});
