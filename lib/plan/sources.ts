import { type Diagnostic, error, problem } from "../core/diagnostic.ts";
import type { SourceCount, SourceRows } from "../config/desired.ts";
import { END_ROWS } from "../config/source.ts";
import { equal } from "../core/json.ts";
import { customHostname } from "../kinds/registered.ts";
import { encodeSources } from "../state/codec.ts";
import type { SourceSeen, State } from "../state/state.ts";
import type { Bookkeeping, Change, Refused } from "./change.ts";
import { DELETION_LIMIT } from "./deletion-limits.ts";
import type { PlanInput } from "./inputs.ts";

type Sources = Readonly<Record<string, SourceSeen>>;

/**
 * Compares a source with the last apply, before any plan (docs/semantics.md#truncated-sources): one that shrank beyond
 * its limit is refused.
 */
export function checkShrink(previous: SourceSeen | undefined, current: SourceCount): Diagnostic | undefined {
  const before = rowsBefore(previous);
  if (!isShrunk(before, current.rows, current.maxShrink)) return undefined;
  const limit = `${Number((current.maxShrink * 100).toFixed(2))}%`;
  const { source, rows, zone, at } = current;
  return error(problem("source-shrank", { name: JSON.stringify(source), source, rows, zone, before, limit }, { at }));
}

/**
 * Whether so many rows are missing that the source counts as truncated. `limit` is a share between 0 and 1. One row may
 * always be missing, unless the limit is 0.
 */
export function isShrunk(previousCount: number, count: number, limit: number): boolean {
  const gone = previousCount - count;
  return gone > previousCount * limit && (gone > 1 || limit === 0);
}

/** How many rows the last apply saw, including those that wait for an approval. */
function rowsBefore(previous: SourceSeen | undefined): number {
  return previous ? previous.rows + (previous.missing?.rows.length ?? 0) : 0;
}

/**
 * The remembered source of this name. A renamed source is found under the name of the removed source that began with
 * the same row.
 */
export function rememberedSource(
  {
    sources,
    state,
  }: { readonly sources: Readonly<Record<string, SourceRows>>; readonly state?: Pick<State, "sources"> | undefined },
  name: string,
): SourceSeen | undefined {
  const known = state?.sources ?? {};
  const removed = Object.entries(known).filter(([other]) => sources[other] === undefined);
  return known[name] ?? removed.find(([, { first }]) => first === sources[name]?.first)?.[1];
}

/** The code of deletions that look like a truncated source; `--approve` with the plan's hash lifts it. */
export const SOURCE_TAIL_GONE = "source-tail-gone";

/** One removed row at the end is normal; two that are the only removed rows look like a truncated file. */
const FEWEST_ROWS = 2;

