import type { BudgetPlaces } from "../config/desired.ts";
import {
  API_WINDOW_MILLISECONDS,
  type Budget,
  callsOf,
  ISSUANCE_WINDOW_MILLISECONDS,
  issuancesOf,
  tooFewCalls,
  tooFewIssuances,
} from "../core/rate-limits.ts";
import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Change, Cost, Plan } from "./change.ts";
import { writeOf } from "./write.ts";
import type { Kind } from "../kinds/kind.ts";

/** What the whole plan needs. Zones share the same limits one after another, so their times do not simply add up. */
export function totalCost({ zones, budget }: Pick<Plan, "zones" | "budget">): Cost {
  return costOf(
    zones.flatMap(({ changes }) => changes),
    budget,
  );
}

/** How much of the service's limits the changes need, and the least time that this takes within the budget. */
export function costOf(changes: readonly Change[], budget: Budget): Cost {
  const needs = changes.flatMap((change) => costOfChange(change, budget) ?? []);
  return {
    calls: needs.reduce((sum, { calls }) => sum + calls, 0),
    issuances: needs.reduce((sum, { issuances }) => sum + issuances, 0),
    seconds: Math.floor(millisecondsFor(needs, budget) / 1000),
  };
}

/** Why the budget is too small for one attempt at one of the changes; empty if each fits. */
export function budgetProblems(changes: readonly Change[], budget: Budget, said: BudgetPlaces): readonly Diagnostic[] {
  const needs = changes.flatMap((change) => (isWritten(change) ? attemptNeeds(change) : []));
  const calls = needs.reduce((most, each) => Math.max(most, each.calls), 0);
  const issuances = needs.reduce(
    (most, each) => Math.max(most, each.issuances + (budget.countsPatches ? each.reissues : 0)),
    0,
  );
  const [allowedCalls, allowedIssuances] = [callsOf(budget), issuancesOf(budget)];
  return [
    ...(calls > allowedCalls ? [error({ ...tooFewCalls(calls, allowedCalls, budget), ...at(said.api) })] : []),
    ...(issuances > allowedIssuances
      ? [error({ ...tooFewIssuances(issuances, allowedIssuances, budget), ...at(said.issuance) })]
      : []),
  ];
}

function at(place: Position | undefined): { at?: Position } {
  return place ? { at: place } : {};
}

/** What one change uses of the limits; undefined if it writes nothing. */
interface Needs {
  readonly calls: number;
  readonly issuances: number;
}

function costOfChange(change: Change, budget: Budget): Needs | undefined {
  const write = change.refused ? undefined : writeOf(change);
  if (!write) return undefined;
  const { calls, issuances } = kindNamed(change.kind).cost(write, change.leaves);
  const counts = budget.countsPatches || change.action === "create" || change.action === "replace";
  return { calls: calls + successorCalls(change), issuances: counts ? issuances : 0 };
}

function isWritten(change: Change): boolean {
  return !change.refused && writeOf(change) !== undefined;
}

/**
 * Simulates the changes against both limits, one after another, as if the changes themselves took no time. Each waits
 * for all of its certificates, then for all of its calls, like in the governor.
 */
function millisecondsFor(needs: readonly Needs[], budget: Budget): number {
  const issuances = openLimit(issuancesOf(budget), ISSUANCE_WINDOW_MILLISECONDS);
  const calls = openLimit(callsOf(budget), API_WINDOW_MILLISECONDS);
  return needs.reduce((now, each) => {
    const began = calls.freeFrom(issuances.freeFrom(now, each.issuances), each.calls);
    issuances.take(began, each.issuances);
    calls.take(began, each.calls);
    return began;
  }, 0);
}

/** Allows `limit` within any window of the given length, in order. */
function openLimit(limit: number, lengthMilliseconds: number) {
  const taken: number[] = [];
  return {
    /**
     * The time at which `count` are free, `now` at the earliest. A count above the limit waits like the limit itself.
     */
    freeFrom: (now: number, count: number): number => {
      const leaves = count === 0 ? undefined : taken[Math.min(taken.length + count - limit, taken.length) - 1];
      return leaves === undefined ? now : Math.max(now, leaves + lengthMilliseconds);
    },
    take: (at: number, count: number): void => {
      for (let number = 0; number < count; number += 1) taken.push(at);
    },
  };
}

/** How much one attempt uses of the rate limits, all its reads and writes together. */
interface AttemptNeeds {
  readonly calls: number;
  readonly issuances: number;
  /** Certificates that an edit orders; they count only if the budget says so. */
  readonly reissues: number;
}

/** A read and the write that follows it. */
const READ_AND_WRITE = 2;
/** Finds the successor in a list, then reads it by id. */
const SUCCESSOR_CALLS = 2;
/** With create-first, the successor's id is known. */
const KNOWN_SUCCESSOR_CALLS = 1;

/** The largest attempt at a change: what apply reserves for it, and what a budget must have room for. */
export function attemptNeeds(
  change: Change,
  kind: Kind = kindNamed(change.kind),
  write: NonNullable<ReturnType<typeof writeOf>> = writeOf(change) ?? "update",
): AttemptNeeds {
  const { issuances } = kind.cost(write, change.leaves);
  switch (write) {
    case "create":
      return { calls: kind.refusesDuplicates ? 1 : READ_AND_WRITE, issuances, reissues: 0 };
    case "update":
      return { calls: kind.severalRequests?.calls ?? READ_AND_WRITE, issuances: 0, reissues: issuances };
    // One attempt reserves the calls for the create before it deletes, plus one to check for the deletion: a wait in
    // between would be an outage. With create-first, the deletion is an attempt of its own, which also reads the
    // successor.
    case "replace": {
      const more = kind.replacement === "create-first" ? KNOWN_SUCCESSOR_CALLS : 2;
      return { calls: READ_AND_WRITE + more, issuances, reissues: 0 };
    }
    case "delete":
      return { calls: READ_AND_WRITE + successorCalls(change), issuances: 0, reissues: 0 };
    default:
      return write satisfies never;
  }
}

/** The calls that check that the successor serves, before a moved or replaced object is deleted. */
function successorCalls({ movesTo, replaced }: Pick<Change, "movesTo" | "replaced">): number {
  return movesTo || replaced ? SUCCESSOR_CALLS : 0;
}
