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
import { createPage } from "./page.ts";
import { createPersistence, type Persistence, readSnapshot, snapshot, type Snapshot } from "./snapshot.ts";
import type { RequestLog } from "./request-log.ts";
import { readSeed } from "./seed/seed.ts";
import type { Seed } from "./seed/shape.ts";
import { listen } from "./server.ts";
import { createService, type Service } from "./service.ts";
import type { Zone } from "./store.ts";
import type { DnsAnswer, Traffic } from "./world.ts";

/** How to start an emulator. */
export interface EmulatorOptions {
  /** The address to listen on; 127.0.0.1 when absent. Only with an `adminToken` may it be other than loopback. */
  readonly host?: string;
  /** 0 (when absent) takes any free port. */
  readonly port?: number;
  /** Which source to follow where the description of the service and its public documentation differ; `described` when absent. */
  readonly behaviour?: BehaviourName;
  /** What it starts with; two tokens and a zone when absent. */
  readonly seed?: Seed;
  /** `real` (when absent) runs; `manual` moves only when `advance` is called. */
  readonly clock?: "real" | "manual";
  /** Emulated seconds per real second; 1 when absent. */
  readonly clockRate?: number;
  /** The time at which the clock starts (ISO 8601); the system's time when absent. */
  readonly startTime?: string;
  /** The file to keep everything in. If it exists, it is read instead of the seed, and the clock continues from there. */
  readonly persistFile?: string;
  /**
   * Protects the admin API: its calls, and requests with another `X-Emulator-…` header, must send this as `X-Emulator-Token`. With it
   * `host` may be an address that other machines can reach.
   */
  readonly adminToken?: string;
  /** Called with errors of the emulator itself, which a client sees as status 500. */
  readonly report?: (mistake: unknown) => void;
}

/** A running emulator. */
export interface Emulator {
  /** The base URL of the API, with `/client/v4`. */
  readonly url: string;
  /** The base URL of the admin API. */
  readonly adminUrl: string;
  /** The address of the page that shows and edits everything in a browser. */
  readonly pageUrl: string;
  /** Whether it continues from the `persistFile` and not from a seed. */
  readonly isRestored: boolean;
  /** Answers a request without using the network. */
  handle(request: ServiceRequest): ServiceResponse;
  /** Moves the clock forward by milliseconds. */
  advance(milliseconds: number): void;
  /** The clock's time, in milliseconds since the epoch. */
  now(): number;
  /** The faults that were ordered for later requests. */
  readonly faults: FaultBook;
  /** The requests that it answered, and how many there were. */
  readonly requests: RequestLog;
  /** What the dashboard and the outside world do. */
  readonly admin: EmulatorAdmin;
  /** The edge, as visitors see it. */
  readonly edge: Edge;
  /** Stops, and writes the `persistFile` a last time. A second call does nothing. */
  close(): Promise<void>;
}

/** What the dashboard and the outside world do. */
export interface EmulatorAdmin {
  /** A call of the API (path below `/client/v4`) as the dashboard makes it: no limits, no faults, no log. */
  dashboard(method: string, path: string, body?: Json): ServiceResponse;
  /** Sets what the outside DNS answers for a name; undefined removes it. */
  setDns(name: string, answer: DnsAnswer | undefined): void;
  /** Sets what a web server in the outside world answers at a URL; undefined removes it. */
  setHttp(url: string, body: string | undefined): void;
  /** Sets who sends requests to a name; undefined removes it. */
  setTraffic(name: string, traffic: Traffic | undefined): void;
  /** Every certificate of the zone, with its chain at a time (ms since the epoch; now when absent). */
  chains(zoneId: string, at?: number): JsonObject[];
  /** The e-mail notices that the service sent, oldest first. */
  notices(): JsonObject[];
  /** The purges that the zone accepted, oldest first. */
  purges(zoneId: string): JsonObject[];
  /** Forces fields of a hostname, which its id or name identifies. Throws an Error if there is no such hostname. */
  forceHostname(zoneId: string, idOrName: string, forced: Forced): void;
  /** Managed rules: the dashboard's steps of the migration, and what the edge runs. */
  readonly waf: WafAdmin;
  zones(): readonly ZoneSummary[];
  /** The whole store as plain data. */
  snapshot(): Snapshot;
  /** Starts again from the seed, without ordered faults and logged requests. The clock and the limiters go on. */
  reset(): void;
}

/** A summary of a zone. */
export interface ZoneSummary {
  readonly id: string;
  readonly name: string;
  /** How many custom hostnames it has. */
  readonly hostnames: number;
}

/**
 * Starts an emulator and listens. Throws an InputError for a bad seed, a PersistFileError for a bad `persistFile`, a
 * NotLoopbackError for an address that other machines could reach, and the system's own error if it cannot listen.
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
  const aside = createPage(core, options.adminToken !== undefined);
  const listening = await listen(where, handle, options.report ?? (() => undefined), aside);
  return {
    url: `${listening.origin}${API_PREFIX}`,
    adminUrl: `${listening.origin}${ADMIN_PREFIX}`,
    pageUrl: `${listening.origin}/`,
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

/** The admin API of a service as functions, which do not use the network. */
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
      const custom = findHostname(core, zoneId, idOrName);
      if (zone === undefined || custom === undefined) throw new Error(`zone ${zoneId} has no hostname ${idOrName}`);
      forceHostname(core, zone, custom, forced);
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
