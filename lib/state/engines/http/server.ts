import { type Clock, pauseBefore, type SteadyClock } from "../../../core/clock.ts";
import { createHash } from "node:crypto";
import { type Away, outage } from "../waiting.ts";
import type { LockHolder } from "../../lock.ts";
import type { HttpAddress, Locking } from "./address.ts";
import { lockLost, notAState, refusedBy, tooLarge, unreachable, withoutLock, withoutTls } from "./failure.ts";
import { holderIn, type LockInfo, type StateAnswer, type StateRequest, type Transport } from "./protocol.ts";

/**
 * How a write ended. `unclear`: it may have arrived, or may still arrive unless the server said that it is overloaded.
 * `locked`: the server refused it because of the lock.
 */
type Written = "written" | "locked" | { readonly unclear: unknown; readonly mayArrive: boolean };

/** How an attempt to take a lock ended. The holder is undefined if the response does not name it. */
export type LockAnswer = "taken" | { readonly holder: LockHolder | undefined };

/** How often to retry a request before the server has ever responded: about three seconds. */
const FIRST_RETRIES = 2;

/** How often to free a lock that may be ours and take it again. */
const MOST_ROUNDS = 3;

/** How long to wait for the server to free a lock that we give up. It is short because the user may want to stop. */
const LEAVE_MILLISECONDS = 5000;

/** What the protocol needs. */
export interface ServerWorld {
  readonly address: HttpAddress;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  /** A larger body could not be read back. */
  readonly mostBytes?: number | undefined;
  readonly away?: Away | undefined;
}

/** Where to store a body: the name of the state, its address for messages, and the signal that ends the wait. */
interface Destination {
  readonly name: string;
  readonly where: string;
  readonly signal?: AbortSignal | undefined;
}

/** A body to store under a lock. */
interface Sending {
  /** The id of the lock and the body; called before each attempt. */
  readonly attempt: () => { readonly lockId: string; readonly body: string };
  /** Whether the body of the last attempt is stored by now. */
  readonly isStored: () => Promise<boolean>;
  /**
   * Called just before another attempt; throws if another would be wrong. `mayArrive`: the last attempt may still
   * arrive.
   */
  readonly again: (mayArrive: boolean) => Promise<void>;
}

/** A response, or why there is none. `mayArrive`: the request may take effect anyway, now or later. */
type Outcome =
  | { readonly answer: StateAnswer }
  | {
      readonly unclear: unknown;
      /** The status of a response that says nothing else. */
      readonly status?: number;
      readonly askedMilliseconds: number;
      readonly mayArrive: boolean;
    };

/** A server that speaks the protocol of Terraform's `http` backend. Every call throws `StateError`. */
export class StateServer {
  readonly #world: ServerWorld;
  readonly #authorization: Readonly<Record<string, string>>;
  #hasAnswered = false;
  /**
   * Set after the first wait in vain. Later requests then try only once: a run that ends must not wait at each step.
   */
  #hasGivenUp = false;

