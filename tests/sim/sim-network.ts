import { type Http, HttpFailure, type HttpRequest, type HttpResponse } from "../../lib/service/http.ts";
import type { Dice } from "./dice.ts";
import { EARLY, KNOWN_TO_FAIL, LATE, OF_LISTS } from "./fault-effects.ts";
import { FAULT_KINDS, type FaultKind, type FaultRates, LIST_FAULTS, WRITE_FAULTS } from "./faults.ts";
import { type Lie, LIES } from "./lies.ts";
import { ALL_KINDS } from "./kinds.ts";
import type { Machine, SimProcess } from "./machine.ts";
import type { Run } from "./scenario.ts";
import { pathInZone } from "./zones.ts";

/** The service, as the network reaches it: it carries a request out, and answers. */
export interface Backend {
  /** `fault` goes to the service itself with the request, for faults of lists. */
  handle(request: HttpRequest, fault: string | undefined): HttpResponse;
  /** The network delivers a request once more. */
  repeat(request: HttpRequest): void;
  /** A request was lost on its way, and its sender cannot know. */
  lose(request: HttpRequest): void;
  /** An answer in place of the service that reads well and is not true; undefined if there is none. */
  lieInstead(kind: FaultKind, request: HttpRequest): Lie;
  /** What happens to the answer of the request that is carried out next. */
  lieAfter(kind: FaultKind, request: HttpRequest): (answer: HttpResponse) => HttpResponse;
  /** From now on the token is refused, until the next process. */
  expireToken(): void;
}

const FASTEST_MILLISECONDS = 3;
const USUAL_MILLISECONDS = 60;
const SLOW_MILLISECONDS = 55_000;
/** The client's own timeout is about this long. */
const TIMEOUT_MILLISECONDS = 60_000;
const GRACE_MILLISECONDS = 500;

/** Learns what a process sends. */
export interface Listener {
  /** A request leaves the process. */
  leaves(request: HttpRequest): void;
  /** An answer has come back, whatever happened to it on the way. */
  answered(request: HttpRequest, answer: HttpResponse): void;
  /** A request is about to arrive, or to be answered by something else. */
  arrives(request: HttpRequest): void;
  /** Whether the service fails for this request. */
  isOut(request: HttpRequest): boolean;
  /** A request was sent although the service had asked for a pause. */
  sentTooSoon(): void;
}

/** The network between one process and the service. */
export function networkOf(
  machine: Machine,
  process: SimProcess,
  backend: Backend,
  { rates, outageAt = Infinity }: Pick<Run, "rates" | "outageAt">,
  dice: Dice,
  listener: Listener,
): Http {
  const { trace, scheduler } = machine;
  const travel = (): number => FASTEST_MILLISECONDS + dice.fraction() * USUAL_MILLISECONDS;

  let quietUntil = -Infinity;
  let requests = 0;

  async function send(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse> {
    if (request.mayLeave?.() === false) throw new HttpFailure("it may not leave any more", false, { reason: "late" });
    // Half a second of grace, because clocks are read in whole milliseconds and waits are rounded.
    if (scheduler.now() < quietUntil - GRACE_MILLISECONDS) listener.sentTooSoon();
    requests += 1;
    listener.leaves(request);
    const fault = requests >= outageAt || listener.isOut(request) ? "error-before" : faultFor(request, rates, dice);
    const answer = await process.touch(travel(), () => arrive(request, fault));
    const wait = fault === "slow" ? dice.fraction() * SLOW_MILLISECONDS : travel();
    const isTimeout = fault === "timeout-after" || fault === "timeout-before";
    await unlessAborted(scheduler, process, isTimeout ? TIMEOUT_MILLISECONDS : wait, signal);
    const late = fault && LATE[fault];
    const seconds = fault === "throttle" || fault === "throttle-write" ? Number(answer.headers["retry-after"]) : 0;
    quietUntil = Math.max(quietUntil, scheduler.now() + seconds * 1000);
    const heard = late ? late(answer, dice) : answer;
    listener.answered(request, heard);
    return heard;
  }

  function arrive(request: HttpRequest, fault: FaultKind | undefined): HttpResponse {
    listener.arrives(request);
    if (fault === "token-expires") backend.expireToken();
    const instead = fault && (EARLY[fault]?.(dice) ?? backend.lieInstead(fault, request));
    if (instead && fault !== undefined && !KNOWN_TO_FAIL.has(fault)) backend.lose(request);
    const answer = instead ?? carriedOut(request, fault);
    trace.note(
      `${request.method} ${fault ?? ""}`,
      `${request.url} ${request.body ?? ""} ${answer.status} ${answer.body}`,
    );
    return answer;
  }

  function carriedOut(request: HttpRequest, fault: FaultKind | undefined): HttpResponse {
    const order = fault && OF_LISTS[fault]?.(dice);
    const lie = fault !== undefined && LIES.has(fault) ? backend.lieAfter(fault, request) : undefined;
    const answer = backend.handle(request, order && JSON.stringify(order));
    if (fault === "twice") backend.repeat(request);
    return lie ? lie(answer) : answer;
  }

  return { send };
}

function faultFor(request: HttpRequest, rates: FaultRates, dice: Dice): FaultKind | undefined {
  let throwLeft = dice.fraction();
  for (const kind of FAULT_KINDS) {
    const rate = rates[kind] ?? 0;
    if (throwLeft < rate) return isFor(kind, request) ? kind : undefined;
    throwLeft -= rate;
  }
  return undefined;
}

/** An order that the network delivers twice makes two objects if they may share a key, and no client can prevent that. */
function isFor(kind: FaultKind, { method, url }: HttpRequest): boolean {
  if (kind === "wrong-object-read") return method === "GET";
  if (method === "GET" && WRITE_FAULTS.has(kind)) return false;
  if (kind === "twice" && ALL_KINDS.some(([, each]) => each.sharesKeys && each.createdAt === pathInZone(url)))
    return false;
  return method === "GET" || !LIST_FAULTS.has(kind);
}

/** A caller that aborts a read does not wait for its answer. */
function unlessAborted(
  scheduler: Machine["scheduler"],
  process: SimProcess,
  delayMilliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      cancel();
      reject(new HttpFailure("the caller gave up", true, { reason: "aborted" }));
    };
    const cancel = scheduler.timer(process, delayMilliseconds, () => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    });
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener("abort", giveUp, { once: true });
  });
}
