import type { StateStore } from "../../lib/state/store.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { memoryStores } from "../../lib/real/project.ts";
import type { ProjectStore, Upkeep } from "../../lib/state/upkeep.ts";

/** A place with one store, which every project gets: for tests of one project. */
export function oneStore(store: StateStore): StateStores {
  const whole: ProjectStore = { ...NO_UPKEEP, ...store };
  return { ...memoryStores(), of: () => whole, kept: async () => [], describe: () => "the store of the test" };
}

function refuse(): never {
  throw new Error("this test has no upkeep of its store");
}

const NO_UPKEEP: Upkeep = {
  warnings: refuse,
  files: refuse,
  backup: refuse,
  addBackup: refuse,
  opened: refuse,
  looseLines: refuse,
  journalTail: refuse,
  sealOf: refuse,
  setAside: refuse,
  copy: refuse,
  discardCopy: refuse,
  retire: refuse,
  rewriteJournal: refuse,
  backups: refuse,
  zones: refuse,
};
