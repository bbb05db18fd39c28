import { advance, findHostname, forceHostname, setDns, setHttp, setTraffic, type Forced } from "./admin/actions.ts";
import { chainsOf, noticesOf, purgesOf } from "./admin/outside.ts";
import { dashboardPath } from "./admin/routes.ts";
import { createWafAdmin, type WafAdmin } from "./admin/waf.ts";
import { ADMIN_PREFIX, API_PREFIX } from "./answer.ts";
import type { ServiceRequest, ServiceResponse } from "./messages.ts";
import type { BehaviourName } from "./behaviour.ts";
import type { Core } from "./core.ts";
import type { FaultBook } from "./faults.ts";
import { createEdge, type Edge } from "./edge.ts";
import type { Json, JsonObject } from "./json.ts";
import { settle } from "./lifecycle.ts";
import { createPersistence, type Persistence, readSnapshot, snapshot, type Snapshot } from "./snapshot.ts";
import type { RequestLog } from "./request-log.ts";
import { readSeed } from "./seed/seed.ts";
import type { Seed } from "./seed/shape.ts";
import { listen } from "./server.ts";
import { createService, type Service } from "./service.ts";
import type { Zone } from "./store.ts";
import type { DnsAnswer, Traffic } from "./world.ts";

/** How an emulator is started. */
export interface EmulatorOptions {
  /** The address to listen on: loopback, unless there is an `adminToken`; 127.0.0.1 when absent. */
  readonly host?: string;
  /** 0 (when absent) takes any free port. */
  readonly port?: number;
  /** What it does where the description of the service and its public documentation differ; `described` when absent. */
  readonly behaviour?: BehaviourName;
  /** What it starts with; two tokens and a zone when absent. */
  readonly seed?: Seed;
  /** `real` (when absent), or `manual`, which moves only when `advance` is called. */
  readonly clock?: "real" | "manual";
  /** Emulated seconds per real second; 1 when absent. */
  readonly clockRate?: number;
  /** The clock's first reading, ISO 8601; the system's time when absent. */
  readonly startTime?: string;
  /** The file to keep everything in. A file that exists is read instead of the seed, and its clock continues. */
  readonly persistFile?: string;
  /**
   * Guards the admin API: its calls, and `X-Emulator-…` headers, have to bring this as `X-Emulator-Token`. With it `host` may
   * be an address that other machines reach.
   */
  readonly adminToken?: string;
  /** Called with failures of the emulator itself, which a client sees as status 500. */
  readonly report?: (mistake: unknown) => void;
}

/** A running emulator. */
export interface Emulator {
  /** The API's base, with `/client/v4`. */
  readonly url: string;
  /** The admin API's base. */
  readonly adminUrl: string;
  /** Whether everything comes from the `persistFile` and not from a seed. */
  readonly isRestored: boolean;
  /** Answers a request without any network. */
  handle(request: ServiceRequest): ServiceResponse;
  /** Moves the clock forward by milliseconds. */
  advance(milliseconds: number): void;
  /** The clock, in milliseconds since the epoch. */
  now(): number;
  /** The faults that are ordered. */
  readonly faults: FaultBook;
  /** The requests that it answered, with counters. */
  readonly requests: RequestLog;
  /** What the dashboard and the outside world do. */
  readonly admin: EmulatorAdmin;
  /** The edge, as visitors see it. */
  readonly edge: Edge;
  /** Stops, and writes what is not written yet. A second call does nothing. */
  close(): Promise<void>;
}

/** What the dashboard and the outside world do. */
export interface EmulatorAdmin {
  /** A call of the API (path below `/client/v4`) as the dashboard makes it: no limits, no faults, no log. */
  dashboard(method: string, path: string, body?: Json): ServiceResponse;
  /** Sets what the outside DNS answers for a name; undefined removes it. */
  setDns(name: string, answer: DnsAnswer | undefined): void;
  /** Sets the body behind a URL of the outside world; undefined removes it. */
  setHttp(url: string, body: string | undefined): void;
  /** Sets who sends requests to a name; undefined removes it. */
  setTraffic(name: string, traffic: Traffic | undefined): void;
  /** Every certificate of the zone with its chain at a date (ms since the epoch; now when absent). */
  chains(zoneId: string, at?: number): JsonObject[];
  /** The e-mail notices that the service sent, oldest first. */
  notices(): JsonObject[];
  /** The purges that the zone accepted, oldest first. */
  purges(zoneId: string): JsonObject[];
  /** Sets fields of a hostname (by id or name) by force. Throws an Error when there is none. */
  forceHostname(zoneId: string, idOrName: string, forced: Forced): void;
  /** Managed rules: the dashboard's steps of the migration, and what the edge runs. */
  readonly waf: WafAdmin;
  /** The zones, in short. */
  zones(): readonly ZoneSummary[];
  /** The whole store as plain data. */
  snapshot(): Snapshot;
  /** Back to the seed. */
  reset(): void;
}

