import { Refusal } from "../../lib/core/diagnostic.ts";
import { readProject } from "../../lib/engine.ts";
import { auditedState } from "./audit.ts";
import { secretsOf } from "./canary.ts";
import { CSV_FILE, csvText, isRow, rowsOf, sourceOf, truncated, type Truncation } from "./csv-file.ts";
import { diceOf } from "./dice.ts";
import { openEars } from "./ears.ts";
import { type RunEnd, runEngine, type Stage } from "./engine-run.ts";
import { judgeExit, judgeIdleExit } from "./judge-exit.ts";
import { judgeOutcome } from "./judge-outcome.ts";
import { judgeRequests } from "./judge-requests.ts";
import { judgeState } from "./judge-state.ts";
import { judgeWords } from "./judge-words.ts";
import { openLedger, type Violation } from "./ledger.ts";
import {
  APPLIES_TO_CONVERGE,
  differencesFrom,
  isSettled,
  leftIn,
  PAUSE_MILLISECONDS,
  refusedIn,
  troubleOf,
} from "./liveness.ts";
import { openMachine } from "./machine.ts";
import { unlockAfterCut } from "./operator.ts";
import { PROJECT_FILE, projectFiles } from "./project-files.ts";
import type { Run, Scenario, Session } from "./scenario.ts";
import { openScheduler, Stuck } from "./scheduler.ts";
import { openService } from "./sim-service.ts";
import { trueHostnames } from "./truth.ts";
import { openStateCommands } from "./state-commands.ts";
import { openTrace, type Trace } from "./trace.ts";
import { openVault } from "./vault.ts";
import { edited, NO_WISH, SOURCE, type Wish, zoneFile } from "./wish.ts";

/** When every seed begins. */
const START = Date.UTC(2026, 10, 21, 6);

/** So long a person watches a run that says nothing any more. */
const PATIENCE_MILLISECONDS = 20_000;

const WIDE_LIMIT = { percent: "100%", count: 1000 };
const WIDE_LIMITS = { custom_hostname: WIDE_LIMIT, certificate_pack: WIDE_LIMIT };

let loaded: Promise<unknown> | undefined;

/** What the engine loads late, it loads here: inside a seed that would be something that happens outside of its time. */
function loadAhead(): Promise<unknown> {
  const clock = { now: () => START, sleep: () => Promise.resolve() };
  projectFiles().write("zoneform.yaml", { version: 1, project: "sim", zones: ["zone.yaml"] });
  projectFiles().write("zone.yaml", zoneFile(NO_WISH));
  loaded ??= readProject({ fs: projectFiles().fs, env: {}, clock }, { file: PROJECT_FILE });
  return loaded;
}

/** What became of a seed. */
export interface Verdict {
  readonly violations: readonly Violation[];
  readonly hash: string;
  readonly steps: number;
  readonly runs: number;
  readonly kills: number;
  readonly cuts: number;
  readonly effects: number;
  /** Writes that took with them what came between their read and themselves. */
  readonly excused: number;
  /** How many texts were searched for secrets. */
  readonly texts: number;
  readonly lines: readonly string[];
}

/** What somebody wants to hear of a seed. */
export interface Listening {
  /** All that happens, line by line. */
  readonly keepsLines: boolean;
  /** Runs say every request, and what a person would see is printed, to be searched for secrets. */
  readonly isLoud: boolean;
}

