import { defined } from "../core/json.ts";
import { parseAddress } from "../core/address.ts";
import { localAddress } from "../plan/targets.ts";
import { successorKey } from "../kinds/retired.ts";
import type { RunChange } from "../state/run-record.ts";

/**
 * What a run did, with each replacement as one change. With create-first, the old object is deleted at an address of
 * its own; its deletion and the creation are one replacement.
 */
export function netChanges(changes: readonly RunChange[]): readonly RunChange[] {
  const retired = new Map<string, RunChange>();
  for (const change of changes) {
    const successor = change.action === "delete" ? successorOf(change.address) : undefined;
    if (successor !== undefined) retired.set(successor, change);
  }
  if (retired.size === 0) return changes;
  const made = new Set(changes.filter(({ action }) => action === "create").map(({ address }) => address));
  return changes.flatMap((change): RunChange[] => {
    const old = retired.get(change.address);
    if (change.action === "create" && old) return [replaced(change, old)];
    const successor = successorOf(change.address);
    return successor !== undefined && made.has(successor) ? [] : [change];
  });
}

/**
 * Whether a run only deleted what an earlier run had replaced: the successor exists, and restoring the old one would
 * order an object that nothing needs.
 */
export function isSucceeded(change: RunChange, isKnown: (address: string) => boolean): boolean {
  const successor = change.action === "delete" ? successorOf(change.address) : undefined;
  return successor !== undefined && isKnown(successor);
}

/**
 * The same deletions at the addresses where the objects will be restored: a replaced object whose successor is gone
 * gets the successor's address. If several had the same successor, only the first is restored.
 */
export function underOwnAddress(changes: readonly RunChange[]): {
  readonly changes: readonly RunChange[];
  readonly inTheWay: readonly RunChange[];
} {
  const taken = new Set(changes.map(({ address }) => address));
  const inTheWay: RunChange[] = [];
  const renamed = changes.flatMap((change): RunChange[] => {
    const address = change.action === "delete" ? successorOf(change.address) : undefined;
    if (address === undefined) return [change];
    if (taken.has(address)) {
      inTheWay.push(change);
      return [];
    }
    taken.add(address);
    return [{ ...change, address }];
  });
  return { changes: renamed, inTheWay };
}

function replaced(made: RunChange, { before, prior }: RunChange): RunChange {
  return { ...made, action: "replace", ...defined({ before, prior }) };
}

function successorOf(address: string): string | undefined {
  const parts = parseAddress(address);
  const key = parts?.key === undefined ? undefined : successorKey(parts.key);
  return parts && key !== undefined ? localAddress(parts.kind, key) : undefined;
}