  constructor(world: ServerWorld) {
    const { login } = world.address;
    this.#world = world;
    this.#authorization =
      login === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`${login.user}:${login.password.reveal()}`).toString("base64")}` };
  }

  /** The body of a state; undefined if there is none. */
  async read(name: string, signal?: AbortSignal): Promise<string | undefined> {
    const { stateUrl, where } = this.#world.address;
    const { answer } = await this.#retryUntilAnswered(this.#requestOf("GET", stateUrl(name)), name, signal);
    const { status, body, headers } = answer;
    if (status === 204 || status === 404) return undefined;
    if (status !== 200) throw refusedBy(answer, where(name), "read");
    const sum = headers["content-md5"];
    if (sum !== undefined && body !== "" && sum !== md5(body))
      throw notAState(where(name), "the answer is not what its Content-MD5 says");
    return body === "" ? undefined : body;
  }

  /** Sends a body until the server is known to have stored it. Throws `StoreConflict` if the lock is lost. */
  async store({ name, where, signal }: Destination, { attempt, isStored, again }: Sending): Promise<void> {
    for (let attempts = 0; ; attempts += 1) {
      const { lockId, body } = attempt();
      const written = await this.#write(name, lockId, body);
      if (written === "written") return;
      // The response was lost, or the server refused a body that an earlier attempt stored.
      if (await isStored()) return;
      if (written === "locked") throw lockLost(where);
      if (!(await this.#pause(attempts, signal))) throw unreachable(where, written.unclear);
      await again(written.mayArrive);
    }
  }

  /**
   * Sends a body under an id that does not hold the lock. "refused": the server checks the id, and stored nothing.
   * GitLab answers every time with a 500. A proxy may send a 500 too, so a second request checks it.
   */
  async provoke(name: string, id: string, body: string): Promise<"written" | "refused" | "unclear"> {
    const request = this.#writeRequest(name, id, body);
    const first = await this.#once(request);
    const found = "answer" in first || first.status !== 500 ? first : await this.#once(request);
    if (!("answer" in found)) return found.status === 500 ? "refused" : "unclear";
    const { status } = found.answer;
    if (status === 200 || status === 201 || status === 204) return "written";
    return status >= 400 && status < 500 ? "refused" : "unclear";
  }

  /**
   * Takes the lock of a state. If the server says that this very id holds it, it is taken: the first response was lost.
   * Unless this returns "taken", none of its attempts left a lock behind, as far as the server can be reached.
   */
  async lock(name: string, info: LockInfo, signal?: AbortSignal): Promise<LockAnswer> {
    for (let round = 1; ; round += 1) {
      const found = await this.#take(name, info, signal);
      if (found !== "unclear") return found;
      await this.unlock(name, info);
      if (round >= MOST_ROUNDS) return { holder: undefined };
    }
  }

  /** Frees the lock of a state; false if the server says that this id does not hold it. */
  async unlock(name: string, info: LockInfo): Promise<boolean> {
    const { answer, attempts } = await this.#retryUntilAnswered(this.#unlockRequest(name, info), name);
    if (answer.status === 200 || answer.status === 204) return true;
    // The response to the first attempt was lost: the lock is free by now, or another run has it.
    if (attempts > 0) return true;
    if (answer.status === 404 || answer.status === 409 || answer.status === 423) return false;
    throw refusedBy(answer, this.#world.address.where(name), "unlocked");
  }

  /** Tries once, for a few seconds, to free a lock that is no longer needed. Never throws. */
  async leave(name: string, info: LockInfo): Promise<void> {
    const over = new AbortController();
    const late = this.#world.steady.rest(LEAVE_MILLISECONDS, over.signal).then(
      () => over.abort(),
      () => undefined,
    );
    await this.#once(this.#unlockRequest(name, info), over.signal);
    over.abort();
    await late;
  }

  /** Throws `StateError` if the address does not say how to lock. */
  checkLocking(name: string): void {
    this.#lockingFor(name);
  }

  #requestOf(method: string, url: string, body?: string): StateRequest {
    if (body === undefined) {
      const headers = { accept: "application/json", "cache-control": "no-cache", ...this.#authorization };
      return { method, url, headers };
    }
    const headers = { "content-type": "application/json", "content-md5": md5(body), ...this.#authorization };
    return { method, url, headers, body };
  }

  #writeRequest(name: string, lockId: string, body: string): StateRequest {
    const { mostBytes = Infinity, address } = this.#world;
    const { stateUrl, updateMethod, where } = address;
    if (Buffer.byteLength(body) > mostBytes) throw tooLarge(where(name), mostBytes);
    const url = new URL(stateUrl(name));
    url.searchParams.set("ID", lockId);
    return this.#requestOf(updateMethod, url.href, body);
  }

  #lockingFor(name: string): Locking {
    const { locking, where } = this.#world.address;
    if (locking === undefined) throw withoutLock(where(name));
    return locking;
  }

  #unlockRequest(name: string, { json }: LockInfo): StateRequest {
    const { unlockMethod, unlockUrl } = this.#lockingFor(name);
    return this.#requestOf(unlockMethod, unlockUrl(name), JSON.stringify(json));
  }

  /** Sends a body once; the caller has to check whether it arrived. */
  async #write(name: string, lockId: string, body: string): Promise<Written> {
    const { where } = this.#world.address;
    const found = await this.#once(this.#writeRequest(name, lockId, body));
    if (!("answer" in found)) return found;
    const { status } = found.answer;
    if (status === 200 || status === 201 || status === 204) return "written";
    if (status === 409 || status === 412 || status === 423) return "locked";
    throw refusedBy(found.answer, where(name), "written");
  }

  /** Makes one attempt to take a lock. "unclear": the lock is held, perhaps by an attempt whose response was lost. */
  async #take(name: string, info: LockInfo, signal?: AbortSignal): Promise<LockAnswer | "unclear"> {
    const { lockMethod, lockUrl } = this.#lockingFor(name);
    const request = this.#requestOf(lockMethod, lockUrl(name), JSON.stringify(info.json));
    // An attempt without a response may have taken the lock under this id, and no other process knows the id.
    const { answer, attempts } = await this.#retryUntilAnswered(request, name, signal).catch(
      async (thrown: unknown) => {
        await this.leave(name, info);
        throw thrown;
      },
    );
    if (answer.status === 200) return "taken";
    if (answer.status !== 409 && answer.status !== 423) {
      if (attempts > 0) await this.leave(name, info);
      throw refusedBy(answer, this.#world.address.where(name), "locked");
    }
    const holder = holderIn(answer.body);
    if (holder?.id === info.id) return "taken";
    return holder === undefined && attempts > 0 ? "unclear" : { holder };
  }

  /** Retries until there is a response; only for requests that may arrive twice. `attempts` counts those before it. */
  async #retryUntilAnswered(
    request: StateRequest,
    name: string,
    signal?: AbortSignal,
  ): Promise<{ readonly answer: StateAnswer; readonly attempts: number }> {
    const { steady, away, address } = this.#world;
    const failed = outage(steady, away);
    for (let attempt = 0; ; attempt += 1) {
      const found = await this.#once(request, signal);
      if ("answer" in found) return { answer: found.answer, attempts: attempt };
      signal?.throwIfAborted();
      const fault = withoutTls(request.url, found.unclear);
      if (fault) throw fault;
      if (found.mayArrive) failed(this.#pausesFrom(attempt));
      if (await this.#pause(attempt, signal, found.askedMilliseconds)) continue;
      this.#hasGivenUp = true;
      throw unreachable(address.where(name), found.unclear);
    }
  }

  async #once(request: StateRequest, signal?: AbortSignal): Promise<Outcome> {
    let answer: StateAnswer;
    try {
      answer = await this.#world.transport.send(request, signal);
    } catch (thrown) {
      return { unclear: thrown, askedMilliseconds: 0, mayArrive: true };
    }
    this.#hasAnswered = true;
    if (!isPassing(answer.status)) {
      this.#hasGivenUp = false;
      return { answer };
    }
    const { status } = answer;
    const unclear = new Error(`HTTP ${status}`);
    return { unclear, status, askedMilliseconds: askedPause(answer), mayArrive: status !== TOO_MANY };
  }

  /** A server that never responded probably has a wrong address and will not come back. */
  #mostRetries(): number {
    const { most } = this.#world.address.retries;
    if (this.#hasGivenUp) return 0;
    return this.#hasAnswered ? most : Math.min(most, FIRST_RETRIES);
  }

  /** Waits before the next attempt; false if there were enough. */
  async #pause(attempt: number, signal?: AbortSignal, askedMilliseconds = 0): Promise<boolean> {
    if (attempt >= this.#mostRetries()) return false;
    const { clock, address } = this.#world;
    const asked = Math.min(address.retries.longestMilliseconds, askedMilliseconds);
    await clock.sleep(Math.max(pauseBefore(address.retries, attempt), asked), signal);
    return true;
  }

  /** The length of the remaining pauses. A server that keeps every request waiting takes longer. */
  #pausesFrom(attempt: number): number {
    let sum = 0;
    for (let next = attempt; next < this.#mostRetries(); next += 1)
      sum += pauseBefore(this.#world.address.retries, next);
    return sum;
  }
}

/** As Terraform sends it. It only protects against damage on the way. */
function md5(body: string): string {
  return createHash("md5").update(body).digest("base64");
}

const TOO_MANY = 429;

/** The server cannot respond just now. A method that it does not implement will stay so. */
function isPassing(status: number): boolean {
  return status === TOO_MANY || (status >= 500 && status !== 501);
}

/** `Retry-After` in seconds; a date is not understood. */
function askedPause({ headers }: StateAnswer): number {
  const seconds = Number(headers["retry-after"]);
  return Number.isSafeInteger(seconds) && seconds > 0 ? 1000 * seconds : 0;
}
