import { createHash, pbkdf2Sync } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk } from "../../../lib/real/disk.ts";
import { zoneId } from "../../../lib/core/brand.ts";
import { Secret } from "../../../lib/core/secret.ts";
import { decodeState } from "../../../lib/state/codec.ts";
import { StateError } from "../../../lib/state/error.ts";
import { beginState, loadState, saveState } from "../../../lib/state/load.ts";
import { journalFile, localStore, projectFolder } from "../../support/local-store.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import type { Lease } from "../../../lib/state/lock.ts";
import type { State } from "../../../lib/state/state.ts";
import { examine } from "../../../lib/state/upkeep/doctor.ts";
import { nextRepair, salvage } from "../../../lib/state/upkeep/repair.ts";
import { rewriteState } from "../../../lib/state/upkeep/rewrite.ts";
import { Journal } from "../../../lib/state/open-journal.ts";
import { cipherOf, deriveKey, type KeyOf } from "../../../lib/state/zone/sealing/cipher.ts";
import type { Sealing } from "../../../lib/state/zone/sealing/engine.ts";
import { isSealed } from "../../../lib/state/zone/sealing/lines.ts";
import { sealedStore } from "../../support/changed-store.ts";
import {
  addressOf,
  clocksOf,
  collect,
  given,
  HOLDER,
  hostname,
  jumpingClock,
  processOf,
  random,
  stateOf,
  ZONE,
} from "../../support/state-world.ts";
import { past } from "../../support/zone-history.ts";

const PASSPHRASE = new Secret("correct horse battery staple");
const OTHER = new Secret("another passphrase altogether");
const STATE = `${ZONE}.state`;
/** We read no longer answer of the service. */
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;

/** Nobody guesses the passphrases of a test. */
const quickKey: KeyOf = async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest();

function open(folder: string, sealing: Partial<Sealing> = { passphrase: PASSPHRASE }): ProjectStore {
  const plain = localStore(disk("refuse"), folder, { identity: processOf(1000), ...clocksOf(jumpingClock()), random });
  return sealedStore(plain, { acceptsPlain: false, random, keyOf: quickKey, ...sealing });
}

/** A folder with an encrypted state of three hostnames that was saved twice, a record, and a journal in use. */
async function sealedFolder(sealing?: Partial<Sealing>): Promise<string> {
  const folder = await projectFolder();
  const store = open(folder, sealing);
  await past(store, [
    { saved: stateOf(2) },
    { saved: stateOf(3) },
    { kept: "run-1", lines: ['{"secret":"of a run"}'] },
    { run: "run-7", left: { create: [7, 8] } },
  ]);
  return folder;
}

/** Opens the journal, and dies after intents. */
async function intendCreates(store: ProjectStore, lease: Lease, state: State, ...all: number[]): Promise<void> {
  const journal = new Journal(store, ZONE, lease, { state, run: "run-7", clock: jumpingClock() });
  for (const index of all)
    await journal.intend({ address: addressOf(index), action: "create", object: hostname(index) });
}

/** Reads the state and writes it, like a run without changes. */
async function savedAgain(store: ProjectStore): Promise<void> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  const loaded = await loadState(store, ZONE);
  if (!loaded) throw new Error("there is a state");
  await saveState(store, lease, loaded.version, loaded.state);
  await lease.release();
}

async function recordOf(folder: string): Promise<readonly string[]> {
  return collect((await open(folder).view(ZONE)).kept("run-1") ?? given([]));
}

async function codeOf(action: Promise<unknown>): Promise<string> {
  const thrown = await action.catch((error: unknown) => error);
  return thrown instanceof StateError ? thrown.diagnostic.code : `no refusal: ${String(thrown)}`;
}

async function remedyOf(action: Promise<unknown>): Promise<string> {
  const thrown = await action.catch((error: unknown) => error);
  return thrown instanceof StateError ? (thrown.diagnostic.remedy ?? "") : `no refusal: ${String(thrown)}`;
}

