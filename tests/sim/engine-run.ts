import type { ApplyReport } from "../../lib/apply/outcome.ts";
import { error, Refusal } from "../../lib/core/diagnostic.ts";
import { Secret } from "../../lib/core/secret.ts";
import { applyPlan, makePlan, type World } from "../../lib/engine.ts";
import { findForImport, importIntoState } from "../../lib/import.ts";
import type { Plan } from "../../lib/plan/change.ts";
import { createClient } from "../../lib/service/api-client.ts";
import type { FreshClient } from "../../lib/service/client.ts";
import { openGovernor } from "../../lib/service/governor.ts";
import { makeUndo } from "../../lib/undo.ts";
import { tracingHttp } from "../../lib/service/tracing-http.ts";
import { localStore } from "../../lib/state/local/store.ts";
import { ambushOf } from "./ambush.ts";
import { auditedState } from "./audit.ts";
import { diceOf, randomOf } from "./dice.ts";
import type { Ears } from "./ears.ts";
import type { Ledger, Party } from "./ledger.ts";
import { openLooks } from "./looks.ts";
import { type Machine, type SimProcess, STATE_FOLDER } from "./machine.ts";
import { actOutside } from "./outside.ts";
import { PROJECT_FILE, projectFiles } from "./project-files.ts";
import { lieAfter, lieInstead } from "./lies.ts";
import type { OutsideAct, Run } from "./scenario.ts";
import { ENDPOINT, type SimService, TOKEN } from "./sim-service.ts";
import { clockOf } from "./sim-clock.ts";
import { filesOf } from "./sim-files.ts";
import { networkOf } from "./sim-network.ts";
import { trueHostname } from "./truth.ts";
import type { Vault } from "./vault.ts";
import type { RequestJudge } from "./judge-requests.ts";
import { ZONE_ID } from "./wish.ts";

/** By so much the clocks of the engine and of the service may differ. */
const CLOCK_TOLERANCE_MILLISECONDS = 5 * 60_000;

/** What an encrypted file shows nothing of: names of hostnames, and words of the formats. */
const NAMES = /customer\.net|"lineage"|"intent"/;

/** The world that the runs of one seed share. */
export interface Stage {
  readonly machine: Machine;
  readonly service: SimService;
  readonly ledger: Ledger;
  readonly judge: RequestJudge;
  /** The environment of this moment. */
  readonly secrets: () => Readonly<Record<string, string>>;
  readonly ears: Ears;
  readonly vault: Vault;
}

/** How a run ended, from outside. */
export interface RunEnd {
  readonly party: Party;
  readonly process: SimProcess;
  /** `gone`: the process was ended; `unplanned`: there was no plan. */
  readonly how: "gone" | "unplanned" | "applied";
  readonly plan?: Plan;
  readonly report?: ApplyReport;
  readonly thrown?: unknown;
  /** Acts of others before it began. */
  readonly actsBefore: number;
}

