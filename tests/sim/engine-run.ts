import type { ApplyReport } from "../../lib/apply/outcome.ts";
import { error, Refusal } from "../../lib/core/diagnostic.ts";
import { Secret } from "../../lib/core/secret.ts";
import { applyPlan } from "../../lib/engine/apply.ts";
import { findDrift, type FoundDrift } from "../../lib/engine/drift.ts";
import { makePlan } from "../../lib/engine/plan.ts";
import type { ProjectWorld } from "../../lib/engine/world.ts";
import { findForImport, importIntoState } from "../../lib/engine/import.ts";
import type { Plan } from "../../lib/plan/change.ts";
import { ApiClient } from "../../lib/service/api-client.ts";
import type { FreshClient } from "../../lib/service/client.ts";
import { Governor } from "../../lib/service/governor.ts";
import { makeUndo } from "../../lib/engine/undo.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import { tracingHttp } from "../../lib/service/trace.ts";
import { refusingMoved } from "../../lib/state/zone/marks.ts";
import { ambushOf } from "./ambush.ts";
import { auditedState } from "./audit.ts";
import { type Court, courtOf, partOf } from "./court.ts";
import { diceOf, randomOf } from "./dice.ts";
import type { Ears } from "./ears.ts";
import { openMoveJudge } from "./judge-moves.ts";
import type { Ledger, Party } from "./ledger.ts";
import { openLooks } from "./looks.ts";
import type { Machine, SimProcess } from "./machine.ts";
import { PROJECT, type Shelf } from "./shelf.ts";
import { actOutside, type OutsideAct } from "./outside.ts";
import { PROJECT_FILE, projectFiles } from "./project-files.ts";
import { lieAfter, lieInstead } from "./lies.ts";
import type { Moving, Run } from "./scenario.ts";
import { ENDPOINT, type SimService, TOKEN } from "./sim-service.ts";
import { clockOf } from "./sim-clock.ts";
import { judgeClaimed } from "./rivals.ts";
import type { Witness } from "./sim-files.ts";
import { networkOf } from "./sim-network.ts";
import { trueHostname } from "./kinds/custom-hostname.ts";
import type { Vault } from "./vault.ts";
import type { RequestJudge } from "./judge-requests.ts";
import { zoneOf, ZONES } from "./zones.ts";

/** What an encrypted file must not show: names of hostnames, and words of the formats. */
const NAMES = /customer\.net|"lineage"|"intent"/;

/** The world that all runs of one seed share, as seen from one zone. */
export interface Stage {
  readonly machine: Machine;
  readonly service: SimService;
  readonly ledger: Ledger;
  readonly judge: RequestJudge;
  /** The present environment. */
  readonly secrets: () => Readonly<Record<string, string>>;
  readonly ears: Ears;
  readonly vault: Vault;
  /** Where the states are. */
  readonly shelf: Shelf;
  /** How many zones a run applies at the same time. */
  readonly zonesInParallel: number;
  /** The hostnames that move, as the YAML now says. */
  readonly moves: () => readonly Moving[];
  /** The sources whose files the person calls complete. */
  readonly completeSources: () => readonly string[];
  /** The same world, seen from the second zone. */
  readonly beside?: Stage;
  readonly isBeside?: true;
}

/** How a run ended, from outside. */
export interface RunEnd {
  /** The zones that it saw, the main one first. */
  readonly courts: readonly Court[];
  readonly party: Party;
  readonly process: SimProcess;
  /** `gone`: the process was killed; `unplanned`: there was no plan. */
  readonly how: "gone" | "unplanned" | "applied";
  readonly plan?: Plan;
  readonly report?: ApplyReport;
  /** What a look for drift found. */
  readonly drift?: FoundDrift;
  readonly thrown?: unknown;
  /** Foreign acts before it began. */
  readonly actsBefore: number;
}

/** What a run itself knows about its end. */
type Ended = Omit<RunEnd, "courts" | "party" | "process" | "actsBefore">;

