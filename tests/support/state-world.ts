import { randomBytes, randomUUID } from "node:crypto";
import { zoneId, type ZoneId } from "../../lib/core/brand.ts";
import type { Clock, Random, SteadyClock } from "../../lib/core/clock.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import type { LeaseCheck } from "../../lib/state/zone/claims.ts";
import type { Identity } from "../../lib/state/engines/local/generations.ts";
import { realSteadyClock } from "../../lib/real/clock.ts";
import type { State, StateObject } from "../../lib/state/state.ts";
import type { LockHolder } from "../../lib/state/lock.ts";

export const ZONE: ZoneId = zoneId("023e105f4ecef8ad9ca31a8372d0c353");
export const LINEAGE = "5f1a4a52-9a0c-4a52-8a57-0d2f3b1c9f10";
export const HOLDER: Omit<LockHolder, "id"> = {
  who: "deploy@ci-7",
  processId: 4711,
  operation: "apply",
  since: "2026-03-01T12:00:00Z",
};

/** Says that the zone's lock is still held, for tests of claims that are about something else. */
export const LEASED: LeaseCheck = async () => undefined;

/** A clock on which waiting takes no real time, but advances the clock. */
export function jumpingClock(): Clock {
  let now = Date.parse("2026-03-01T12:00:00Z");
  return {
    now: () => now,
    sleep: async (delayMilliseconds, signal) => {
      signal?.throwIfAborted();
      now += delayMilliseconds;
    },
  };
}

/** A steady clock that agrees with another clock, which nobody sets. Its `rest` takes real time. */
export function steadyAs({ now, sleep }: Clock): SteadyClock {
  return { now, sleep, rest: realSteadyClock.rest };
}

/** The longest pause of any store between two attempts, and how long it takes on a brisk clock. */
const [PAUSE_MILLISECONDS, BRISK_MILLISECONDS] = [2000, 5];

/** The clock with short pauses: those who want a lock or a place at once get their turns soon. */
export function brisk(clock: Clock): Clock {
  const paused = (milliseconds: number): number =>
    milliseconds <= PAUSE_MILLISECONDS ? Math.min(milliseconds, BRISK_MILLISECONDS) : milliseconds;
  return { ...clock, sleep: (delayMilliseconds, signal) => clock.sleep(paused(delayMilliseconds), signal) };
}

/** A clock that stands still. A wait on it never ends. */
export const STOPPED_CLOCK: Clock = { now: () => 0, sleep: () => new Promise(() => undefined) };

/** A clock and a steady one that agrees with it. */
export function clocksOf(clock: Clock): { readonly clock: Clock; readonly steady: SteadyClock } {
  return { clock, steady: steadyAs(clock) };
}

/** The machine's randomness, because names must be unique. Nothing else depends on it. */
export const random: Random = {
  fraction: () => 0.5,
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
};

/** The identity of a process on a machine where these other processes are dead. */
export function processOf(pid: number, dead: ReadonlySet<number> = new Set()): Identity {
  const isAlive = (other: number): boolean => !dead.has(other);
  return { host: "ci-7", bootId: "boot-1", pidNamespace: "pid:[1]", pid, startTime: `${pid}00`, isAlive };
}

/** A state with this many hostnames. */
export function stateOf(count: number, changes: Partial<State> = {}): State {
  const objects = new Map<string, StateObject>();
  for (let index = 0; index < count; index++) objects.set(addressOf(index), hostname(index));
  return {
    zone: { id: ZONE, name: "saas.eu" },
    lineage: LINEAGE,
    serial: 3,
    secretKey: "ab".repeat(32),
    objects,
    ...changes,
  };
}

export function addressOf(index: number): string {
  return `custom_hostname[${JSON.stringify(`app-${index}.customer.net`)}]`;
}

export function hostname(index: number, applied: JsonObject = { ssl: { method: "http", type: "dv" } }): StateObject {
  return { kind: "custom_hostname", key: `app-${index}.customer.net`, id: `id-${index}`, applied };
}

/** Lines as a store returns them. */
export async function* given(lines: Iterable<string>): AsyncIterable<string> {
  yield* lines;
}

export async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

/** A state in a form that can be compared by content. */
export function plain(state: State): object {
  return { ...state, objects: Object.fromEntries(state.objects) };
}
