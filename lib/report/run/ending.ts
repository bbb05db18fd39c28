import type { Ended, Outcome } from "../../apply/outcome.ts";
import { onlyLetsGo } from "../../plan/let-go.ts";
import { formatPaths } from "../view/group.ts";
import { DONE_WORDS } from "../lines/marks.ts";

/** How a change ended, in words: `created`, `failed: …`. */
export function endingOf(ended: Ended): string {
  const { outcome, letGo = [] } = ended;
  const reason = reasonOf(outcome);
  const done = onlyLetsGo(ended) ? `${LET_GO} ${formatPaths(letGo)}` : doneWord(ended);
  const word = outcome.status === "done" ? done : STATUS_WORDS[outcome.status];
  return reason === undefined ? word : `${word}: ${reason}`;
}

/** What is said of an object of which only leaves, or the protection, are let go: it is not forgotten. */
const LET_GO = "let go";

/** What a change is called once it is done. */
export function doneWord(ended: Ended): string {
  return onlyLetsGo(ended) ? LET_GO : DONE_WORDS[ended.action];
}

/** What a change was to do. */
export function actionWord(ended: Ended): string {
  return onlyLetsGo(ended) ? LET_GO : ended.action;
}

/** What a status is called. */
export const STATUS_WORDS: Readonly<Record<Outcome["status"], string>> = {
  done: "done",
  failed: "failed",
  unknown: "unknown",
  unconfirmed: "unconfirmed",
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
    case "unconfirmed":
      return outcome.diagnostic.message;
    default:
      return outcome satisfies never;
  }
}
