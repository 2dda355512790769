import { expect, test } from '@jest/globals';
import { nameClient } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { runCli } from '../support/run-cli.js';
import { PATHS, recordProcesses, rowsOf } from './record-processes.js';

test('an app with four clients, a second process and a change stream: the trace keeps them apart', async () => {
  const { file, one, ...all } = await recordProcesses({ seconds: 4 });
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
  expect(namesOf(rowsOf(trace, 'shop'))).toEqual(['find articles, /articles/:id', 'getMore articles, the app itself']);
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

  // Each caller has one connection, to one of the processes.
  const known = [...requests.statusOf.keys()].filter((row) => requests.statusOf[row] === 200);
  expect(new Set(known.map((row) => `${requests.processOf[row]} ${requests.socketOf[row]}`)).size).toBe(PATHS.length);
  expect(known.length).toBeGreaterThan(50);
  expect(new Set(seconds.loop.map(({ process }) => process))).toEqual(new Set([0, 1]));
  expect(
    seconds.server.some(
      ({ busyCores = -1, ticketsTotal = 0, connectionLimit = 0 }) =>
        busyCores >= 0 && ticketsTotal * connectionLimit > 0,
    ),
  ).toBe(true);

  // The prediction is about the pool that was chosen.
  const chosen = ['--client', 'reports', '--pool-sizes', '2', '--seeds', '19', '--json'];
  const { settings, variants } = JSON.parse((await runCli(['predict', '--trace', file, ...chosen])).stdout);
  expect(settings.recorded.maxPoolSize).toBe(2);
  expect(variants).toMatchObject([{ measured: { routes: expect.any(Object) } }]);
  expect((await readTrace(one)).pools.map(nameClient)).toEqual(['reports', 'reports']);
});
