import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { runLab } from '../../../src/harness/run-lab.js';
import { handles } from '../../../src/labs/handles/handles-lab.js';
import { listFindings } from '../../../src/report/findings.js';
import { renderTable } from '../../../src/report/table.js';
import { readSettings } from '../../../src/settings.js';
import { cleanUp } from '../../support/cleanup.js';
import { sharedMongoUrl } from '../../support/environment.js';

const client = new MongoClient(sharedMongoUrl());
cleanUp(() => client.close());
const options = {
  handles: ['one', 'several', 'processes', 'gathered', 'bare'], connections: [8], poolSize: 20, clients: 4, processes: 2,
  warmUpMs: 100, durationMs: 200,
};

test('a run measures every variant over HTTP, reports ratios and leaves no data', async () => {
  const result = await runLab(handles, options, {
    settings: readSettings({ MONGO_URL: sharedMongoUrl() }),
    signal: new AbortController().signal,
    report: () => {},
    onStep: () => {},
  });
  for (const { measured, error } of result.variants) {
    expect(error).toBeUndefined();
    expect(measured).toMatchObject({ failures: 0, errors: 0, timeouts: 0, non2xx: 0, reopened: 0 });
    expect(measured?.requests).toBeGreaterThan(8);
  }
  const [one, several] = result.variants.map(({ measured }) => measured?.ratePerSec);
  expect(listFindings(handles, result)).toMatchObject([
    { claim: 'c8: several clients / one client, requests per second', measured: several / one, published: null }, {}, {}, {},
  ]);
  expect(await client.db('pool_lab').listCollections({ name: 'handles' }).toArray()).toEqual([]);
  const table = renderTable(handles, result);
  expect(table.replaceAll('\n', ' ')).toMatch(/At 8 connections, .* answered \d+ requests per second/);
  expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});
