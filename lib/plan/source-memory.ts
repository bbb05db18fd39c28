import { equal } from "../core/json.ts";
import { hashRow, splitRowHashes } from "../core/digest.ts";
import { encodeSources } from "../state/sources.ts";
import type { SourceSeen, State } from "../state/state.ts";
import type { Bookkeeping, Change } from "./change.ts";
import type { PlanInput } from "./inputs.ts";

/**
 * The rows of each source that look cut off, by source name: in this plan, and in earlier ones that were not approved.
 */
export type GoneTails = ReadonlyMap<string, ReadonlySet<string>>;

type Sources = Readonly<Record<string, SourceSeen>>;

/** A source without a record continues the record of a removed source, if it has this share of its rows. */
const SHARE_IN_COMMON = 0.5;

/**
 * The record of a source: under its name, or, if it was renamed, that of the removed source with which it shares most
 * rows.
 */
export function previousSource(
  { sources, state }: { readonly sources: Sources; readonly state?: Pick<State, "sources"> | undefined },
  name: string,
): SourceSeen | undefined {
  const known = state?.sources ?? {};
  const rows = known[name] ? undefined : splitRowHashes(sources[name]?.order ?? "");
  if (rows === undefined || rows.length === 0) return known[name];
  const inCommon = ({ order }: SourceSeen): number => {
    const before = new Set(splitRowHashes(order));
    return rows.filter((row) => before.has(row)).length;
  };
  const named = Object.entries(known).filter(([other]) => sources[other] === undefined);
  const [best] = named
    .map(([, seen]) => ({ seen, common: inCommon(seen) }))
    .sort((left, right) => right.common - left.common);
  return best && best.common >= rows.length * SHARE_IN_COMMON ? best.seen : undefined;
}

/**
 * What an apply of the plan records about its sources, before deletions: their content, and the rows that look cut off
 * while their hostnames still exist. Rows whose deletion is not selected still count as rows. `destroy` says nothing
 * about sources. Empty if nothing is new.
 */
export function sourcesToRemember(
  input: PlanInput,
  tails: GoneTails,
  changes: readonly Change[],
): Pick<Bookkeeping, "sources"> {
  if (input.isDestroy) return {};
  const known = input.state?.sources ?? {};
  const sources = Object.fromEntries(
    Object.entries(input.sources).map(([name, current]) => {
      const open = stillThere(input, [...(tails.get(name) ?? [])]);
      const rows = current.rows + notSelected(input, name, current, open, changes);
      return [name, { ...current, rows, ...(open.length > 0 ? { open: open.join("") } : {}) }];
    }),
  );
  return equal(encodeSources(sources), encodeSources(known)) ? {} : { sources };
}

/** The rows whose hostnames are tracked. */
function stillThere({ state }: PlanInput, rows: readonly string[]): readonly string[] {
  if (rows.length === 0) return rows;
  const tracked = new Set<string>();
  for (const { kind, key } of state?.objects.values() ?? []) if (kind === "custom_hostname") tracked.add(hashRow(key));
  return rows.filter((row) => tracked.has(row));
}

/** How many removed rows still have their hostnames because the plan leaves those out. */
function notSelected(
  input: PlanInput,
  name: string,
  current: SourceSeen,
  open: readonly string[],
  changes: readonly Change[],
): number {
  const { target, exclude } = input.selection;
  if (target.length + exclude.length === 0) return 0;
  const judged = new Set([...splitRowHashes(current.file ?? current.order), ...open]);
  for (const { kind, key } of changes) if (kind === "custom_hostname") judged.add(hashRow(key));
  const before = splitRowHashes(previousSource(input, name)?.order ?? "");
  return stillThere(
    input,
    before.filter((row) => !judged.has(row)),
  ).length;
}

/** The record of sources after these hostnames are deleted: their rows no longer wait for anything. */
export function withoutDeleted(sources: Sources, deleted: readonly string[]): Sources {
  const gone = new Set(deleted.map(hashRow));
  return Object.fromEntries(
    Object.entries(sources).map(([name, { open = "", ...seen }]) => {
      const left = splitRowHashes(open).filter((row) => !gone.has(row));
      return [name, left.length > 0 ? { ...seen, open: left.join("") } : seen];
    }),
  );
}

/** How many rows the last apply saw, including those that wait for an approval. */
export function rowsBefore({ rows, open = "" }: SourceSeen): number {
  return rows + splitRowHashes(open).length;
}
