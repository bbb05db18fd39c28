import { type JsonObject, isObject } from "../../lib/core/json.ts";
import type { Change } from "../../lib/plan/change.ts";
import type { HttpRequest, HttpResponse } from "../../lib/service/http.ts";
import { contentOf, objectAt, SIM_KINDS } from "./kinds.ts";
import type { Content } from "./kinds/kind.ts";
import type { SimService } from "./sim-service.ts";
import type { Write } from "./writes.ts";

/** The last read of an object: what the object really was, and when the answer came. */
export interface Look {
  readonly content: Content | undefined;
  readonly answeredAt: number;
}

/** What one run has read and sent, by the service's own time. */
export interface Looks {
  /** A request leaves the process. */
  left(request: HttpRequest): void;
  /** A read reaches the service. */
  asked(request: HttpRequest): void;
  /** An answer reaches the process. */
  answered(request: HttpRequest, answer: HttpResponse): void;
  /** From now on only new reads count as rereads. */
  beginApply(): void;
  /** The last read of the object during the apply. */
  last(object: string): Look | undefined;
  /** The object when the plan last read it. */
  planned(object: string): Look | undefined;
  /** When the request was sent. */
  leftAt(request: HttpRequest): number;
  /** When a write of the object was last refused as one too many; never is `-Infinity`. */
  throttledAt(object: string): number;
}

/** The looks of a run that begins. */
export function openLooks(service: SimService, now: () => number): Looks {
  const under = new WeakMap<HttpRequest, { readonly object: string; readonly content: Content | undefined }>();
  const departures = new WeakMap<HttpRequest, number>();
  const throttled = new Map<string, number>();
  let planned = new Map<string, Look>();
  let looks = planned;
  return {
    left: (request) => void departures.set(request, now()),
    asked: (request) => {
      const object = objectAt(request);
      if (object !== undefined) under.set(request, { object, content: contentOf(service, object) });
    },
    answered: (request, answer) => {
      if (request.method !== "GET") {
        const object = isThrottle(answer) ? objectAt(request) : undefined;
        if (object !== undefined) throttled.set(object, now());
        return;
      }
      const look = under.get(request);
      if (look && isUsable(answer)) looks.set(look.object, { content: look.content, answeredAt: now() });
    },
    beginApply: () => {
      planned = looks;
      looks = new Map();
    },
    last: (object) => looks.get(object),
    planned: (object) => planned.get(object),
    leftAt: (request) => departures.get(request) ?? now(),
    throttledAt: (object) => throttled.get(object) ?? -Infinity,
  };
}

/**
 * The object that a write overwrites or deletes, which has to be read before; undefined if it overwrites nothing: a
 * hostname that the service refuses to create twice, and a pack that is ordered beside the one it replaces.
 */
export function objectWritten(write: Write, request: HttpRequest, change: Change | undefined): string | undefined {
  const { kind, id } = write;
  const { overwritten } = SIM_KINDS[kind];
  if (overwritten) return overwritten(write, request, change);
  return id === undefined ? kind : `${kind} ${id}`;
}

/** An answer that shows the object, or in which the service itself says that there is none. */
function isUsable({ status, body }: HttpResponse): boolean {
  if (status !== 200 && status !== 404) return false;
  const parsed = parsedBody(body);
  return (
    parsed !== undefined &&
    (status === 404 ? Array.isArray(parsed["errors"]) : isObject(parsed["result"]) || Array.isArray(parsed["result"]))
  );
}

/** A success that shows what was written. */
export function isPlainSuccess({ status, body }: HttpResponse): boolean {
  const parsed = status >= 200 && status < 300 ? parsedBody(body) : undefined;
  const errors = parsed?.["errors"];
  return isObject(parsed?.["result"]) && parsed["success"] === true && (!Array.isArray(errors) || errors.length === 0);
}

function isThrottle({ status, body }: HttpResponse): boolean {
  return status === 429 || (status === 200 && body.includes('"code":971'));
}

function parsedBody(body: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
