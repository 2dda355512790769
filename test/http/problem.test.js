import { describe, expect, test } from '@jest/globals';
import { MongoServerError, MongoServerSelectionError } from 'mongodb';
import { answerErrors, toProblem } from '../../src/http/problem.js';
import { createTestLog } from '../support/serve-app.js';
import { until } from 'test-support/waiting.js';

describe('an error as the client sees it', () => {
  test('a client error keeps its status, with the standard title', () => {
    const error = Object.assign(new Error('Failed to decode param "%ff"'), { status: 400 });
    expect(toProblem(error)).toEqual({ status: 400, title: 'Bad Request' });
  });

  test.each([
    new Error('secret'),
    Object.assign(new Error('secret'), { status: 502 }),
    'secret',
    undefined,
    null,
    { status: 'x' },
  ])('anything else is a 500 without details: %p', (error) => {
    expect(toProblem(error)).toEqual({ status: 500, title: 'Internal Server Error' });
  });

  test('an unreachable MongoDB is a 503 without its address', () => {
    const error = new MongoServerSelectionError('connect ECONNREFUSED 10.1.2.3:27017', /** @type {any} */ ({}));
    expect(toProblem(error)).toEqual({ status: 503, title: 'MongoDB is unreachable' });
  });

  test.each([
    [91, 503],
    [10107, 503],
    [11602, 503],
    [2, 500],
  ])(
    'a server that answers with code %i is a %i: ending, or no primary any more, or a fault of ours',
    (code, status) => {
      expect(toProblem(new MongoServerError({ message: 'secret', code })).status).toBe(status);
    },
  );
});

test('an outage under load logs one short line per second and kind, with a count; our own fault is logged with its stack', async () => {
  const { log, lines } = createTestLog();
  const answer = answerErrors(log);
  const res = /** @type {any} */ ({ set: () => res, status: () => res, type: () => res, send: () => res });
  const outage = new MongoServerSelectionError('connect ECONNREFUSED 10.1.2.3:27017', /** @type {any} */ ({}));
  const fail = (/** @type {Error} */ error) => answer(error, /** @type {any} */ ({ path: '/fast' }), res, () => {});
  for (let request = 0; request < 500; request += 1) fail(outage);
  fail(new Error('a fault'));
  await until('the second is over', () => lines.length > 2, 5000);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ msg: 'MongoDB is unreachable', reason: outage.message, path: '/fast', count: 1 }),
    expect.objectContaining({
      msg: 'Internal Server Error',
      err: expect.objectContaining({ stack: expect.any(String) }),
      count: 1,
    }),
    expect.objectContaining({ msg: 'MongoDB is unreachable', reason: outage.message, count: 499 }),
  ]);
  expect(lines[2].length).toBeLessThan(300);
  // The next second starts right away.
  fail(outage);
  expect(lines).toHaveLength(3);
  await until('it is over too', () => lines.length > 3, 5000);
  expect(JSON.parse(lines[3])).toMatchObject({ msg: 'MongoDB is unreachable', count: 1 });
});
