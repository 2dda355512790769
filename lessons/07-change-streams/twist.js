import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';
import { isHeldLong } from './lesson.js';

const STREAMS = [4, 10, 20];

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'sessions',
  key: 'With 4 streams one lane stays free, and queries are quick. With 10 they wait for a second or two, with 20 '
    + 'up to about four: '
    + 'queries and streams queue for the same lanes.',
  check({ results }) {
    const shared = results.filter((run) => !run.settings.secondClient && !isHeldLong(run));
    const slowest = STREAMS.map((leaks) => shared.filter(({ settings }) => settings.leaks === leaks)
      .flatMap(({ variants }) => variants.flatMap(({ measured }) => measured?.maxMs ?? []))[0]);
    const missing = STREAMS.filter((_, index) => slowest[index] === undefined);
    if (missing.length > 0) return wrong(`Not measured yet: --leaks ${missing.join(', --leaks ')}.`);
    const found = STREAMS.map((leaks, index) => `${formatQuantity(slowest[index], 'ms')} with ${leaks} streams`);
    return right(`The slowest query: ${found.join(', ')}.`);
  },
};
