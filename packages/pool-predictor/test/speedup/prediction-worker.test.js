import { beforeAll, expect, test } from '@jest/globals';
import { traceText } from 'test-support/trace-text.js';
import { createRandom } from '../../src/simulator/random.js';
import { recordDrawn } from '../trace/traces.js';

/** What a worker has, where these tests have none. */
const browser = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (globalThis));
/** @type {(message: { data: object }) => Promise<void>} */
let listen;
/** @type {Record<string, any>[]} */
const answers = [];

beforeAll(async () => {
  browser.addEventListener = (/** @type {string} */ _type, /** @type {typeof listen} */ listener) => {
    listen = listener;
  };
  browser.postMessage = (/** @type {Record<string, any>} */ answer) => answers.push(answer);
  await import('../../src/speedup/prediction-worker.js');
});

/** @param {{ trace?: string, wanted: string }} question */
async function ask(question) {
  const id = answers.length + 1;
  await listen({ data: { id, ...question } });
  expect(answers).toHaveLength(id);
  expect(answers[id - 1].id).toBe(id);
  return answers[id - 1];
}

/** The trace of an app in which every fifth request holds a connection for long. @param {number} poolSize */
function recordApp(poolSize) {
  const random = createRandom(1, 'app');
  const { routes, checkOutStartedMs, waitMs, useMs, routeOf } = recordDrawn(600, poolSize, (index) => {
    const route = index % 5 === 0 ? '/slow' : '/fast';
    return { route, serviceMs: route === '/slow' ? 60 : 2, gapMs: 8 * random.exponential() };
  });
  const checkouts = Array.from(checkOutStartedMs, (atMs, request) => {
    return { atMs, waitMs: waitMs[request], useMs: useMs[request], route: routes[routeOf[request]], request };
  });
  const server = JSON.stringify({ event: 'server', atMs: 1, cores: 2, busyCores: 0.1 });
  return traceText({ checkouts, poolSize }).replace('{"end"', `${server}\n{"end"`);
}

test('one trace is explained, then predicted, then searched for the query that matters most', async () => {
  const { diagnosis } = await ask({ trace: recordApp(2), wanted: 'diagnosis' });
  expect(diagnosis.verdict).toMatchObject({ cause: 'fullPool', isProblem: true });
  const { whatIf } = await ask({ wanted: 'whatIf' });
  expect(whatIf).toMatchObject({ recordedSize: 2, doubt: null });
  const { speedups } = await ask({ wanted: 'speedups' });
  expect(speedups).toMatchObject({ target: { figure: 'p95Ms' }, poolSize: 2, best: { route: '/slow' } });
});

test('where no request waits for a query, none is searched for', async () => {
  const { speedups } = await ask({ trace: recordApp(50), wanted: 'speedups' });
  expect(speedups).toBeNull();
});
