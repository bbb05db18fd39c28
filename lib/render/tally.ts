import type { Action, Change, ZonePlan } from "../plan/change.ts";
import { onlyLetsGo } from "../plan/let-go.ts";
import { counted as countedNoun, thousands } from "./words.ts";

/** How many changes a plan carries out, by action, and how many it does not. */
export interface Tally {
  readonly planned: Readonly<Record<PlannedAction, number>>;
  /** Objects that stay, and of which leaves are let go. */
  readonly letGo: number;
  /** Objects of which something waits. */
  readonly held: number;
  readonly refused: number;
  /** Of those that a guard refused, what it keeps from going. */
  readonly refusedDeletions: number;
  readonly refusedReplacements: number;
  /** Hostnames on their way to another entry: they wait for it, or go because it serves. */
  readonly moving: number;
  readonly unchanged: number;
  /** Live hostnames that are neither declared nor known. */
  readonly foreign: number;
  /** Hostnames that the service deleted by itself. */
  readonly expired: number;
  /** Hostnames that the application deleted. */
  readonly gone: number;
}

type PlannedAction = Exclude<Action, "held" | "no-op">;

/** The order of the words in a verdict. */
const PLANNED: readonly PlannedAction[] = ["create", "update", "replace", "delete", "adopt", "forget"];

/** Counts the changes of some zones. What a guard refused is counted as refused only: it is not carried out. */
export function tally(zones: readonly ZonePlan[]): Tally {
  const planned = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, forget: 0 };
  const refusals = { refused: 0, refusedDeletions: 0, refusedReplacements: 0 };
  const others = { letGo: 0, held: 0, ...refusals, moving: 0, unchanged: 0, foreign: 0, expired: 0, gone: 0 };
  for (const zone of zones) {
    for (const change of zone.changes) count(change, planned, others);
    others.unchanged += zone.counts.byAction["no-op"];
    others.foreign += zone.counts.foreign;
    others.expired += zone.counts.expired;
    others.gone += zone.counts.gone;
  }
  return { planned, ...others };
}

function count(
  change: Change,
  planned: Record<PlannedAction, number>,
  others: {
    letGo: number;
    held: number;
    refused: number;
    refusedDeletions: number;
    refusedReplacements: number;
    moving: number;
  },
): void {
  if (change.movesTo !== undefined) others.moving += 1;
  if (change.refused !== undefined && change.action === "delete") others.refusedDeletions += 1;
  if (change.refused !== undefined && change.action === "replace") others.refusedReplacements += 1;
  if (change.refused !== undefined) others.refused += 1;
  else if (onlyLetsGo(change)) others.letGo += 1;
  else if (change.action !== "held" && change.action !== "no-op") planned[change.action] += 1;
  if (change.refused === undefined && (change.action === "held" || change.held !== undefined)) others.held += 1;
}

/** The verdict's second half: `12 to create, 1 held, 1 refused; 40 unchanged, 3 foreign`. */
export function formatTally(counts: Tally): string {
  const planned = PLANNED.map((action) => counted(counts.planned[action], `to ${action}`));
  const moves = present([
    ...planned,
    counted(counts.letGo, "to let leaves go"),
    counted(counts.held, "held"),
    refusedPart(counts),
    counted(counts.moving, "moving"),
  ]);
  const rests = present([
    `${thousands(counts.unchanged)} unchanged`,
    counted(counts.foreign, "foreign"),
    counted(counts.expired, "expired"),
    counted(counts.gone, "gone"),
  ]);
  return [moves.join(", "), rests.join(", ")].filter((part) => part !== "").join("; ");
}

/** What goes is named even where it does not go in this run: `300 refused (300 deletions)`. */
function refusedPart({ refused, refusedDeletions, refusedReplacements }: Tally): string | undefined {
  const gone = present([
    refusedDeletions === 0 ? undefined : countedNoun(refusedDeletions, "deletion"),
    refusedReplacements === 0 ? undefined : countedNoun(refusedReplacements, "replacement"),
  ]);
  const part = counted(refused, "refused");
  return part === undefined || gone.length === 0 ? part : `${part} (${gone.join(", ")})`;
}

/** Whether the plan would write anything at all. */
export function isIdle(counts: Tally): boolean {
  return counts.letGo === 0 && PLANNED.every((action) => counts.planned[action] === 0);
}

function counted(count: number, word: string): string | undefined {
  return count === 0 ? undefined : `${thousands(count)} ${word}`;
}

function present(parts: readonly (string | undefined)[]): string[] {
  return parts.filter((part) => part !== undefined);
}