/** A zone in short. */
export interface ZoneSummary {
  readonly id: string;
  readonly name: string;
  /** How many custom hostnames it has. */
  readonly hostnames: number;
}

/**
 * Starts an emulator and listens. Throws an InputError for a bad seed, a PersistFileError for a bad `persistFile`, a
 * NotLoopbackError for an address that others reach, and the system's own error when it cannot listen.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const stored = options.persistFile === undefined ? undefined : readSnapshot(options.persistFile);
  const checked = options.seed === undefined ? options : { ...options, seed: readSeed(options.seed) };
  const service = createService(stored === undefined ? checked : { ...checked, snapshot: stored });
  const { core } = service;
  const persistence = persistenceOf(service, options.persistFile);
  const handle = (request: ServiceRequest): ServiceResponse => {
    const response = service.handle(request);
    if (request.method !== "GET") persistence?.soon();
    return response;
  };
  const where = { host: options.host ?? "127.0.0.1", port: options.port ?? 0, adminToken: options.adminToken };
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await listening.close();
    persistence?.soon();
    persistence?.flush();
  };
  const listening = await listen(where, handle, options.report ?? (() => undefined));
  return {
    url: `${listening.origin}${API_PREFIX}`,
    adminUrl: `${listening.origin}${ADMIN_PREFIX}`,
    isRestored: stored !== undefined,
    handle,
    advance: (milliseconds) => {
      advance(core, milliseconds);
      persistence?.soon();
    },
    now: () => core.clock.now(),
    faults: core.faults,
    requests: core.log,
    admin: createAdmin(service, handle),
    edge: createEdge(core),
    close: () => (closed ??= close()),
  };
}

type Handle = (request: ServiceRequest) => ServiceResponse;

/** The admin calls over a service, without any network. */
export function createAdmin(service: Service, handle: Handle = (request) => service.handle(request)): EmulatorAdmin {
  const { core } = service;
  return {
    dashboard: (method, path, body) => {
      const [pathname = "", query] = dashboardPath(path).split("?", 2);
      const sent =
        body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      return handle({ method, path: pathname, query: new URLSearchParams(query), ...sent });
    },
    setDns: (name, answer) => setDns(core, name, answer),
    setHttp: (url, body) => setHttp(core, url, body),
    setTraffic: (name, traffic) => setTraffic(core, name, traffic),
    chains: (zoneId, at) => {
      settle(core);
      return chainsOf(core, zoneNamed(core, zoneId), at);
    },
    notices: () => {
      settle(core);
      return noticesOf(core);
    },
    purges: (zoneId) => purgesOf(zoneNamed(core, zoneId)),
    forceHostname: (zoneId, idOrName, forced) => {
      const zone = core.store.zones.get(zoneId);
      const record = findHostname(core, zoneId, idOrName);
      if (zone === undefined || record === undefined) throw new Error(`zone ${zoneId} has no hostname ${idOrName}`);
      forceHostname(core, zone, record, forced);
    },
    waf: createWafAdmin(handle),
    zones: () =>
      [...core.store.zones.values()].map(({ id, name, hostnames }) => ({ id, name, hostnames: hostnames.size() })),
    snapshot: () => structuredClone(snapshot(core)),
    reset: () => service.reset(),
  };
}

function zoneNamed(core: Core, zoneId: string): Zone {
  const zone = core.store.zones.get(zoneId);
  if (zone === undefined) throw new Error(`there is no zone ${zoneId}`);
  return zone;
}

function persistenceOf(service: Service, file: string | undefined): Persistence | undefined {
  return file === undefined ? undefined : createPersistence(file, () => snapshot(service.core));
}
