import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import type { Clock, Random } from "../../lib/core/clock.ts";
import { type Diagnostic, error, Refusal } from "../../lib/core/diagnostic.ts";
import { defined } from "../../lib/core/json.ts";
import { Secret, type SecretReference } from "../../lib/core/secret.ts";
import type { ApplyOptions } from "../../lib/apply/run.ts";
import type { ApplyReport, Ended } from "../../lib/apply/outcome.ts";
import {
  type BehaviourName,
  createAdmin,
  createService,
  type EmulatorAdmin,
  type Seed,
  type SeedZone,
  type Service,
} from "../../lib/emulator.ts";
import { throwFailures } from "../../lib/engine/each-zone.ts";
import { applyPlan } from "../../lib/engine/apply.ts";
import { makePlan } from "../../lib/engine/plan.ts";
import type { ProjectWorld } from "../../lib/engine/world.ts";
import { findDrift } from "../../lib/engine/drift.ts";
import type { Change, Plan } from "../../lib/plan/change.ts";
import type { Drifted } from "../../lib/plan/drift.ts";
import { loadState } from "../../lib/state/load.ts";
import type { State } from "../../lib/state/state.ts";
import { Locked, type LockHolder } from "../../lib/state/lock.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { manualClock } from "./clock.ts";
import { type Network, openProcess, PROJECT, type Storage } from "./engine-process.ts";
import { type FileContent, memoryFolder } from "./memory-files.ts";
import { memoryStore } from "./memory-store.ts";
import type { PlanOptions } from "../../lib/engine/plan-input.ts";

export type { FileContent } from "./memory-files.ts";

/** The zone of a rig that lists no `zones`. */
export const ZONE: { readonly id: ZoneId; readonly name: string } = {
  id: zoneId("023e105f4ecef8ad9ca31a8372d0c353"),
  name: "saas.net",
};

/** The fallback origin of `ZONE`. */
export const FALLBACK = "fallback.saas.net";

/** The start time of every rig. */
export const START: number = Date.UTC(2026, 10, 21, 6);

/** How to build a rig. */
export interface RigOptions {
  /** The seed of every random number; 1 by default. */
  readonly seed?: number;
  readonly behaviour?: BehaviourName;
  /** The start time (ms since the epoch); `START` by default. */
  readonly start?: number;
  /** What the zone `ZONE` of the service has besides id and name. With `zones` the service has those instead. */
  readonly zone?: Partial<SeedZone>;
  readonly zones?: readonly SeedZone[];
  /** Whether the account has the limits that the service documents. Otherwise they are too high to matter. */
  readonly hasUsualLimits?: boolean;
  /** The files by their path below the project's folder. Without a project file, one is added that reads `zones/*.yaml`. */
  readonly files: Readonly<Record<string, FileContent>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The store of the states; one in memory by default. */
  readonly store?: (clock: Clock) => ProjectStore;
  /** Another rig, whose service and clock this one shares. Files and states are not shared. */
  readonly besides?: Rig;
  /** Whether something is running outside this process. Then no sleeper of the clock wakes. */
  readonly isBusy?: () => boolean;
}

/**
 * Runs until the process dies, after a request with this method took effect and before its answer arrived. Then starts a new
 * process.
 */
export async function runCutOffAfter(rig: Rig, method: string): Promise<void> {
  rig.network(async (request, _index, pass) => {
    const answer = await pass();
    if (request.method === method) rig.crash();
    return answer;
  });
  if ((await rig.untilCrash(rig.run())) !== "crashed") throw new Error(`nothing was sent by ${method}`);
  await rig.restart();
}

/**
 * Begins a run whose requests with this method take effect, but get no answer until `letGo` is called. Returns once the first of
 * them has taken effect.
 */
export async function heldUp(
  rig: Rig,
  method: string,
  run: () => Promise<ApplyReport>,
): Promise<{ readonly letGo: () => void; readonly applied: Promise<ApplyReport> }> {
  let letGo: () => void = () => undefined;
  const isOver = new Promise<void>((resolve) => (letGo = resolve));
  let wrote: () => void = () => undefined;
  const written = new Promise<void>((resolve) => (wrote = resolve));
  rig.network(async (request, _index, pass) => {
    const answer = await pass();
    if (request.method !== method) return answer;
    wrote();
    await isOver;
    return answer;
  });
  const applied = run();
  await written;
  return { letGo, applied };
}

