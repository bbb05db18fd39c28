import type { Clock } from "../../../lib/core/clock.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import type { StoreProcess } from "../../support/store-process.ts";

/** A store under test. */
export interface StoreUnderTest {
  readonly store: ProjectStore;
  /** Another handle on the same states, like another process. */
  readonly other: ProjectStore;
  /** One more handle, perhaps with a clock of its own. */
  readonly open: (clock?: Clock) => ProjectStore;
  /** A real process that uses the same states; absent if another process cannot see them. */
  readonly start?: () => StoreProcess;
  /** Ends the journal with the beginning of a line, like a crash; absent if a store cannot be left so. */
  readonly tearJournal?: () => Promise<void>;
}

/** Makes a store under test. */
export type MakeStore = () => Promise<StoreUnderTest>;
