import { hashRow, splitRowHashes } from "../core/digest.ts";
import type { SourceSeen } from "../state/state.ts";
import type { Change, Refused } from "./change.ts";
import { DELETION_LIMIT } from "./deletion-limits.ts";
import type { PlanInput } from "./inputs.ts";
import { type GoneTails, previousSource } from "./source-memory.ts";

/** The code of deletions that look like a truncated source; `--approve` with the plan's hash lifts it. */
export const SOURCE_TAIL_GONE = "source-tail-gone";

/** One removed row at the end is normal; two that are the only removed rows look like a truncated file. */
const FEWEST_ROWS = 2;

/**
 * This many removed rows at the end look like a truncated file even if others were removed too: that is no coincidence.
 */
const FEWEST_ROWS_AMONG_OTHERS = 10;

/**
 * Finds the rows that look cut off (docs/semantics.md#truncated-sources): two or more removed rows that are exactly the
 * last ones of the file at the last apply. They stay suspicious until they return or their hostnames are gone. This
 * looks at the whole file, not at the part that a zone or a selection uses. It does not apply to `destroy`, nor to a
 * source that is known to be complete.
 */
export function goneTails(input: PlanInput): GoneTails {
  const tails = new Map<string, ReadonlySet<string>>();
  if (input.isDestroy) return tails;
  const declared = once(() => new Set(hashesOf(input.desired.objects)));
  for (const [name, current] of Object.entries(input.sources)) {
    const before = previousSource(input, name);
    if (!before || input.wholeSources?.has(name)) continue;
    const isSame = before.order === current.order && before.file === current.file && before.open === undefined;
    const tail = isSame ? [] : lookCutOff(before, current, (row) => declared().has(row));
    if (tail.length > 0) tails.set(name, new Set(tail));
  }
  return tails;
}

/** Blocks the deletion of rows that look cut off. */
export function refuseGoneTails(tails: GoneTails, changes: readonly Change[]): readonly Change[] {
  if (tails.size === 0) return changes;
  const refusals = new Map<Change, Refused>();
  for (const deletion of deletionsIn(changes)) {
    const row = hashRow(deletion.key);
    for (const [name, tail] of tails) if (tail.has(row)) refusals.set(deletion, tailGone(name, tail.size));
  }
  return changes.map((change) => {
    const refused = refusals.get(change);
    const isStronger = change.refused === undefined || change.refused.code === DELETION_LIMIT;
    return refused && isStronger ? { ...change, refused } : change;
  });
}

function lookCutOff(before: SourceSeen, current: SourceSeen, isDeclared: (row: string) => boolean): readonly string[] {
  const there = new Set(splitRowHashes(current.file ?? current.order));
  // A row that is gone from the file may be declared elsewhere now.
  const isGone = (row: string): boolean => !there.has(row) && !isDeclared(row);
  const open = splitRowHashes(before.open ?? "").filter(isGone);
  const rows = splitRowHashes(before.file ?? before.order).filter((row) => there.has(row) || isGone(row));
  const removed = rows.filter((row) => !there.has(row)).length;
  const tail = rows.slice(rows.findLastIndex((row) => there.has(row)) + 1);
  const isCut = tail.length === removed ? removed >= FEWEST_ROWS : tail.length >= FEWEST_ROWS_AMONG_OTHERS;
  return isCut ? [...open, ...tail] : open;
}

function deletionsIn(changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ kind, action }) => kind === "custom_hostname" && action === "delete");
}

/** The row hashes of the hostnames among these objects. */
function hashesOf(objects: readonly { readonly kind: string; readonly key: string }[]): readonly string[] {
  return objects.flatMap(({ kind, key }) => (kind === "custom_hostname" ? [hashRow(key)] : []));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function tailGone(source: string, count: number): Refused {
  const name = JSON.stringify(source);
  return {
    code: SOURCE_TAIL_GONE,
    message: `the source ${name} has lost its last ${count} rows: this looks like a truncated file`,
    remedy:
      "check that the file is complete; if it is, prove it with complete.manifest, or apply this plan with --approve and its hash",
  };
}