/** Plays a scenario from its first session to the end of its faults, and judges all the way. Stops at the first violation. */
export async function play(scenario: Scenario, listening: Partial<Listening> = {}): Promise<Verdict> {
  await loadAhead();
  const scheduler = openScheduler(START);
  const trace: Trace = openTrace(listening.keepsLines === true, () => scheduler.now());
  const machine = openMachine(scheduler, trace, diceOf(scenario.seed + 1));
  const service = openService(scenario, () => scheduler.now());
  const ledger = openLedger();
  const { perMinute, reserve } = scenario.issuance;
  const judge = judgeRequests(service, machine, ledger, perMinute - reserve, () => wish);
  const ears = openEars(ledger, listening.isLoud === true);
  const somebody = { isDead: () => false };
  let wish: Wish = NO_WISH;
  const vault = openVault(scenario);
  const stage: Stage = { machine, service, ledger, judge, secrets: () => secretsOf(wish.secret), ears, vault };
  let runs = 0;
  let kills = 0;
  let edition = 0;
  const commands = openStateCommands(stage);

  const isBroken = (): boolean => ledger.violations.length > 0;
  const pass = (milliseconds: number): Promise<boolean> =>
    scheduler.until(scheduler.after(somebody, milliseconds, () => true));

  const writeProject = (cut?: Truncation): void => {
    const rows = scenario.hasCsv && wish.lifecycle === "zoneform" ? rowsOf(wish) : [];
    edition += 1;
    if (rows.length > 0) projectFiles().write(CSV_FILE, cut ? truncated(rows, cut) : csvText(rows));
    projectFiles().write("zoneform.yaml", {
      version: 1,
      project: "sim",
      zones: ["zone.yaml"],
      ...(rows.length > 0 ? { sources: sourceOf(rows, cut ? undefined : edition) } : {}),
      ...(scenario.hasWideLimits ? { deletion_limits: WIDE_LIMITS } : {}),
      budget: { api: scenario.apiShare ?? "100%", issuance: { per_minute: perMinute, reserve } },
    });
    projectFiles().write(
      "zone.yaml",
      zoneFile(wish, (hostname) => rows.length > 0 && isRow(hostname)),
    );
  };

  async function playSession(session: Session): Promise<void> {
    await pass(session.waitMilliseconds);
    for (const edit of session.edits) wish = edited(wish, edit);
    for (const { id, name } of trueHostnames(service))
      if (wish.hostnames.get(name)?.protect === false) ledger.shielded.delete(id);
    for (const command of session.commands ?? []) {
      await scheduler.until(commands.carryOut(command));
      await judgeState(stage);
    }
    if (isBroken()) return;
    if (session.truncation) await tryTruncated(session.truncation);
    writeProject();
    if (session.imported) await playAlone(session.imported);
    if (!isBroken()) await playRuns(session);
    if (session.undo && !isBroken()) await playAlone({ ...session.undo, undoes: true });
  }

  async function playRuns(session: Session): Promise<void> {
    const cutsBefore = machine.cuts();
    const { second } = session;
    const first = replaceable(session.run);
    const ends = second
      ? (await scheduler.until(Promise.all([first, delayed(second.delayMilliseconds, second)]))).flat()
      : await scheduler.until(first);
    await judgeEnds(ends);
    if (machine.cuts() > cutsBefore) await scheduler.until(unlockAfterCut(stage));
  }

  async function playAlone(run: Run): Promise<void> {
    const cutsBefore = machine.cuts();
    await judgeEnds([await scheduler.until(runEngine(stage, run))]);
    if (machine.cuts() > cutsBefore) await scheduler.until(unlockAfterCut(stage));
  }

  /**
   * A file that was cut short in a line deletes nothing: where the last apply had all of its rows, no plan is made of it.
   * One that was cut between lines is planned, and only its tail refused: tests/property/source-tails.test.ts.
   */
  async function tryTruncated(cut: Truncation): Promise<void> {
    const rows = scenario.hasCsv && wish.lifecycle === "zoneform" ? rowsOf(wish) : [];
    const state = await auditedState(machine, vault).catch(() => undefined);
    const before = state?.sources?.[SOURCE];
    if (rows.length === 0 || before?.rows !== rows.length || before.last !== rows.at(-1)?.[0]) return;
    if (truncated(rows, cut).endsWith("\n")) return;
    writeProject(cut);
    const end = await scheduler.until(runEngine(stage, { dice: cut.dice, parallelism: 1, rates: {}, outside: [] }));
    if (end.how !== "unplanned" || !(end.thrown instanceof Refusal))
      ledger.blame("I5", "a CSV file that was cut short is taken for whole");
    await judgeEnds([end]);
  }

  async function delayed(delayMilliseconds: number, run: Run): Promise<readonly RunEnd[]> {
    await scheduler.after(somebody, delayMilliseconds, () => true);
    return replaceable(run);
  }

  /** A run, and the one that takes its place where it is stopped and somebody takes it for dead. */
  async function replaceable(run: Run): Promise<readonly RunEnd[]> {
    let replacement: Promise<RunEnd> | undefined;
    const end = await runEngine(stage, run, () => {
      if (run.pause?.isReplaced) replacement = replaced(run);
    });
    return replacement ? [end, await replacement] : [end];
  }

  async function replaced({ dice, parallelism }: Run): Promise<RunEnd> {
    await scheduler.after(somebody, PATIENCE_MILLISECONDS, () => true);
    await unlockAfterCut(stage);
    ledger.writer = undefined;
    return runEngine(stage, { dice: dice + 1, parallelism, rates: {}, outside: [] });
  }

  async function judgeEnds(ends: readonly RunEnd[]): Promise<void> {
    runs += ends.length;
    kills += ends.filter(({ how }) => how === "gone").length;
    ledger.writer = undefined;
    for (const end of ends) judgeOutcome(stage, end);
    for (const end of ends) judgeWords(stage, end);
    await judgeState(stage);
    if (ends.length === 1) for (const end of ends) judgeExit(stage, end, wish);
  }

  /** Without faults a few applies lead to what is wished, and then to a plan that says nothing and an apply that writes nothing. */
  async function converge(): Promise<void> {
    for (let apply = 0; apply <= APPLIES_TO_CONVERGE; apply += 1) {
      const end = await quietRun(apply);
      if (isBroken()) return;
      if (end.how === "applied" && isSettled(end.plan)) return judgeRest(end);
      if (apply === APPLIES_TO_CONVERGE)
        ledger.blame("I3", `after ${apply} quiet applies: ${leftIn(end.plan).join(", ")} (${troubleOf(end)})`);
      await pass(PAUSE_MILLISECONDS);
    }
  }

  async function judgeRest(idle: RunEnd): Promise<void> {
    if (idle.party.writes > 0) ledger.blame("I3", "an apply of an empty plan writes");
    judgeIdleExit(stage, idle);
    const state = await judgeState(stage);
    for (const difference of differencesFrom(stage, wish, state, refusedIn(idle.plan))) ledger.blame("I3", difference);
  }

  async function quietRun(number: number): Promise<RunEnd> {
    const run: Run = { dice: scenario.seed * 8 + number, parallelism: 4, rates: {}, outside: [] };
    const end = await scheduler.until(runEngine(stage, run));
    await judgeEnds([end]);
    return end;
  }

  try {
    for (const [index, session] of scenario.sessions.entries()) {
      vault.enter(index);
      await playSession(session);
      if (isBroken()) break;
    }
    if (!isBroken()) {
      writeProject();
      await converge();
    }
  } catch (thrown) {
    const isStuck = thrown instanceof Stuck;
    ledger.blame(
      isStuck ? "I13" : "broken",
      thrown instanceof Error ? (isStuck ? thrown.message : (thrown.stack ?? "")) : String(thrown),
    );
  }
  for (const { invariant, what } of ledger.violations) trace.note("violation", `${invariant} ${what}`);
  return {
    violations: ledger.violations,
    hash: trace.hash(),
    steps: scheduler.steps(),
    runs,
    kills,
    cuts: machine.cuts(),
    effects: ledger.effects,
    excused: ledger.excused,
    texts: ears.texts(),
    lines: trace.lines(),
  };
}
