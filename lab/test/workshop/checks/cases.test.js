import { describe, expect, test } from '@jest/globals';
import { readLessons } from '../../../workshop/lessons.js';
import { check } from '../../support/check-lesson.js';

/** @import { CaseTask, ShopEvidence } from '../../../workshop/lesson-types.js' */

const cases = (await readLessons()).flatMap((lesson) => lesson.case ?? []);

const SOUND = {
  routes: {
    '/order': { p50Ms: 54, failures: 0, isRight: true },
    '/customer': { p50Ms: 28, failures: 0, isRight: true },
    '/offers': { p50Ms: 63, failures: 0, isRight: true },
  },
  requests: 300,
  connections: 7,
  opened: 0,
  examined: 10.4,
  missed: 0,
  noiseMs: 2,
};

/** What was measured with each cause. @type {[cause: string, figures: object, words: RegExp][]} */
const BROKEN = [
  [
    'client-per-request',
    withP50({ '/customer': 325 }, { connections: 14, opened: 200 }),
    /to \/customer take .+325 ms/,
  ],
  [
    'ten-queries',
    withP50({ '/order': 2005, '/customer': 1060, '/offers': 1097 }),
    /to \/order take longer than 2\.0 s/,
  ],
  ['slow-service', withP50({ '/offers': 368 }), /to \/offers take longer than 368 ms\. It must/],
  ['change-streams', withP50({ '/order': 2635, '/customer': 1364 }), /to \/order/],
  ['full-server', withP50({ '/order': 2525 }, { examined: 33340, noiseMs: 80 }), /to \/order take .+ It must/],
  ['idle-time', withP50({ '/order': 248 }, { opened: 57 }), /to \/order/],
  ['lost-option', withP50({ '/order': 2274 }, { connections: 4 }), /to \/order/],
  ['a machine that is busy', withP50({ '/order': 248 }, { noiseMs: 80 }), /something else used this machine/],
  ['requests without an answer', { routes: { ...SOUND.routes, '/order': { failures: 3 } } }, /3 requests to \/order/],
  [
    'a route that makes it easy',
    { routes: { ...SOUND.routes, '/order': { failures: 0 } } },
    /no longer gives the right answer/,
  ],
  ['no change stream', { missed: 5 }, /missed 5 changes/],
  ['a larger pool', { connections: 52 }, /had 52 connections to the server\. It may have at most 5/],
  ['quick connections that are opened again', { opened: 57 }, /opened 57 connections for 300 requests/],
  ['a quick server without an index', { examined: 33340 }, /looked at 33,340 documents/],
];

/** @param {Record<string, number>} p50s by route @param {object} [more] */
function withP50(p50s, more) {
  const routes = Object.entries(SOUND.routes).map(([route, figures]) => [
    route,
    { ...figures, p50Ms: p50s[route] ?? figures.p50Ms },
  ]);
  return { routes: Object.fromEntries(routes), ...more };
}

/** @param {CaseTask} task @param {object} figures @param {ShopEvidence['named']} [named] default: the right words */
function judgeCase(task, figures, named) {
  const [cause] = task.causes;
  return check(task.name, {
    shop: { cause, named: named ?? { cause: cause.name, route: cause.route }, figures: { ...SOUND, ...figures } },
  });
}

/** @param {string} name */
function tryCase(name) {
  const task = /** @type {CaseTask} */ (cases.find((one) => one.name === name));

  test('accepts a sound shop, whatever was named, and says what it was', async () => {
    const [{ name: cause, sign }] = task.causes;
    expect(await judgeCase(task, {})).toMatchObject({
      isRight: true,
      words: expect.stringMatching(/at most 63 ms.+You had found it: /),
    });
    expect(await judgeCase(task, {}, { cause, route: '/elsewhere' })).toMatchObject({
      isRight: true,
      words: expect.stringContaining(`You named ${cause} (/elsewhere), but it was this: `),
    });
    expect((await judgeCase(task, {})).words).toContain(sign);
  });

  test.each(BROKEN)('refuses %s, although the right cause was named', async (_, figures, words) => {
    expect(await judgeCase(task, figures)).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
  });
}

describe('case-1', () => tryCase('case-1'));
describe('case-2', () => tryCase('case-2'));
describe('case-3', () => tryCase('case-3'));
