import type { Change } from "../plan/change.ts";
import { writeOf } from "../plan/cost.ts";
import type { Kind } from "../resources/kind.ts";
import type { Needs } from "../service/places.ts";

/** A read and the write that follows it. */
const READ_AND_WRITE = 2;
/** A successor is looked for in a list, and read by its id. */
const SUCCESSOR_CALLS = 2;

/** What one attempt at a change takes of the rate limits: its reads and its writes, all taken together. */
export function needsOf(change: Change, kind: Kind): Needs {
  const write = writeOf(change) ?? "update";
  const { issuances } = kind.cost(write, change.leaves);
  switch (write) {
    case "create":
      return { calls: kind.refusesDuplicates ? 1 : READ_AND_WRITE, issuances };
    case "update":
      return { calls: READ_AND_WRITE, issuances: 0, reissues: issuances };
    // One attempt holds the place of the create before it deletes: a wait in between would be an outage.
    case "replace":
      return { calls: kind.createsBeforeDelete ? READ_AND_WRITE : READ_AND_WRITE + 1, issuances };
    case "delete":
      return { calls: READ_AND_WRITE + (change.replaced || change.movesTo ? SUCCESSOR_CALLS : 0), issuances: 0 };
    default:
      return write satisfies never;
  }
}
