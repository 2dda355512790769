import { expect, test } from '@jest/globals';
import { runHttpLoad } from '../../../harness/loads/http.js';
import { measureUntil } from 'test-support/waiting.js';
import { serveHandler } from '../../../../test/support/serve-parts.js';
import { LoadWindow } from '../../../harness/loads/load-window.js';

const LOAD = { connections: 32, warmUpMs: 150, durationMs: 150 };

/** @param {import('node:http').RequestListener} [answer] */
async function serve(
  answer = (req, res) => {
    res.end('{}');
  },
) {
  /** @type {Set<unknown>} */
  const connections = new Set();
  const url = await serveHandler((req, res) => {
    connections.add(req.socket);
    answer(req, res);
  });
  return { url, connections };
}

test('all that counts comes over connections that the warm-up opened', async () => {
  const { url, connections } = await serve();
  const { measured, failed } = await runHttpLoad({ url, ...LOAD });
  expect(failed).toBeUndefined();
  expect(measured).toMatchObject({ failures: 0, reopened: 0, tookMs: 150 });
  expect(measured.requests).toBeGreaterThan(0);
  expect(measured.ratePerSec).toBeCloseTo(measured.requests / 0.15, 3);
  expect(connections.size).toBe(32);
});

test('a server that closes its connections is found out', async () => {
  let answers = 0;
  const { url } = await serve((req, res) => {
    res.end('{}');
    answers += 1;
    if (answers % 2 === 0) req.socket.end();
  });
  // On a busy machine, no connection may be opened again within this time.
  const { measured, failed } = await measureUntil(
    () => runHttpLoad({ url, ...LOAD, connections: 2 }),
    ({ measured: { reopened } }) => reopened > 0,
  );
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

const NONE = { errors: 0, timeouts: 0, non2xx: 0 };

/** A window of 100 ms after a warm-up of 50 ms, for two connections, and a clock that the test sets. */
function createScene() {
  let nowMs = 0;
  let ended = 0;
  const loadWindow = new LoadWindow({
    connections: 2,
    warmUpMs: 50,
    durationMs: 100,
    onEnd: () => {
      ended += 1;
    },
    now: () => nowMs,
  });
  return {
    fail: (/** @type {Error} */ error) => loadWindow.fail(error),
    measure: (/** @type {typeof NONE} */ totals) => loadWindow.measure(totals),
    /** @param {number} atMs @param {string} connection @param {number} latencyMs @param {number} [status] */
    answerAt(atMs, connection, latencyMs, status = 200) {
      nowMs = atMs;
      loadWindow.answer(connection, status, latencyMs);
    },
    ended: () => ended,
  };
}

test('answers count once the warm-up is over and every connection was answered, for so long', () => {
  const { answerAt, measure, ended } = createScene();
  answerAt(10, 'a', 1000);
  answerAt(60, 'a', 1000);
  answerAt(70, 'b', 1000);
  answerAt(80, 'a', 2);
  answerAt(170, 'b', 4);
  expect(ended()).toBe(0);
  answerAt(171, 'a', 1000);
  expect(ended()).toBe(1);
  expect(measure(NONE)).toEqual({
    measured: {
      requests: 2,
      failures: 0,
      errors: 0,
      timeouts: 0,
      non2xx: 0,
      reopened: 0,
      tookMs: 100,
      ratePerSec: 20,
      avgMs: 3,
      stdevMs: 1,
      p50Ms: 2,
      p95Ms: 4,
      p99Ms: 4,
      maxMs: 4,
    },
  });
});

test('each kind of failure is counted, and is no latency', () => {
  const { answerAt, fail, measure } = createScene();
  answerAt(60, 'a', 1, 503);
  answerAt(60, 'b', 1);
  answerAt(70, 'a', 1, 503);
  answerAt(80, 'opened anew', 3);
  fail(new Error('read ECONNRESET'));
  fail(new Error('request timed out'));
  const { measured, failed } = measure({ errors: 2, timeouts: 1, non2xx: 2 });
  expect(measured).toMatchObject({
    requests: 1,
    failures: 5,
    errors: 1,
    timeouts: 1,
    non2xx: 2,
    reopened: 1,
    maxMs: 3,
  });
  expect(failed).toBe('2 x HTTP 503, 1 x connection opened again, 1 x read ECONNRESET, 1 x request timed out');
});

test('a warm-up that does not reach every connection is no measurement', () => {
  const { answerAt, measure } = createScene();
  answerAt(60, 'a', 1);
  answerAt(70, 'a', 1);
  const { measured, failed } = measure(NONE);
  expect(measured.requests).toBe(0);
  expect(failed).toMatch(/warm-up: 1 of 2 connections were answered/);
});
