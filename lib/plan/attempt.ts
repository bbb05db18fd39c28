import type { Kind } from "../kinds/kind.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Change } from "./change.ts";
import { writeOf } from "./write.ts";

/** What one attempt uses of the rate limits, all its reads and writes together. */
export interface AttemptNeeds {
  readonly calls: number;
  readonly issuances: number;
  /** Certificates that an edit orders; they count only if the budget says so. */
  readonly reissues: number;
}

/** A read and the write that follows it. */
const READ_AND_WRITE = 2;
/** It finds the successor in a list, then reads it by id. */
const SUCCESSOR_CALLS = 2;
/** With create-first, the successor's id is known. */
const KNOWN_SUCCESSOR_CALLS = 1;

/** The largest attempt at a change: what apply reserves for it, and what a budget must have room for. */
export function attemptNeeds(change: Change, kind: Kind = kindNamed(change.kind)): AttemptNeeds {
  const write = writeOf(change) ?? "update";
  const { issuances } = kind.cost(write, change.leaves);
  switch (write) {
    case "create":
      return { calls: kind.refusesDuplicates ? 1 : READ_AND_WRITE, issuances, reissues: 0 };
    case "update":
      return { calls: kind.severalRequests?.calls ?? READ_AND_WRITE, issuances: 0, reissues: issuances };
    // One attempt reserves the calls for the create before it deletes, plus one to check for the deletion: a wait in
    // between would be an outage. With create-first, the deletion is an attempt of its own, which also reads the
    // successor.
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

/** The calls that check that the successor serves, before a moved or replaced object is deleted. */
export function successorCalls({ movesTo, replaced }: Pick<Change, "movesTo" | "replaced">): number {
  return movesTo || replaced ? SUCCESSOR_CALLS : 0;
}
