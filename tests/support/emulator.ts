import {
  createAdmin,
  createEdge,
  createService,
  type Edge,
  type EmulatorAdmin,
  type Seed,
  type SeedZone,
  type Service,
  type ServiceOptions,
  type ServiceResponse,
} from "../../lib/emulator.ts";

/** Any JSON, typed for tests. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: ServiceResponse;
}

/** A service with a stopped clock, and a client of it in the same process. */
export interface World {
  readonly service: Service;
  readonly admin: EmulatorAdmin;
  readonly edge: Edge;
  /** Sends a request below `/client/v4`; the body is sent as JSON. */
  readonly call: (method: string, path: string, body?: Json, headers?: Record<string, string>) => Answer;
  /** Sends a request below the zone of the seed. */
  readonly zone: (method: string, path: string, body?: Json) => Answer;
  /** Moves the clock by seconds. */
  readonly wait: (seconds: number) => void;
}

/** The zone of every test world. */
export const ZONE_ID = "023e105f4ecef8ad9ca31a8372d0c353";

/** The start time of every test world. */
export const START = "2026-02-06T18:11:23.000Z";

/** A seed with one zone, a token for everything ("all") and a read-only token ("read"). */
export function seedOf(zone: Partial<SeedZone> = {}, seed: Partial<Seed> = {}): Seed {
  return {
    tokens: [
      { value: "all", user: "someone" },
      { value: "read", permissions: "read" },
      { value: "key", email: "ops@saas.net" },
    ],
    zones: [
      {
        id: ZONE_ID,
        name: "saas.net",
        dns_records: [
          { type: "A", name: "fallback.saas.net", content: "192.0.2.10", proxied: true },
          { type: "CNAME", name: "origin2.saas.net", content: "pool.saas.net" },
        ],
        ...zone,
      },
    ],
    ...seed,
  };
}

/** Creates a service with a stopped clock, whose only zone has these traits. */
export function world(zone: Partial<SeedZone> = {}, options: Partial<ServiceOptions> = {}): World {
  const service = createService({ clock: "manual", startTime: START, seed: seedOf(zone), ...options });
  const call = (method: string, path: string, body?: Json, headers: Record<string, string> = {}): Answer => {
    const [pathname = "", query] = path.split("?", 2);
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const raw = service.handle({
      method,
      path: `/client/v4${pathname}`,
      query: new URLSearchParams(query),
      headers: { authorization: "Bearer all", ...type, ...headers },
      ...content,
    });
    return { status: raw.status, body: read(raw.body), headers: raw.headers, raw };
  };
  return {
    service,
    admin: createAdmin(service),
    edge: createEdge(service.core),
    call,
    zone: (method, path, body) => call(method, `/zones/${ZONE_ID}${path}`, body),
    wait: (seconds) => service.core.clock.advance(seconds * 1000),
  };
}

/** The value at a path such as "result.ssl.status" or "errors.0.code"; undefined if there is none. */
export function at(value: Json | Answer, path: string): Json | undefined {
  let current: unknown = isAnswer(value) ? value.body : value;
  for (const name of path.split(".")) current = (current as Record<string, unknown> | undefined | null)?.[name];
  return current as Json | undefined;
}

/** The string at a path. Throws if there is none. */
export function text(value: Json | Answer, path: string): string {
  const found = at(value, path);
  if (typeof found !== "string") throw new Error(`${path} is no string`);
  return found;
}

/** The code of the first error. */
export function code(answer: Answer): Json | undefined {
  return at(answer, "errors.0.code");
}

/** The body of a request for a hostname with an ordinary certificate. */
export function hostnameBody(hostname: string, more: { [key: string]: Json } = {}): { [key: string]: Json } {
  return { hostname, ssl: { method: "http", type: "dv" }, ...more };
}

function read(body: string): Json {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function isAnswer(value: Json | Answer): value is Answer {
  return typeof value === "object" && value !== null && "raw" in value;
}
