import http from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { nameClient } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { runCli } from '../support/run-cli.js';
import { startWatch } from './start-watch.js';

/** @import { RecordedTrace } from 'mongodb-pool-predictor' */

/** Longer than the connections of one client last. */
const PAUSE_MS = 60;

/**
 * Callers with a kept-alive connection each, until stopped.
 * @param {string} url
 * @param {string[]} paths of each caller
 */
function call(url, paths) {
  const stop = new AbortController();
  const callers = paths.map(async (each) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!stop.signal.aborted) {
      await new Promise((resolve, reject) =>
        http.get(`${url}${each}`, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject),
      );
      if (each === '/brief') await delay(PAUSE_MS);
    }
    agent.destroy();
  });
  return async () => {
    stop.abort();
    await Promise.all(callers);
  };
}

/** @param {RecordedTrace} trace @param {string} client @returns {number[]} rows of checkouts that got a connection */
function rowsOf({ checkouts, pools }, client) {
  return [...checkouts.poolOf.keys()].filter(
    (row) => nameClient(pools[checkouts.poolOf[row]]) === client && checkouts.useMs[row] >= 0,
  );
}

/** @param {number[]} rows @param {ArrayLike<number>} column */
const sumOf = (rows, column) => rows.reduce((sum, row) => sum + column[row], 0);

test('an app with four clients, a second process and a change stream: the trace keeps them apart', async () => {
  const seeds = new MongoClient(sharedMongoUrl());
  await seeds.db('app_to_record').collection('articles').insertOne({ title: 'one' });
  await seeds.close();
  const { child, said, url: overview } = startWatch(['--', process.execPath, 'lab/test/watch/app-to-record.js']);
  cleanUp(() => child.kill('SIGKILL'));
  const port = await until('its port', () => said.stdout.match(/^\d+$/m)?.[0]);
  await until('both have their clients', async () => {
    const { rows } = await (await fetch(`${overview()}processes`)).json();
    return rows.length === 2 && rows.every((/** @type {any} */ { about }) => about.includes('4 clients'));
  });
  // Four of each process ask for reports.
  const paths = ['/articles/7', ...Array.from({ length: 8 }, () => '/report'), '/brief'];
  const stopCalling = call(`http://127.0.0.1:${port}`, paths);
  const folder = await scratchFolder();
  const file = path.join(folder, 'all.jsonl');
  const all = await runNode([
    'lab/cli.js',
    'record',
    '--url',
    overview(),
    '--out',
    file,
    '--every',
    '200',
    '--seconds',
    '6',
  ]);
  const one = path.join(folder, 'one.jsonl');
  await runNode(['lab/cli.js', 'record', '--url', overview(), '--out', one, '--client', 'reports', '--seconds', '1']);
  await stopCalling();
  child.kill('SIGTERM');

  const names = 'shop, reports, audit, brief';
  expect(all.stderr).toMatch(
    new RegExp(`^Recording 2 processes of \\S+: \\d+ \\(${names}\\), \\d+ \\(${names}\\), to `),
  );
  expect(all.code).toBe(0);
  const trace = await readTrace(file);
  const { checkouts, pools, processes, operations, requests, behind, seconds, routes } = trace;
  expect(processes.map(({ pid, attached }) => [typeof pid, attached])).toEqual([
    ['number', true],
    ['number', true],
  ]);
  expect(pools.map(({ process, name, maxPoolSize }) => `${process} ${name} ${maxPoolSize}`).toSorted()).toEqual(
    [0, 1].flatMap((number) => [`${number} audit 1`, `${number} brief 4`, `${number} reports 2`, `${number} shop 4`]),
  );
  expect(pools[0]).toMatchObject({
    appName: 'shop',
    driver: expect.stringMatching(/^7\./),
    options: { maxPoolSize: { value: 4, from: 'uri' }, maxConnecting: { value: 2, from: 'default' } },
  });
  const { options } = pools[rowsOf(trace, 'reports').map((row) => checkouts.poolOf[row])[0]];
  expect(options?.maxPoolSize).toEqual({ value: 2, from: 'code', uri: 4 });
  const { server } = /** @type {any} */ (trace.header);
  expect(server).toMatchObject({ version: expect.stringMatching(/^\d+\./), cores: expect.any(Number) });

  // Each client has its own operations, and the one with two connections is the one that is waited for.
  const namesOf = (/** @type {number[]} */ rows) =>
    [
      ...new Set(
        rows.map((row) => `${operations[checkouts.operationOf[row]].name}, ${routes[checkouts.routeOf[row]]}`),
      ),
    ].toSorted();
  expect(namesOf(rowsOf(trace, 'reports'))).toEqual(['find articles, /report']);
  expect(namesOf(rowsOf(trace, 'brief'))).toEqual(['find articles, /brief']);
  expect(namesOf(rowsOf(trace, 'shop'))).toEqual(['find articles, /articles/:id', 'getMore articles, background']);
  expect(operations.filter(({ kind }) => kind === 'changeStream')).toHaveLength(1);
  const waits = rowsOf(trace, 'reports').filter((row) => checkouts.behindCount[row] > 0);
  expect(waits.length).toBeGreaterThan(10);
  for (const row of waits) {
    const from = checkouts.behindFrom[row];
    for (const holder of behind.routeOf.subarray(from, from + checkouts.behindCount[row]))
      expect(routes[holder]).toBe('/report');
  }

  // Connections that do not last: the waits are openings.
  const brief = rowsOf(trace, 'brief').filter((row) => checkouts.isFresh[row] === 1);
  expect(brief.length).toBeGreaterThan(10);
  expect(sumOf(brief, checkouts.openingMs) / sumOf(brief, checkouts.waitMs)).toBeGreaterThan(0.8);
  expect(sumOf(rowsOf(trace, 'reports'), checkouts.openingMs)).toBeLessThan(
    0.2 * sumOf(rowsOf(trace, 'reports'), checkouts.waitMs),
  );

  // More of them would have to be opened as well: no size makes it fast.
  const advised = await runCli(['advise', '--trace', file, '--client', 'brief', '--slo', '/brief p50 < 5ms']);
  expect(advised.code).not.toBe(0);
  expect(advised.stdout).not.toMatch(/(is|are) enough\./);

  // Each caller has one connection, to one of the processes.
  const known = [...requests.statusOf.keys()].filter((row) => requests.statusOf[row] === 200);
  expect(new Set(known.map((row) => `${requests.processOf[row]} ${requests.socketOf[row]}`)).size).toBe(paths.length);
  expect(known.length).toBeGreaterThan(50);
  expect(new Set(seconds.loop.map(({ process }) => process))).toEqual(new Set([0, 1]));
  expect(seconds.server.some(({ busyCores = -1, ticketsTotal = 0 }) => busyCores >= 0 && ticketsTotal > 0)).toBe(true);

  // The prediction is about the pool that was chosen, and right about it.
  const { stdout, stderr } = await runCli([
    'predict',
    '--trace',
    file,
    '--client',
    'reports',
    '--pool-sizes',
    '2',
    '--json',
  ]);
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /The trace has \d pools\. This is the one of client "reports" in process \d+, with/,
  );
  const [{ measured, predicted }] = JSON.parse(stdout).variants;
  expect(Math.abs(predicted.meanWaitMs / measured.meanWaitMs - 1)).toBeLessThan(0.25);
  expect((await readTrace(one)).pools.map(nameClient)).toEqual(['reports', 'reports']);
});
