import { equal } from "../core/json.ts";
import { hashRow, splitRowHashes } from "../core/row-hash.ts";
import { encodeSources } from "../state/sources.ts";
import type { SourceSeen, State } from "../state/state.ts";
import type { Bookkeeping, Change } from "./change.ts";
import type { PlanInput } from "./inputs.ts";

/** The rows of each source that look cut off, by its name: of this plan, and of earlier ones that nobody approved. */
export type GoneTails = ReadonlyMap<string, ReadonlySet<string>>;

type Sources = Readonly<Record<string, SourceSeen>>;

/** A source that has no memory of its own goes on with that of one which is gone, if it has so much of its rows. */
const SHARE_IN_COMMON = 0.5;

/**
 * What is remembered of a source of this configuration: under its name, or, where it was renamed, under that of the source
 * that is named no more and has most of its rows.
 */
export function previousSource(
  { sources, state }: { readonly sources: Sources; readonly state?: Pick<State, "sources"> | undefined },
  name: string,
): SourceSeen | undefined {
  const known = state?.sources ?? {};
  const rows = known[name] ? undefined : splitRowHashes(sources[name]?.order ?? "");
  if (rows === undefined || rows.length === 0) return known[name];
  const inCommon = ({ order = "" }: SourceSeen): number => {
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
 * What an apply of the plan remembers of its sources, if it deletes nothing: what they give, and the rows that look cut off
 * and whose hostnames are still there. Rows whose deletion is not selected still count as rows. A destruction says nothing
 * about the sources. Empty where nothing of it is new.
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

/** Those of the rows whose hostnames are tracked. */
function stillThere({ state }: PlanInput, rows: readonly string[]): readonly string[] {
  if (rows.length === 0) return rows;
  const tracked = new Set<string>();
  for (const { kind, key } of state?.objects.values() ?? []) if (kind === "custom_hostname") tracked.add(hashRow(key));
  return rows.filter((row) => tracked.has(row));
}

/** How many rows are gone whose hostnames are still there because the plan leaves them out. */
function notSelected(
  input: PlanInput,
  name: string,
  current: SourceSeen,
  open: readonly string[],
  changes: readonly Change[],
): number {
  const { target, exclude } = input.selection;
  if (target.length + exclude.length === 0) return 0;
  const judged = new Set([...splitRowHashes(current.file ?? current.order ?? ""), ...open]);
  for (const { kind, key } of changes) if (kind === "custom_hostname") judged.add(hashRow(key));
  const before = splitRowHashes(previousSource(input, name)?.order ?? "");
  return stillThere(
    input,
    before.filter((row) => !judged.has(row)),
  ).length;
}

/** What is remembered of sources once these hostnames are deleted: their rows wait for nothing any more. */
export function withoutDeleted(sources: Sources, deleted: readonly string[]): Sources {
  const gone = new Set(deleted.map(hashRow));
  return Object.fromEntries(
    Object.entries(sources).map(([name, { open = "", ...seen }]) => {
      const left = splitRowHashes(open).filter((row) => !gone.has(row));
      return [name, left.length > 0 ? { ...seen, open: left.join("") } : seen];
    }),
  );
}

/** So many rows count as there at the last apply: those that wait for an approval as well. */
export function rowsBefore({ rows, open = "" }: SourceSeen): number {
  return rows + splitRowHashes(open).length;
}
