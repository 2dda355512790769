/** @import { Assumption } from 'mongodb-pool-predictor/assumptions' */
/** @import { Recording } from '../corpus/recordings.js' */
/** @import { AskedCommand } from './calibration-thread.js' */
/** @import { CalibrationThreads } from './calibration-threads.js' */

/** Each value is tried at so many times itself, and at one part of so many. */
const FACTORS = [1.15, 1.5, 2, 3, 10];

/**
 * @typedef {object} Range in which no verdict changes
 * @property {number} value in use
 * @property {number | null} low the smallest value that was tried without a change; null: any
 * @property {number | null} high the largest one
 * @property {string[]} evidence recordings that notice the next values
 */

/**
 * Which commands an assumption decides, by its topic. Nobody but the doctor reads the doctor's. Advice is made of
 * predictions, so it is asked only about its own.
 * @type {Record<string, AskedCommand[]>}
 */
const COMMANDS = {
  doctor: ['doctor'],
  common: ['doctor', 'predict'],
  trace: ['doctor', 'predict'],
  server: ['predict'],
  prediction: ['predict'],
  advice: ['advise'],
};
/** Topics that only decide which load a recording is. */
const OF_LOAD = ['trace', 'server'];

/**
 * @param {CalibrationThreads} threads
 * @param {Recording[]} recordings
 * @returns {(assumption: Assumption) => Promise<Range>} moves an assumption until a verdict changes. The larger change
 *   is taken to change no fewer verdicts
 */
export function createRangeFinder(threads, recordings) {
  // Predictions take most of the time: one of each kind of load, in turn at the small and at the large pool size.
  const predicted = recordings
    .filter(({ measured }) => measured)
    .flatMap(({ name }, index) => (index % 4 === 0 || index % 4 === 3 ? [name] : []));
  /** How often each recording noticed, by topic: those that did are asked first. @type {Map<string, number>} */
  const noticed = new Map();

  /** @param {string} id @param {number} value @param {string[]} first recordings that are asked first */
  async function ask(id, value, first) {
    const [topic] = id.split('.');
    const commands = COMMANDS[topic];
    const rank = (/** @type {string} */ name) =>
      (noticed.get(`${topic} ${name}`) ?? 0) + (first.includes(name) ? 1e6 : 0);
    const by = await threads.findNoticing({
      ...{ id, value, commands, isOfLoad: OF_LOAD.includes(topic) },
      predicted: [...predicted, ...first],
      names: recordings
        .filter(({ name, measured }) => measured || commands.includes('doctor') || first.includes(name))
        .map(({ name }) => name)
        .toSorted((a, b) => rank(b) - rank(a)),
    });
    if (by) noticed.set(`${topic} ${by}`, (noticed.get(`${topic} ${by}`) ?? 0) + 1);
    return by;
  }

  return async ({ id, value, unit, evidence }) => {
    /** @type {Range} */
    const range = { value, low: null, high: null, evidence: [] };
    for (const direction of /** @type {const} */ (['low', 'high'])) {
      const valueAt = (/** @type {number} */ step) =>
        step < 0 ? value : moveValue(value, FACTORS[step], direction, unit);
      let [same, other] = [-1, FACTORS.length - 1];
      let by = await ask(id, valueAt(other), evidence);
      if (by === undefined) continue;
      while (other - same > 1) {
        const middle = (other + same) >> 1;
        const now = await ask(id, valueAt(middle), [by, ...evidence]);
        if (now === undefined) same = middle;
        else [other, by] = [middle, now];
      }
      range[direction] = valueAt(same);
      if (!range.evidence.includes(by)) range.evidence.push(by);
    }
    return range;
  };
}

/**
 * @param {number} value
 * @param {number} factor
 * @param {'low' | 'high'} direction
 * @param {string} unit a share near 1 moves by what it is short of 1
 */
function moveValue(value, factor, direction, unit) {
  const moved = { low: value / factor, high: value * factor };
  if (unit === 'share') {
    moved.low = Math.max(moved.low, 1 - (1 - value) * factor);
    moved.high = Math.min(moved.high, 1 - (1 - value) / factor);
  }
  return Number(moved[direction].toPrecision(3));
}
