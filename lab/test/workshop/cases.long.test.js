import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { writeShop } from '../../cli/case-shop.js';
import { judgeShop, measureShop } from '../../workshop/cases/measure-shop.js';
import { openShop } from '../../workshop/cases/open-shop.js';
import { readLessons } from '../../workshop/lessons.js';

/** @import { CaseCause, Evidence } from '../../workshop/lesson-types.js' */

const SECONDS = 4;

const causes = (await readLessons()).flatMap((lesson) => lesson.case ?? []).at(-1)?.causes ?? [];
/** A shop in which nothing is changed. */
const sound = /** @type {CaseCause} */ ({ name: 'sound', about: '', route: 'all', sign: '', change: ['', ''] });
const folder = await scratchFolder();
const { signal } = new AbortController();
const shop = await openShop({ report: () => {}, signal });
afterAll(() => shop.close());

/** @param {CaseCause} cause */
async function measure(cause) {
  const file = path.join(folder, cause.name, 'shop.mjs');
  await writeShop(file, cause);
  // A sound shop leaves it there.
  await shop.client.db('shop').collection('orders').dropIndexes();
  const app = await shop.start(file);
  const figures = await measureShop(shop, app, { seconds: SECONDS }).finally(app.stop);
  const named = { cause: cause.name, route: cause.route };
  return { figures, verdict: judgeShop(/** @type {Evidence} */ ({ shop: { figures, cause, named } })) };
}

test('a sound shop is right, unless the machine is busy', async () => {
  const { figures, verdict } = await measure(sound);
  expect(figures).toMatchObject({ opened: expect.any(Number), missed: 0 });
  expect(verdict.isRight || /something else used this machine/.test(verdict.words)).toBe(true);
  expect(Object.values(figures.routes).every(({ failures, isRight }) => failures === 0 && isRight)).toBe(true);
}, 60_000);

test.each(causes)(
  'a shop with $name is slow',
  async (cause) => {
    const { verdict } = await measure(cause);
    expect(verdict).toMatchObject({
      isRight: false,
      words: expect.not.stringContaining('no longer gives the right answer'),
    });
  },
  60_000,
);
