import { defined } from "../core/defined.ts";
import { equal } from "../core/json.ts";
import type { StateObject } from "../state/state.ts";
import type { Bookkeeping } from "./change.ts";
import type { PlanInput } from "./inputs.ts";
import { isLongAgo } from "./proof.ts";
import { comparableValues } from "./secrets.ts";
import { seenOf, serviceNow } from "./seen.ts";
import { settledByLive, type Subject } from "./subject.ts";
import { localAddress } from "./targets.ts";

/** Collects what an apply records about objects that need no change, or whose changes are held or blocked. */
export function bookkeeper(input: PlanInput): {
  note(subject: Subject): void;
  noteHeld(subject: Subject): void;
  noteRefused(subject: Subject): void;
  close(): Bookkeeping;
} {
  const remember: StateObject[] = [];
  const drop: string[] = [];
  return {
    note({ kind, target, prior, live }) {
      if (!live) {
        // Absence from a list proves nothing about a create whose response was lost.
        if (prior && !target && (!prior.pending || isLongAgo(prior, serviceNow(input)))) drop.push(addressOf(prior));
        return;
      }
      const base = prior && !prior.pending && prior.id === live.id ? prior : undefined;
      // An object with a tracked name and another id is not ours.
      if (!target && !base && prior && !prior.pending) drop.push(addressOf(prior));
      if (!target && !base) return;
      const applied = target ? comparableValues(input, target.spec, kind.writeOnly, base?.applied) : base?.applied;
      const isProtected = target?.protect ?? prior?.protect ?? false;
      const next: StateObject = {
        kind: kind.name,
        key: live.key,
        id: live.id,
        applied: applied ?? {},
        ...defined({ by: base && settledByLive(kind, base, live, target?.options ?? {}).by }),
        ...(isProtected ? { protect: true as const } : {}),
        ...seenOf(live, base, serviceNow(input)),
        ...((target ? target.isUndeclared : base?.undeclared) ? { undeclared: true as const } : {}),
        ...(base?.uploaded ? { uploaded: base.uploaded } : {}),
      };
      if (!base || !isSame(base, next)) remember.push(next);
    },
    noteHeld({ kind, target, prior, live }) {
      if (!prior || prior.pending || prior.id !== live?.id) return;
      const known = settledByLive(kind, prior, live, target?.options ?? {});
      const { seen: _seen, observed: _observed, undeclared: _undeclared, ...rest } = known;
      // Protection applies at once. Removing it is a change, and waits with the others.
      const protect = target?.protect || prior.protect ? { protect: true as const } : {};
      const undeclared = (target ? target.isUndeclared : prior.undeclared) ? { undeclared: true as const } : {};
      const next = { ...rest, id: live.id, ...protect, ...undeclared, ...seenOf(live, prior, serviceNow(input)) };
      if (!isSame(prior, next)) remember.push(next);
    },
    noteRefused({ kind, target, prior, live }) {
      if (!prior || prior.pending || prior.id !== live?.id) return;
      const known = settledByLive(kind, prior, live, target?.options ?? {});
      if (target?.protect && !prior.protect) remember.push({ ...known, protect: true });
      else if (prior.unanswered) remember.push(known);
    },
    close: () => ({ remember, drop }),
  };
}

function isSame(left: StateObject, right: StateObject): boolean {
  return (
    left.id === right.id &&
    left.unanswered === right.unanswered &&
    left.protect === right.protect &&
    left.undeclared === right.undeclared &&
    left.seen?.status === right.seen?.status &&
    left.seen?.at === right.seen?.at &&
    equal(left.applied, right.applied)
  );
}

function addressOf({ kind, key }: StateObject): string {
  return localAddress(kind, key);
}
