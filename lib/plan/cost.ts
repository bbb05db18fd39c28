import type { BudgetPlaces } from "../config/desired.ts";
import {
  type Budget,
  API_WINDOW_MILLISECONDS,
  callsOf,
  ISSUANCE_WINDOW_MILLISECONDS,
  issuancesOf,
  tooFewCalls,
  tooFewIssuances,
} from "../core/rate-limits.ts";
import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { kindNamed } from "../kinds/registry.ts";
import { attemptNeeds, successorCalls } from "./attempt.ts";
import type { Change, Cost, Plan } from "./change.ts";
import { writeOf } from "./write.ts";

/** What carrying out the whole plan takes: zones go one after another under the same limits, so their times do not just add up. */
export function totalCost({ zones, budget }: Plan): Cost {
  const [first, ...others] = zones;
  if (first && others.length === 0) return first.cost;
  const { seconds } = costOf(
    zones.flatMap(({ changes }) => changes),
    budget,
  );
  const sum = (of: "calls" | "issuances"): number => zones.reduce((total, { cost }) => total + cost[of], 0);
  return { calls: sum("calls"), issuances: sum("issuances"), seconds };
}

/** What carrying out the changes takes of the service's limits, and how long that is within the budget at least. */
export function costOf(changes: readonly Change[], budget: Budget): Cost {
  const needs = changes.flatMap((change) => costOfChange(change, budget) ?? []);
  return {
    calls: needs.reduce((sum, { calls }) => sum + calls, 0),
    issuances: needs.reduce((sum, { issuances }) => sum + issuances, 0),
    seconds: Math.floor(millisecondsFor(needs, budget) / 1000),
  };
}

/** Why the budget never has enough calls or certificates for one attempt at one of the changes; nothing where each fits. */
export function budgetProblems(changes: readonly Change[], budget: Budget, said: BudgetPlaces): readonly Diagnostic[] {
  const needs = changes.flatMap((change) => (isWritten(change) ? attemptNeeds(change) : []));
  const calls = needs.reduce((most, each) => Math.max(most, each.calls), 0);
  const issuances = needs.reduce(
    (most, each) => Math.max(most, each.issuances + (budget.countsPatches ? each.reissues : 0)),
    0,
  );
  const [allowedCalls, allowedIssuances] = [callsOf(budget), issuancesOf(budget)];
  return [
    ...(calls > allowedCalls ? [error({ ...tooFewCalls(calls, allowedCalls), ...at(said.api) })] : []),
    ...(issuances > allowedIssuances
      ? [error({ ...tooFewIssuances(issuances, allowedIssuances), ...at(said.issuance) })]
      : []),
  ];
}

function at(place: Position | undefined): { at?: Position } {
  return place ? { at: place } : {};
}

/** What one change takes of the limits; undefined where it writes nothing. */
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
 * Plays the changes against both limits, one after another as if each took no time of its own: each waits until all of
 * its certificates and then all of its calls are free. This is what the governor does, on a clock that costs nothing.
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

/** A limit of so many in any stretch of time, taken in order. */
function openLimit(limit: number, lengthMilliseconds: number) {
  const taken: number[] = [];
  return {
    /** When so many are free, `now` at the earliest. What is more than the whole limit waits as the limit does. */
    freeFrom: (now: number, count: number): number => {
      const leaves = count === 0 ? undefined : taken[Math.min(taken.length + count - limit, taken.length) - 1];
      return leaves === undefined ? now : Math.max(now, leaves + lengthMilliseconds);
    },
    take: (at: number, count: number): void => {
      for (let number = 0; number < count; number += 1) taken.push(at);
    },
  };
}