/** Does the next step of a repair, and returns its description. */
async function carriedOut(store: ProjectStore): Promise<string> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  const step = await nextRepair(store, ZONE);
  await step?.carryOut(lease);
  await lease.release();
  return step?.says.join("\n") ?? "nothing to repair";
}

async function changeLines(file: string, change: (lines: string[]) => readonly string[]): Promise<void> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  await writeFile(
    file,
    change(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const load = (folder: string, sealing?: Partial<Sealing>): ReturnType<typeof loadState> =>
  loadState(open(folder, sealing), ZONE);

describe("with a passphrase", () => {
  test("states, copies, journals and records are read as they were written, and no file shows any of it", async () => {
    const folder = await sealedFolder();
    const loaded = await load(folder);
    expect(loaded?.state.objects.get(addressOf(2))).toEqual(hostname(2));
    expect(loaded?.state.objects.get(addressOf(7))).toMatchObject({ pending: "create", key: hostname(7).key });
    expect(await recordOf(folder)).toEqual(['{"secret":"of a run"}']);
    const [serial = 0] = (await open(folder).view(ZONE)).backups;
    expect((await decodeState((await open(folder).view(ZONE)).backup(serial), "the copy")).objects.size).toBe(2);
    for (const { name } of (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile())) {
      const text = await readFile(`${folder}/${name}`, "utf8");
      for (const word of ["customer.net", "secret", "lineage", stateOf(1).lineage]) expect(text).not.toContain(word);
    }
  });

  test("an object as large as the longest answer of the service fits into a line", async () => {
    const folder = await projectFolder();
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const state = stateOf(1);
    const large = { ...hostname(1), applied: { custom_metadata: { note: "x".repeat(LARGEST_ANSWER_BYTES) } } };
    await saveState(store, lease, undefined, { ...state, objects: new Map([[addressOf(1), large]]) });
    expect((await load(folder))?.state.objects.get(addressOf(1))).toEqual(large);
  });

  test("the same state gives other bytes each time, and no line is sealed like another", async () => {
    const [one, two] = [await sealedFolder(), await sealedFolder()];
    const lines = await Promise.all(
      [one, two].flatMap((folder) =>
        [`${folder}/${STATE}`, journalFile(folder, ZONE)].map(async (file) =>
          (await readFile(await file, "utf8")).trimEnd().split("\n").slice(1),
        ),
      ),
    );
    // Salt and nonce are the first 28 bytes.
    const starts = lines.flat().map((line) => Buffer.from(line, "base64").subarray(0, 28).toString("hex"));
    expect(starts.length).toBeGreaterThan(8);
    expect(new Set(starts).size).toBe(starts.length);
  });

  test("a journal goes on line after line", async () => {
    const folder = await sealedFolder();
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const loaded = await loadState(store, ZONE);
    if (!loaded) throw new Error("there is a state");
    const { state } = await saveState(store, lease, loaded.version, loaded.state);
    await intendCreates(store, lease, state, 9, 10);
    expect((await load(folder))?.state.objects.get(addressOf(9))).toMatchObject({ pending: "create" });
  });

  test("a journal of which a crash left half of the first line is not a journal, as without encryption", async () => {
    const folder = await sealedFolder();
    const [binding = ""] = (await readFile(await journalFile(folder, ZONE), "utf8")).split("\n");
    await writeFile(await journalFile(folder, ZONE), binding.slice(0, 90));
    expect((await load(folder))?.state.objects.size).toBe(3);
    expect(await codeOf(load(folder, { passphrase: OTHER }))).toBe("state-not-opened");
  });

  test("a state of the previous passphrase is still read, and the next write uses the new one", async () => {
    const folder = await sealedFolder({ passphrase: OTHER });
    expect(await codeOf(load(folder))).toBe("state-not-opened");
    const both = { passphrase: PASSPHRASE, previous: OTHER };
    const store = open(folder, both);
    await savedAgain(store);
    expect((await load(folder))?.state.objects.size).toBe(5);
  });
});

test("PBKDF2 turns a passphrase and the salt of a place into a key in 600,000 steps", async () => {
  const key = pbkdf2Sync("correct horse battery staple", "zoneform-state/1 5a17", 600_000, 32, "sha512");
  expect(await deriveKey(PASSPHRASE, "5a17")).toEqual(key);
});

test("a line opens only in its place", () => {
  const cipher = cipherOf(Buffer.alloc(32, 7), ZONE, random, "shop");
  const sealed = cipher.seal("state 2", "line");
  expect(cipher.decrypt("state 2", sealed)).toBe("line");
  expect(cipher.decrypt("state 3", sealed)).toBeUndefined();
  expect(cipherOf(Buffer.alloc(32, 8), ZONE, random, "shop").decrypt("state 2", sealed)).toBeUndefined();
});

/** The line with one character in its middle changed. */
function altered(line: string): string {
  const middle = Math.floor(line.length / 2);
  return `${line.slice(0, middle)}${line[middle] === "A" ? "B" : "A"}${line.slice(middle + 1)}`;
}

test("a line of 46 MB is recognised as encrypted", () => {
  expect(isSealed("A".repeat(46_000_000))).toBe(true);
  expect(isSealed(`${"A".repeat(45_999_999)}"`)).toBe(false);
});

describe("damage that no passphrase opens", () => {
  test.each([
    ["nothing but zeros", (text: string) => "\0".repeat(text.length)],
    ["cut in its header", (text: string) => text.slice(0, 40)],
    ["made of other text, line by line", (text: string) => text.replaceAll(/[^\n]+/g, "no line that was ever sealed")],
    ["without its header, so that no line is in its place", (text: string) => text.slice(text.indexOf("\n") + 1)],
  ])("a state that is %s is restored from its copy, which opens", async (_what, damage) => {
    const folder = await sealedFolder();
    const path = `${folder}/${STATE}`;
    await writeFile(path, damage(await readFile(path, "utf8")));
    const step = await nextRepair(open(folder), ZONE);
    expect(step?.says[0]).toContain("replaces the damaged state");
    // With another passphrase nothing is called damaged, and no repair is offered.
    const other = open(folder, { passphrase: OTHER });
    expect(await codeOf(nextRepair(other, ZONE))).toBe("state-not-opened");
  });

  test("a state with every line changed is restored once it is moved away, as the message says", async () => {
    const folder = await sealedFolder();
    const path = `${folder}/${STATE}`;
    await changeLines(path, ([header = "", ...rest]) => [
      header.replace('"sealed":"', '"sealed":"AAAA'),
      ...rest.map(altered),
    ]);
    expect(await remedyOf(nextRepair(open(folder), ZONE))).toBe(
      `set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with; nothing was changed; if that one is set already, every line is damaged: move ${path} elsewhere, and zoneform state repair restores an earlier copy`,
    );
    await rename(path, `${folder}/elsewhere`);
    await carriedOut(open(folder));
    expect([...((await load(folder))?.state.objects.keys() ?? [])]).toEqual([0, 1, 7, 8].map(addressOf));
  });

  test("a journal of which one line opens is repaired", async () => {
    const folder = await sealedFolder();
    await changeLines(await journalFile(folder, ZONE), ([first = "", second = "", ...rest]) => [
      altered(first),
      second,
      ...rest.map(altered),
    ]);
    const step = await nextRepair(open(folder), ZONE);
    expect(step?.says.join()).toContain("2 lines (1, 3) are damaged and removed");
  });

  test("a line that somebody put into a journal without the passphrase is omitted, and not believed", async () => {
    const [folder, theirs] = [await sealedFolder(), await sealedFolder({})];
    const [, foreign = ""] = (await readFile(await journalFile(theirs, ZONE), "utf8")).split("\n");
    await changeLines(await journalFile(folder, ZONE), (lines) => [...lines, foreign.replaceAll("app-7", "app-66")]);
    const said = await carriedOut(open(folder));
    expect(said).toContain("line 4 is damaged and removed");
    expect([...((await load(folder))?.state.objects.keys() ?? [])]).toEqual([0, 1, 2, 7, 8].map(addressOf));
  });

  test("a lost line end costs only the two lines that it separated", async () => {
    const folder = await sealedFolder();
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const loaded = await loadState(store, ZONE);
    if (!loaded) throw new Error("there is a state");
    const { state } = await saveState(store, lease, loaded.version, loaded.state);
    await intendCreates(store, lease, state, 20, 21, 22, 23);
    await lease.release();
    await changeLines(await journalFile(folder, ZONE), ([binding = "", one = "", two = "", ...rest]) => [
      binding,
      one + two,
      ...rest,
    ]);
    const { records, lost } = await salvage(open(folder).looseLines(ZONE, "journal"));
    expect(lost).toEqual([2]);
    expect(records.map(({ address }) => address)).toEqual([22, 23].map(addressOf));
  });

  test("a missing passphrase is one error, however much is encrypted", async () => {
    const folder = await sealedFolder();
    const { findings } = await examine(open(folder, {}), ZONE, jumpingClock().now());
    const sealed = findings.filter(({ code }) => code === "state-sealed");
    expect(sealed).toMatchObject([{ severity: "error", remedy: expect.stringContaining("ZONEFORM_STATE_PASSPHRASE") }]);
  });

  test("copies and records of another passphrase are reported as such, and not as damaged", async () => {
    const folder = await sealedFolder();
    const { findings } = await examine(open(folder, { passphrase: OTHER }), ZONE, jumpingClock().now());
    const codes = findings.map(({ code }) => code);
    expect(codes).toContain("state-not-opened");
    expect(codes.filter((code) => /damaged/.test(code))).toEqual([]);
  });
});

describe("what may be undamaged for another passphrase never counts as damaged", () => {
  /** Rewrites everything with this passphrase, with the previous one at hand. */
  async function rotated(folder: string, sealing: Partial<Sealing>): Promise<void> {
    const store = open(folder, sealing);
    const lease = await store.lock(ZONE, HOLDER, 0);
    await rewriteState({ store, random }, { id: ZONE, name: "saas.eu" }, lease);
    await lease.release();
  }

  /** A run that is killed after the intent of a create; the state stays as it was written. */
  async function killedRun(folder: string, sealing: Partial<Sealing>): Promise<void> {
    const store = open(folder, sealing);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const { state } = await beginState(store, lease, { id: ZONE, name: "saas.eu" }, random);
    await intendCreates(store, lease, state, 9);
    await lease.release();
  }

  const CHANGES = [
    ["no passphrase", {}, { passphrase: PASSPHRASE, acceptsPlain: true }],
    ["the previous passphrase", { passphrase: OTHER }, { passphrase: PASSPHRASE, previous: OTHER }],
  ] as const;

  test.each(CHANGES)("a state, for somebody with %s, although its first copy opens", async (_what, old, now) => {
    const folder = await sealedFolder(old);
    await savedAgain(open(folder, old));
    await rotated(folder, now);
    const refused = await remedyOf(nextRepair(open(folder, old), ZONE));
    expect(refused).toContain("set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with");
    expect(await nextRepair(open(folder), ZONE)).toBeUndefined();
  });

  test.each(CHANGES)("a state whose header is cut, for somebody with %s", async (_what, old, now) => {
    const folder = await sealedFolder(old);
    await savedAgain(open(folder, old));
    await rotated(folder, now);
    await changeLines(`${folder}/${STATE}`, ([header = "", ...rest]) => [header.slice(0, 40), ...rest]);
    expect(await remedyOf(nextRepair(open(folder, old), ZONE))).toContain("set ZONEFORM_STATE_PASSPHRASE");
    const step = await nextRepair(open(folder, now), ZONE);
    expect(step?.says[0]).toContain("replaces the damaged state");
  });

  test.each(CHANGES)("a copy, for somebody with %s: no older one is used instead", async (_what, old, now) => {
    const folder = await sealedFolder(old);
    await rotated(folder, now);
    await savedAgain(open(folder));
    const [newest] = (await open(folder).view(ZONE)).backups;
    await rm(`${folder}/${STATE}`);
    const before = await readdir(folder);
    const refused = nextRepair(open(folder, old), ZONE);
    await expect(refused).rejects.toThrow(`the earlier copy of serial ${newest} of ${folder}/${STATE}`);
    expect(await readdir(folder)).toEqual(before);
    const step = await nextRepair(open(folder), ZONE);
    expect(step?.says[0]).toContain(`the copy of serial ${newest} `);
  });

  test.each(CHANGES)("a journal, for somebody with %s, although the state beside it opens", async (_what, old, now) => {
    const folder = await sealedFolder(old);
    await savedAgain(open(folder, old));
    await killedRun(folder, now);
    const refused = await remedyOf(nextRepair(open(folder, old), ZONE));
    expect(refused).toContain("set ZONEFORM_STATE_PASSPHRASE to the passphrase that it was written with");
    expect((await load(folder, now))?.state.objects.get(addressOf(9))).toMatchObject({ pending: "create" });
  });

  test("neither does a state that was never encrypted, for somebody with a passphrase since then", async () => {
    const folder = await sealedFolder({});
    expect(await codeOf(nextRepair(open(folder), ZONE))).toBe("state-not-sealed");
    await savedAgain(open(folder, {}));
    expect(await codeOf(nextRepair(open(folder), ZONE))).toBe("state-not-sealed");
  });
});

test("nothing is rewritten if one record cannot be read", async () => {
  const folder = await sealedFolder();
  const before = await readFile(`${folder}/${STATE}`, "utf8");
  await rename(`${folder}/${ZONE}.kept-run-1`, `${folder}/${ZONE}.kept-run-2`);
  const store = open(folder);
  const lease = await store.lock(ZONE, HOLDER, 0);
  expect(await codeOf(rewriteState({ store, random }, { id: ZONE, name: "saas.eu" }, lease))).toBe("state-not-opened");
  expect(await readFile(`${folder}/${STATE}`, "utf8")).toBe(before);
});

test("states and records are rewritten with the present passphrase", async () => {
  const folder = await sealedFolder({});
  const store = open(folder, { passphrase: PASSPHRASE, acceptsPlain: true });
  const lease = await store.lock(ZONE, HOLDER, 0);
  expect(await rewriteState({ store, random }, { id: ZONE, name: "saas.eu" }, lease)).toBeGreaterThan(0);
  await lease.release();
  expect((await load(folder))?.state.objects.size).toBe(5);
  expect(await recordOf(folder)).toEqual(['{"secret":"of a run"}']);
  expect(await readFile(`${folder}/${ZONE}.kept-run-1`, "utf8")).not.toContain("secret");
});

test("a journal that starts over after a save opens from its first line", async () => {
  const folder = await projectFolder();
  const store = open(folder);
  const lease = await store.lock(ZONE, HOLDER, 0);
  const first = await saveState(store, lease, undefined, stateOf(2));
  await intendCreates(store, lease, first.state, 7);
  const second = await saveState(store, lease, first.version, first.state);
  await intendCreates(store, lease, second.state, 8);
  const objects = (await load(folder))?.state.objects;
  expect(objects?.get(addressOf(8))).toMatchObject({ pending: "create" });
  expect(objects?.size).toBe(3);
});

test("lines after a failed append open", async () => {
  const folder = await sealedFolder();
  const real = disk("refuse");
  let isFull = false;
  const full = (): Promise<never> => Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }));
  const append: typeof real.append = async (path) => {
    const file = await real.append(path);
    return { ...file, write: (text) => (isFull ? full() : file.write(text)) };
  };
  const plain = localStore({ ...real, append }, folder, {
    identity: processOf(1000),
    ...clocksOf(jumpingClock()),
    random,
  });
  const store = sealedStore(plain, {
    acceptsPlain: false,
    random,
    keyOf: quickKey,
    passphrase: PASSPHRASE,
  });
  const lease = await store.lock(ZONE, HOLDER, 0);
  const before = await collect((await store.view(ZONE)).journal());
  isFull = true;
  await expect(store.append(ZONE, lease, ["one"])).rejects.toThrow();
  isFull = false;
  await store.append(ZONE, lease, ["two"]);
  expect(await collect((await store.view(ZONE)).journal())).toEqual([...before, "two"]);
});

