import { pauseBefore } from "../../../core/backoff.ts";
import { createHash } from "node:crypto";
import type { Clock, SteadyClock } from "../../../core/clock.ts";
import { type Away, outage } from "../../outage.ts";
import type { LockHolder } from "../../store.ts";
import type { HttpAddress, Locking } from "./address.ts";
import { notAState, refusedBy, unreachable, withoutLock, withoutTls } from "./failure.ts";
import { heldBy, type LockInfo } from "./lock-info.ts";
import type { StateAnswer, StateRequest, Transport } from "./transport.ts";

/**
 * How a write ended. `unclear`: it may have arrived, or may still arrive unless the server said that it has too much to
 * do. `locked`: the server refused it because of the lock.
 */
export type Written = "written" | "locked" | { readonly unclear: unknown; readonly mayArrive: boolean };

/** How the attempt to take a lock ended. The holder is undefined if the answer does not name it. */
export type LockAnswer = "taken" | { readonly holder: LockHolder | undefined };

/** A server that speaks the protocol of Terraform's `http` backend. Every call throws `StateError`. */
export interface StateServer {
  /** The body of a state; undefined if there is none. */
  read(name: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Sends a body once, and repeats nothing: whoever wrote it has to look whether it arrived. */
  write(name: string, lockId: string, body: string): Promise<Written>;
  /**
   * Takes the lock of a state. A lock that is held under this very id is taken: the first answer was lost. Unless it
   * returns "taken", no attempt of it has left the lock behind, as far as the server can be reached.
   */
  lock(name: string, info: LockInfo, signal?: AbortSignal): Promise<LockAnswer>;
  /** Frees the lock of a state; false if the server says that it is not held under this id. */
  unlock(name: string, info: LockInfo): Promise<boolean>;
  /** Tries once and for a few seconds to free a lock, for somebody who gives up. Throws nothing. */
  leave(name: string, info: LockInfo): Promise<void>;
  /** Throws `StateError` if nothing says how to lock. */
  checkLocking(name: string): void;
  /** Waits before another look at the same thing; false if there was enough of that. */
  pause(attempt: number, signal?: AbortSignal): Promise<boolean>;
}

/** How often a request is repeated before the server has ever answered: about three seconds. */
const FIRST_RETRIES = 2;

/** So often we free a lock that may be ours, and take it again. */
const MOST_ROUNDS = 3;

/** So long we wait for the server to free a lock that we give up: somebody may want to stop. */
const LEAVE_MILLISECONDS = 5000;

/** What the protocol needs. */
export interface ServerWorld {
  readonly address: HttpAddress;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly away?: Away | undefined;
}

/** Opens the protocol on a transport. */
export function stateServer({ address, transport, clock, steady, away }: ServerWorld): StateServer {
  const { locking, login, retries, stateUrl, updateMethod, where } = address;
  const authorization: Readonly<Record<string, string>> =
    login === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${login.user}:${login.password.reveal()}`).toString("base64")}` };

  function requestOf(method: string, url: string, body?: string): StateRequest {
    if (body === undefined) {
      const headers = { accept: "application/json", "cache-control": "no-cache", ...authorization };
      return { method, url, headers };
    }
    const headers = { "content-type": "application/json", "content-md5": md5(body), ...authorization };
    return { method, url, headers, body };
  }

  let hasAnswered = false;
  /** After one wait in vain, what follows tries only once: a run that ends must not wait for each thing that it does. */
  let hasGivenUp = false;

  /** A server that has never answered is more likely a wrong address than one that comes back. */
  function mostRetries(): number {
    if (hasGivenUp) return 0;
    return hasAnswered ? retries.most : Math.min(retries.most, FIRST_RETRIES);
  }

  async function pause(attempt: number, signal?: AbortSignal, askedMilliseconds = 0): Promise<boolean> {
    if (attempt >= mostRetries()) return false;
    const asked = Math.min(retries.longestMilliseconds, askedMilliseconds);
    await clock.sleep(Math.max(pauseBefore(retries, attempt), asked), signal);
    return true;
  }

  /** Repeats a request until there is an answer: only for what may arrive twice. `attempts` counts those before it. */
  async function insist(
    request: StateRequest,
    name: string,
    signal?: AbortSignal,
  ): Promise<{ answer: StateAnswer; attempts: number }> {
    const failed = outage(steady, away);
    for (let attempt = 0; ; attempt += 1) {
      const found = await once(request, signal);
      if ("answer" in found) return { answer: found.answer, attempts: attempt };
      signal?.throwIfAborted();
      const fault = withoutTls(request.url, found.unclear);
      if (fault) throw fault;
      if (found.mayArrive) failed(pausesFrom(attempt));
      if (await pause(attempt, signal, found.askedMilliseconds)) continue;
      hasGivenUp = true;
      throw unreachable(where(name), found.unclear);
    }
  }

  /** How long the pauses are that are left; a server that keeps every request waiting takes longer. */
  function pausesFrom(attempt: number): number {
    let sum = 0;
    for (let next = attempt; next < mostRetries(); next += 1) sum += pauseBefore(retries, next);
    return sum;
  }

