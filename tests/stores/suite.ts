import { describeSnapshots } from "./suite/snapshots.ts";
import { describeJournal } from "./suite/journal.ts";
import { describeObservations } from "./suite/observations.ts";
import { describeRecords } from "./suite/records.ts";
import { describeLock } from "./suite/lock.ts";
import { describeRivals } from "./suite/rivals.ts";
import { describeDying } from "./suite/dying.ts";
import { describeSizes } from "./suite/sizes.ts";
import { describeState } from "./suite/state.ts";
import type { MakeStore } from "./suite/under-test.ts";

/**
 * What every store promises. Runs for each of them. With the large counts, a store whose lock takes many requests is
 * asked only for a share of the races.
 */
export function describeStore(name: string, make: MakeStore, share = 1): void {
  describeSnapshots(name, make);
  describeJournal(name, make);
  describeObservations(name, make);
  describeRecords(name, make);
  describeLock(name, make);
  describeRivals(name, make, share);
  describeDying(name, make);
  describeSizes(name, make);
  describeState(name, make);
}
