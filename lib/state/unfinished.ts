import type { ZoneId } from "../core/brand.ts";
import { momentAndAge } from "../core/moment.ts";
import type { JournalRecord } from "./journal-record.ts";
import type { State } from "./state.ts";
import type { ProjectStore } from "./zone/store.ts";

/** Objects whose change a stopped run left unfinished. */
export interface Unfinished {
  readonly runs: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * Which of a zone's intents a stopped run left unfinished; undefined for none, and while a run may still be going
 * on.
 */
export async function unfinishedIn(
  store: ProjectStore,
  zone: ZoneId,
  intents: readonly JournalRecord[],
): Promise<Unfinished | undefined> {
  if (intents.length === 0) return undefined;
  const holding = await store.holding(zone);
  if (holding && holding.isAlive !== false) return undefined;
  return {
    runs: [...new Set(intents.map(({ run }) => run))],
    addresses: [...new Set(intents.map(({ address }) => address))],
  };
}

/** A zone's lock whose holder is alive, or may be dead. */
export interface ZoneLock {
  /** `user@host`; absent if the lock does not say. */
  readonly who?: string;
  readonly operation?: string;
  /** RFC 3339. */
  readonly since?: string;
  /** The same with its age, for people. */
  readonly sinceText?: string;
  /** Whether the holder is known to be alive. */
  readonly isRunning: boolean;
  /** How many of its changes have no result yet. */
  readonly unfinished: number;
}

/**
 * The holder of a zone's lock; undefined if the lock is free, and for a dead holder, whose lock the next run takes by
 * itself.
 */
export async function lockIn(
  store: ProjectStore,
  zone: ZoneId,
  intents: readonly JournalRecord[],
  now: number,
): Promise<ZoneLock | undefined> {
  const holding = await store.holding(zone);
  if (!holding || holding.isAlive === false) return undefined;
  const { holder, isAlive } = holding;
  return {
    ...(holder
      ? {
          who: holder.who,
          operation: holder.operation,
          since: holder.since,
          sinceText: momentAndAge(holder.since, now),
        }
      : {}),
    isRunning: isAlive === true,
    unfinished: new Set(intents.map(({ address }) => address)).size,
  };
}

/** What ended runs sent without getting a response; undefined for nothing. `intents` are what a stopped run left. */
export function unansweredIn(state: State | undefined, intents: readonly JournalRecord[]): Unfinished | undefined {
  const stopped = new Set(intents.map(({ address }) => address));
  const found = [...(state?.objects ?? [])].filter(
    ([address, { unanswered, pending }]) => (unanswered ?? pending) !== undefined && !stopped.has(address),
  );
  if (found.length === 0) return undefined;
  return {
    runs: [...new Set(found.flatMap(([, { unanswered }]) => unanswered?.run ?? []))],
    addresses: found.map(([address]) => address),
  };
}
