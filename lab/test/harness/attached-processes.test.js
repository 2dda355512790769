import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { openReports } from '../../harness/attach-reports.js';
import { readMonitors } from '../../harness/monitor-reader.js';
import { serveHandler } from '../../../test/support/serve-parts.js';
import { cleanUp } from 'test-support/cleanup.js';

const reports = await openReports();
cleanUp(() => reports.close());

const FIRST = { pid: 7, threadId: 0, command: 'app.js', ports: [], clients: [] };
const CLIENT = { name: null, hosts: ['127.0.0.1:27017'], maxPoolSize: 4, replacedMaxPoolSize: 100 };

/** @param {string} body @returns {Promise<number>} */
async function post(body) {
  return (await fetch(reports.url, { method: 'POST', body })).status;
}

test('a process grows with its reports, in whatever order they come', async () => {
  const told = once(reports.events, 'report');
  expect(await post(JSON.stringify(FIRST))).toBe(204);
  await told;
  await post(JSON.stringify({ ...FIRST, ports: [3000], url: 'http://127.0.0.1:5555/', clients: [CLIENT] }));
  await post(JSON.stringify(FIRST));
  await post(JSON.stringify({ ...FIRST, threadId: 1, notWatched: 'its driver is old' }));
  await post(JSON.stringify({ ...FIRST, threadId: 1, notWatched: null }));
  expect(reports.processes).toEqual([
    { pid: 7, threadId: 0, command: 'app.js', ports: [3000], url: 'http://127.0.0.1:5555', clients: [CLIENT] },
    { pid: 7, threadId: 1, command: 'app.js', notWatched: 'its driver is old', ports: [], clients: [] },
  ]);
});

/** @typedef {{ path?: string, method?: string, headers?: Record<string, string>, body?: string }} Sent */
/** @type {[string, Sent, number, string][]} */
const REFUSED = [
  ['nothing', { body: '' }, 400, 'JSON'],
  ['null', { body: 'null' }, 400, 'it must be an object'],
  ['a list', { body: '[7]' }, 400, 'it must be an object'],
  ['half a report', { body: '{"pid":7}' }, 400, 'threadId must be a number'],
  ['hosts that are none', { body: JSON.stringify({ ...FIRST, clients: [{ hosts: 5 }] }) }, 400, 'clients[0].hosts'],
  ['a larger one', { body: JSON.stringify({ ...FIRST, command: 'x'.repeat(100_000) }) }, 413, '100000 characters'],
  ['a much larger one', { body: `"${'x'.repeat(5_000_000)}"` }, 413, '100000 characters'],
  ...['http://example.com:80/', 'https://127.0.0.1:1/', 'file:///etc/passwd', 'http://127.0.0.1.example.com/', 'x'].map(
    (url) =>
      /** @type {(typeof REFUSED)[0]} */ ([
        `a page at ${url}`,
        { body: JSON.stringify({ ...FIRST, url }) },
        400,
        'url must be an http:// URL on loopback',
      ]),
  ),
  ['one without the secret', { path: '/' }, 404, 'Not Found'],
  ['one with another secret', { path: `/reports/${'x'.repeat(32)}` }, 404, 'Not Found'],
  ['one under another name', { headers: { Host: 'evil.example' } }, 403, '127.0.0.1 or localhost'],
  ['a question', { method: 'GET' }, 405, 'Method Not Allowed'],
];

test.each(REFUSED)('%s is refused', async (_, { path, method = 'POST', headers, body }, status, words) => {
  const before = structuredClone(reports.processes);
  const outgoing = request(new URL(path ?? '', reports.url), { method, headers, agent: false });
  outgoing.on('error', () => {}).end(method === 'POST' ? (body ?? JSON.stringify({ ...FIRST, pid: 8 })) : undefined);
  const [response] = await once(outgoing, 'response');
  const answer = await new Response(response).text();
  expect({ status: response.statusCode, type: response.headers['content-type'] }).toEqual({
    status,
    type: 'application/problem+json; charset=utf-8',
  });
  expect(answer).toContain(words);
  expect(reports.processes).toEqual(before);
});

test('a report may be as large as the limit', async () => {
  const report = { ...FIRST, pid: 9 };
  const command = 'x'.repeat(100_000 - JSON.stringify({ ...report, command: '' }).length);
  expect(await post(JSON.stringify({ ...report, command }))).toBe(204);
});

const signal = new AbortController().signal;

/** A monitor that has more records each time it is asked. @param {number} forgotten */
function serveMonitor(forgotten) {
  const lastIds = { checkouts: 3, requests: 1 };
  return serveHandler((req, res) => {
    const { pathname, searchParams } = new URL(String(req.url), 'http://monitor');
    const kind = /** @type {'checkouts' | 'requests'} */ (pathname.replace('/pool/', ''));
    const after = Number(searchParams.get('after'));
    lastIds[kind] += 2;
    const records = Array.from({ length: lastIds[kind] - after }, (_, index) => ({ id: after + index + 1 }));
    res.end(JSON.stringify({ [kind]: records, lastId: lastIds[kind], forgotten: after > 0 ? forgotten : 0 }));
  });
}

test('reads what comes after the start, from each process, also from one that starts later', async () => {
  const first = { pid: 1, threadId: 0, command: '', ports: [], clients: [], url: await serveMonitor(0) };
  const second = { pid: 2, threadId: 0, command: '', ports: [], clients: [] };
  const reader = await readMonitors([first, second], signal);
  Object.assign(second, { url: await serveMonitor(0) });
  const { checkouts, requests, forgotten } = await reader.stop();
  expect(checkouts.map(({ source, id }) => [source, id])).toEqual([
    [0, 6],
    [0, 7],
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 4],
    [1, 5],
  ]);
  expect(requests.map(({ source, id }) => [source, id])).toEqual([
    [0, 4],
    [0, 5],
    [1, 1],
    [1, 2],
    [1, 3],
  ]);
  expect(forgotten).toBe(0);
});

test('says how much is missing, and which process does not answer', async () => {
  const lossy = { pid: 1, threadId: 0, command: '', ports: [], clients: [], url: await serveMonitor(4) };
  expect(await (await readMonitors([lossy], signal)).stop()).toMatchObject({ forgotten: 8 });
  await expect(readMonitors([{ ...lossy, url: 'http://127.0.0.1:1' }], signal)).rejects.toThrow(
    'the monitor of process 1, http://127.0.0.1:1 does not answer GET /pool/checkouts?after=0 (',
  );
});
