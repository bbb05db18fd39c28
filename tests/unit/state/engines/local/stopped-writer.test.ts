import { appendFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk } from "../../../../../lib/real/disk.ts";
import type { FileSystem } from "../../../../../lib/core/file-system.ts";
import { localStore, projectFolder } from "../../../../support/local-store.ts";
import type { ProjectStore } from "../../../../../lib/state/zone/store.ts";
import { type Lease, StoreConflict } from "../../../../../lib/state/lock.ts";
import {
  clocksOf,
  collect,
  given,
  HOLDER,
  jumpingClock,
  processOf,
  random,
  ZONE,
} from "../../../../support/state-world.ts";

/** When the process stops during an append. */
const MOMENTS = ["before it opens the journal", "before it writes", "before it flushes", "after it flushed"] as const;
type Moment = (typeof MOMENTS)[number];

/** What happens to the state before the process continues. */
const MEANWHILE = {
  "another run took the lock and wrote to the journal": async (other, lost) => {
    await other.unlock(ZONE, lost.id);
    const lease = await other.lock(ZONE, HOLDER, 0);
    await other.append(ZONE, lease, ["theirs"]);
  },
  "another run finished": async (other, lost) => {
    await other.unlock(ZONE, lost.id);
    const lease = await other.lock(ZONE, HOLDER, 0);
    await other.append(ZONE, lease, ["theirs"]);
    await other.write(ZONE, lease, undefined, given(["snapshot"]));
    await lease.release();
  },
  "another run finished, and a third one writes": async (other, lost) => {
    await other.unlock(ZONE, lost.id);
    const second = await other.lock(ZONE, HOLDER, 0);
    await other.write(ZONE, second, undefined, given(["snapshot"]));
    await second.release();
    const third = await other.lock(ZONE, HOLDER, 0);
    await other.append(ZONE, third, ["third"]);
  },
} as const satisfies Record<string, (other: ProjectStore, lost: Lease) => Promise<void>>;

const LEFT = {
  "another run took the lock and wrote to the journal": ["theirs"],
  "another run finished": [],
  "another run finished, and a third one writes": ["third"],
} as const satisfies Record<keyof typeof MEANWHILE, readonly string[]>;

function storeOn(fs: FileSystem, folder: string, process: number): ProjectStore {
  return localStore(fs, folder, { identity: processOf(process), ...clocksOf(jumpingClock()), random });
}

/** A disk on which `act` happens at one moment of the next append. */
function interruptible(): { fs: FileSystem; stopAt: (moment: Moment, act: () => Promise<void>) => void } {
  const real = disk("refuse");
  let stop: { moment: Moment; act: () => Promise<void> } | undefined;
  const pass = async (moment: Moment): Promise<void> => {
    if (stop?.moment !== moment) return;
    const { act } = stop;
    stop = undefined;
    await act();
  };
  const append: FileSystem["append"] = async (path) => {
    await pass("before it opens the journal");
    const file = await real.append(path);
    return {
      ...file,
      write: async (text) => {
        await pass("before it writes");
        await file.write(text);
      },
      sync: async () => {
        await pass("before it flushes");
        await file.sync();
        await pass("after it flushed");
      },
    };
  };
  return {
    fs: { ...real, append },
    stopAt: (moment, act) => {
      stop = { moment, act };
    },
  };
}

describe.each(Object.keys(MEANWHILE).filter(isMeanwhile))("a process stops during an append, and %s", (meanwhile) => {
  test.each(MOMENTS.flatMap((moment) => [true, false].map((isFirst) => ({ moment, isFirst }))))(
    "$moment (its first append: $isFirst): it is refused, and the journal contains what the others wrote",
    async ({ moment, isFirst }) => {
      const folder = await projectFolder();
      const { fs, stopAt } = interruptible();
      const store = storeOn(fs, folder, 1000);
      const other = storeOn(disk("refuse"), folder, 1001);
      const lease = await store.lock(ZONE, HOLDER, 0);
      if (!isFirst) await store.append(ZONE, lease, ["ours"]);
      const opensAgain = isFirst || moment !== "before it opens the journal";
      if (opensAgain) stopAt(moment, () => MEANWHILE[meanwhile](other, lease));
      else await MEANWHILE[meanwhile](other, lease);
      await expect(store.append(ZONE, lease, ["late"])).rejects.toThrow(StoreConflict);
      const before = linesBefore(moment, isFirst, meanwhile);
      expect(await collect((await other.view(ZONE)).journal())).toEqual([...before, ...LEFT[meanwhile]]);
      await lease.release();
    },
  );
});

