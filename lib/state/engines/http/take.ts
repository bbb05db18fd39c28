import type { Backoff } from "../../../core/backoff.ts";
import type { Random, SteadyClock } from "../../../core/clock.ts";
import type { LockHolder } from "../../store.ts";
import { type Turn, waitTurn } from "../../wait-turn.ts";
import { isLook, type LockInfo } from "./lock-info.ts";
import type { StateServer } from "./server.ts";

const BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 1000 };

/** Somebody who only looks has the lock for an instant: we wait so long for it, even if we are not to wait. */
const LOOK_MILLISECONDS = 5000;

/** What taking a lock needs. */
interface TakeWorld {
  readonly server: StateServer;
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly name: string;
}

/** How long to wait for a lock, and what is thrown then. */
interface Wait {
  readonly waitMilliseconds: number;
  readonly refusal: (holder: LockHolder | undefined) => Error | Promise<Error>;
}

/** Takes a lock, and waits for it. Throws the refusal, `StateError`, and the signal's reason. */
export async function take(
  { server, steady, random, name }: TakeWorld,
  info: LockInfo,
  { waitMilliseconds, refusal }: Wait,
  signal?: AbortSignal,
): Promise<void> {
  await waitTurn({ steady, random, backoff: BACKOFF, waitMilliseconds, signal }, async (): Promise<Turn<true>> => {
    const answer = await server.lock(name, info, signal);
    if (answer === "taken") return { taken: true };
    const { holder } = answer;
    return { refusal: () => refusal(holder), leastMilliseconds: isLook(holder?.id) ? LOOK_MILLISECONDS : 0 };
  });
}
