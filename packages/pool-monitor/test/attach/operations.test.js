import { expect, test } from '@jest/globals';
import { Operations } from '../../src/attach/operations.js';

/** @typedef {(...args: any[]) => unknown} Command */

/** @param {Command} command of its server */
function watchClient(command) {
  class Server {
    /** @param {any[]} args */
    command(...args) {
      return command(...args);
    }
  }
  const server = new Server();
  const operations = new Operations((work) => work);
  operations.watch({ topology: { s: { servers: new Map([['a:1', server]]) } }, s: {} });
  return { server, operations };
}

const PIPELINE = { aggregate: 'news', pipeline: [{ $changeStream: {} }], cursor: {} };

test.each([
  ['the document of driver 6.5', { cursor: { id: 7n } }],
  ['an object of a later driver', { id: 7n, cursor: { get() {} } }],
])('a change stream is known by its id, from %s', async (name, answer) => {
  /** @type {unknown[]} */
  const seen = [];
  const { server, operations } = watchClient(async () => {
    seen.push(operations.current);
    return answer;
  });
  await server.command('shop.news', PIPELINE, {});
  await server.command('shop.news', { getMore: 7n, collection: 'news' }, {});
  await server.command('shop.news', { getMore: 8n, collection: 'news' }, {});
  expect(seen).toMatchObject([
    { operation: 'aggregate news', kind: null },
    { operation: 'getMore news', kind: 'changeStream' },
    { operation: 'getMore news', kind: null },
  ]);
  operations.close();
  await server.command('shop.news', PIPELINE, {});
  expect(seen.at(-1)).toBeNull();
});
