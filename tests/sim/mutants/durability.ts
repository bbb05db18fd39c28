import type { Mutant } from "./mutant.ts";

/** Mistakes in what is on the disk, and when. */
export const DURABILITY: readonly Mutant[] = [
  {
    name: "intent-not-flushed",
    why: "a request is sent whose intent a power cut can lose (R1)",
    file: "lib/state/engines/local/commit.ts",
    find: "      await file.sync();\n",
    replace: "",
  },
  {
    name: "journal-not-in-its-folder",
    why: "the journal's bytes are durable, but its name is not (R1)",
    file: "lib/state/engines/local/commit.ts",
    find: "    await fs.syncDirectory(folder);\n    return;",
    replace: "    return;",
  },
  {
    name: "state-folder-not-lasting",
    why: "a power cut after the first apply loses the whole folder",
    file: "lib/state/engines/local/whole-file.ts",
    find: "await fs.syncDirectory(above);",
    replace: "",
  },
  {
    name: "folder-of-moves-not-lasting",
    why: "a power cut after a move loses what the old place says of it, and then a zone counts at two places",
    file: "lib/state/engines/local/engine.ts",
    find: "if (tag === undefined) await makeLastingFolder(fs, folder);",
    replace: "",
  },
  {
    name: "snapshot-not-flushed",
    why: "the new state replaces the old one before its bytes are on the disk",
    file: "lib/state/engines/local/whole-file.ts",
    find: `    for await (const piece of pieces(lines)) await file.write(piece);
    await file.sync();`,
    replace: "    for await (const piece of pieces(lines)) await file.write(piece);",
  },
  {
    name: "snapshot-not-in-its-folder",
    why: "the journal may be deleted before the snapshot that contains it has its name (R6)",
    file: "lib/state/engines/local/commit.ts",
    find: `      if (target === pathOf(STATE)) await fs.syncDirectory(folder);
    }
    await fs.syncDirectory(folder);`,
    replace: "    }",
    // Few seeds cut the power just there, and keep the deletion alone.
    caughtBy: { test: "tests/unit/state/engines/local/store.test.ts", title: "a journal goes only once" },
  },
  {
    name: "last-write-before-its-state",
    why: "a power cut may keep the record of a state without that state, and the one before looks outdated (R6)",
    file: "lib/state/engines/local/commit.ts",
    find: "      if (target === pathOf(STATE)) await fs.syncDirectory(folder);",
    replace: "",
    caughtBy: {
      test: "tests/unit/state/engines/local/store.test.ts",
      title: "a record of the last write comes only once",
    },
  },
  {
    name: "snapshot-not-atomic",
    why: "for an instant there is no state at all",
    file: "lib/state/engines/local/commit.ts",
    find: "for (const [target, temporary] of prepared) {",
    replace: `for (const [target] of prepared) await fs.remove(target);
    for (const [target, temporary] of prepared) {`,
  },
  {
    name: "backup-takes-the-state-away",
    why: "the state is moved to its backup before the new one is there",
    file: "lib/state/engines/local/whole-file.ts",
    find: "    await fs.link(target, temporary);",
    replace: "    await fs.rename(target, temporary);",
  },
  {
    name: "journal-gone-before-the-snapshot",
    why: "what is only in the journal is lost between the two (R6)",
    file: "lib/state/engines/local/commit.ts",
    find: "    for (const [target, temporary] of prepared) {",
    replace: `    if (changes.journal) await replaceJournal(at, lease, journal);
    for (const [target, temporary] of prepared) {`,
  },
  {
    name: "torn-tail-not-tolerated",
    why: "a line that a crash cut off makes the whole journal unreadable (R7)",
    file: "lib/state/engines/local/lines.ts",
    find: `if (tail === "keep" && length > 0)`,
    replace: `if (tail === "leave out" && length > 0) throw damaged(count + 1, "is cut short");
  if (tail === "keep" && length > 0)`,
  },
  {
    name: "append-goes-on-after-a-failure",
    why: "after a failed append nobody knows what is on the disk, but writing continues (fsync)",
    file: "lib/state/open-journal.ts",
    find: "    this.last = this.next;",
    replace: "    this.last = this.next.catch(() => undefined);",
  },
  {
    name: "no-fence-before-an-append",
    why: "a process that lost the lock writes into the journal of the run that has it",
    file: "lib/state/engines/local/commit.ts",
    find: `    await lock.check(lease);
    await guard(path, "written", async () => {
      await file.write(`,
    replace: `    await guard(path, "written", async () => {
      await file.write(`,
    also: {
      file: "lib/state/engines/local/commit.ts",
      find: `  await lock.check(lease);
  ready.add(path);`,
      replace: "  ready.add(path);",
    },
    // Few seeds stop a process there: a test stops one at each place.
    caughtBy: {
      test: "tests/unit/state/engines/local/stopped-writer.test.ts",
      title: "before it writes",
    },
  },
  {
    name: "no-fence-after-a-flush",
    why: "a process that was stopped during an append sends its request although another run has the lock",
    file: "lib/state/engines/local/commit.ts",
    find: `  await lock.check(lease);
  ready.add(path);`,
    replace: "  ready.add(path);",
    caughtBy: {
      test: "tests/unit/state/engines/local/stopped-writer.test.ts",
      title: "before it writes",
    },
  },
  {
    name: "journal-not-taken-over",
    why: "what a dead run left in its journal counts no more once the next run has one",
    file: "lib/state/engines/local/engine.ts",
    find: "    await asHolder(at.lock, lease, () => takeOverJournal(at, lease));\n",
    replace: "",
    caughtBy: {
      test: "tests/unit/state/engines/local/stopped-writer.test.ts",
      title: "before it writes",
    },
  },
  {
    name: "journal-of-the-next-holder-deleted",
    why: "a process that was stopped just before it ended its journal deletes that of the run that has the lock",
    file: "lib/state/engines/local/commit.ts",
    find: "  for (const { path } of await earlierJournals(at, lease)) await fs.remove(path);\n  await (prepared",
    replace: "  for (const { path } of await journalsIn(at)) await fs.remove(path);\n  await (prepared",
    caughtBy: {
      test: "tests/unit/state/engines/local/stopped-writer.test.ts",
      title: "a run that lost its lock after it saved",
    },
  },
  {
    name: "fence-below-that-of-a-journal",
    why: "after a power cut that lost who held the lock, the next run's journal counts less than the dead run's",
    file: "lib/state/engines/local/place.ts",
    find: "(await journalsIn(files)).at(-1)?.fence ?? 0",
    replace: "0 * (await journalsIn(files)).length",
    caughtBy: {
      test: "tests/unit/state/engines/local/store.test.ts",
      title: "a journal is continued although",
    },
  },
  {
    name: "state-of-another-moment",
    why: "a reader gets the lines of a state that replaced the one it looked at, with the journal of the one before",
    file: "lib/state/engines/local/view.ts",
    find: "(await fs.stat(path))?.version === tag",
    replace: `tag !== ""`,
    caughtBy: {
      test: "tests/unit/state/engines/local/outrun.test.ts",
      title: "a state of 40 objects",
    },
  },
  {
    name: "journal-of-another-moment",
    why: "a reader takes a journal that a run has ended meanwhile for none, and the state of before for the whole truth",
    file: "lib/state/engines/local/view.ts",
    find: `throw errorCode(error) === "ENOENT" ? replaced(path) : error;`,
    replace: `if (errorCode(error) !== "ENOENT") throw error;`,
    caughtBy: {
      test: "tests/unit/state/engines/local/outrun.test.ts",
      title: "a state of 1 objects",
    },
  },
  {
    name: "last-record-taken-for-torn",
    why: "the last record of a journal is omitted if one of its bits is flipped, although somebody relied on it",
    file: "lib/state/journal.ts",
    find: `if (!value) throw damage("it is incomplete");`,
    replace: "if (!value) return;",
  },
  {
    name: "record-of-a-wrong-checksum-left-out",
    why: "a record that does not check counts as cut off, although somebody relied on it (R6)",
    file: "lib/state/journal.ts",
    find: `if (next === undefined) throw damage("its checksum does not match");`,
    replace: "if (next === undefined) return undefined;",
  },
];
