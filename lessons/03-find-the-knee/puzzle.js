import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { SavedResult } from '../../src/workshop/lesson-types.js' */

const MOST_CONNECTIONS = 2;
const LIMIT_MS = 50;
const REQUESTS = 10;

/** @type {import('../../src/workshop/lesson-types.js').PuzzleRules} */
export const puzzle = {
  lab: 'mixed',
  hints: [
    'With 2 lanes and buses of 5 s, somebody has to wait. The number of lanes is not the only thing you can change.',
    'A bus arrives each second. How long may a bus take, so that one of two lanes is free when the next one comes?',
    'Make the slow query faster: pool-lab run mixed --pool-sizes 2 --slow-ms 1500. In a real app that is an index.',
  ],
  check({ results }) {
    const runs = results.filter(({ settings, variants }) => (
      String(settings.scenario).endsWith('mixed.yaml') && !settings.environment && variants.some(isSmall)));
    if (runs.length === 0) {
      return wrong(`There is no run of loadtests/mixed.yaml with at most ${MOST_CONNECTIONS} connections yet.`);
    }
    return judgeRuns(runs, judge);
  },
};

/** @param {import('../../src/report/result-types.js').Variant} variant */
function isSmall({ settings, measured }) {
  return settings.poolSize <= MOST_CONNECTIONS && measured;
}

/** @param {SavedResult} run */
function judge({ variants }) {
  const [best] = variants.filter(isSmall).map(({ settings, measured }) => ({
    size: settings.poolSize, fastMs: measured.routes['/fast']?.maxMs ?? Infinity, answered: measured.requests - measured.failures,
  })).toSorted((a, b) => b.answered - a.answered || a.fastMs - b.fastMs);
  if (best.answered < REQUESTS) return wrong(`Only ${best.answered} of ${REQUESTS} requests were answered.`);
  if (best.fastMs >= LIMIT_MS) {
    return wrong(`With a pool of ${best.size} the slowest Ferrari took ${formatQuantity(best.fastMs, 'ms')}.`);
  }
  return right(`With a pool of ${best.size} the slowest Ferrari took ${formatQuantity(best.fastMs, 'ms')}. Nothing helps like making `
    + 'the slow query faster.');
}