/** The real engine and client over the emulator, all in one process with one stopped clock. */
export interface Rig {
  readonly service: Service;
  readonly admin: EmulatorAdmin;
  readonly clock: Clock;
  /** The environment; tests may change it between runs. */
  readonly env: Record<string, string | undefined>;
  /** What the engine of the present process works with. */
  world(): ProjectWorld;
  /** The path of the project file. */
  readonly file: string;
  write(name: string, content: FileContent): void;
  read(name: string): string;
  plan(options?: Partial<PlanOptions>): Promise<Plan>;
  apply(
    plan: Plan,
    options?: {
      parallelism?: number;
      zonesInParallel?: number;
      operation?: "undo";
      note?: (found: Diagnostic) => void;
    },
  ): Promise<ApplyReport>;
  /** Plans and applies. */
  run(options?: Partial<PlanOptions>): Promise<ApplyReport>;
  /** The objects for which `zoneform drift` would exit with 3. Throws if a zone cannot be checked. */
  drift(): Promise<readonly Drifted[]>;
  state(zone?: ZoneId): Promise<State | undefined>;
  /** Puts something between client and service, or between engine and store. */
  network(network: Network): void;
  storage(storage: Storage): void;
  /** Advances the clock, in milliseconds. */
  wait(milliseconds: number): Promise<void>;
  /** Kills the process. From now on nothing that it does reaches the service or the store. */
  crash(): void;
  /** Runs until the run ends or the process dies. */
  untilCrash<T>(run: Promise<T>): Promise<T | "crashed">;
  /** Starts a new process, with a clean network and storage. It may take the lock of a crashed one. */
  restart(): Promise<void>;
}

const BUDGET = { api: "100%", issuance: { per_minute: 100_000, reserve: 0 } };
/** No deletion limits, because tests delete most of what they create, and the limits have their own tests. */
export const NO_LIMITS = {
  custom_hostname: { percent: "100%", count: 10_000_000 },
  certificate_pack: { percent: "100%", count: 10_000_000 },
};
/** The holder of a rig's locks. */
export const HOLDER: Omit<LockHolder, "id"> = {
  who: "tests@here",
  processId: 1,
  operation: "apply",
  since: new Date(START).toISOString(),
};

/** How to apply a plan that has no secrets. */
export const WITHOUT_SECRETS: ApplyOptions = {
  holder: HOLDER,
  lockWaitMilliseconds: 0,
  parallelism: 1,
  reveal: () => {
    throw new Error("there are no secrets here");
  },
  report: () => undefined,
};

/** Builds a rig. */
export function openRig(options: RigOptions): Rig {
  const { path, fs, put: write, text: read } = memoryFolder();
  const clock = options.besides?.clock ?? manualClock(options.start ?? START, options.isBusy);
  const random = seededRandom(options.seed ?? 1);
  const service = options.besides?.service ?? newService(options, clock);
  const store = options.store?.(clock) ?? memoryStore(clock);
  const env: Record<string, string | undefined> = { ...options.env };
  write("zoneform.yaml", {
    version: 1,
    project: PROJECT,
    zones: ["zones/*.yaml"],
    budget: BUDGET,
    deletion_limits: NO_LIMITS,
  });
  for (const [name, content] of Object.entries(options.files)) write(name, content);

  const zoneIds = [...service.core.store.zones.keys()].map(zoneId);
  const parts = { clock, random, service, store, env, fs };
  let process = openProcess(parts);

  const file = `${path}/zoneform.yaml`;
  const plan: Rig["plan"] = async (more = {}) => (await makePlan(process.world, { file, ...more })).plan;
  const apply: Rig["apply"] = (approved, { parallelism = 4, zonesInParallel = 1, operation, note } = {}) =>
    applyPlan({ ...process.world, ...defined({ note }), project: approved.project }, approved, {
      ...WITHOUT_SECRETS,
      holder: operation ? { ...HOLDER, operation } : HOLDER,
      parallelism,
      zonesInParallel,
      reveal: revealFrom(env),
    });
  return {
    service,
    admin: createAdmin(service),
    clock,
    env,
    world: () => process.world,
    file,
    write,
    read,
    plan,
    apply,
    run: async (more) => apply(await plan(more)),
    drift: async () => {
      const { zones, failed } = await findDrift(process.world, { file });
      throwFailures({ failed });
      return zones.flatMap(({ judgement }) => judgement.drifted);
    },
    state: async (zone = ZONE.id) => (await loadState(store, zone))?.state,
    network: (network) => process.setNetwork(network),
    storage: (storage) => process.setStorage(storage),
    wait: (milliseconds) => clock.sleep(milliseconds),
    crash: () => process.crash(),
    untilCrash: (run) => Promise.race([run, process.gone]),
    restart: async () => {
      process.crash();
      for (const zone of zoneIds) await freeLock(store, zone);
      process = openProcess(parts);
    },
  };
}

