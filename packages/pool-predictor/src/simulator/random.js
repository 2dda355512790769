/**
 * @typedef {object} Random
 * @property {() => number} uniform a number in [0, 1)
 * @property {() => number} exponential mean 1
 * @property {() => number} normal mean 0, standard deviation 1
 */

/**
 * Creates a seeded stream of random numbers: the same seed and name give the same numbers on every machine. Each use,
 * such as arrivals, has its own named stream, so that two runs that differ only in pool size see the same load.
 *
 * The generator is sfc32 of Chris Doty-Humphrey's PractRand, https://pracrand.sourceforge.net: 128 bits of state,
 * period above 2^32 for every seed.
 *
 * @param {number} seed
 * @param {string} [name]
 * @returns {Random}
 */
export function createRandom(seed, name = '') {
  let a = hash(name, 0x9e3779b9);
  let b = seed | 0;
  let c = Math.floor(seed / 2 ** 32) | 0;
  let counter = 1;

  function uniform() {
    const out = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + out) | 0;
    return (out >>> 0) / 2 ** 32;
  }

  // Nearby seeds give similar first numbers. Twelve rounds mix them, as the generator's author advises.
  for (let round = 0; round < 12; round++) uniform();

  return {
    uniform,
    exponential: () => -Math.log(1 - uniform()),
    // Box and Muller (1958), https://doi.org/10.1214/aoms/1177706645; the second number of the pair is not used.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

/** FNV-1a over UTF-16 units. @param {string} text @param {number} start */
function hash(text, start) {
  let value = start;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}
