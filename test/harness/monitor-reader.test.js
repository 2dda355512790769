import http from 'node:http';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { readMonitors } from '../../src/harness/monitor-reader.js';
import { cleanUp } from '../support/cleanup.js';

const signal = new AbortController().signal;

/** A monitor that has more records each time it is asked. @param {number} forgotten */
async function serveMonitor(forgotten) {
  const lastIds = { checkouts: 3, requests: 1 };
  const server = http.createServer((req, res) => {
    const { pathname, searchParams } = new URL(String(req.url), 'http://monitor');
    const kind = /** @type {'checkouts' | 'requests'} */ (pathname.replace('/pool/', ''));
    const after = Number(searchParams.get('after'));
    lastIds[kind] += 2;
    const records = Array.from({ length: lastIds[kind] - after }, (_, index) => ({ id: after + index + 1 }));
    res.end(JSON.stringify({ [kind]: records, lastId: lastIds[kind], forgotten: after > 0 ? forgotten : 0 }));
  }).listen(0, '127.0.0.1');
  cleanUp(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
}

test('reads what comes after the start, from each process, also from one that starts later', async () => {
  const first = { pid: 1, threadId: 0, command: '', ports: [], clients: [], url: await serveMonitor(0) };
  const second = { pid: 2, threadId: 0, command: '', ports: [], clients: [] };
  const reader = await readMonitors([first, second], signal);
  Object.assign(second, { url: await serveMonitor(0) });
  const { checkouts, requests, forgotten } = await reader.stop();
  expect(checkouts.map(({ source, id }) => [source, id])).toEqual([[0, 6], [0, 7], [1, 1], [1, 2], [1, 3], [1, 4], [1, 5]]);
  expect(requests.map(({ source, id }) => [source, id])).toEqual([[0, 4], [0, 5], [1, 1], [1, 2], [1, 3]]);
  expect(forgotten).toBe(0);
});

test('says how much is missing, and which process does not answer', async () => {
  const lossy = { pid: 1, threadId: 0, command: '', ports: [], clients: [], url: await serveMonitor(4) };
  expect(await (await readMonitors([lossy], signal)).stop()).toMatchObject({ forgotten: 8 });
  await expect(readMonitors([{ ...lossy, url: 'http://127.0.0.1:1' }], signal)).rejects.toThrow(
    'the monitor of process 1 did not answer GET /pool/checkouts?after=0: ');
});
