import { Refusal } from "../core/diagnostic.ts";
import type { Change } from "../plan/change.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { JournalEntry } from "../state/record.ts";
import type { OpenAttempt } from "./attempt.ts";
import { makeStateObject } from "./record.ts";

/**
 * The intents of changes that can be announced before they begin: an announcement of a change that is never sent must
 * do no harm. They do not have the values that are live: each change reads those itself, just before its request. Each
 * intent is made when it is asked for.
 */
export function* foreseenIntents(changes: readonly Change[], open: OpenAttempt): Iterable<JournalEntry> {
  for (const change of changes) {
    const entry = mayBeAnnounced(change) ? intentOf(change, open) : undefined;
    if (entry) yield entry;
  }
}

/**
 * Not a step that counts as done once it is recorded, nor one of several requests; nor an object without a unique name,
 * because a later run could not rule out that it was made.
 */
function mayBeAnnounced({ kind: name, refused, hazards, with: companion }: Change): boolean {
  const kind = kindNamed(name);
  if (refused || companion || hazards.includes("irreversible")) return false;
  return !kind.severalRequests && kind.replacement !== "create-first";
}

function intentOf(change: Change, open: OpenAttempt): JournalEntry | undefined {
  const { action } = change;
  if (action !== "create" && action !== "update" && action !== "delete" && action !== "replace") return undefined;
  const attempt = open(change);
  const { address } = attempt;
  if (action === "delete") return { address, action };
  try {
    // A replacement deletes first; its second half has an intent of its own.
    return { address, action: action === "replace" ? "delete" : action, object: makeStateObject(attempt, undefined) };
  } catch (thrown) {
    // A secret cannot be read: the change itself reports it.
    if (thrown instanceof Refusal) return undefined;
    throw thrown;
  }
}
