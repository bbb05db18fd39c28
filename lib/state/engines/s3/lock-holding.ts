import { defined } from "../../../core/defined.ts";
import { describeHolding } from "../../holding.ts";
import { type Holding, Locked } from "../../store.ts";
import { RENEWAL_MILLISECONDS } from "./held-head.ts";
import type { StoredHead } from "./stored-head.ts";

/** A holder whose object did not change for so long is dead, by the steady clock of whoever waits. */
export const DEAD_AFTER_MILLISECONDS = 60_000;

/** A living holder renews within this time, with some room for a slow request. */
const SIGN_OF_LIFE_MILLISECONDS = RENEWAL_MILLISECONDS + 5000;

/** Whether the holder renewed so lately that there is no use in waiting for a sign of its death. */
export function isFresh({ ageMilliseconds }: StoredHead): boolean {
  return ageMilliseconds !== undefined && ageMilliseconds < SIGN_OF_LIFE_MILLISECONDS;
}

/** Who holds the lock, as its head says. */
export function holdingOf({ head, ageMilliseconds }: StoredHead): Holding {
  const isSilent = ageMilliseconds !== undefined && ageMilliseconds >= DEAD_AFTER_MILLISECONDS;
  return {
    unlockId: head.holder?.id ?? `epoch-${head.epoch}`,
    holder: head.holder,
    isAlive: isSilent ? false : undefined,
    renewal: { deadAfterMilliseconds: DEAD_AFTER_MILLISECONDS, ...defined({ ageMilliseconds }) },
  };
}

/** The refusal for whoever does not wait longer; `now` is in ms since the epoch. */
export function lockedFault(stored: StoredHead, now: number): Locked {
  const found = holdingOf(stored);
  return new Locked(found, describeHolding(found, now));
}
