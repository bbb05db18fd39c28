import type { ApplyEvent, Ended } from "../../apply/outcome.ts";
import type { Address } from "../../core/brand.ts";
import { parseAddress } from "../../core/address.ts";
import { STATUS_WORDS } from "./ending.ts";
import { clockTime, duration, thousands } from "../lines/words.ts";

/** What a run says while it goes on, and what it waits for; times in milliseconds since the epoch. */
export type ProgressEvent =
  | ApplyEvent
  /** Calls are held back; `reason` is a noun: "the certificate limit". */
  | { readonly type: "waiting"; readonly reason: string; readonly untilMilliseconds: number };

/** What is known before the run starts. */
export interface Expected {
  /** The zones in the order in which they are applied, each with the number of its changes. */
  readonly zones: readonly { readonly name: string; readonly total: number }[];
  /** Whether several zones are applied at once: then all are counted together. */
  readonly isParallel?: boolean;
  /** How long the run takes at least, by its budget. */
  readonly leastSeconds: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** How far a run is. Knows no clock: it is told the time. */
export interface ProgressTally {
  note(event: ProgressEvent, now: number): void;
  /** The zone that is being applied, or all that are applied at once, and how many of its changes have ended. */
  zone(): { readonly name: string; readonly ended: number; readonly total: number };
  /** Of all zones. */
  readonly total: number;
  ended(): number;
  /** `, 2 failed, 1 conflict`: what ended otherwise than done; an empty text for none. */
  notDone(): string;
  /** `waiting 0:41 for the certificate limit`, or what one call is taking long for; an empty text for neither. */
  waiting(now: number): string;
  /** `about 3 min left`, counted down; an empty text before the first change has ended. */
  left(now: number): string;
}

/** A call that takes longer than this is named: until then the bar moves by itself. */
const LONG_CALL_MILLISECONDS = 3000;

/** Starts to count. */
export function tallyProgress({ zones, isParallel = false, leastSeconds, startedAt }: Expected): ProgressTally {
  const total = zones.reduce((sum, zone) => sum + zone.total, 0);
  const changing = zones.filter((zone) => zone.total > 0).length;
  const endedIn = new Map<string, number>();
  const underWay = new Map<Address, { readonly action: string; readonly startedAt: number }>();
  const notDone = new Map<Ended["outcome"]["status"], number>();
  let current = zones.find((zone) => zone.total > 0)?.name ?? zones[0]?.name ?? "";
  let ended = 0;
  let finishAt = startedAt + leastSeconds * 1000;
  let wait = { reason: "", until: -Infinity };

  const estimate = (now: number): number => now + ((now - startedAt) / Math.max(1, ended)) * (total - ended);

  const noteEnd = ({ address, outcome }: Ended, now: number): void => {
    underWay.delete(address);
    ended += 1;
    endedIn.set(current, (endedIn.get(current) ?? 0) + 1);
    if (outcome.status !== "done") notDone.set(outcome.status, (notDone.get(outcome.status) ?? 0) + 1);
    finishAt = Math.max(estimate(now), startedAt + leastSeconds * 1000);
  };

  return {
    total,
    note: (event, now) => {
      switch (event.type) {
        case "start":
          current = zoneOf(event.address, current);
          underWay.set(event.address, { action: event.action, startedAt: now });
          return;
        case "end":
          current = zoneOf(event.ended.address, current);
          return noteEnd(event.ended, now);
        case "waiting":
          wait = { reason: event.reason, until: event.untilMilliseconds };
          return;
        default:
          return event satisfies never;
      }
    },
    zone: () =>
      isParallel && changing > 1
        ? { name: `${changing} zones`, ended, total }
        : {
            name: current,
            ended: endedIn.get(current) ?? 0,
            total: zones.find(({ name }) => name === current)?.total ?? total,
          },
    ended: () => ended,
    notDone: () => [...notDone].map(([status, count]) => `, ${thousands(count)} ${STATUS_WORDS[status]}`).join(""),
    waiting: (now) => {
      if (wait.until > now) return `waiting ${clockTime((wait.until - now) / 1000)} for ${wait.reason}`;
      const [oldest] = underWay;
      if (oldest === undefined) return "";
      const [address, { action, startedAt: began }] = oldest;
      const waited = now - Math.max(began, wait.until);
      if (waited < LONG_CALL_MILLISECONDS) return "";
      return `waiting for Cloudflare, ${clockTime(waited / 1000)} so far: ${action} ${address}`;
    },
    left: (now) => {
      if (ended >= total || (ended === 0 && leastSeconds === 0)) return "";
      // What takes longer than it looked is estimated again: a time left of nothing would be untrue.
      if (finishAt <= now) finishAt = estimate(now);
      const seconds = (Math.max(finishAt, wait.until) - now) / 1000;
      return seconds <= 0 ? "" : `about ${roughly(seconds)} left`;
    },
  };
}

/** An estimate is not exact to the second where it is minutes. */
function roughly(seconds: number): string {
  return duration(seconds > EXACT_SECONDS ? Math.ceil(seconds / 60) * 60 : seconds);
}

const EXACT_SECONDS = 60;

/** Addresses name their zone where a project has several. */
function zoneOf(address: Address, current: string): string {
  return parseAddress(address)?.zone ?? current;
}
