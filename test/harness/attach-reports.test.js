import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { openReports } from '../../src/harness/attach-reports.js';
import { cleanUp } from '../support/cleanup.js';

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
  await post(JSON.stringify({ ...FIRST, threadId: 1 }));
  expect(reports.processes).toEqual([
    { pid: 7, threadId: 0, command: 'app.js', ports: [3000], url: 'http://127.0.0.1:5555', clients: [CLIENT] },
    { pid: 7, threadId: 1, command: 'app.js', ports: [], clients: [] },
  ]);
});

test.each(['', 'null', '{}', '[7]', JSON.stringify({ ...FIRST, clients: [{ hosts: 5 }] }), `"${'x'.repeat(200_000)}"`])(
  '%.20s is no report', async (body) => {
    const before = structuredClone(reports.processes);
    expect(await post(body)).toBe(400);
    expect(reports.processes).toEqual(before);
  });
