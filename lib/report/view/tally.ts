import type { Action, Change, ZonePlan } from "../../plan/change.ts";
import { onlyLetsGo } from "../../plan/let-go.ts";
import { WRITE_ACTIONS, type WriteAction } from "../../state/record.ts";
import { counted as countedNoun, thousands } from "../lines/words.ts";

/** How many changes a plan carries out, by action, and how many it does not. */
export interface Tally {
  readonly planned: Readonly<Record<WriteAction, number>>;
  /** Objects that stay, and of which leaves are let go. */
  readonly letGo: number;
  /** Objects of which something waits. */
  readonly held: number;
  readonly refused: Stopped;
  /** Somebody changed these since, or something else was approved for them. */
  readonly contested: Stopped;
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

/** How many changes are not carried out, and how many of them would take an object away. */
export interface Stopped {
  readonly all: number;
  readonly deletions: number;
  readonly replacements: number;
}

/** Counts the changes of some zones. What a guard refused, or what is contested, is counted as that only: it is not carried out. */
export function tally(zones: readonly ZonePlan[]): Tally {
  const planned = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, forget: 0 };
  const others = { letGo: 0, held: 0, moving: 0, unchanged: 0, foreign: 0, expired: 0, gone: 0 };
  const changes = zones.flatMap((zone) => zone.changes);
  for (const change of changes) count(change, planned, others);
  for (const zone of zones) {
    others.unchanged += zone.counts.byAction["no-op"];
    others.foreign += zone.counts.foreign;
    others.expired += zone.counts.expired;
    others.gone += zone.counts.gone;
  }
  const isContested = ({ refused }: Change): boolean => refused?.contested !== undefined;
  return {
    planned,
    ...others,
    refused: stopped(changes.filter((change) => change.refused && !isContested(change))),
    contested: stopped(changes.filter(isContested)),
  };
}

function stopped(changes: readonly Change[]): Stopped {
  const counted = (wanted: Action): number => changes.filter(({ action }) => action === wanted).length;
  return { all: changes.length, deletions: counted("delete"), replacements: counted("replace") };
}

function count(
  change: Change,
  planned: Record<WriteAction, number>,
  others: { letGo: number; held: number; moving: number },
): void {
  if (change.movesTo !== undefined) others.moving += 1;
  if (change.refused !== undefined) return;
  if (onlyLetsGo(change)) others.letGo += 1;
  else if (change.action !== "held" && change.action !== "no-op") planned[change.action] += 1;
  if (change.action === "held" || change.held !== undefined) others.held += 1;
}

/** The verdict's second half: `12 to create, 1 held, 1 refused; 40 unchanged, 3 foreign`. */
export function formatTally(counts: Tally): string {
  const planned = WRITE_ACTIONS.map((action) => counted(counts.planned[action], `to ${action}`));
  const moves = present([
    ...planned,
    counted(counts.letGo, "to let leaves go"),
    counted(counts.held, "held"),
    stoppedPart(counted(counts.refused.all, "refused"), counts.refused),
    stoppedPart(
      counts.contested.all === 0 ? undefined : countedNoun(counts.contested.all, "conflict"),
      counts.contested,
    ),
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
function stoppedPart(part: string | undefined, { deletions, replacements }: Stopped): string | undefined {
  const gone = present([
    deletions === 0 ? undefined : countedNoun(deletions, "deletion"),
    replacements === 0 ? undefined : countedNoun(replacements, "replacement"),
  ]);
  return part === undefined || gone.length === 0 ? part : `${part} (${gone.join(", ")})`;
}

/** Whether the plan would write anything at all. */
export function isIdle(counts: Tally): boolean {
  return counts.letGo === 0 && WRITE_ACTIONS.every((action) => counts.planned[action] === 0);
}

function counted(count: number, word: string): string | undefined {
  return count === 0 ? undefined : `${thousands(count)} ${word}`;
}

function present(parts: readonly (string | undefined)[]): string[] {
  return parts.filter((part) => part !== undefined);
}
