import type { Random } from "../../lib/core/clock.ts";

/** All chance, from one number: the same number gives the same throws, whatever else happens. */
export interface Dice {
  /** A number in [0, 1). */
  fraction(): number;
  /** A whole number from 0 to below the limit. */
  below(limit: number): number;
  /** True at this rate, from 0 to 1. */
  chance(rate: number): boolean;
  /** One of several. */
  pick<T>(options: readonly [T, ...T[]]): T;
  /** A number for dice of their own. */
  next(): number;
}

/** Dice that start from a number (mulberry32: fast, and good enough to choose faults). */
export function diceOf(seed: number): Dice {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const fraction = (): number => next() / 2 ** 32;
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    fraction,
    below,
    chance: (rate) => rate > 0 && fraction() < rate,
    pick: (options) => options[below(options.length)] ?? options[0],
    next,
  };
}

/** The engine's source of randomness. */
export function randomOf(dice: Dice): Random {
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => dice.below(256));
  return {
    fraction: () => dice.fraction(),
    bytes,
    uuid: () =>
      Buffer.from(bytes(16))
        .toString("hex")
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
  };
}
