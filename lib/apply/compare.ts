import { defined, equal, formatPath, type JsonObject } from "../core/json.ts";
import type { LeafChange } from "../core/diff.ts";
import type { Change, LeafConflict } from "../plan/change.ts";
import { restsOnRuns } from "../plan/digest.ts";
import { hasRequestLapsed } from "../plan/subject.ts";
import { allLeaves } from "../plan/write.ts";
import type { Comparison } from "../kinds/traits/compared.ts";
import type { Live } from "../kinds/live.ts";
import { serviceMoment } from "../service/client.ts";
import type { Attempt } from "./attempt.ts";
import type { Outcome } from "./outcome.ts";

/** Whether an object is still as it was when the change was planned, in everything that the change relies on. */
export function isAsPlanned({ change, kind }: Attempt, live: Live): boolean {
  const leaves = change.action === "replace" || change.action === "delete" ? [] : allLeaves(change);
  return equal(kind.guarded(live, leaves), change.expected);
}

/**
 * Whether another run has applied, since the plan was made, what this change would write: live looks as planned because
 * it was set back since. What a run has begun and not finished counts as applied by no run.
 */
export function isAppliedSince({ address, before, change, known }: Attempt): boolean {
  if (!known.isStale || before?.pending) return false;
  return !equal(restsOnRuns(change, known.by(address)), restsOnRuns(change));
}

/** An object as one read shows it, compared with what the change wants. Each comparison is made once, when it is needed. */
export class Sight {
  readonly live: Live;
  readonly #attempt: Attempt;
  #withPrior: Comparison | undefined;
  #withSent: Comparison | undefined;

  constructor(attempt: Attempt, live: Live) {
    this.#attempt = attempt;
    this.live = live;
  }

  /** Whether the planned fields and rules are live. A field that the service never shows does not count as live. */
  get isAsDesired(): boolean {
    const { change, kind } = this.#attempt;
    if (change.leaves.some(({ path }) => kind.uploads?.isUpload(path))) return false;
    const { leaves, rules, held } = this.#comparedWithPrior();
    return rules.length === 0 && ![...leaves, ...(held?.leaves ?? [])].some(isPlanned(change));
  }

  /**
   * Whether a new object has what was sent, in everything that the service shows. The same name alone proves nothing.
   */
  get isAsSent(): boolean {
    return this.#comparedWithSent().rules.length === 0 && this.#leavesNotAsSent().length === 0;
  }

  /** Whether an edited object has what was sent, and no longer has the rules that the edit removed. */
  get isAsEdited(): boolean {
    return this.#comparedWithPrior().rules.length === 0 && this.#leavesNotAsSent().length === 0;
  }

  /** The planned fields whose live value is not what was sent. */
  get differencesFromSent(): readonly LeafConflict[] {
    return this.#leavesNotAsSent().map(({ path, before, after }) => ({
      path,
      ...defined({ live: before, wanted: after }),
    }));
  }

  /**
   * Reports that the change now has to wait: since the plan, the service has moved on, or another run has sent the same
   * request (docs/semantics.md#held-changes).
   */
  get held(): Outcome | undefined {
    const applied = appliedSince(this.#attempt);
    const { held } = applied ? this.#compare(applied) : this.#comparedWithPrior();
    return held?.leaves.some(isPlanned(this.#attempt.change)) ? { status: "held", reason: held.reason } : undefined;
  }

  #leavesNotAsSent(): readonly LeafChange[] {
    const { change, kind } = this.#attempt;
    const { leaves, held } = this.#comparedWithSent();
    return [...leaves, ...(held?.leaves ?? [])]
      .filter(({ path }) => !kind.writeOnly.includes(formatPath(path)))
      .filter(isPlanned(change));
  }

  #comparedWithPrior(): Comparison {
    return (this.#withPrior ??= this.#compare(this.#attempt.change.prior));
  }

  /**
   * Compares as if the change had been applied: a value that the service shows differently or not at all, such as the
   * default CA, counts as sent.
   */
  #comparedWithSent(): Comparison {
    return (this.#withSent ??= this.#compare(this.#attempt.desired()));
  }

  #compare(prior: JsonObject | undefined): Comparison {
    const { change, desired, kind } = this.#attempt;
    return kind.compare({ desired: desired(), prior, live: this.live, options: change.options });
  }
}

/** What another run has applied since the plan was made. */
function appliedSince({ before, client, clock, known }: Attempt): JsonObject | undefined {
  if (!known.isStale || !before || before.pending) return undefined;
  return hasRequestLapsed(before, new Date(serviceMoment(client, clock)).toISOString()) ? undefined : before.applied;
}

/** A replacement sends every field, not only those that caused it. */
function isPlanned(change: Change): (leaf: Pick<LeafChange, "path">) => boolean {
  if (change.action === "replace") return () => true;
  const planned = new Set(change.leaves.map(({ path }) => path.join("\0")));
  return ({ path }) => planned.has(path.join("\0"));
}
