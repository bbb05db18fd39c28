import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../../../../lib/core/file-system.ts";
import { disk } from "../../../../../lib/real/disk.ts";
import { loadState } from "../../../../../lib/state/load.ts";
import type { ProjectStore } from "../../../../../lib/state/zone/store.ts";
import { localStore, projectFolder } from "../../../../support/local-store.ts";
import {
  addressOf,
  clocksOf,
  HOLDER,
  jumpingClock,
  processOf,
  random,
  stateOf,
  ZONE,
} from "../../../../support/state-world.ts";
import { past } from "../../../../support/zone-history.ts";

/** A view has all of a small state, and only the beginning of a large one. */
const SIZES = [1, 40];

function open(folder: string, fs: FileSystem = disk("refuse")): ProjectStore {
  return localStore(fs, folder, { identity: processOf(1), ...clocksOf(jumpingClock()), random });
}

/** A run that creates one hostname, and ends or is killed then. */
async function run(store: ProjectStore, index: number, ends: boolean, size = 1): Promise<void> {
  const begun = (await store.view(ZONE)).state ? [] : [{ saved: stateOf(size) }];
  await past(store, [...begun, { run: `run-${index}`, did: { create: [index] }, ...(ends ? {} : { left: {} }) }]);
}

/** A disk on which `act` happens just before a look at the state, the journal or their folder, counted from 1. */
function interrupted(at: number, act: () => Promise<void>): { fs: FileSystem; looks: () => number } {
  const real = disk("refuse");
  let looks = 0;
  const pass = async (path: string): Promise<void> => {
    if (!/(\.state|\.journal-\d+|shop)$/.test(path)) return;
    looks += 1;
    if (looks === at) await act();
  };
  const fs: FileSystem = {
    ...real,
    stat: async (path) => {
      await pass(path);
      return real.stat(path);
    },
    list: async (path) => {
      await pass(path);
      return real.list(path);
    },
    stream: async function* (path) {
      await pass(path);
      yield* real.stream(path);
    },
  };
  return { fs, looks: () => looks };
}

/** What happens between two looks. */
const MEANWHILE = {
  "a run takes the lock, and with it the journal": async (folder) => {
    await (await open(folder).lock(ZONE, HOLDER, 0)).release();
  },
  "a run ends, and another one": async (folder) => {
    await run(open(folder), 52, true);
    await run(open(folder), 53, true);
  },
  "a run ends, and another one writes to its journal": async (folder) => {
    await run(open(folder), 52, true);
    await run(open(folder), 53, false);
  },
} as const satisfies Record<string, (folder: string) => Promise<void>>;

describe.each(Object.entries(MEANWHILE))("while somebody reads files, %s", (_name, act) => {
  test.each(SIZES)("between any two looks: a state of %i objects and its journal belong together", async (size) => {
    for (let at = 1; ; at += 1) {
      const folder = await projectFolder();
      await run(open(folder), 50, true, size);
      await run(open(folder), 51, false);
      const { fs, looks } = interrupted(at, () => act(folder));
      const loaded = await loadState(open(folder, fs), ZONE);
      const created = [50, 51, 52, 53].filter((index) => loaded?.state.objects.has(addressOf(index)));
      expect([at, created]).toEqual([at, created.length > 2 ? [50, 51, 52, 53] : [50, 51]]);
      if (looks() < at) break;
    }
  });
});
