import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { measureUntil } from 'test-support/waiting.js';
import { writeShop } from '../../cli/case-shop.js';
import { judgeShop } from '../../workshop/cases/judge-shop.js';
import { measureShop } from '../../workshop/cases/measure-shop.js';
import { openShop } from '../../workshop/cases/open-shop.js';
import { readLessons } from '../../workshop/lessons.js';

/** @import { CaseCause, Evidence } from '../../workshop/lesson-types.js' */

const SECONDS = 4;
/** Where a queue grows all the time, which takes long to end. */
const SHORT_SECONDS = 2;
const TIMEOUT_MS = 120_000;

const causes = (await readLessons()).flatMap((lesson) => lesson.case ?? []).at(-1)?.causes ?? [];
/** A shop in which nothing is changed. */
const sound = /** @type {CaseCause} */ ({ name: 'sound', about: '', route: 'all', sign: '', change: ['', ''] });
const folder = await scratchFolder();
const { signal } = new AbortController();
const shop = await openShop({ report: () => {}, signal });
afterAll(() => shop.close());

/** Mends that are right, and not those with which the shop came. @type {Record<string, string>} */
const MENDS = {
  'client-per-request': '    return orders.aggregate([{ $match: { customer: Number(id) } }]).toArray();\n',
  'ten-queries': 'products.aggregate([{ $match: { _id: { $in: order.products } } }]).toArray();',
  'slow-service': `    const offers = await cursor.toArray();
    return Promise.all(offers.map(async (offer) => ({ ...offer, count: (await askStock([offer._id]))[0] })));
`,
  'change-streams': "products.watch([], { fullDocument: 'updateLookup' }).on('change', () => (changes += 1));\n",
  'full-server': 'await orders.createIndex({ customer: 1, _id: 1 });\n',
  'idle-time': 'maxPoolSize: Number(POOL_SIZE), maxIdleTimeMS: 600_000 }',
  'lost-option': 'const { MONGO_URL, POOL_SIZE = 5, STOCK_URL } = process.env;\n',
};

/** Gives nothing to those who would make it work harder. */
const SHED = `
for (const route of ['/order', '/customer', '/offers']) {
  const answer = routes[route];
  let running = 0;
  routes[route] = async (query) => {
    if (running > 0) return [];
    running += 1;
    try {
      return await answer(query);
    } finally {
      running -= 1;
    }
  };
}
`;

/** @param {CaseCause} cause @param {(text: string) => string} [change] of the shop's file @param {number} [seconds] */
async function measure(cause, change = (text) => text, seconds = SECONDS) {
  const file = path.join(folder, cause.name, 'shop.mjs');
  await writeShop(file, cause);
  await writeFile(file, change(await readFile(file, 'utf8')));
  // A sound shop leaves it there.
  await shop.client.db('shop').collection('orders').dropIndexes();
  const app = await shop.start(file);
  const figures = await measureShop(shop, app, { seconds }).finally(app.stop);
  const named = { cause: cause.name, route: cause.route };
  return { figures, verdict: judgeShop(/** @type {Evidence} */ ({ shop: { figures, cause, named } })) };
}

/** Measures again while something else uses the machine. @param {Parameters<typeof measure>} args */
const measureQuietly = (...args) =>
  measureUntil(
    () => measure(...args),
    ({ verdict }) => !/something else used this machine/.test(verdict.words),
    20,
  );

test(
  'a sound shop is right',
  async () => {
    const { figures, verdict } = await measureQuietly(sound);
    expect(figures).toMatchObject({ opened: expect.any(Number), missed: 0 });
    expect(verdict).toMatchObject({ isRight: true });
  },
  TIMEOUT_MS,
);

describe.each(causes)('a shop with $name', (cause) => {
  const [, broken] = cause.change;
  const mend = (/** @type {string} */ text) =>
    cause.name === 'full-server'
      ? text.replace('\n// How many', () => `${MENDS[cause.name]}\n// How many`)
      : text.replace(broken, () => MENDS[cause.name]);

  test(
    'is slow',
    async () => {
      const { verdict } = await measure(cause);
      expect(verdict).toMatchObject({
        isRight: false,
        words: expect.not.stringContaining('no longer gives the right answer'),
      });
    },
    TIMEOUT_MS,
  );

  test(
    'is right once it is mended',
    async () => {
      const { verdict } = await measureQuietly(cause, mend);
      expect(verdict).toMatchObject({ isRight: true, words: expect.stringContaining('You had found it') });
    },
    TIMEOUT_MS,
  );

  test.each([
    [
      'a smaller pool',
      (/** @type {string} */ text) => text.replace('Number(POOL_SIZE)', '2'),
      /take longer than|got no answer/,
    ],
    ['empty answers to most', (/** @type {string} */ text) => text + SHED, /no longer gives the right answer/],
  ])(
    'is not right with %s',
    async (_, change, words) => {
      const { verdict } = await measure(cause, change, SHORT_SECONDS);
      expect(verdict).toMatchObject({ isRight: false, words: expect.stringMatching(words) });
    },
    TIMEOUT_MS,
  );
});
