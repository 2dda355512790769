import { describe, expect, test } from '@jest/globals';
import { MongoServerError, MongoServerSelectionError } from 'mongodb';
import { toProblem } from '../src/problem.js';

describe('an error in a client\'s words', () => {
  test('a fault of the request keeps its status, in standard words', () => {
    const error = Object.assign(new Error('Failed to decode param "%ff"'), { status: 400 });
    expect(toProblem(error)).toEqual({ status: 400, title: 'Bad Request' });
  });

  test.each([
    new Error('secret'), Object.assign(new Error('secret'), { status: 502 }), 'secret', undefined, null, { status: 'x' },
  ])('anything else is a 500 that tells nothing: %p', (error) => {
    expect(toProblem(error)).toEqual({ status: 500, title: 'Internal Server Error' });
  });

  test('a MongoDB that is not found is a 503 that does not name its address', () => {
    const error = new MongoServerSelectionError('connect ECONNREFUSED 10.1.2.3:27017', /** @type {any} */ ({}));
    expect(toProblem(error)).toEqual({ status: 503, title: 'MongoDB is unreachable' });
  });

  test.each([[91, 503], [10107, 503], [11602, 503], [2, 500]])(
    'a server that answers with code %i is a %i: ending, or no primary any more, or a fault of ours', (code, status) => {
      expect(toProblem(new MongoServerError({ message: 'secret', code })).status).toBe(status);
    });
});
