import { createIds, type Ids } from "./ids.ts";
import { AMOUNT, COUNT, FLAG, InputError, NUMBER, readMembers, TEXT, wrongChoice, type Readers } from "./input.ts";
import { isObject, type JsonObject } from "./json.ts";

/** A fault: what goes wrong with one request. */
export type Fault =
  /** Refused as throttled: 10100 or 971, as 429 or inside HTTP 200 (docs/service.md#rate-limits). */
  | { readonly kind: "throttle"; readonly code: 10100 | 971; readonly status: 429 | 200; readonly retryAfter: number }
  /** A failure envelope with this HTTP status. With `after` the request takes effect anyway. */
  | { readonly kind: "status"; readonly status: number; readonly after: boolean }
  /** The connection breaks before the request takes effect. */
  | { readonly kind: "lost-request" }
  /** The connection breaks after the request has taken effect. */
  | { readonly kind: "lost-reply" }
  /** The answer is delayed by this many real milliseconds. */
  | { readonly kind: "slow"; readonly milliseconds: number }
  /** The answer breaks off in the middle of its body. */
  | { readonly kind: "truncated" }
  /** A page of HTML instead of the answer. With `after` the request takes effect anyway. */
  | { readonly kind: "html"; readonly status: number; readonly after?: boolean }
  /** JSON of a gateway, without an envelope, instead of the answer. With `after` the request takes effect anyway. */
  | { readonly kind: "gateway-json"; readonly status: number; readonly after?: boolean }
  /** The request takes effect, and the answer is a 204 without a body. */
  | { readonly kind: "no-content" }
  /** The request takes effect, and the envelope of the answer has `result: null`. */
  | { readonly kind: "null-result" }
  /** The request takes effect, and the answer shows another object, with another id, name and phase. */
  | { readonly kind: "wrong-object" }
  /** A list is as old as this many writes ago. */
  | { readonly kind: "stale-list"; readonly writes: number }
  /** A list comes in another order with each request, so that pages overlap and leave gaps. */
  | { readonly kind: "reordered-list" }
  /** A page begins this many objects late; a negative number means early. */
  | { readonly kind: "shifted-list"; readonly by: number };

/** A fault for later requests that match. */
export interface FaultOrder {
  readonly fault: Fault;
  /** HTTP method; any when absent. */
  readonly method?: string;
  /** Path below `/client/v4`: `*` stands for one segment, `**` for any number; any path when absent. */
  readonly path?: string;
  /** How many requests it hits. When absent: 1, or any number if there is a rate. */
  readonly count?: number;
  /** How many matching requests to let pass first; 0 when absent. */
  readonly skip?: number;
  /** The chance, from 0 to 1, that a matching request is hit; 1 when absent. */
  readonly rate?: number;
  /** The seed of that chance; 1 when absent. */
  readonly seed?: number;
}

/** The orders of faults for later requests. */
export interface FaultBook {
  /** Orders a fault; returns its number. */
  order(order: FaultOrder): number;
  /** Cancels an order; returns whether there was one. */
  cancel(id: number): boolean;
  /** The open orders, each with its number and how many more requests it hits (null for no end). */
  orders(): readonly { readonly id: number; readonly left: number | null; readonly order: FaultOrder }[];
  /** The fault for a request, from the first order that matches. Counts it as used. */
  take(method: string, path: string): Fault | undefined;
  /** Cancels all orders. */
  clear(): void;
}

/** An order, and what is left of it. */
interface OpenOrder {
  readonly id: number;
  readonly order: FaultOrder;
  readonly pattern: RegExp;
  readonly chance: Ids;
  skip: number;
  left: number | null;
}

/** Creates a book without orders. */
export function createFaultBook(): FaultBook {
  let open: OpenOrder[] = [];
  let lastId = 0;
  return {
    order: (order) => {
      lastId += 1;
      open.push(openOrder(lastId, order));
      return lastId;
    },
    cancel: (id) => {
      const before = open.length;
      open = open.filter((entry) => entry.id !== id);
      return open.length < before;
    },
    orders: () => open.map(({ id, left, order }) => ({ id, left, order })),
    take: (method, path) => {
      const hit = open.find((entry) => isHit(entry, method, path));
      if (hit?.left === 0) open = open.filter((entry) => entry !== hit);
      return hit?.order.fault;
    },
    clear: () => {
      open = [];
    },
  };
}

function openOrder(id: number, order: FaultOrder): OpenOrder {
  return {
    id,
    order,
    pattern: patternOf(order.path ?? "**"),
    chance: createIds(order.seed ?? 1),
    skip: order.skip ?? 0,
    left: order.count ?? (order.rate === undefined ? 1 : null),
  };
}

/** Whether the order hits the request, and counts the request in `skip` or `left`. */
function isHit(entry: OpenOrder, method: string, path: string): boolean {
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
