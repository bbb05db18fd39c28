import type { DesiredObject } from "../config/desired.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { StateObject, Unanswered } from "../state/state.ts";
import { isAskedInVain, isProvenOurs } from "./proof.ts";
import { settledByLive } from "./unanswered.ts";

/** Everything that is known of one object. */
export interface Subject {
  readonly kind: Kind;
  readonly target: DesiredObject | undefined;
  readonly prior: StateObject | undefined;
  readonly live: Live | undefined;
  /** What is live has the name of an object that was tracked, and is another one. */
  readonly isAnother?: true;
  /** The object of this name that was tracked, where what is live is another one: what was applied to it says who made a difference. */
  readonly former?: StateObject;
  /** The state protects what had this name before: nothing else of that object is known of this one. */
  readonly inheritsProtection?: true;
  /** A run wrote this very object and saw no answer. */
  readonly unanswered?: Unanswered;
}

/**
 * The subject with what the state says of this very object. Whoever deletes an object and creates it again makes another
 * one of that name, of which nothing is known and which is nobody's to delete; only the protection of the name goes over to
 * it, which nothing but an applied "protect: false" takes off. And an object that was to be replaced by a run that was
 * stopped, but still has its id, is the one that was known before. What is found under the name of a create of unknown
 * fate is ours only where that is proven.
 * A requested step that never took effect counts as not done. What an unanswered write explains is that run's work, and nobody
 * else's. `now` is RFC 3339, by the clock of the service where it is known.
 */
export function asKnown(subject: Subject, now: string): Subject {
  const { prior, live } = subject;
  if (!prior) return subject;
  const { unanswered } = prior;
  if (!live) return unanswered?.action === "delete" ? { ...subject, prior: undefined, unanswered } : subject;
  const unknown = { ...subject, prior: undefined, ...(prior.protect ? { inheritsProtection: true as const } : {}) };
  if (prior.id !== live.id && prior.pending) return isProvenOurs(subject.kind, prior, live) ? subject : unknown;
  if (prior.id !== live.id) return { ...unknown, isAnother: true, former: prior };
  const options = subject.target?.options ?? {};
  const { pending: _pending, since: _since, ...known } = settledByLive(subject.kind, prior, live, options);
  return {
    ...subject,
    prior: isAskedInVain(known, now) ? { ...known, applied: {} } : known,
    ...(unanswered ? { unanswered } : {}),
  };
}