describe("an authentication error is raised for", () => {
  test("another passphrase", async () => {
    const folder = await sealedFolder();
    expect(await codeOf(load(folder, { passphrase: OTHER }))).toBe("state-not-opened");
  });

  test("no passphrase at all", async () => {
    const folder = await sealedFolder();
    expect(await codeOf(load(folder, {}))).toBe("state-sealed");
  });

  test("the serial in the clear, changed", async () => {
    const folder = await sealedFolder();
    await changeLines(`${folder}/${STATE}`, ([header = "", ...rest]) => [
      header.replace(/"serial":(\d+)/, (_all, serial: string) => `"serial":${Number(serial) + 1}`),
      ...rest,
    ]);
    expect(await codeOf(load(folder))).toBe("state-damaged");
  });

  test("a state that is not encrypted, unless that is accepted once", async () => {
    const folder = await sealedFolder({});
    expect(await codeOf(load(folder))).toBe("state-not-sealed");
    const store = open(folder, { passphrase: PASSPHRASE, acceptsPlain: true });
    await savedAgain(store);
    expect((await load(folder))?.state.objects.size).toBe(5);
  });

  test("a duplicate line: a nonce that was used again", async () => {
    const folder = await sealedFolder();
    await changeLines(`${folder}/${STATE}`, ([header = "", first = "", , ...rest]) => [header, first, first, ...rest]);
    expect(await codeOf(load(folder))).toBe("state-damaged");
  });

  test.each([
    ["in another order", ([header = "", one = "", two = "", ...rest]: string[]) => [header, two, one, ...rest]],
    ["without one of them", ([header = "", , ...rest]: string[]) => [header, ...rest]],
    ["without the footer", (lines: string[]) => lines.slice(0, -1)],
  ] as const)("the lines of a state %s", async (_how, change) => {
    const folder = await sealedFolder();
    await changeLines(`${folder}/${STATE}`, change);
    expect(await codeOf(load(folder))).toBe("state-damaged");
  });

  test("a line of the journal in place of another", async () => {
    const folder = await sealedFolder();
    await changeLines(await journalFile(folder, ZONE), ([binding = "", one = "", two = ""]) => [
      binding,
      two,
      one,
      two,
    ]);
    expect(await codeOf(load(folder))).toBe("journal-damaged");
  });

  test("the last line of a journal, which does not pass for one that a crash cut off", async () => {
    const folder = await sealedFolder();
    await changeLines(await journalFile(folder, ZONE), (lines) => [...lines.slice(0, -1), altered(lines.at(-1) ?? "")]);
    expect(await codeOf(load(folder))).toBe("journal-damaged");
  });

  test("the state of another zone under this one's name", async () => {
    const folder = await sealedFolder();
    const other = "9a7806061c88ada191ed06f989cc3dac";
    await writeFile(`${folder}/${other}.state`, await readFile(`${folder}/${STATE}`));
    expect(await codeOf(loadState(open(folder), zoneId(other)))).toBe("state-not-opened");
  });
});
