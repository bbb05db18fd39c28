import type { Change } from "../plan/change.ts";
import type { Ended, Outcome } from "./outcome.ts";

/** A change and how it ended, with the id of what it left behind where that is known. */
export function endedAs({ address, action, letGo }: Change, outcome: Outcome, id?: string): Ended {
  return {
    address,
    action,
    outcome,
    ...(letGo.length === 0 ? {} : { letGo }),
    ...(id === undefined ? {} : { id }),
  };
}
