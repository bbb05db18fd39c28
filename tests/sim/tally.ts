import type { Violation } from "./ledger.ts";
import type { Verdict } from "./play.ts";

/** A seed that broke a promise. */
export interface BadSeed {
  readonly seed: number;
  readonly violations: readonly Violation[];
}

/** The results of many seeds. */
export interface Tally {
  seeds: number;
  runs: number;
  kills: number;
  cuts: number;
  effects: number;
  excused: number;
  moved: number;
  renamed: number;
  texts: number;
  steps: number;
  readonly bad: BadSeed[];
}

export function emptyTally(): Tally {
  return {
    seeds: 0,
    runs: 0,
    kills: 0,
    cuts: 0,
    effects: 0,
    excused: 0,
    moved: 0,
    renamed: 0,
    texts: 0,
    steps: 0,
    bad: [],
  };
}

/** Adds the result of one seed. */
export function addVerdict(tally: Tally, seed: number, verdict: Verdict): void {
  const { runs, kills, cuts, effects, excused, moved, renamed, texts, steps, violations } = verdict;
  addTally(tally, {
    seeds: 1,
    runs,
    kills,
    cuts,
    effects,
    excused,
    moved,
    renamed,
    texts,
    steps,
    bad: violations.length > 0 ? [{ seed, violations }] : [],
  });
}

/** Adds what another thread counted. */
export function addTally(tally: Tally, other: Tally): void {
  tally.seeds += other.seeds;
  tally.runs += other.runs;
  tally.kills += other.kills;
  tally.cuts += other.cuts;
  tally.effects += other.effects;
  tally.excused += other.excused;
  tally.moved += other.moved;
  tally.renamed += other.renamed;
  tally.texts += other.texts;
  tally.steps += other.steps;
  tally.bad.push(...other.bad);
}
