import type { Desired } from "../config/desired.ts";
import { type Address, fromPairs } from "../core/brand.ts";
import { defined, equal } from "../core/json.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed, KINDS, isHostname } from "../kinds/registry.ts";
import type { StateObject } from "../state/state.ts";
import { countStranded, keepCarriers } from "./carriers.ts";
import {
  type Action,
  ACTIONS,
  type Change,
  type Plan,
  type Settled,
  type ZonePlan,
  type Bookkeeping,
} from "./change.ts";
import { joinCompanions } from "./companions.ts";
import { decide } from "./decide.ts";
import { limitDeletions } from "./deletion-limits.ts";
import { planHash } from "./digest.ts";
import { findingsOf, isTakenOver, takenOverFindings } from "./findings.ts";
import type { PlanInput } from "./inputs.ts";
import { comparableValues } from "./secrets.ts";
import { deleterOf, seenOf, serviceNow } from "./seen.ts";
import { localAddress, planAddress, selector, targetsOf } from "./targets.ts";
import { cutSources, refuseCutRows, sourcesToRemember } from "./sources.ts";
import { isLongAgo, type Subject, settledByLive } from "./subject.ts";
import { subscriptionFindings } from "./subscription.ts";
import { watchZone } from "./watch.ts";

/** Joins the plans of the zones into the plan of a project. */
export function plan({ project, budget }: Desired, zones: readonly ZonePlan[]): Plan {
  return { project, budget, hash: planHash(zones), zones };
}

/** Plans one zone: the differences between desired, prior and live, with their causes. Pure: same input, same plan. */
export function planZone(input: PlanInput): ZonePlan {
  const targets = targetsOf(input);
  const books = bookkeeper(input);
  const changes: Change[] = [];
  const expired: StateObject[] = [];
  const foreign: string[] = [];
  const takenOver: Subject[] = [];
  const settled = new Map<string, Settled>();
  const gone: Address[] = [];
  let unchanged = 0;
  for (const subject of subjectsOf(input, targets)) {
    const { kind, key } = subject;
    if (!subject.target && !subject.prior) {
      settled.set(localAddress(kind.name, key), "undeclared");
      if (isHostname(subject.kind.name) && areForeignCounted(input)) foreign.push(subject.live?.key ?? "");
      continue;
    }
    const decision = decide(input, subject);
    if (decision && "change" in decision) {
      changes.push(decision.change);
      if (decision.change.action === "held") books.noteHeld(subject);
      else if (decision.change.refused) books.noteRefused(subject);
      continue;
    }
    settled.set(localAddress(kind.name, key), !subject.live ? "gone" : subject.target ? "applied" : "undeclared");
    if (decision) expired.push(decision.expired);
    else {
      books.note(subject);
      if (isTakenOver(subject)) takenOver.push(subject);
      if (subject.live) unchanged += 1;
      else if (subject.prior?.undeclared) gone.push(planAddress(input, kind.name, key));
    }
  }
  const cuts = cutSources(input);
  const limited = refuseCutRows(cuts, limitDeletions(input, joinCompanions(input, targets, changes)));
  const joined = countStranded(input, keepCarriers(limited));
  const { state, desired } = input;
  const { watch, findings, withNotes } = watchZone(input);
  return {
    zone: { id: desired.id, name: desired.name },
    ...defined({ lineage: state?.lineage }),
    serial: state?.serial ?? 0,
    ...defined({ journalRecords: input.journalRecords }),
    changes: inOrder(joined).map(withNotes),
    ...defined({ watch }),
    counts: {
      byAction: { ...countActions(joined), "no-op": unchanged },
      foreign: foreign.length,
      expired: expired.filter((object) => deleterOf(object, input) === "service").length,
    },
    gone: gone.sort(),
    settled,
    bookkeeping: { ...books.close(), ...sourcesToRemember(input, cuts) },
    findings: [
      ...findings,
      ...findingsOf(input, foreign.sort(), expired),
      ...takenOverFindings(input, takenOver),
      ...subscriptionFindings(input, joined),
    ],
  };
}

/** How many changes there are of each action. */
export function countActions(changes: readonly Change[]): Readonly<Record<Action, number>> {
  const counts = fromPairs(ACTIONS.map((action): [Action, number] => [action, 0]));
  for (const { action } of changes) counts[action] += 1;
  return counts;
}

/** Whether undeclared hostnames are reported: none are foreign in a zone whose application creates them. */
function areForeignCounted({ desired: { hostnames } }: PlanInput): boolean {
  return hostnames.lifecycle === "zoneform" && hostnames.foreign !== "ignore";
}

/** Every object that is declared, tracked or live, once each, and within the selection. */
export function* subjectsOf(input: PlanInput, targets: ReturnType<typeof targetsOf>): Iterable<Subject> {
  const isSelected = selector(input);
  for (const kind of KINDS) {
    const keys = new Set<string>();
    for (const target of targets.values()) if (target.kind === kind.name) keys.add(target.key);
    for (const prior of input.state?.objects.values() ?? []) if (prior.kind === kind.name) keys.add(prior.key);
    const live: ReadonlyMap<string, Live> | undefined = input.live.objects.get(kind.name);
    for (const key of live?.keys() ?? []) keys.add(key);
    for (const key of keys) {
      if (!isSelected(kind.name, key)) continue;
      const address = localAddress(kind.name, key);
      yield { kind, key, target: targets.get(address), prior: input.state?.objects.get(address), live: live?.get(key) };
    }
  }
}

/**
 * Sorts changes into the order in which they are applied: kinds by stage (fallback origin, hostnames, rulesets, CA
 * choices of the zone), within a kind by address; deletes come last, in reverse.
 */
export function inOrder(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted(
    (left, right) =>
      rank(left) - rank(right) || (left.address < right.address ? -1 : Number(left.address > right.address)),
  );
}

function rank({ kind, action }: Change): number {
  const { stage } = kindNamed(kind);
  return action === "delete" ? 100 - stage : stage;
}

/** Collects what an apply records about objects that need no change, or whose changes are held or blocked. */
function bookkeeper(input: PlanInput): {
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
      // An object with a tracked name and another id is foreign.
      if (!target && !base && prior && !prior.pending) drop.push(addressOf(prior));
      if (!target && !base) return;
      const applied = target ? comparableValues(input, target.values, kind.writeOnly, base?.applied) : base?.applied;
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
