import { play, type Verdict } from "./play.ts";
import type { Run, Scenario, Session } from "./scenario.ts";

/** How many smaller scenarios to try; each try is one play. */
const MOST_TRIES = 600;

/** A smaller scenario that breaks the same promise: fewer sessions, edits and faults, and no unnecessary chance. */
export async function shrunk(scenario: Scenario, invariant: string): Promise<{ scenario: Scenario; verdict: Verdict }> {
  let [best, verdict] = [scenario, await play(scenario)];
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smaller(best)) {
      if (tries >= MOST_TRIES) return { scenario: best, verdict };
      tries += 1;
      const found = await play(candidate);
      if (found.violations[0]?.invariant !== invariant) continue;
      [best, verdict, isSmaller] = [candidate, found, true];
      break;
    }
  }
  return { scenario: best, verdict };
}

/** Scenarios with one thing less, the largest cuts first. */
function* smaller(scenario: Scenario): Iterable<Scenario> {
  const { sessions, pageSize: _pageSize, ...rest } = scenario;
  const { sealing: _sealing, ...plain } = scenario;
  const { apiShare: _apiShare, ...quick } = scenario;
  for (const index of sessions.keys()) yield { ...scenario, sessions: without(sessions, index) };
  for (const [index, session] of sessions.entries()) {
    for (const less of smallerSessions(session)) yield { ...scenario, sessions: sessions.with(index, less) };
  }
  if (scenario.sealing) yield plain;
  if (scenario.apiShare !== undefined) yield quick;
  const { hasCsv, ...listed } = scenario;
  if (hasCsv) yield listed;
  const { hasZonesAtOnce, ...inTurn } = scenario;
  if (hasZonesAtOnce) yield inTurn;
  const { hasNeighbour, trouble: _trouble, ...lonely } = scenario;
  if (hasNeighbour) yield lonely;
  const { trouble, ...calm } = scenario;
  if (trouble) yield calm;
  if (scenario.pageSize !== undefined) yield { ...rest, sessions };
}

function* smallerSessions(session: Session): Iterable<Session> {
  const { second, ...alone } = session;
  if (second) yield alone;
  const { rival: _rival, ...unrivalled } = session;
  if (session.rival) yield unrivalled;
  const { drift, ...unwatched } = session;
  if (drift) {
    yield unwatched;
    for (const index of drift.acts.keys()) yield { ...session, drift: { ...drift, acts: without(drift.acts, index) } };
  }
  const { undo, ...done } = session;
  if (undo) {
    yield done;
    for (const run of smallerRuns(undo)) yield { ...session, undo: run };
  }
  const { migration, ...unmoved } = session;
  if (migration) yield unmoved;
  const { imported, ...unknown } = session;
  if (imported) yield unknown;
  for (const index of session.commands?.keys() ?? [])
    yield { ...session, commands: without(session.commands ?? [], index) };
  for (const index of session.moves?.keys() ?? []) yield { ...session, moves: without(session.moves ?? [], index) };
  for (const index of session.editsBeside?.keys() ?? [])
    yield { ...session, editsBeside: without(session.editsBeside ?? [], index) };
  const { truncation, ...whole } = session;
  if (truncation) yield whole;
  for (const run of smallerRuns(session.run)) yield { ...session, run };
  if (second) {
    const { delayMilliseconds } = second;
    for (const run of smallerRuns(second)) yield { ...session, second: { ...run, delayMilliseconds } };
  }
  for (const index of session.edits.keys()) yield { ...session, edits: without(session.edits, index) };
  if (session.waitMilliseconds > 1000) yield { ...session, waitMilliseconds: 1000 };
}

/** What may happen to a run besides faults of the network. */
const MISHAPS = ["ending", "diskFault", "abortAt", "outageAt", "jump", "pause", "ambush"] as const;

function* smallerRuns(run: Run): Iterable<Run> {
  for (const mishap of MISHAPS) {
    const { [mishap]: found, ...rest } = run;
    if (found !== undefined) yield rest;
  }
  if (Object.keys(run.rates).length > 0) yield { ...run, rates: {} };
  for (const kind of Object.keys(run.rates)) {
    const rates = Object.fromEntries(Object.entries(run.rates).filter(([name]) => name !== kind));
    if (Object.keys(rates).length > 0) yield { ...run, rates };
  }
  for (const index of run.outside.keys()) yield { ...run, outside: without(run.outside, index) };
  if (run.parallelism > 1) yield { ...run, parallelism: 1 };
}

function without<T>(list: readonly T[], index: number): readonly T[] {
  return [...list.slice(0, index), ...list.slice(index + 1)];
}
