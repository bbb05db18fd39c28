import { Refusal } from "../../lib/core/diagnostic.ts";
import { readProject } from "../../lib/engine/world.ts";
import { KINDS } from "../../lib/kinds/registry.ts";
import { StateError } from "../../lib/state/error.ts";
import { auditedState } from "./audit.ts";
import { endsOf, partOf, stagesOf } from "./court.ts";
import { secretsOf } from "./canary.ts";
import { CSV_FILE, csvText, isRow, rowsOf, SOURCE, sourceOf, truncated, type Truncation } from "./csv-file.ts";
import { diceOf } from "./dice.ts";
import { openEars } from "./ears.ts";
import { type RunEnd, runEngine, type Stage } from "./engine-run.ts";
import { judgeStates, judgeTrouble } from "./judge-apart.ts";
import { judgeDrift } from "./judge-drift.ts";
import { judgeExit, judgeIdleExit } from "./judge-exit.ts";
import { judgeOutcome } from "./judge-outcome.ts";
import { judgeRequests } from "./judge-requests.ts";
import { judgeWords } from "./judge-words.ts";
import { type Ledger, openLedger, type Violation } from "./ledger.ts";
import {
  APPLIES_TO_CONVERGE,
  differencesFrom,
  isSettled,
  leftIn,
  PAUSE_MILLISECONDS,
  refusedIn,
  troubleOf,
} from "./liveness.ts";
import { bucketShelf } from "./bucket-shelf.ts";
import { databaseShelf } from "./database-shelf.ts";
import { httpShelf } from "./http-shelf.ts";
import { type Machine, openMachine } from "./machine.ts";
import { openPlaces, type Places } from "./migrating.ts";
import { diskShelf } from "./shelf.ts";
import { movedIn, movedLines, movesInForce, type Wishes, withoutTwins } from "./moving.ts";
import { unlockAfterCut, whileLocked } from "./operator.ts";
import { actOutside } from "./outside.ts";
import { PROJECT_FILE, projectFiles } from "./project-files.ts";
import type { MigrationCommand, Moving, Rival, Run, Scenario, Session, StateCommand } from "./scenario.ts";
import { claimAsRival, judgeRefused, releaseAsRival } from "./rivals.ts";
import { openScheduler, Stuck } from "./scheduler.ts";
import { openService } from "./sim-service.ts";
import { trueHostnames } from "./kinds/custom-hostname.ts";
import { openStateCommands } from "./state-commands.ts";
import { openTrace, type Trace } from "./trace.ts";
import { openVault } from "./vault.ts";
import { edited, NO_WISH, zoneFile } from "./wish.ts";
import { NEXT, type Side, ZONES } from "./zones.ts";

/** The start time of every seed. */
const START = Date.UTC(2026, 10, 21, 6);

/** How long a person watches a run that prints nothing any more. */
const PATIENCE_MILLISECONDS = 20_000;

const WIDE_LIMIT = { percent: "100%", count: 1000 };
const WIDE_LIMITS = Object.fromEntries(
  KINDS.filter(({ lifetime }) => lifetime === "while-declared").map(({ name }) => [name, WIDE_LIMIT]),
);

let loaded: Promise<unknown> | undefined;

/** Loads ahead what the engine loads late: within a seed, loading would happen outside of its time. */
function loadAhead(): Promise<unknown> {
  const clock = { now: () => START, sleep: () => Promise.resolve() };
  projectFiles().write("zoneform.yaml", { version: 1, project: "sim", zones: ["zone.yaml"] });
  projectFiles().write("zone.yaml", zoneFile(NO_WISH));
  loaded ??= readProject({ fs: projectFiles().fs, env: {}, clock }, { file: PROJECT_FILE });
  return loaded;
}

/** The result of a seed. */
export interface Verdict {
  readonly violations: readonly Violation[];
  readonly hash: string;
  readonly steps: number;
  readonly runs: number;
  readonly kills: number;
  readonly cuts: number;
  readonly effects: number;
  /** Writes that overwrote what came between their read and themselves. */
  readonly excused: number;
  /** Hostnames that were deleted because another one replaced them. */
  readonly moved: number;
  /** Packs that somebody moved to another address in the state. */
  readonly renamed: number;
  /** How many texts were searched for secrets. */
  readonly texts: number;
  readonly lines: readonly string[];
}

