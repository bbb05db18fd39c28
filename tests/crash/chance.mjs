// The random choices of the crash scripts. They follow from a seed, so that a failed run can be repeated.

/** Makes the same choices for the same seed (mulberry32). */
export function chance(seed) {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(fraction() * limit);
  return {
    /** A number in [0, 1). */
    fraction,
    /** A whole number from 0 to below the limit. */
    below,
    /** One item of the list. */
    pick: (list) => list[below(list.length)],
    /** True with this probability. */
    odds: (often) => fraction() < often,
  };
}
