import { createIds, type Ids } from "./ids.ts";
import { AMOUNT, COUNT, FLAG, InputError, NUMBER, readMembers, TEXT, wrongChoice, type Readers } from "./input.ts";
import { isObject, type JsonObject } from "./json.ts";

/** What goes wrong with one request. */
export type Fault =
  /** Refused as throttled: 10100 or 971, as 429 or inside HTTP 200 (docs/service.md#rate-limits). */
  | { readonly kind: "throttle"; readonly code: 10100 | 971; readonly status: 429 | 200; readonly retryAfter: number }
  /** A failure envelope with this HTTP status; with `after` the request took effect anyway. */
  | { readonly kind: "status"; readonly status: number; readonly after: boolean }
  /** The connection breaks before the request took effect. */
  | { readonly kind: "lost-request" }
  /** The connection breaks after the request took effect. */
  | { readonly kind: "lost-reply" }
  /** The answer is delayed by real milliseconds. */
  | { readonly kind: "slow"; readonly milliseconds: number }
  /** The answer breaks off in the middle of its body. */
  | { readonly kind: "truncated" }
  /** A page of HTML instead of the answer; with `after` the request took effect anyway. */
  | { readonly kind: "html"; readonly status: number; readonly after?: boolean }
  /** JSON of a gateway, not in an envelope, instead of the answer; with `after` the request took effect anyway. */
  | { readonly kind: "gateway-json"; readonly status: number; readonly after?: boolean }
  /** The request took effect, and is answered 204 without a body. */
  | { readonly kind: "no-content" }
  /** The request took effect, and its envelope has the result null. */
  | { readonly kind: "null-result" }
  /** The request took effect, and the answer shows another object: other ids, names and phases. */
  | { readonly kind: "wrong-object" }
  /** A list shows how things were that many writes ago. */
  | { readonly kind: "stale-list"; readonly writes: number }
  /** A list is in another order with each request, so pages overlap and leave gaps. */
  | { readonly kind: "reordered-list" }
  /** A page begins that many objects late, or early where negative. */
  | { readonly kind: "shifted-list"; readonly by: number };

/** A fault for later requests that match. */
export interface FaultOrder {
  readonly fault: Fault;
  /** HTTP method; any when absent. */
  readonly method?: string;
  /** Path below `/client/v4`: `*` stands for one segment, `**` for any number; any path when absent. */
  readonly path?: string;
  /** How many requests it hits; 1 when absent, no end when there is a rate. */
  readonly count?: number;
  /** How many matching requests pass first. */
  readonly skip?: number;
  /** The chance, from 0 to 1, that a matching request is hit; 1 when absent. */
  readonly rate?: number;
  /** Seed of that chance; 1 when absent. */
  readonly seed?: number;
}

/** The faults that are ordered. */
export interface FaultBook {
  /** Orders a fault; returns its number. */
  order(order: FaultOrder): number;
  /** Cancels an order; returns whether there was one. */
  cancel(id: number): boolean;
  /** The orders that are left, each with its number and how often it will still hit (null for no end). */
  orders(): readonly { readonly id: number; readonly left: number | null; readonly order: FaultOrder }[];
  /** The fault for a request, counted as used; the first order that matches decides. */
  take(method: string, path: string): Fault | undefined;
  /** Cancels all orders. */
  clear(): void;
}

interface Standing {
  readonly id: number;
  readonly order: FaultOrder;
  readonly pattern: RegExp;
  readonly chance: Ids;
  skip: number;
  left: number | null;
}

/** A book with no orders. */
export function createFaultBook(): FaultBook {
  let standing: Standing[] = [];
  let lastId = 0;
  return {
    order: (order) => {
      lastId += 1;
      standing.push(stand(lastId, order));
      return lastId;
    },
    cancel: (id) => {
      const before = standing.length;
      standing = standing.filter((entry) => entry.id !== id);
      return standing.length < before;
    },
    orders: () => standing.map(({ id, left, order }) => ({ id, left, order })),
    take: (method, path) => {
      const hit = standing.find((entry) => isHit(entry, method, path));
      if (hit?.left === 0) standing = standing.filter((entry) => entry !== hit);
      return hit?.order.fault;
    },
    clear: () => {
      standing = [];
    },
  };
}