/** The states are on the engine of the scenario until somebody moves them: to the disk, or from the disk to a database. */
function placesOf({ hasBucket, hasDatabase, hasHttp, seed }: Scenario, machine: Machine): Places {
  const disk = diskShelf(machine);
  if (hasBucket) return openPlaces(bucketShelf(machine, seed), disk);
  if (hasHttp) return openPlaces(httpShelf(machine, seed), disk);
  const database = databaseShelf(machine, seed);
  return hasDatabase ? openPlaces(database, disk) : openPlaces(disk, database);
}

/** What to record of a seed. */
export interface Listening {
  /** Everything that happens, line by line. */
  readonly keepsLines: boolean;
  /** Runs report every request, and what a person would see is printed, to be searched for secrets. */
  readonly isLoud: boolean;
}

/** Plays a scenario from its first session to the end of its faults, and judges all the way. Stops at the first violation. */
export async function play(scenario: Scenario, listening: Partial<Listening> = {}): Promise<Verdict> {
  await loadAhead();
  const scheduler = openScheduler(START);
  const trace: Trace = openTrace(listening.keepsLines === true, () => scheduler.now());
  const machine = openMachine(scheduler, trace, diceOf(scenario.seed + 1));
  const places = placesOf(scenario, machine);
  const { shelf } = places;
  const service = openService(scenario, () => scheduler.now());
  const ledger = openLedger();
  const { perMinute, reserve } = scenario.issuance;
  const ears = openEars(ledger, listening.isLoud === true);
  const somebody = { isDead: () => false };
  let wishes: Wishes = { main: NO_WISH, next: NO_WISH };
  let moves: readonly Moving[] = [];
  const vault = openVault(scenario);
  const stage = openStages();
  const stages = stagesOf(stage);
  let runs = 0;
  let kills = 0;
  /** What the project file declares by now. */
  let declaredSources: readonly string[] = [];
  /** What another project had claimed before the runs that are judged next began. */
  let refused: { readonly at: Stage; readonly rival: Rival } | undefined;
  const commands = stages.map(openStateCommands);

  function stageOf(at: typeof service, book: typeof ledger, side: Side): Stage {
    const judge = judgeRequests(at, { machine, shelf }, book, perMinute - reserve, () => wishes[side]);
    const secrets = (): Readonly<Record<string, string>> => secretsOf(wishes.main.secret);
    return {
      machine,
      service: at,
      ledger: book,
      judge,
      secrets,
      ears,
      vault,
      shelf,
      zonesInParallel: scenario.hasZonesAtOnce ? 2 : 1,
      moves: () => movesInForce(wishes, moves),
      completeSources: () => declaredSources,
    };
  }

  function openStages(): Stage {
    const main = stageOf(service, ledger, "main");
    if (!service.beside) return main;
    return { ...main, beside: { ...stageOf(service.beside, openLedger(ledger.violations), "next"), isBeside: true } };
  }

  const sumOf = (part: (book: Ledger) => number): number => stages.reduce((sum, each) => sum + part(each.ledger), 0);
  const isBroken = (): boolean => ledger.violations.length > 0;
  const pass = (milliseconds: number): Promise<boolean> =>
    scheduler.until(scheduler.after(somebody, milliseconds, () => true));

  /** The rows of the main zone's source; empty if it has none. */
  const csvRows = (): ReturnType<typeof rowsOf> =>
    scenario.hasCsv && wishes.main.lifecycle === "zoneform" ? rowsOf(wishes.main) : [];

  const writeProject = (cut?: Truncation): void => {
    const { main: wish, next } = wishes;
    const rows = csvRows();
    const inForce = movesInForce(wishes, moves);
    declaredSources = rows.length > 0 ? [SOURCE] : [];
    if (rows.length > 0) projectFiles().write(CSV_FILE, cut ? truncated(rows, cut) : csvText(rows));
    projectFiles().write("zoneform.yaml", {
      version: 1,
      project: "sim",
      zones: ["zone.yaml", ...(scenario.hasNeighbour ? ["next.yaml"] : [])],
      ...(rows.length > 0 ? { sources: sourceOf() } : {}),
      ...(scenario.hasWideLimits ? { deletion_limits: WIDE_LIMITS } : {}),
      budget: { api: scenario.apiShare ?? "100%", issuance: { per_minute: perMinute, reserve } },
    });
    projectFiles().write(
      "zone.yaml",
      zoneFile(wish, (hostname) => rows.length > 0 && isRow(hostname), ZONES.main, movedLines("main", inForce)),
    );
    if (scenario.hasNeighbour)
      projectFiles().write("next.yaml", zoneFile(next, undefined, NEXT, movedLines("next", inForce)));
  };

  function edit({ edits, editsBeside = [] }: Pick<Session, "edits" | "editsBeside">): void {
    wishes = withoutTwins({ main: edits.reduce(edited, wishes.main), next: editsBeside.reduce(edited, wishes.next) });
  }

  async function playSession(session: Session): Promise<void> {
    await pass(session.waitMilliseconds);
    if (session.drift) await playDrift(session.drift);
    if (isBroken()) return;
    edit(session);
    for (const move of session.moves ?? []) {
      if (!scenario.hasNeighbour && [move.from.side, move.to.side].includes("next")) continue;
      wishes = withoutTwins(movedIn(wishes, move));
      moves = [...moves, move];
    }
    for (const { id, name } of trueHostnames(service))
      if (wishes.main.hostnames.get(name)?.protect === false) ledger.shielded.delete(id);
    for (const command of session.commands ?? []) await playCommand(command);
    if (session.migration && !isBroken()) await playMigration(session.migration);
    if (isBroken()) return;
    if (session.truncation) await tryTruncated(session.truncation);
    writeProject();
    if (session.imported) await playAlone(session.imported);
    await withRival(session, async () => {
      if (!isBroken()) await playRuns(session);
      if (session.undo && !isBroken()) await playAlone({ ...session.undo, undoes: true });
    });
  }

  /** Another project claims something, before the runs of a session or during them, and gives it up afterwards. */
  async function withRival({ rival }: Session, act: () => Promise<void>): Promise<void> {
    const at = rival?.isBeside ? stage.beside : stage;
    if (!rival || !at) return act();
    let isOver = false;
    const claim = async (): Promise<void> => {
      const isClaimed = !isOver && (await claimAsRival(at, rival));
      trace.note("rival", `${rival.kind} ${isClaimed ? "claimed" : "not claimed"}`);
    };
    if (rival.delayMilliseconds === 0) await claim();
    else scheduler.timer(somebody, rival.delayMilliseconds, () => void claim());
    refused = rival.delayMilliseconds === 0 && at.ledger.claimedByOther !== undefined ? { at, rival } : undefined;
    await act();
    isOver = true;
    refused = undefined;
    await releaseAsRival(at);
  }

  /** Somebody edits the main zone in the dashboard, and a job looks for drift. */
  async function playDrift({ dice, acts }: NonNullable<Session["drift"]>): Promise<void> {
    for (const act of acts) {
      trace.note("outside", JSON.stringify(act));
      ledger.touched.set("name" in act ? act.name : act.act, scheduler.now());
      actOutside(service, ledger, act);
    }
    const job: Run = { dice, parallelism: 1, rates: {}, outside: [], looksForDrift: true };
    const end = await scheduler.until(runEngine(stage, job));
    for (const [at, each] of endsOf(end)) judgeDrift(at, each, at.isBeside ? wishes.next : wishes.main);
    await judgeEnds([end]);
  }

  async function playCommand(command: StateCommand): Promise<void> {
    const at = commands[command.isBeside ? 1 : 0];
    if (at) await scheduler.until(at.carryOut(command));
    await judgeStates(stage);
  }

  /** The YAML is that of the session before: who runs with the old place is refused whatever it says. */
  async function playMigration(command: MigrationCommand): Promise<void> {
    await scheduler.until(places.move(stage, command));
    // A place that is used again may still have a lock from before a cut of the power.
    await recover(0);
    await judgeStates(stage);
  }

  async function unlockAll(): Promise<void> {
    for (const each of stages) await unlockAsTold(each);
  }

  /** A run that was stopped may hold what only a person can free: the list of states on a server that names no holder. */
  async function unlockAsTold(at: Stage): Promise<void> {
    try {
      await unlockAfterCut(at);
    } catch (thrown) {
      if (!(thrown instanceof StateError) || thrown.diagnostic.code !== "claims-locked" || !shelf.freeByHand)
        throw thrown;
      shelf.freeByHand();
      await unlockAfterCut(at);
    }
  }

  async function recover(cutsBefore: number): Promise<void> {
    if (machine.cuts() === cutsBefore) return;
    shelf.freeByHand?.();
    await scheduler.until(unlockAll());
  }

  async function playRuns(session: Session): Promise<void> {
    const cutsBefore = machine.cuts();
    const { second } = session;
    const first = replaceable(session.run);
    const ends = second
      ? (await scheduler.until(Promise.all([first, delayed(second.delayMilliseconds, second)]))).flat()
      : await scheduler.until(first);
    await judgeEnds(ends);
    await recover(cutsBefore);
  }

  async function playAlone(run: Run): Promise<void> {
    const cutsBefore = machine.cuts();
    await judgeEnds([await scheduler.until(runEngine(stage, run))]);
    await recover(cutsBefore);
  }

  /**
   * A file that was cut in the middle of a line deletes nothing: if the last apply had all of its rows, it is not
   * planned from. A file that was cut between lines is planned, and only the deletion of its tail is blocked:
   * tests/property/source-tails.test.ts.
   */
  async function tryTruncated(cut: Truncation): Promise<void> {
    const rows = csvRows();
    const state = await auditedState(shelf, vault, service.id).catch(() => undefined);
    const before = state?.sources?.[SOURCE];
    if (rows.length === 0 || before?.rows !== rows.length || before.end.at(-1) !== rows.at(-1)?.[0]) return;
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

  /** A run, and the one that replaces it if it is stopped and somebody takes it for dead. */
  async function replaceable(run: Run): Promise<readonly RunEnd[]> {
    let replacement: Promise<RunEnd> | undefined;
    const end = await runEngine(stage, run, () => {
      if (!run.pause?.isReplaced) return;
      replacement = replaced(run);
      // It may end with an error before the one that it replaces has ended; that error belongs to this seed, and is
      // handled below.
      replacement.catch(() => undefined);
    });
    return replacement ? [end, await replacement] : [end];
  }

  async function replaced({ dice, parallelism }: Run): Promise<RunEnd> {
    await scheduler.after(somebody, PATIENCE_MILLISECONDS, () => true);
    await unlockAll();
    for (const each of stages) each.ledger.writer = undefined;
    return runEngine(stage, { dice: dice + 1, parallelism, rates: {}, outside: [] });
  }

  async function judgeEnds(ends: readonly RunEnd[]): Promise<void> {
    runs += ends.length;
    kills += ends.filter(({ how }) => how === "gone").length;
    const inZones = ends.flatMap((end) => endsOf(end));
    for (const each of stages) each.ledger.writer = undefined;
    for (const [at, end] of inZones) judgeOutcome(at, end);
    for (const [at, end] of inZones) judgeWords(at, end);
    for (const each of stages) each.ledger.lastWriters.clear();
    await judgeStates(stage);
    if (refused)
      for (const end of ends)
        if (!end.party.isUndo)
          judgeRefused(refused.at, end, refused.rival, refused.at.isBeside ? wishes.next : wishes.main);
    if (ends.length > 1) return;
    for (const [at, end] of inZones) judgeExit(at, end, at.isBeside ? wishes.next : wishes.main);
  }

  /** Without faults a few applies reach the wish, then a plan without changes and an apply without writes. */
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
    if (idle.courts.some(({ party }) => party.writes > 0)) ledger.blame("I3", "an apply of an empty plan writes");
    judgeIdleExit(stage, idle);
    const states = await judgeStates(stage);
    for (const [index, at] of stages.entries()) {
      const refused = refusedIn(idle.plan && partOf(at, idle.plan));
      const wish = at.isBeside ? wishes.next : wishes.main;
      for (const difference of differencesFrom(at, wish, states[index], refused)) ledger.blame("I3", difference);
    }
  }

  /** Trouble in one zone does not affect the other one. */
  async function playTrouble(): Promise<void> {
    const { trouble } = scenario;
    const troubled = trouble?.side === "next" ? stage.beside : stage;
    if (!trouble || !stage.beside || !troubled) return;
    edit(trouble);
    writeProject();
    const locked = (): Promise<RunEnd> => whileLocked(troubled, () => runEngine(stage, quiet(-1)));
    const end = await scheduler.until(
      trouble.trouble === "locked" ? locked() : runEngine(stage, { ...quiet(-1), outageIn: trouble.side }),
    );
    judgeTrouble(stage, trouble, end);
    await judgeEnds([end]);
  }

  function quiet(number: number): Run {
    return { dice: scenario.seed * 8 + number, parallelism: 4, rates: {}, outside: [] };
  }

  async function quietRun(number: number): Promise<RunEnd> {
    const run = quiet(number);
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
      await playTrouble();
      if (!isBroken()) await converge();
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
    effects: sumOf(({ effects }) => effects),
    excused: sumOf(({ excused }) => excused),
    moved: sumOf(({ moved }) => moved),
    renamed: sumOf(({ renamed }) => renamed.size),
    texts: ears.texts(),
    lines: trace.lines(),
  };
}
