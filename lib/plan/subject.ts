import type { DesiredObject } from "../config/desired.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { StateObject, Unanswered } from "../state/state.ts";
import { isAskedInVain, isProvenOurs } from "./proof.ts";
import { settledByLive } from "./unanswered.ts";

/** Everything that is known about one object. */
export interface Subject {
  readonly kind: Kind;
  /** The natural key, by which its sides were found. */
  readonly key: string;
  readonly target: DesiredObject | undefined;
  readonly prior: StateObject | undefined;
  readonly live: Live | undefined;
  /** The live object has the name of a tracked one, but another id. */
  readonly isAnother?: true;
  /**
   * The tracked object of this name, if the live one is another: what was applied to it tells who made a difference.
   */
  readonly former?: StateObject;
  /** The state protects this name; nothing else of its previous object is known about this one. */
  readonly inheritsProtection?: true;
  /** A run wrote this very object and saw no response. */
  readonly unanswered?: Unanswered;
}

/**
 * The subject with what the state knows about this very object.
 * - Another id under the same name is another object: we know nothing about it and may not delete it. Only the
 *   protection of the name carries over, until `protect: false` is applied.
 * - An object that a stopped run was about to replace, and that still has its id, is the known one.
 * - What exists under the name of an unfinished create is ours only if that is proven.
 * - A requested step that never took effect counts as not done.
 * - What an unanswered write explains is that run's work.
 * `now` is RFC 3339, by the service's clock if known.
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