/** One run of the tool as a process of its own: it plans, applies the plan, and exits. The caller has to let time pass. */
export async function runEngine(stage: Stage, run: Run, onPause: () => void = () => undefined): Promise<RunEnd> {
  const { machine, service, ledger, ears, vault, shelf } = stage;
  const dice = diceOf(run.dice);
  const stop = new AbortController();
  const env = stage.secrets();
  const process = machine.start(run.ending, (point) => {
    if (point === run.abortAt) stop.abort(new Error("interrupted"));
    if (point === run.jump?.at) clock.jump(run.jump.milliseconds);
    if (point === run.pause?.at) {
      process.hold(run.pause.milliseconds);
      onPause();
    }
  });
  const clock = clockOf(machine.scheduler, process);
  const ordered: number[] = [];
  const main = await openCourt(stage, run.dice);
  const { party } = main;
  const beside = stage.beside && (await openCourt(stage.beside, run.dice + 1));
  const courts = beside ? [main, beside] : [main];
  const moveJudge = openMoveJudge(stage, run.undoes ? [] : stage.moves());
  const somebodyElse = { isDead: () => party.stage === "over" };
  let requests = 0;
  service.renewToken();

  const world = worldOf();
  const work = planAndApply();
  const how = await Promise.race([work, process.gone]);
  for (const court of courts) court.party.stage = "over";
  process.die();
  const end = how === "gone" ? ({ how } as const) : how;
  machine.trace.note("ended", `${end.how} ${"report" in end ? JSON.stringify(end.report) : ""}`);
  return { courts, party, process, actsBefore: main.actsBefore, ...end };

  async function planAndApply(): Promise<Ended> {
    if (run.imports !== undefined) return takeOver(run.imports);
    if (run.looksForDrift) return lookForDrift();
    let plan: Plan;
    try {
      plan = (
        await (run.undoes
          ? makeUndo(world, { file: PROJECT_FILE, run: "last" })
          : makePlan(world, { file: PROJECT_FILE, completeSources: stage.completeSources() }))
      ).plan;
    } catch (thrown) {
      ears.thrown(thrown);
      return { how: "unplanned", thrown };
    }
    ears.plan(plan);
    outside(0);
    for (const court of courts) {
      const part = partOf(court.stage, plan);
      for (const each of court.ambush.planned(part)) act(court.stage, each);
      court.party.plan = part;
      court.party.stage = "apply";
      court.party.looks.beginApply();
    }
    try {
      const report = await applyPlan(world, plan, {
        holder: {
          who: "somebody@machine",
          processId: process.identity.pid,
          operation: run.undoes ? "undo" : "apply",
          since: "now",
        },
        lockWaitMilliseconds: 0,
        parallelism: run.parallelism,
        zonesInParallel: stage.zonesInParallel,
        reveal: (reference) => {
          const text = "env" in reference ? env[reference.env] : undefined;
          if (text !== undefined) return new Secret(text);
          throw new Refusal([error({ code: "secret-missing", message: "there is no such secret" })]);
        },
        report: (event) => {
          ears.hear("an event", JSON.stringify(event));
          if (event.type === "start" && stop.signal.aborted)
            ledger.blame("interrupt", `${event.action} ${event.address} is begun after somebody interrupted the run`);
        },
      });
      ears.report(report);
      return { how: "applied", plan, report };
    } catch (thrown) {
      ears.thrown(thrown);
      return { how: "applied", plan, thrown };
    }
  }

  /** What somebody imports is ours from now on, however it was created. */
  async function takeOver(name: string): Promise<Ended> {
    const id = trueHostname(service, name)?.id;
    if (id !== undefined) {
      ledger.foreign.delete(id);
      ledger.unanswered.add(id);
    }
    const holder = { who: "somebody@machine", processId: process.identity.pid, operation: "import", since: "now" };
    try {
      const { object, ...found } = await findForImport(world, { file: PROJECT_FILE }, `${service.id}/${name}`);
      if (object) await importIntoState(world, { ...found, object }, holder, 0);
      return { how: "unplanned" };
    } catch (thrown) {
      ears.thrown(thrown);
      return { how: "unplanned", thrown };
    }
  }

  async function lookForDrift(): Promise<Ended> {
    try {
      return { how: "unplanned", drift: await findDrift(world, { file: PROJECT_FILE, records: true }) };
    } catch (thrown) {
      ears.thrown(thrown);
      return { how: "unplanned", thrown };
    }
  }

  async function openCourt(at: Stage, seed: number): Promise<Court> {
    const looks = openLooks(at.service, () => machine.scheduler.now());
    const before = await auditedState(shelf, vault, at.service.id).catch(() => undefined);
    const ambush = ambushOf(at.service, { ...run, dice: seed }, (milliseconds, each) => {
      machine.scheduler.timer(somebodyElse, milliseconds, () => act(at, each));
    });
    const { outsideActs } = at.ledger;
    const jump = run.jump?.milliseconds ?? 0;
    const newcomer = newParty({ isUndo: run.undoes === true, before, looks, ordered }, jump);
    return { stage: at, party: newcomer, ambush, actsBefore: outsideActs };
  }

  function act(at: Stage, each: OutsideAct): void {
    machine.trace.note("outside", JSON.stringify(each));
    at.ledger.touched.set("name" in each ? each.name : each.act, machine.scheduler.now());
    actOutside(at.service, at.ledger, each);
  }

  function outside(request: number): void {
    for (const each of run.outside) {
      const at = each.isBeside ? stage.beside : stage;
      if (each.request !== request || !at) continue;
      if (each.afterMilliseconds === undefined) act(at, each.act);
      else machine.scheduler.timer(somebodyElse, each.afterMilliseconds, () => act(at, each.act));
    }
  }

  function worldOf(): ProjectWorld {
    const random = randomOf(dice);
    const witness: Witness = (path, text, { isRefused = false } = {}) => {
      ears.hear(path, text);
      if (!isRefused && vault.isSealing() && NAMES.test(text))
        ledger.blame("I10", `a name stands in ${path}, which is encrypted`);
      released(/([0-9a-f]{32})[^/]*\.lock\/r[0-9]+$/.exec(path)?.[1]);
    };
    const released = (zone: string | undefined): void => {
      for (const court of courts) if (court.stage.service.id === zone) court.stage.ledger.writer = undefined;
    };
    const at = courtOf.bind(undefined, main, beside);
    const backend = {
      handle: (request: HttpRequest, fault: string | undefined) => {
        const court = at(request);
        judgeClaimed(court.stage, request);
        if (request.method === "DELETE") moveJudge.deletes(court.stage, request);
        const answer = court.stage.judge.handle(court.party, request, fault);
        // By now the service has taken the steps that it takes by itself, as the answer shows.
        if (court.party.stage === "apply") moveJudge.reads(court.stage, request);
        return answer;
      },
      repeat: (request: HttpRequest) => void service.handle(request, undefined),
      lose: (request: HttpRequest) => at(request).stage.judge.lost(at(request).party, request),
      lieInstead: lieInstead.bind(undefined, service),
      lieAfter: lieAfter.bind(undefined, service),
      expireToken: service.expireToken,
    };
    const http = networkOf(machine, process, backend, run, dice, {
      leaves: (request) => at(request).party.looks.left(request),
      answered: (request, answer) => at(request).stage.judge.answered(at(request).party, request, answer),
      arrives: (request) => {
        const court = at(request);
        requests += 1;
        court.stage.judge.arrives(court.party, request);
        outside(requests);
        if (party.stage === "apply") court.ambush.read(request);
      },
      isOut: ({ url }) =>
        party.stage === "apply" && run.outageIn !== undefined && zoneOf(url) === ZONES[run.outageIn].id,
      sentTooSoon: () => {
        if (!party.hasJump) ledger.blame("I9", "sends a request while the service had asked for a pause");
      },
    });
    const isCalm = Object.keys(run.rates).length === 0;
    const opened = shelf.open({
      process,
      clock,
      random,
      dice,
      isCalm,
      fault: run.diskFault,
      witness,
      released,
    });
    const sealed = vault.over(opened, random);
    const stores = refusingMoved(sealed, { clock, random });
    const credentials = { scheme: "token", token: new Secret(TOKEN) } as const;
    let client: FreshClient | undefined;
    return {
      fs: projectFiles().fs,
      openStores: async () => stores,
      stores,
      store: stores.of(PROJECT),
      project: PROJECT,
      clock,
      random,
      env,
      signal: stop.signal,
      connect: (budget) => {
        client ??= new ApiClient({
          http: ears.isLoud ? tracingHttp(http, (line) => ears.hear("the trace", line)) : http,
          endpoint: { url: ENDPOINT, from: "--api-url" },
          credentials,
          governor: new Governor({ budget, clock }),
          clock,
          random,
        });
        return client;
      },
    };
  }
}

function newParty(given: Pick<Party, "isUndo" | "before" | "looks" | "ordered">, jumpMilliseconds: number): Party {
  return {
    ...given,
    stage: "plan",
    plan: undefined,
    overwrote: new Set(),
    effects: [],
    rulesRead: new Set(),
    rulesRereadAt: Infinity,
    created: new Set(),
    shown: new Map(),
    hasJump: jumpMilliseconds !== 0,
    calls: new Map(),
    sawStale: false,
    writes: 0,
  };
}
