/** @typedef {ReturnType<typeof createRandom>} Random */

/**
 * Creates a seeded stream of random numbers: mulberry32 by Tommy Ettinger,
 * https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed;
  /** A number in [0, 1). */
  function uniform() {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return { uniform, /** Mean 1. */ exponential: () => -Math.log(1 - uniform()) };
}
