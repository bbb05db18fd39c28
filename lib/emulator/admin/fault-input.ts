import type { Fault, FaultOrder } from "../faults.ts";
import { InputError, members, type Members } from "../input.ts";
import { present } from "../seed/shape.ts";

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

/** Reads a fault as people write it (snake case); throws an InputError. */
export function readFault(value: unknown): Fault {
  const from = members(value, "fault");
  const fault = faultOf(from);
  from.done();
  return fault;
}

/** Reads an order `{fault, method, path, count, skip, rate, seed}`; `fault` may be its kind alone. Throws an InputError. */
export function readFaultOrder(value: unknown): FaultOrder {
  const from = members(value, "");
  const written = from.any("fault");
  const fault = readFault(typeof written === "string" ? { kind: written } : written);
  const order = present<FaultOrder>({
    fault,
    method: from.text("method"),
    path: from.text("path"),
    count: from.count("count"),
    skip: from.count("skip"),
    rate: from.amount("rate"),
    seed: from.amount("seed"),
  });
  from.done();
  return order;
}

function faultOf(from: Members): Fault {
  const kind = from.oneOf("kind", FAULT_KINDS);
  switch (kind) {
    case "throttle":
      return {
        kind,
        code: from.amount("code") === 971 ? 971 : 10100,
        status: from.amount("status") === 200 ? 200 : 429,
        retryAfter: from.amount("retry_after") ?? 300,
      };
    case "status":
      return { kind, status: from.amount("status") ?? 500, after: from.flag("after") ?? false };
    case "slow":
      return { kind, milliseconds: from.amount("milliseconds") ?? 1000 };
    case "html":
    case "gateway-json":
      return { kind, status: from.amount("status") ?? 502, after: from.flag("after") ?? false };
    case "stale-list":
      return { kind, writes: from.amount("writes") ?? 1 };
    case "shifted-list":
      return { kind, by: Number(from.any("by") ?? 1) };
    case "lost-request":
    case "lost-reply":
    case "truncated":
    case "no-content":
    case "null-result":
    case "wrong-object":
    case "reordered-list":
      return { kind };
    case undefined:
      throw new InputError({ at: "fault.kind", problem: `is missing, expected ${FAULT_KINDS.join(", ")}` });
    default:
      return kind satisfies never;
  }
}
