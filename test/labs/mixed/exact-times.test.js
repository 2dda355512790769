import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readScenario } from 'mongodb-pool-predictor/node';
import { findArrivals, workOut } from '../../../src/labs/mixed/exact-times.js';
import { MIXED_SCENARIO } from '../../../src/labs/mixed/mixed-lab.js';
import { scratchFolder } from '../../support/scratch-folder.js';

const folder = await scratchFolder();
const article = { workload: await readScenario(MIXED_SCENARIO, {}), routes: ['/slow', '/fast'], poolSize: 1, slowMs: 5000 };

/** @param {[string, number][]} starts route and checkOutStarted */
const checkouts = (starts) => starts.map(([route, checkOutStartedAtMs]) => ({ route, checkOutStartedAtMs }));

test('with a pool of 1, whoever comes late keeps all behind it waiting', () => {
  expect(workOut(article).maxMs).toBe(21_000);
  const starts = checkouts([['/slow', 108], ['/fast', 5110], ['/slow', 1101], ['/slow', 2102], ['/slow', 3101], ['/slow', 4103]]);
  const arrivals = findArrivals(article, starts);
  expect(arrivals).toEqual([0, 993, 1994, 2993, 3995].map((atMs) => ({ atMs })));
  expect(workOut(article, { arrivals }).maxMs).toBe(25_000 - 3995);
});

test('the first query of a user tells when it came, if it makes no second one like it', async () => {
  const file = path.join(folder, 'scenario.yaml');
  const read = async (/** @type {string[]} */ flow) => {
    await writeFile(file, JSON.stringify({
      config: { phases: [{ duration: 2, arrivalCount: 2 }] }, scenarios: [{ flow: flow.map((url) => ({ get: { url } })) }],
    }));
    return { ...article, workload: await readScenario(file, {}) };
  };
  const starts = checkouts([['/fast', 10], ['/slow', 11], ['/fast', 1010], ['/slow', 1012]]);
  expect(findArrivals({ ...await read(['/livez', '/fast', '/slow']), routes: ['/livez', '/fast', '/slow'] }, starts))
    .toEqual([{ atMs: 0 }, { atMs: 1000 }]);
  expect(findArrivals(await read(['/fast', '/slow', '/fast']), starts)).toBeUndefined();
});
