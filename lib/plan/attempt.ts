import type { Kind } from "../kinds/kind.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Change } from "./change.ts";
import { writeOf } from "./write.ts";

/** What one attempt takes of the rate limits: its reads and its writes, all taken together. */
export interface AttemptNeeds {
  readonly calls: number;
  readonly issuances: number;
  /** Certificates that an edit orders; they count only where the budget says so. */
  readonly reissues: number;
}

/** A read and the write that follows it. */
const READ_AND_WRITE = 2;
/** A successor is looked for in a list, and read by its id. */
const SUCCESSOR_CALLS = 2;
/** The successor of what is replaced by creating first is known by its id. */
const KNOWN_SUCCESSOR_CALLS = 1;

/** The largest attempt of a change: what apply reserves for it, and what a budget must have room for. */
export function attemptNeeds(change: Change, kind: Kind = kindNamed(change.kind)): AttemptNeeds {
  const write = writeOf(change) ?? "update";
  const { issuances } = kind.cost(write, change.leaves);
  switch (write) {
    case "create":
      return { calls: kind.refusesDuplicates ? 1 : READ_AND_WRITE, issuances, reissues: 0 };
    case "update":
      return { calls: kind.severalRequests?.calls ?? READ_AND_WRITE, issuances: 0, reissues: issuances };
    // One attempt holds the place of the create before it deletes, and one to look whether it did: a wait in between would
    // be an outage. What is created first deletes in an attempt of its own, which also reads the successor.
    case "replace": {
      const more = kind.replacement === "create-first" ? KNOWN_SUCCESSOR_CALLS : 2;
      return { calls: READ_AND_WRITE + more, issuances, reissues: 0 };
    }
    case "delete":
      return { calls: READ_AND_WRITE + successorCalls(change), issuances: 0, reissues: 0 };
    default:
      return write satisfies never;
  }
}

/** Calls that look whether something else serves, before an object is deleted that was moved or replaced. */
export function successorCalls({ movesTo, replaced }: Pick<Change, "movesTo" | "replaced">): number {
  return movesTo || replaced ? SUCCESSOR_CALLS : 0;
}
