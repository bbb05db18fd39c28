import type { Ended, Outcome } from "../../apply/outcome.ts";
import type { NotReady } from "../../apply/wait.ts";
import { formatAddress } from "../../core/address.ts";
import { bucketed } from "../../core/lists.ts";
import { equal, type Path } from "../../core/json.ts";
import { PROTECTION } from "../../plan/subject.ts";
import { onlyLetsGo } from "../../plan/write.ts";
import { type Line, line } from "../lines/lines.ts";
import { printLines, type Printing } from "../printers/text.ts";
import { ACTION_WORDS, ADOPT_AND_UPDATE, DONE_WORDS } from "../lines/marks.ts";
import { formatPaths } from "../view/group.ts";

/** How a change ended, in words: `created`, `failed: …`. */
export function endingOf(ended: Ended): string {
  const { outcome, letGo = [] } = ended;
  const reason = outcome.status === "done" && outcome.wasSo ? undefined : reasonOf(outcome);
  const done = onlyLetsGo(ended) ? releasedWords(letGo) : doneWord(ended);
  const word = outcome.status === "done" ? done : OUTCOME_WORDS[outcome.status];
  return reason === undefined ? word : `${word}: ${reason}`;
}

/** Protection is not a field: an object without it stays managed as before. */
function releasedWords(letGo: readonly Path[]): string {
  const fields = letGo.filter((path) => !equal(path, PROTECTION));
  return fields.length === 0 ? "no longer protected" : `released ${formatPaths(fields)}`;
}

/** The name of a finished change. An object that releases only fields, or its protection, stays managed. */
export function doneWord(ended: Ended): string {
  if (ended.outcome.status === "done" && ended.outcome.wasSo) return "already so";
  if (ended.updates) return "adopted and updated";
  return onlyLetsGo(ended) ? "with fields no longer managed" : DONE_WORDS[ended.action];
}

/** The name of a planned change. */
export function actionWord(ended: Ended): string {
  if (ended.updates) return ADOPT_AND_UPDATE;
  return onlyLetsGo(ended) ? "release fields of" : ACTION_WORDS[ended.action];
}

/** The name of each status. */
export const OUTCOME_WORDS: Readonly<Record<Outcome["status"], string>> = {
  done: "done",
  failed: "failed",
  unknown: "unknown",
  unconfirmed: "not confirmed",
  conflict: "conflict",
  refused: "blocked",
  held: "held",
  "not-started": "not started",
};

/** Why a change ended as it did; undefined if there is nothing to say. */
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

/** How many objects that wait for the same reason to name before counting the rest. */
const MOST_NAMED = 20;

/** The result of a wait: all objects serve traffic, or those that do not, by reason, with what to do about it. */
export function notReadyText(ready: number, notReady: readonly NotReady[], printing: Printing): string {
  if (notReady.length === 0) return printLines([line(0, `Ready: all ${ready} serve`, "good")], printing);
  const lines: Line[] = [
    line(0, `Not ready: ${notReady.length} of ${ready + notReady.length} do not serve yet`, "bad"),
  ];
  for (const group of groupsOf(notReady)) {
    const [first] = group;
    if (!first) continue;
    lines.push(line(0, first.reason), line(4, first.remedy, "quiet"));
    for (const { zone, kind, key } of group.slice(0, MOST_NAMED)) {
      lines.push(line(4, formatAddress({ zone, kind, ...(key === "" ? {} : { key }) })));
    }
    if (group.length > MOST_NAMED) lines.push(line(4, `and ${group.length - MOST_NAMED} more`));
  }
  return printLines(lines, printing);
}

function groupsOf(notReady: readonly NotReady[]): readonly (readonly NotReady[])[] {
  return [...bucketed(notReady, ({ reason, remedy }) => `${reason}\0${remedy}`).values()];
}