function stand(id: number, order: FaultOrder): Standing {
  return {
    id,
    order,
    pattern: patternOf(order.path ?? "**"),
    chance: createIds(order.seed ?? 1),
    skip: order.skip ?? 0,
    left: order.count ?? (order.rate === undefined ? 1 : null),
  };
}

/** Whether the order hits the request. Counts the request in both cases. */
function isHit(entry: Standing, method: string, path: string): boolean {
  if (entry.order.method !== undefined && entry.order.method.toUpperCase() !== method) return false;
  if (!entry.pattern.test(path)) return false;
  if (entry.skip > 0) {
    entry.skip -= 1;
    return false;
  }
  if (entry.order.rate !== undefined && entry.chance.fraction() >= entry.order.rate) return false;
  if (entry.left !== null) entry.left -= 1;
  return true;
}

function patternOf(path: string): RegExp {
  const parts = path.split(/(\*\*|\*)/).map((part) => {
    if (part === "**") return ".*";
    return part === "*" ? "[^/]+" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`);
}

/** Every kind of fault. */
export const FAULT_KINDS = [
  "throttle",
  "status",
  "lost-request",
  "lost-reply",
  "slow",
  "truncated",
  "html",
  "gateway-json",
  "no-content",
  "null-result",
  "wrong-object",
  "stale-list",
  "reordered-list",
  "shifted-list",
] as const;

/** Reads an order `{fault, method, path, count, skip, rate, seed}`; `fault` may be its kind alone. Throws an InputError. */
export function readFaultOrder({ fault: written, ...rest }: JsonObject): FaultOrder {
  const fault = readFault(typeof written === "string" ? { kind: written } : written);
  const readers = { method: TEXT, path: TEXT, count: COUNT, skip: COUNT, rate: AMOUNT, seed: AMOUNT };
  return { fault, ...readMembers(rest, "", readers) };
}

/** Reads a fault as people write it (snake case); throws an InputError. */
export function readFault(value: unknown): Fault {
  const { kind, ...rest } = isObject(value) ? value : {};
  const known = FAULT_KINDS.find((candidate) => candidate === kind);
  const read = <T>(readers: Readers<T>): { [K in keyof T]?: T[K] } => readMembers(rest, "fault", readers);
  switch (known) {
    case "throttle": {
      const {
        code,
        status,
        retry_after: retryAfter = 300,
      } = read({ code: AMOUNT, status: AMOUNT, retry_after: AMOUNT });
      return { kind: known, code: code === 971 ? 971 : 10100, status: status === 200 ? 200 : 429, retryAfter };
    }
    case "status": {
      const { status = 500, after = false } = read({ status: AMOUNT, after: FLAG });
      return { kind: known, status, after };
    }
    case "slow":
      return { kind: known, milliseconds: read({ milliseconds: AMOUNT }).milliseconds ?? 1000 };
    case "html":
    case "gateway-json": {
      const { status = 502, after = false } = read({ status: AMOUNT, after: FLAG });
      return { kind: known, status, after };
    }
    case "stale-list":
      return { kind: known, writes: read({ writes: AMOUNT }).writes ?? 1 };
    case "shifted-list":
      return { kind: known, by: read({ by: NUMBER }).by ?? 1 };
    case "lost-request":
    case "lost-reply":
    case "truncated":
    case "no-content":
    case "null-result":
    case "wrong-object":
    case "reordered-list":
      read({});
      return { kind: known };
    case undefined:
      throw new InputError({ at: "fault.kind", ...wrongChoice(kind, FAULT_KINDS) });
    default:
      return known satisfies never;
  }
}