function newService(options: RigOptions, clock: Clock): Service {
  const { behaviour = "described" } = options;
  return createService({ systemNow: () => clock.now(), behaviour, seed: seedOf(options) });
}

/** All changes of a plan. */
export function changesOf(plan: Plan): readonly Change[] {
  return plan.zones.flatMap(({ changes }) => changes);
}

/** The results of all changes of an apply. */
export function endingsOf(report: ApplyReport): readonly Ended[] {
  return report.zones.flatMap(({ ended }) => ended);
}

/** Everything that failed: results other than done and held, and why a zone was stopped, locked or not saved. */
export function failuresOf(report: ApplyReport): readonly string[] {
  const ended = endingsOf(report).filter(({ outcome }) => outcome.status !== "done" && outcome.status !== "held");
  const stopped = report.zones.flatMap(({ stopped, unsaved, locked }) => [
    ...(stopped?.diagnostics ?? []).map(({ message }) => message),
    ...(unsaved ? [unsaved.message] : []),
    ...(locked === undefined ? [] : [locked.message]),
  ]);
  return [...stopped, ...ended.map((each) => `${each.action} ${each.address} ${JSON.stringify(each.outcome)}`)];
}

/** Changes as lines to compare: `update custom_hostname["a.net"] config ssl.method:config`. */
export function inWords(changes: readonly Change[]): readonly string[] {
  return changes.map(({ action, address, cause, leaves, rules, held, letGo, refused }) => {
    const parts = [
      ...leaves.map((leaf) => `${leaf.path.join(".")}:${leaf.cause}`),
      ...rules.map((rule) => `${rule.action} ${rule.ref}:${rule.cause}`),
      ...(held ? [`held ${held.leaves.map((leaf) => leaf.path.join(".")).join(" ")}`] : []),
      ...letGo.map((path) => `let go ${path.join(".")}`),
      ...(refused ? [`refused ${refused.code}`] : []),
    ];
    return [action, address, cause, ...parts].join(" ");
  });
}

/** Drift as lines to compare: `changed custom_hostname["a.net"] ssl.method:drift`. */
export function driftInWords(drifted: readonly Drifted[]): readonly string[] {
  return drifted.map(({ what, address, leaves, rules }) =>
    [
      what,
      address,
      ...leaves.map((leaf) => `${leaf.path.join(".")}:${leaf.cause}`),
      ...rules.map((rule) => `${rule.what} ${rule.ref}:${rule.cause}`),
    ].join(" "),
  );
}

async function freeLock(store: ProjectStore, zone: ZoneId): Promise<void> {
  try {
    const lease = await store.lock(zone, HOLDER, 0);
    await lease.release();
  } catch (thrown) {
    if (!(thrown instanceof Locked) || !thrown.holding.holder) throw thrown;
    await store.unlock(zone, thrown.holding.holder.id);
  }
}

function seedOf({ zone, zones, hasUsualLimits = false, seed = 1 }: RigOptions): Seed {
  return {
    random_seed: seed,
    accounts: [hasUsualLimits ? {} : { api_requests: 1_000_000, issuance_per_minute: 100_000 }],
    tokens: [{ value: "all" }],
    zones: zones ?? [{ id: ZONE.id, name: ZONE.name, dns_records: dnsRecords(), ...zone }],
  };
}

/** DNS records that origins of `ZONE` may use. */
export function dnsRecords(): NonNullable<SeedZone["dns_records"]> {
  return [
    { type: "A", name: FALLBACK, content: "192.0.2.10", proxied: true },
    { type: "A", name: "fallback2.saas.net", content: "192.0.2.11", proxied: true },
    { type: "A", name: "origin1.saas.net", content: "192.0.2.20", proxied: true },
    { type: "A", name: "origin2.saas.net", content: "192.0.2.21", proxied: true },
    { type: "CNAME", name: "origin3.saas.net", content: "pool.saas.net" },
  ];
}

function revealFrom(env: Readonly<Record<string, string | undefined>>): (reference: SecretReference) => Secret {
  return (reference) => {
    const text = "env" in reference ? env[reference.env] : undefined;
    if (text !== undefined) return new Secret(text);
    throw new Refusal([error({ code: "secret-missing", message: "there is no such secret" })]);
  };
}

/** Random numbers that follow from the seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => Math.floor(fraction() * 256));
  return {
    fraction,
    bytes,
    uuid: () => {
      const hex = Buffer.from(bytes(16)).toString("hex");
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
  };
}
