const MAX_SIZES = 1000;

/**
 * @param {string} text sizes and ranges, such as 1..20 or 1,3,10 or 1..5,10
 * @returns {number[]} ascending, each once
 */
export function parsePoolSizes(text) {
  /** @type {Set<number>} */
  const sizes = new Set();
  for (const part of text.split(',')) {
    const match = /^(\d+)(?:\.\.(\d+))?$/.exec(part.trim());
    if (!match) {
      throw new Error(`"${part}" is no pool size: write sizes and ranges such as 1..20, 1,3,10 or 1..5,10`);
    }
    const from = Number(match[1]);
    const to = Number(match[2] ?? from);
    if (from === 0) throw new Error('A pool size must be at least 1: to the driver 0 means no limit');
    if (to < from) throw new Error(`The range ${part} runs backwards: write ${to}..${from}`);
    if (to - from >= MAX_SIZES) throw new Error(`The range ${part} is too long: at most ${MAX_SIZES} sizes`);
    for (let size = from; size <= to; size++) sizes.add(size);
  }
  return [...sizes].sort((a, b) => a - b);
}