  async function once(
    request: StateRequest,
    signal?: AbortSignal,
  ): Promise<{ answer: StateAnswer } | { unclear: unknown; askedMilliseconds: number; mayArrive: boolean }> {
    let answer: StateAnswer;
    try {
      answer = await transport.send(request, signal);
    } catch (thrown) {
      return { unclear: thrown, askedMilliseconds: 0, mayArrive: true };
    }
    hasAnswered = true;
    if (!isPassing(answer.status)) {
      hasGivenUp = false;
      return { answer };
    }
    const mayArrive = answer.status !== TOO_MANY;
    return { unclear: new Error(`HTTP ${answer.status}`), askedMilliseconds: askedPause(answer), mayArrive };
  }

  function lockingFor(name: string): Locking {
    if (locking === undefined) throw withoutLock(where(name));
    return locking;
  }

  /** One attempt to take a lock. "unclear": the lock is held, and perhaps by an attempt whose answer was lost. */
  async function take(name: string, info: LockInfo, signal?: AbortSignal): Promise<LockAnswer | "unclear"> {
    const { lockMethod, lockUrl } = lockingFor(name);
    const request = requestOf(lockMethod, lockUrl(name), JSON.stringify(info.json));
    const { answer, attempts } = await insist(request, name, signal).catch(async (thrown: unknown) => {
      await leave(name, info);
      throw thrown;
    });
    if (answer.status === 200) return "taken";
    if (answer.status !== 409 && answer.status !== 423) {
      const refused = refusedBy(answer, where(name), "locked");
      if (attempts > 0) await leave(name, info);
      throw refused;
    }
    const holder = heldBy(answer.body);
    if (holder?.id === info.id) return "taken";
    return holder === undefined && attempts > 0 ? "unclear" : { holder };
  }

  /** Frees what an attempt without an answer may have taken: nobody else knows its id. */
  async function leave(name: string, info: LockInfo): Promise<void> {
    const over = new AbortController();
    const late = steady.rest(LEAVE_MILLISECONDS, over.signal).then(
      () => over.abort(),
      () => undefined,
    );
    await once(unlockRequest(name, info), over.signal);
    over.abort();
    await late;
  }

  function unlockRequest(name: string, { json }: LockInfo): StateRequest {
    const { unlockMethod, unlockUrl } = lockingFor(name);
    return requestOf(unlockMethod, unlockUrl(name), JSON.stringify(json));
  }

  async function unlock(name: string, info: LockInfo): Promise<boolean> {
    const { answer, attempts } = await insist(unlockRequest(name, info), name);
    if (answer.status === 200 || answer.status === 204) return true;
    // The answer to the first attempt was lost: by now it is free, or somebody else's.
    if (attempts > 0) return true;
    if (answer.status === 404 || answer.status === 409 || answer.status === 423) return false;
    throw refusedBy(answer, where(name), "unlocked");
  }

  return {
    read: async (name, signal) => {
      const { answer } = await insist(requestOf("GET", stateUrl(name)), name, signal);
      const { status, body, headers } = answer;
      if (status === 204 || status === 404) return undefined;
      if (status !== 200) throw refusedBy(answer, where(name), "read");
      const sum = headers["content-md5"];
      if (sum !== undefined && body !== "" && sum !== md5(body))
        throw notAState(where(name), "the answer is not what its Content-MD5 says");
      return body === "" ? undefined : body;
    },

    write: async (name, lockId, body) => {
      const url = new URL(stateUrl(name));
      url.searchParams.set("ID", lockId);
      const found = await once(requestOf(updateMethod, url.href, body));
      if (!("answer" in found)) return found;
      const { status } = found.answer;
      if (status === 200 || status === 201 || status === 204) return "written";
      if (status === 409 || status === 412 || status === 423) return "locked";
      throw refusedBy(found.answer, where(name), "written");
    },

    lock: async (name, info, signal) => {
      for (let round = 1; ; round += 1) {
        const found = await take(name, info, signal);
        if (found !== "unclear") return found;
        await unlock(name, info);
        if (round >= MOST_ROUNDS) return { holder: undefined };
      }
    },

    unlock,
    leave,
    checkLocking: (name) => void lockingFor(name),
    pause: (attempt, signal) => pause(attempt, signal),
  };
}

/** As Terraform sends it; it protects from nothing but damage on the way. */
function md5(body: string): string {
  return createHash("md5").update(body).digest("base64");
}

const TOO_MANY = 429;

/** The server cannot answer just now. What it does not implement at all stays so. */
function isPassing(status: number): boolean {
  return status === TOO_MANY || (status >= 500 && status !== 501);
}

/** `Retry-After` in seconds; a date is not understood. */
function askedPause({ headers }: StateAnswer): number {
  const seconds = Number(headers["retry-after"]);
  return Number.isSafeInteger(seconds) && seconds > 0 ? 1000 * seconds : 0;
}
