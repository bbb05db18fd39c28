import type { Ended, Outcome } from "../apply/outcome.ts";
import { DONE_WORDS } from "./marks.ts";

/** How a change ended, in words: `created`, `failed: …`. */
export function endingOf({ action, outcome }: Ended): string {
  const reason = reasonOf(outcome);
  const word = outcome.status === "done" ? DONE_WORDS[action] : STATUS_WORDS[outcome.status];
  return reason === undefined ? word : `${word}: ${reason}`;
}

/** What a status is called. */
export const STATUS_WORDS: Readonly<Record<Outcome["status"], string>> = {
  done: "done",
  failed: "failed",
  unknown: "unknown",
  conflict: "conflict",
  refused: "refused",
  held: "held",
  "not-started": "not started",
};

/** Why a change ended as it did; undefined where there is nothing to say. */
export function reasonOf(outcome: Outcome): string | undefined {
  switch (outcome.status) {
    case "done":
      return outcome.note;
    case "held":
      return outcome.reason;
    case "refused":
      return outcome.refused.message;
    case "not-started":
      return outcome.because;
    case "failed":
    case "conflict":
    case "unknown":
      return outcome.diagnostic.message;
    default:
      return outcome satisfies never;
  }
}
