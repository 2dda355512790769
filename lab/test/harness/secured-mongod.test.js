import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { renderHtml } from '../../report/html.js';
import { PASSWORD, startSecuredMongod, TRACES } from '../../../test/support/secured-mongod.js';
import { createSampleResult } from '../report/sample-result.js';
import { measureLab } from '../support/measure-lab.js';

const mongod = await startSecuredMongod();

/** @param {Partial<import('../../harness/run-lab.js').AnyLab>} changes @param {string} [url] */
const measure = (changes, url = mongod.urlOf()) =>
  measureLab({ ...mixed, ...changes }, { url, poolSizes: [1], slowMs: 1, scenario: 'loadtests/mixed.yaml' });

test('a failed login is one line, without the password', async () => {
  await expect(measure({}, mongod.urlOf({ password: `${PASSWORD}x` }))).rejects.toThrow(
    /^the server or the driver rejects --url or a pool setting: Authentication failed\.$/,
  );
});

test('a lab that the user may not run is one line that says which role is missing', async () => {
  const client = new MongoClient(mongod.urlOf());
  const prepare = async () => {
    await client.db('other').createCollection('any');
  };
  await expect(measure({ prepare })).rejects.toThrow(
    /^the user may not run "create" on the database other: grant it the role readWrite there$/,
  );
  await client.close();
});

test('a result and its report do not say where the MongoDB is', async () => {
  const result = await measure({
    plan: async (options) => ({
      settings: { slowMs: options.slowMs },
      variants: [{ name: 'pool 1', settings: { poolSize: 1 }, estimateMs: 1 }],
    }),
    measure: async () => ({ measured: createSampleResult().variants[0].measured ?? {} }),
    predict: undefined,
  });
  const shown = JSON.stringify(result) + renderHtml([{ lab: mixed, result }]);
  expect(shown).toContain('pool 1');
  expect(shown).not.toMatch(TRACES);
  expect(shown).not.toContain(mongod.host);
});
