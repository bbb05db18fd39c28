import { equal } from "../core/json.ts";
import type { Live } from "../kinds/live.ts";
import { FRESH_MILLISECONDS } from "../service/fresh-write.ts";
import type { Performance } from "./performance.ts";

/** An object as an attempt read it, and when the answer came, in ms since the epoch. */
export interface AsRead {
  readonly live: Live;
  readonly at: number;
}

/** With so much of a read's time used up by the disk, the write would come too late. */
export const LATE_MILLISECONDS: number = FRESH_MILLISECONDS / 2;

/**
 * The object that is about to be written. Where writing down the intent took long, it is read once more, because a slow disk
 * would make every read too old; throws what `startOver` gives where it changed meanwhile.
 */
export async function stillAsRead(
  { clock }: Performance,
  { live, at }: AsRead,
  read: () => Promise<Live | undefined>,
  startOver: () => Error,
): Promise<Live> {
  if (clock.now() - at <= LATE_MILLISECONDS) return live;
  const again = await read();
  if (again?.id !== live.id || !equal(again.values, live.values)) throw startOver();
  return again;
}
