import { describe, expect, test } from '@jest/globals';
import { acceptsOnly, check } from '../../support/check-lesson.js';

/** A trace with a request every 10 ms. One in a hundred is a bus. @param {number} fastMs */
function traceOf(fastMs) {
  const all = Array.from({ length: 320 }, (_, index) => ({ index, isBus: index % 100 === 50 }));
  return {
    header: {},
    routes: ['/fast', '/slow'],
    warnings: [],
    checkOutStartedMs: all.map(({ index }) => index * 10),
    waitMs: all.map(() => 0),
    useMs: all.map(({ isBus }) => (isBus ? 400 : fastMs)),
    routeOf: all.map(({ isBus }) => Number(isBus)),
  };
}

describe('13-your-own-pool', () => {
  const name = '13-your-own-pool';

  test('right with the size that advise gives for the trace', async () => {
    const trace = traceOf(2);
    expect(await check(name, { trace, answer: 4 })).toMatchObject({ isRight: true });
    expect(await check(name, { trace, answer: 3 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/miss the goal too often/),
    });
    expect(await check(name, { trace, answer: 5 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/so are fewer/),
    });
  });

  test('not yet with a trace in which nothing helps', async () => {
    expect(await check(name, { trace: traceOf(150), answer: 4 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/advise finds no size for the goal/),
    });
  });
});

describe('13-your-own-pool/twist', () => {
  const name = '13-your-own-pool/twist';

  test('right with the connections of a separate pool', async () => {
    expect(await check(name, { trace: traceOf(2), answer: 2 })).toMatchObject({ isRight: true });
    expect(await check(name, { trace: traceOf(2), answer: 4 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/Read "A separate pool"/),
    });
  });

  test('not yet where no separate pool helps', async () => {
    expect(await check(name, { trace: traceOf(150), answer: 2 })).toMatchObject({
      isRight: false,
      words: expect.stringMatching(/knows no separate pool/),
    });
  });
});

describe('14-fleet-budget', () => {
  acceptsOnly('14-fleet-budget', { answer: 5 }, [4, 6, 7, 73]);
});

describe('14-fleet-budget/twist', () => {
  acceptsOnly('14-fleet-budget/twist', { answer: 1440 }, [720, 1280]);
});
