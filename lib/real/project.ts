import { resolve } from "node:path";
import { inspect } from "node:util";
import type { ApplyEvent, ApplyReport } from "../apply/outcome.ts";
import { type Pace, USUAL_PACE } from "../apply/run.ts";
import { takeApproved } from "../approval/approve.ts";
import { revealer } from "../config/secrets.ts";
import { defined } from "../core/json.ts";
import { Refusal, refusal } from "../core/diagnostic.ts";
import { applyPlan } from "../engine/apply.ts";
import { findDrift, type FoundDrift } from "../engine/drift.ts";
import { makePlan, type Planned } from "../engine/plan.ts";
import { readSelection } from "../engine/selection.ts";
import { makeUndo } from "../engine/undo.ts";
import { enterProject } from "../engine/world.ts";
import type { SavedPlan } from "../plan/file.ts";
import type { PlanScope } from "../plan/scope.ts";
import { memory, type MemoryUser } from "../state/engines/memory.ts";
import { type StateStores, zoneStores } from "../state/stores.ts";
import { checkApply, checkApproved, checkDriftRequest, checkPlanRequest, checkWorld } from "./check-arguments.ts";
import { realClock, realRandom } from "./clock.ts";
import { lockHolder, type RealWorld, realWorld, type WorldOptions } from "./world.ts";
import type { PlanOptions } from "../engine/plan-input.ts";

/** The world of one project. */
export interface OpenWorld extends RealWorld {
  /** The path of the project file. */
  readonly file: string;
}

/** Options of `openWorld`; each has a default. */
export interface OpenWorldOptions extends Partial<WorldOptions> {
  /** The path of the project file; `zoneform.yaml` in the working directory when absent. */
  readonly file?: string;
  /** The environment to read credentials and secrets from; the process's own when absent. */
  readonly env?: WorldOptions["env"];
}

/**
 * Opens the world of a project: this machine's disk and clock, the state beside the project file, and the service.
 * Close it when you are done. Throws `Refusal` for bad credentials, a bad endpoint or a bad passphrase.
 */
export function openWorld(options: OpenWorldOptions = {}): OpenWorld {
  const { report, note, trace, learn } = options;
  const file = resolve(options.file ?? "zoneform.yaml");
  const world = realWorld({
    ...options,
    ...(report ? { report: guardCallback("report", report) } : {}),
    ...(note ? { note: guardCallback("note", note) } : {}),
    ...(trace ? { trace: guardCallback("trace", trace) } : {}),
    ...(learn ? { learn: guardCallback("learn", learn) } : {}),
    file,
    env: hideFromPrinting({ ...(options.env ?? process.env) }),
  });
  return { ...world, file };
}

/**
 * States that last as long as this value, for tests: give it to `openWorld` as `stores`, to as many worlds as you like.
 * The clock and the randomness are this machine's when absent.
 */
export function memoryStores({ clock = realClock, random = realRandom }: Partial<MemoryUser> = {}): StateStores {
  const user = { clock, random };
  return zoneStores(memory().open(user), user);
}

/** Hides the environment when a whole world is logged: it holds credentials. */
function hideFromPrinting(env: WorldOptions["env"]): WorldOptions["env"] {
  const hidden = { value: () => "(environment)", enumerable: false };
  return Object.defineProperties(env, { toJSON: hidden, [inspect.custom]: hidden });
}

/** What to plan; everything by default. */
export interface PlanRequest extends Partial<Omit<PlanScope, "undo">> {
  /** Queries DNS too, and adds the results to the findings. */
  readonly dnsCheck?: PlanOptions["dnsCheck"];
}

/** A plan, with everything that `encodePlan` and `apply` need. */
export interface MadePlan extends Omit<Planned, "states">, SavedPlan {}

/**
 * Plans a project as `zoneform plan` does: reads the YAML, the state and the service, and writes nothing. The same
 * inputs give the same plan, byte for byte. Throws one `Refusal` with every mistake it finds, and what the client
 * throws.
 */
export async function plan(world: OpenWorld, request: PlanRequest = {}): Promise<MadePlan> {
  checkWorld(world);
  checkPlanRequest(request);
  const { dnsCheck, ...asked } = request;
  const defaults = { zones: [], target: [], exclude: [], deny: [], sources: {}, isDestroy: false };
  const scope = { ...defaults, ...defined(asked) };
  const { states: _, ...made } = await planAs(world, scope, dnsCheck);
  return { ...made, endpoint: world.endpoint, scope };
}

