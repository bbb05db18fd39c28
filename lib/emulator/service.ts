import { adminRoutes } from "./admin/routes.ts";
import { answer } from "./answer.ts";
import type { ServiceRequest, ServiceResponse } from "./messages.ts";
import { behaviourOf, type BehaviourName } from "./behaviour.ts";
import { createClock } from "./clock.ts";
import type { Core } from "./core.ts";
import { createFaultBook } from "./faults.ts";
import { createIds } from "./ids.ts";
import { createBucketLimiter, createIssuanceLimiter, createRequestLimiter } from "./limits.ts";
import { rearm, settle } from "./lifecycle.ts";
import { createRequestLog } from "./request-log.ts";
import { createApiRouter, type Router } from "./router.ts";
import { apiRoutes } from "./routes.ts";
import { plant } from "./seed/plant.ts";
import { DEFAULT_SEED } from "./seed/seed.ts";
import type { Seed } from "./seed/shape.ts";
import { restore, type Snapshot } from "./snapshot.ts";
import { createStore } from "./store.ts";
import { createTimers } from "./timers.ts";
import { createWorld } from "./world.ts";

/** How to start a service. */
export interface ServiceOptions {
  /** Which source to follow where the description of the service and its public documentation differ; `described` when absent. */
  readonly behaviour?: BehaviourName;
  /** What it starts with; two tokens and a zone when absent. */
  readonly seed?: Seed;
  /** `real` (when absent) runs with the system's clock, times the rate; `manual` moves only when `advance` is called. */
  readonly clock?: "real" | "manual";
  /** Emulated seconds per real second; 1 when absent. A manual clock does not run. */
  readonly clockRate?: number;
  /** The time at which the clock starts (ISO 8601); the system's time when absent. */
  readonly startTime?: string;
  /** The real time in milliseconds since the epoch; `Date.now` when absent. */
  readonly systemNow?: () => number;
  /** A snapshot to continue from, instead of starting from the seed. */
  readonly snapshot?: Snapshot;
}

/** The service without a network: requests in, answers out. */
export interface Service {
  /** Answers a request, at the time that the clock shows. */
  handle(request: ServiceRequest): ServiceResponse;
  /** Its parts, for the admin API. */
  readonly core: Core;
  /** Starts again from the seed, without ordered faults and logged requests. The clock and the limiters go on. */
  reset(): void;
}

let shared: Router | undefined;

/** Built once: the routes are the same for every service, and building a router takes longer than a small zone. */
function apiRouter(): Router {
  shared ??= createApiRouter(apiRoutes());
  return shared;
}

/** Creates a service from a seed or a snapshot. Throws an InputError or a RangeError for bad options. */
export function createService(options: ServiceOptions = {}): Service {
  const core = createCore(options);
  const seed = options.seed ?? DEFAULT_SEED;
  const plantSeed = (): void => {
    core.ids = createIds(seed.random_seed ?? 1);
    plant(core, seed);
    rearm(core);
  };
  const reset = (): void => {
    for (const part of Object.values(core.store)) part.clear();
    core.world.dns.clear();
    core.world.http.clear();
    core.world.traffic.clear();
    core.faults.clear();
    core.log.reset();
    plantSeed();
  };
  if (options.snapshot === undefined) plantSeed();
  else restore(core, options.snapshot);
  const api = apiRouter();
  const admin = createApiRouter(adminRoutes(core, api, reset));
  const handle = (request: ServiceRequest): ServiceResponse => {
    settle(core);
    return answer(core, api, admin, request);
  };
  return { handle, core, reset };
}

function createCore(options: ServiceOptions): Core {
  const systemNow = options.systemNow ?? Date.now;
  const start = options.snapshot?.now ?? startOf(options.startTime, systemNow);
  const rate = options.clock === "manual" ? 0 : (options.clockRate ?? 1);
  return {
    behaviour: behaviourOf(options.behaviour ?? "described"),
    clock: createClock({ systemNow, start, rate }),
    ids: createIds(1),
    store: createStore(),
    world: createWorld(),
    timers: createTimers(),
    requestLimiter: createRequestLimiter(),
    issuanceLimiter: createIssuanceLimiter(),
    purgeLimiter: createBucketLimiter(),
    faults: createFaultBook(),
    log: createRequestLog(),
  };
}

function startOf(text: string | undefined, systemNow: () => number): number {
  if (text === undefined) return systemNow();
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new RangeError(`the start time ${JSON.stringify(text)} is not an ISO 8601 time`);
  return time;
}
