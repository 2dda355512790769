import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { listTasks, readLessons } from '../../../src/workshop/lessons.js';
import { check, expectAnswer, expectNotYet } from '../../support/check-lesson.js';

/** A trace with a request every 10 ms. One in a hundred is a bus. @param {number} fastMs */
function traceOf(fastMs) {
  const all = Array.from({ length: 320 }, (_, index) => ({ index, isBus: index % 100 === 50 }));
  return {
    header: {}, routes: ['/fast', '/slow'], warnings: [],
    checkOutStartedMs: all.map(({ index }) => index * 10), waitMs: all.map(() => 0),
    useMs: all.map(({ isBus }) => (isBus ? 400 : fastMs)), routeOf: all.map(({ isBus }) => Number(isBus)),
  };
}

describe('13-your-own-pool', () => {
  const name = '13-your-own-pool';

  test('right with the size that advise gives for the trace', async () => {
    const trace = traceOf(2);
    expect(await check(name, { trace, answer: 4 })).toMatchObject({ isRight: true });
    await expectNotYet(name, { trace, answer: 3 }, /miss the goal too often/);
    await expectNotYet(name, { trace, answer: 5 }, /so are fewer/);
  });

  test('not yet with a trace in which nothing helps', async () => {
    await expectNotYet(name, { trace: traceOf(150), answer: 4 }, /advise finds no size for the goal/);
  });
});

describe('13-your-own-pool/twist', () => {
  const name = '13-your-own-pool/twist';

  test('right with the connections of a separate pool', async () => {
    expect(await check(name, { trace: traceOf(2), answer: 2 })).toMatchObject({ isRight: true });
    await expectNotYet(name, { trace: traceOf(2), answer: 4 }, /Read "A separate pool"/);
  });

  test('not yet where no separate pool helps', async () => {
    await expectNotYet(name, { trace: traceOf(150), answer: 2 }, /knows no separate pool/);
  });
});

describe('14-fleet-budget', () => {
  test('right with the largest pool that fits', async () => {
    await expectAnswer('14-fleet-budget', {}, 5, [4, 6, 7, 73]);
  });
});

test('the check of every lesson, twist and puzzle is tried on samples', async () => {
  const files = await readdir(new URL('.', import.meta.url));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, import.meta.url), 'utf8')));
  const tried = texts.flatMap((text) => [...text.matchAll(/^describe\('(.+)'/gm)].map(([, name]) => name));
  expect(tried.toSorted()).toEqual((await readLessons()).flatMap(listTasks).map(({ name }) => name).toSorted());
});