/** One run of the tool as a process of its own: plans, applies what it planned, and is gone. Somebody has to let time pass. */
export async function runEngine(stage: Stage, run: Run, onPause: () => void = () => undefined): Promise<RunEnd> {
  const { machine, service, ledger, judge, ears, vault } = stage;
  const dice = diceOf(run.dice);
  const actsBefore = ledger.outsideActs;
  const before = await auditedState(machine, vault).catch(() => undefined);
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
  const party = newParty(
    run.undoes === true,
    before,
    run.jump?.milliseconds ?? 0,
    openLooks(service, () => machine.scheduler.now()),
  );
  if (party.hasWrongClock) ledger.hasWrongClock = true;
  const somebodyElse = { isDead: () => party.stage === "over" };
  const act = (each: OutsideAct): void => {
    machine.trace.note("outside", JSON.stringify(each));
    ledger.touched.set("name" in each ? each.name : each.act, machine.scheduler.now());
    actOutside(service, ledger, each);
  };
  const outside = (request: number): void => {
    for (const each of run.outside) {
      if (each.request !== request) continue;
      if (each.afterMilliseconds === undefined) act(each.act);
      else machine.scheduler.timer(somebodyElse, each.afterMilliseconds, () => act(each.act));
    }
  };
  const ambush = ambushOf(service, run, (milliseconds, each) => {
    machine.scheduler.timer(somebodyElse, milliseconds, () => act(each));
  });
  service.renewToken();

  const world = worldOf();
  const work = planAndApply();
  const how = await Promise.race([work, process.gone]);
  party.stage = "over";
  process.die();
  const end = how === "gone" ? ({ how } as const) : how;
  machine.trace.note("ended", `${end.how} ${"report" in end ? JSON.stringify(end.report) : ""}`);
  return { party, process, actsBefore, ...end };

  async function planAndApply(): Promise<Omit<RunEnd, "party" | "process" | "actsBefore">> {
    if (run.imports !== undefined) return takeOver(run.imports);
    let plan: Plan;
    try {
      plan = (
        await (run.undoes
          ? makeUndo(world, { file: PROJECT_FILE, run: "last" })
          : makePlan(world, { file: PROJECT_FILE }))
      ).plan;
    } catch (thrown) {
      ears.thrown(thrown);
      return { how: "unplanned", thrown };
    }
    ears.plan(plan);
    outside(0);
    for (const each of ambush.planned(plan)) act(each);
    party.plan = plan;
    party.stage = "apply";
    party.looks.beginApply();
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

  /** What somebody takes over is ours from now on, however it was created. */
  async function takeOver(name: string): Promise<Omit<RunEnd, "party" | "process" | "actsBefore">> {
    const id = trueHostname(service, name)?.id;
    if (id !== undefined) {
      ledger.foreign.delete(id);
      ledger.unanswered.add(id);
    }
    const holder = { who: "somebody@machine", processId: process.identity.pid, operation: "import", since: "now" };
    try {
      const { object, ...found } = await findForImport(world, { file: PROJECT_FILE }, `${ZONE_ID}/${name}`);
      if (object) await importIntoState(world, { ...found, object }, holder, 0);
      return { how: "unplanned" };
    } catch (thrown) {
      ears.thrown(thrown);
      return { how: "unplanned", thrown };
    }
  }

  function worldOf(): World {
    const random = randomOf(dice);
    const disk = filesOf(machine, process, run.diskFault, dice, (path, text) => {
      ears.hear(path, text);
      if (vault.isSealing() && NAMES.test(text)) ledger.blame("I10", `a name stands in ${path}, which is encrypted`);
      if (/\.lock\/r[0-9]+$/.test(path)) ledger.writer = undefined;
    });
    const backend = {
      handle: judge.handle.bind(undefined, party),
      repeat: (request: Parameters<RequestJudge["handle"]>[1]) => void service.handle(request, undefined),
      lose: judge.lost.bind(undefined, party),
      lieInstead: lieInstead.bind(undefined, service),
      lieAfter: lieAfter.bind(undefined, service),
      expireToken: service.expireToken,
    };
    const http = networkOf(machine, process, backend, run, dice, {
      leaves: party.looks.left,
      answered: judge.answered.bind(undefined, party),
      arrives: (request) => {
        party.requests += 1;
        judge.arrives(party, request);
        outside(party.requests);
        if (party.stage === "apply") ambush.read(request);
      },
      sentTooSoon: () => {
        if (!party.hasJump) ledger.blame("I9", "sends a request while the service had asked for a pause");
      },
    });
    const store = vault.over(localStore(disk, STATE_FOLDER, { identity: process.identity, clock, random }), random);
    let client: FreshClient | undefined;
    return {
      fs: projectFiles().fs,
      store,
      clock,
      random,
      env,
      signal: stop.signal,
      connect: (budget) => {
        client ??= createClient({
          http: ears.isLoud ? tracingHttp(http, (line) => ears.hear("the trace", line)) : http,
          endpoint: { url: ENDPOINT, from: "--api-url" },
          credentials: { scheme: "token", token: new Secret(TOKEN) },
          governor: openGovernor({ budget, clock }),
          clock,
          random,
        });
        return client;
      },
    };
  }
}

function newParty(isUndo: boolean, before: Party["before"], jumpMilliseconds: number, looks: Party["looks"]): Party {
  return {
    stage: "plan",
    isUndo,
    plan: undefined,
    before,
    looks,
    overwroteRules: false,
    effects: [],
    rulesRead: new Set(),
    rulesRereadAt: Infinity,
    created: new Set(),
    ordered: [],
    shown: new Map(),
    hasJump: jumpMilliseconds !== 0,
    hasWrongClock: Math.abs(jumpMilliseconds) > CLOCK_TOLERANCE_MILLISECONDS,
    calls: new Map(),
    sawStale: false,
    requests: 0,
    writes: 0,
  };
}