/** What the stopped run wrote before the other one took the lock, if nothing has removed the journal since. */
function linesBefore(moment: Moment, isFirst: boolean, meanwhile: keyof typeof MEANWHILE): readonly string[] {
  if (meanwhile !== "another run took the lock and wrote to the journal") return [];
  const wasWritten = moment === "before it flushes" || moment === "after it flushed";
  return [...(isFirst ? [] : ["ours"]), ...(wasWritten ? ["late"] : [])];
}

function isMeanwhile(text: string): text is keyof typeof MEANWHILE {
  return text in MEANWHILE;
}

test("a run that lost its lock after it saved keeps the journal of the next one", async () => {
  const folder = await projectFolder();
  const real = disk("refuse");
  const other = storeOn(real, folder, 1001);
  let act = async (): Promise<void> => undefined;
  const rename: FileSystem["rename"] = async (from, to) => {
    await real.rename(from, to);
    if (to.endsWith(".state")) await act();
  };
  const store = storeOn({ ...real, rename }, folder, 1000);
  const lease = await store.lock(ZONE, HOLDER, 0);
  await store.append(ZONE, lease, ["ours"]);
  act = () => MEANWHILE["another run took the lock and wrote to the journal"](other, lease);
  await store.write(ZONE, lease, undefined, given(["snapshot"]));
  expect(await collect((await other.view(ZONE)).journal())).toEqual(["ours", "theirs"]);
});

/** What a run does with a journal as a whole. */
const WORK = {
  "deletes its journal": async (store, lease) => store.rewriteJournal(ZONE, lease, given([])),
  "replaces its journal": async (store, lease) => store.rewriteJournal(ZONE, lease, given(["ours"])),
  "cuts a torn line off its journal": async (store, lease) => store.append(ZONE, lease, ["late"]),
  "takes over what the run before it left": async (store, lease) => {
    await lease.release();
    await store.lock(ZONE, HOLDER, 0);
  },
} as const satisfies Record<string, (store: ProjectStore, lease: Lease) => Promise<unknown>>;

/** A disk on which `act` happens just before the next journal gets its name or is deleted. */
function interruptibleNames(): { fs: FileSystem; stop: (act: () => Promise<void>) => void } {
  const real = disk("refuse");
  let stopped: (() => Promise<void>) | undefined;
  const pass = async (path: string): Promise<void> => {
    if (!/\.journal(-\d+)?$/.test(path)) return;
    const act = stopped;
    stopped = undefined;
    await act?.();
  };
  const rename: FileSystem["rename"] = async (from, to) => {
    await pass(to);
    await real.rename(from, to);
  };
  const remove: FileSystem["remove"] = async (path) => {
    await pass(path);
    await real.remove(path);
  };
  return { fs: { ...real, rename, remove }, stop: (act) => (stopped = act) };
}

describe.each(Object.keys(WORK).filter(isWork))("a process stops just before it %s", (work) => {
  test.each([
    ["another run took the lock and wrote to the journal", ["ours", "theirs"]],
    ["another run finished, and a third one writes", ["third"]],
  ] as const)("%s: what the others wrote stays, and goes on", async (meanwhile, left) => {
    const folder = await projectFolder();
    const { fs, stop } = interruptibleNames();
    const store = storeOn(fs, folder, 1000);
    const other = storeOn(disk("refuse"), folder, 1001);
    const before = await other.lock(ZONE, HOLDER, 0);
    await other.append(ZONE, before, ["ours"]);
    for (const { path, role } of await other.files(ZONE))
      if (role === "journal" && work.startsWith("cuts")) await appendFile(path, "a line with");
    await before.release();
    const lease = await store.lock(ZONE, HOLDER, 0);
    let isStopped = false;
    stop(async () => {
      isStopped = true;
      const id = (await other.holding(ZONE))?.unlockId ?? "";
      await MEANWHILE[meanwhile](other, { ...lease, id });
    });
    await WORK[work](store, lease).catch((error: unknown) => expect(error).toBeInstanceOf(StoreConflict));
    expect(isStopped).toBe(true);
    expect(await collect((await other.view(ZONE)).journal())).toEqual(left);
  });
});

function isWork(text: string): text is keyof typeof WORK {
  return text in WORK;
}
