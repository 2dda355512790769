import { expect, test } from '@jest/globals';
import { runHttpLoad } from '../../src/harness/http-load.js';
import { listen } from '../../src/http/listen.js';
import { cleanUp } from '../support/cleanup.js';

const LOAD = { connections: 32, warmUpMs: 150, durationMs: 150 };

/** @param {import('node:http').RequestListener} [answer] */
async function serve(answer = (req, res) => { res.end('{}'); }) {
  /** @type {Set<unknown>} */
  const connections = new Set();
  const { url, close } = await listen((req, res) => {
    connections.add(req.socket);
    answer(req, res);
  }, { host: '127.0.0.1', port: 0 });
  cleanUp(close);
  return { url, connections };
}

test('all that counts comes over connections that the warm-up opened', async () => {
  const { url, connections } = await serve();
  const { measured, failed } = await runHttpLoad({ url, ...LOAD });
  expect(failed).toBeUndefined();
  expect(measured).toMatchObject({ failures: 0, reopened: 0, tookMs: 150 });
  expect(measured.requests).toBeGreaterThan(32);
  expect(measured.ratePerSec).toBeCloseTo(measured.requests / 0.15, 3);
  expect(connections.size).toBe(32);
});

test('a server that closes its connections is found out', async () => {
  let answers = 0;
  const { url } = await serve((req, res) => {
    res.end('{}');
    answers += 1;
    if (answers % 20 === 0) req.socket.end();
  });
  const { measured, failed } = await runHttpLoad({ url, ...LOAD, durationMs: 500 });
  expect(measured.reopened).toBeGreaterThan(0);
  expect(failed).toMatch(/connection opened again/);
});

test('answers of another status are failures', async () => {
  const { url } = await serve((req, res) => {
    res.statusCode = 503;
    res.end();
  });
  const { measured, failed } = await runHttpLoad({ url, ...LOAD });
  expect(measured).toMatchObject({ requests: 0, errors: 0, timeouts: 0 });
  expect(measured.non2xx).toBe(measured.failures);
  expect(failed).toBe(`${measured.non2xx} x HTTP 503`);
});

test('an abort ends the load', async () => {
  const controller = new AbortController();
  const { url } = await serve(() => controller.abort(new Error('enough')));
  await expect(runHttpLoad({ url, ...LOAD }, { signal: controller.signal })).rejects.toThrow('enough');
});
