import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';
import { listSizes } from './lesson.js';

const LIMIT_MS = 100;
const REQUESTS = 10;

/** @type {import('../../src/workshop/lesson-types.js').PuzzleRules} */
export const puzzle = {
  lab: 'sweep',
  hints: [
    'Read the first lines of examples/article-app.js: what does it take from the environment?',
    'SLEEP_MS is how long its slow query takes. A bus arrives each second.',
    'SLEEP_MS=500 pool-lab sweep --scenario loadtests/mixed.yaml --pool-sizes 1 -- node examples/article-app.js',
  ],
  check({ results }) {
    const runs = results.filter(({ settings, variants }) => (
      String(settings.scenario).endsWith('mixed.yaml') && !settings.environment && listSizes(variants).some(({ size }) => size === 1)));
    if (runs.length === 0) return wrong('There is no sweep of loadtests/mixed.yaml with --pool-sizes 1 yet.');
    return judgeRuns(runs, ({ variants }) => {
      const [{ fastMs, failures, measured: { requests } }] = listSizes(variants);
      if (requests - failures < REQUESTS) {
        return wrong(`Only ${requests - failures} of ${REQUESTS} requests were answered.`);
      }
      if (fastMs >= LIMIT_MS) return wrong(`The slowest customer waited ${formatQuantity(fastMs, 'ms')}.`);
      return right(`The slowest customer waited ${formatQuantity(fastMs, 'ms')}, with one lane. Make the slow query fast, and the pool matters less.`);
    });
  },
};