/** A source whose last rows seem to be cut off. */
export interface CutSource {
  readonly name: string;
  /** How many rows are known to be missing. */
  readonly count: number;
  /** What the state remembers until these rows are back, or their hostnames deleted. */
  readonly missing: NonNullable<SourceSeen["missing"]>;
  /** The hostnames that stay until the plan is approved by its hash. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Finds the sources whose last rows seem to be cut off (docs/semantics.md#truncated-sources): two or more removed rows
 * are exactly the last ones of the file at the last apply. They stay suspicious until they return or their hostnames
 * are deleted. This checks the whole file, not the part that a zone or a selection uses. It does not apply to
 * `destroy`, nor to a source that the user calls complete.
 */
export function cutSources(input: PlanInput): readonly CutSource[] {
  if (input.isDestroy) return [];
  const hostnames = once(() => hostnamesIn(input));
  return Object.entries(input.sources).flatMap(([name, current]) => {
    const before = input.completeSources?.has(name) ? undefined : rememberedSource(input, name);
    const isSame = before?.missing === undefined && before?.end.at(-1) === current.end.at(-1);
    const cut = before && !isSame ? cutSince(before, current, hostnames()) : undefined;
    return cut ? [{ name, ...cut }] : [];
  });
}

/** The hostnames that the YAML declares, and the tracked ones that it no longer declares. */
interface Hostnames {
  readonly declared: ReadonlySet<string>;
  readonly undeclared: ReadonlySet<string>;
}

function cutSince(
  before: SourceSeen,
  current: SourceRows,
  { declared, undeclared }: Hostnames,
): Omit<CutSource, "name"> | undefined {
  // A row that is missing from the file may be declared elsewhere now.
  const isGone = (hostname: string): boolean => !current.has(hostname) && !declared.has(hostname);
  const waiting = before.missing?.rows.filter(isGone) ?? [];
  const isWaitingForMore = before.missing?.isMore === true && waiting.length === before.missing.rows.length;
  const end = before.end.filter((row) => current.has(row) || isGone(row));
  const gone = end.slice(end.findLastIndex((row) => current.has(row)) + 1);
  // If all remembered rows are missing, we cannot tell how many before them are missing too.
  const isMore = gone.length === end.length && before.end.length === END_ROWS;
  const isElsewhere = [...undeclared].some((hostname) => !gone.includes(hostname) && !waiting.includes(hostname));
  const isTail = isMore || !isElsewhere || current.rows >= before.rows - gone.length;
  const tail = gone.length >= FEWEST_ROWS && isTail ? gone : [];
  const isAll = isWaitingForMore || (isMore && tail.length > 0);
  const rows = [...waiting, ...tail].filter((row) => undeclared.has(row));
  const kept = isAll ? undeclared : new Set(rows);
  if (kept.size === 0) return undefined;
  return { count: waiting.length + tail.length, missing: { rows, ...(isAll ? { isMore: true } : {}) }, kept };
}

/** Blocks the deletion of rows that seem to be cut off. */
export function refuseCutRows(cuts: readonly CutSource[], changes: readonly Change[]): readonly Change[] {
  if (cuts.length === 0) return changes;
  return changes.map((change) => {
    const isDeletion = change.kind === customHostname.name && change.action === "delete";
    const cut = isDeletion ? cuts.find(({ kept }) => kept.has(change.key)) : undefined;
    const isStronger = change.refused === undefined || change.refused.code === DELETION_LIMIT;
    return cut && isStronger ? { ...change, refused: looksTruncated(cut) } : change;
  });
}

function looksTruncated({ name, count, missing: { isMore } }: CutSource): Refused {
  const rows = `${count} ${isMore ? "or more " : ""}rows`;
  return problem(SOURCE_TAIL_GONE, { name: JSON.stringify(name), source: name, rows });
}

/**
 * What an apply of the plan records about its sources, before deletions: their content, and the rows that seem to be
 * cut off while their hostnames still exist. With a selection, rows whose deletion is left out still count. `destroy`
 * says nothing about sources. Empty if nothing is new.
 */
export function sourcesToRemember(input: PlanInput, cuts: readonly CutSource[]): Pick<Bookkeeping, "sources"> {
  if (input.isDestroy) return {};
  const known = input.state?.sources ?? {};
  const { target, exclude } = input.selection;
  const isPart = target.length + exclude.length > 0;
  const sources = Object.fromEntries(
    Object.entries(input.sources).map(([name, { rows, first, end }]) => {
      const cut = cuts.find((each) => each.name === name);
      const left = rowsBefore(rememberedSource(input, name)) - (cut?.missing.rows.length ?? 0);
      const counted = isPart ? Math.max(rows, left) : rows;
      return [name, { rows: counted, first, end, ...(cut ? { missing: cut.missing } : {}) }];
    }),
  );
  return equal(encodeSources(sources), encodeSources(known)) ? {} : { sources };
}

/**
 * What is remembered once these hostnames are deleted: a source waits for no approval once the last of its missing rows
 * is deleted.
 */
export function withoutDeleted(sources: Sources, deleted: readonly string[]): Sources {
  const gone = new Set(deleted);
  return Object.fromEntries(
    Object.entries(sources).map(([name, { missing, ...seen }]) => {
      const rows = missing?.rows.filter((row) => !gone.has(row)) ?? [];
      const isWaiting = rows.length > 0 || missing?.rows.length === 0;
      return [name, missing && isWaiting ? { ...seen, missing: { ...missing, rows } } : seen];
    }),
  );
}

function hostnamesIn({ state, desired }: PlanInput): Hostnames {
  const declared = new Set<string>();
  for (const { kind, key } of desired.objects) if (kind === customHostname.name) declared.add(key);
  const undeclared = new Set<string>();
  for (const { kind, key, undeclared: isOfApp } of state?.objects.values() ?? [])
    if (kind === customHostname.name && !isOfApp && !declared.has(key)) undeclared.add(key);
  return { declared, undeclared };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