/** Options of `apply`; each has a default. */
export interface ApplyRequest extends Partial<Pace> {
  /** Hazards and actions to refuse, in addition to those that the plan was made with. */
  readonly deny?: readonly string[];
  /** Who approved the plan, for the run's record; the user of this process when absent. */
  readonly approvedBy?: string;
  /** Receives the run's progress. If it throws, the run goes on, and the error becomes a process warning. */
  readonly report?: (event: ApplyEvent) => void;
}

/**
 * Applies a plan as `zoneform apply FILE` does, without a prompt: calling it approves the plan. Takes the whole value
 * that `plan` or `decodePlan` returned. It plans again and applies what was approved: newer changes are refused, and
 * changes that are no longer needed are skipped (docs/semantics.md#approval). It reads each object again just before it
 * writes it, and leaves it alone if it changed. A failed change is reported, not thrown: nothing is thrown once a
 * change has begun. Throws what `plan` throws, and `Refusal` for a plan of another project, zone, state or endpoint,
 * for a wrong argument, and for a secret that cannot be read.
 */
export async function apply(world: OpenWorld, approved: SavedPlan, request: ApplyRequest = {}): Promise<ApplyReport> {
  checkWorld(world);
  checkApproved(approved);
  checkApply(request);
  if (approved.endpoint !== world.endpoint) throw anotherEndpoint(approved, world);
  const { approvedBy, deny = [], report, ...pace } = request;
  const scope = { ...approved.scope, deny: [...approved.scope.deny, ...deny] };
  const { plan: fresh, project, states } = await planAs(world, scope);
  const entered = await enterProject(world, project);
  const cut = await takeApproved(entered.store, fresh, { saved: approved.plan, selection: readSelection(scope) });
  const holder = lockHolder(world.env, "apply");
  return applyPlan(entered, cut.plan, {
    holder,
    approval: cut.approval,
    approved: { by: approvedBy ?? holder.who, how: "library" },
    ...USUAL_PACE,
    ...defined(pace),
    states,
    reveal: revealer(world, world.file),
    report: guardCallback("report", report ?? (() => undefined)),
  });
}

/** Makes the plan that a scope asks for: from the configuration, or to undo a run. */
async function planAs(world: OpenWorld, scope: PlanScope, dnsCheck?: PlanOptions["dnsCheck"]): Promise<Planned> {
  const { zones, sources, completeSources, isDestroy, undo } = scope;
  const options = {
    file: world.file,
    zones,
    sources,
    ...defined({ completeSources }),
    selection: readSelection(scope),
  };
  if (undo !== undefined) return makeUndo(world, { ...options, run: undo, deny: options.selection.deny });
  return makePlan(world, { ...options, isDestroy, ...(dnsCheck ? { dnsCheck } : {}) });
}

function anotherEndpoint({ endpoint }: SavedPlan, world: OpenWorld): Refusal {
  const message = `the plan was made against ${endpoint}, and this world calls ${world.endpoint}`;
  const remedy = "open the world with the apiUrl that the plan was made with, or plan again";
  return refusal({ code: "plan-of-another-endpoint", message, remedy });
}

/** Where to look for drift; everywhere by default. */
export interface DriftRequest extends Partial<Pick<PlanScope, "zones" | "target" | "exclude" | "sources">> {
  /** Whether to record beside the state what was seen, and that the zones were checked; false when absent. */
  readonly records?: boolean;
}

/**
 * Reports what was changed outside Zoneform since the last apply, as `zoneform drift` does, and changes nothing live. A
 * zone that cannot be read is in `failed` and does not hide the others. Throws `Refusal` for mistakes in the YAML.
 */
export async function drift(world: OpenWorld, request: DriftRequest = {}): Promise<FoundDrift> {
  checkWorld(world);
  checkDriftRequest(request);
  const { zones = [], sources = {}, records = false } = request;
  return findDrift(world, { file: world.file, zones, sources, records, selection: readSelection(request) });
}

/**
 * Wraps a caller's callback so that it cannot break a run: what it throws or rejects with becomes a process warning
 * (`ZoneformWarning`), because the run's report must not be lost with it.
 */
export function guardCallback<Given extends readonly unknown[]>(
  name: string,
  callback: (...given: Given) => unknown,
): (...given: Given) => void {
  const warn = (thrown: unknown): void => {
    const message = thrown instanceof Error ? thrown.message : inspect(thrown);
    process.emitWarning(`the callback ${name} failed, and the run goes on: ${message}`, "ZoneformWarning");
  };
  return (...given) => {
    try {
      Promise.resolve(callback(...given)).catch(warn);
    } catch (thrown) {
      warn(thrown);
    }
  };
}
