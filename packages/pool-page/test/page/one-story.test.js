import { expect, test } from '@jest/globals';
import { explainDoubt, findQueue } from 'mongodb-pool-page/page/prediction-words.js';
import { explainQueue } from 'mongodb-pool-page/page/queue-reason.js';
import { createState, takePool } from 'mongodb-pool-page/page/state.js';
import { describePool } from 'mongodb-pool-page/page/words.js';
import { explainLastMinute } from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { createRandom } from 'mongodb-pool-predictor';
import { createConnection, createReading, createSecond, createWaiter } from './sample-pool.js';

/** @import { Diagnosis, WhatIf } from 'mongodb-pool-predictor' */

const ROUTES = ['/slow', '/fast', '/report', null];
const VERDICTS = [
  { cause: 'none', isProblem: false, facts: null, slow: null },
  { cause: 'tooLittleData', isProblem: false, facts: null, slow: null },
  { cause: 'fullPool', isProblem: true, facts: { maxPoolSize: 2, holders: [], routes: [{ route: '/a' }] }, slow: null },
];
const DOUBTS = [
  { doubt: null, poolSizes: [1, 2] },
  ...['fewRequests', 'unserved', 'unlimitedPool', 'unknownSize'].map((code) => ({
    ...{ doubt: { code, figures: {} }, poolSizes: [] },
  })),
];

/** A page that shows a pool, what was found about the minute before, and a prediction. @param {number} seed */
function createPage(seed) {
  const random = createRandom(seed, 'page');
  /** @template T @param {readonly T[]} items */
  const pick = (items) => items[Math.floor(random.uniform() * items.length)];
  const max = pick([1, 2, 3, 10, 100]);
  const active = pick([0, 1, max, max]);
  const connecting = active < max ? pick([0, 1, 2]) : 0;
  const waiting = pick([0, 0, 1, 4, 60]);
  const reading = createReading({
    max,
    active,
    connecting,
    waiting,
    total: active + connecting,
    database: { reachable: random.uniform() < 0.9, reason: null },
    lanes: Array.from({ length: active }, (_, id) => createConnection({ id, route: pick(ROUTES) })),
    queue: Array.from({ length: Math.min(50, waiting) }, () => createWaiter({ route: pick(ROUTES) })),
  });
  const [before, state] = [0, 500].reduce(
    (states, atMs) => [...states, takePool(states.at(-1) ?? createState(), reading, atMs)],
    /** @type {ReturnType<typeof takePool>[]} */ ([]),
  );
  expect(explainQueue(before)).toBe('');
  const { pool } = state;
  if (!pool) throw new Error('it shows no pool');
  const seconds = [createSecond({ max, active, waiting: pick([0, 4, 90]) })];
  const reason = explainQueue(state);
  const totals = { requests: 40, waiting: 9, checkouts: 40, waitedMs: 90, stillWaitedMs: pick([0, 80]) };
  const diagnosis = {
    verdict: { ...pick(VERDICTS), waitingShare: 0.3, meanWaitMs: 9, refusedShare: 0 },
    totals,
    settings: [],
  };
  const whatIf = { ...pick(DOUBTS), isOpen: pick([true, false]) };
  const queue = findQueue({ ...state, seconds });
  return {
    pool,
    headline: describePool(pool, 0),
    reason,
    verdict: explainLastMinute(/** @type {Diagnosis} */ (/** @type {unknown} */ (diagnosis)), reason !== ''),
    doubt: explainDoubt(pick([undefined, /** @type {WhatIf} */ (/** @type {unknown} */ (whatIf))]), queue),
  };
}

test('headline, reason, verdict and prediction never contradict each other', () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const { pool, headline, reason, verdict, doubt } = createPage(seed);
    const { waiting, max, active, database } = pool;
    const page = JSON.stringify({ seed, headline, reason, verdict, doubt });
    const says = (/** @type {string} */ text, /** @type {RegExp} */ words) => expect([page, words.test(text)]);
    // While somebody waits, there is a reason, and nothing says that nobody does.
    says(reason, new RegExp(`^${waiting} waits? now, because .+\\.$`)).toEqual([page, waiting > 0]);
    says(headline.queue, /waiting/).toEqual([page, waiting > 0 || (database.reachable && active > 0)]);
    says(headline.queue, new RegExp(`^${waiting} waiting`)).toEqual([page, waiting > 0]);
    if (waiting > 0) {
      says(verdict, /All is well|do not wait|nobody/).toEqual([page, false]);
      says(doubt, /[Nn]obody waited for|queue is empty/).toEqual([page, false]);
    } else says(doubt, /\d waits?\./).toEqual([page, false]);
    // The reason counts what the headline counts.
    if (/holds? the only connection/.test(reason)) expect([page, active]).toEqual([page, 1]);
    const [, all] = reason.match(/ hold all (\d+) connections/) ?? [];
    if (all !== undefined) says(headline.lanes, new RegExp(`^${all} of ${max} lanes busy`)).toEqual([page, true]);
    if (/open/.test(reason)) says(headline.queue, /open/).toEqual([page, true]);
  }
});
