import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { runLab } from '../../harness/run-lab.js';
import { mixed } from '../../labs/mixed/mixed-lab.js';
import { renderHtml } from '../../report/html.js';
import { readSettings } from '../../../src/settings.js';
import { PASSWORD, startSecuredMongod, TRACES } from '../../../test/support/secured-mongod.js';
import { createSampleResult } from '../report/sample-result.js';
import { runNode } from 'test-support/processes.js';
import { sharedMongoUrl } from 'test-support/mongod.js';

const MIXED_OPTIONS = { poolSizes: [1], slowMs: 1, scenario: 'loadtests/mixed.yaml' };
const SURROUNDINGS = {
  settings: readSettings({ MONGO_URL: sharedMongoUrl() }, 'no .env file'),
  signal: new AbortController().signal,
  report() {},
  onStep() {},
};
const mongod = await startSecuredMongod();

test('a failed login is one line, without the password', async () => {
  const { code, stdout, stderr } = await runNode([
    'lab/cli.js',
    'run',
    'mixed',
    '--url',
    mongod.urlOf({ password: `${PASSWORD}x` }),
  ]);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'the server or the driver rejects --url or a pool setting: Authentication failed.\n',
  });
});

test('a lab that the user may not run is one line that says which role is missing', async () => {
  const client = new MongoClient(mongod.urlOf());
  /** @type {import('../../harness/run-lab.js').AnyLab} */
  const lab = {
    ...mixed,
    prepare: async () => {
      await client.db('other').createCollection('any');
    },
  };
  await expect(runLab(lab, { ...MIXED_OPTIONS, url: mongod.urlOf() }, SURROUNDINGS)).rejects.toThrow(
    /^the user may not run "create" on the database other: grant it the role readWrite there$/,
  );
  await client.close();
});

test('a result and its report do not say where the MongoDB is', async () => {
  /** @type {import('../../harness/run-lab.js').AnyLab} */
  const lab = {
    ...mixed,
    plan: async (options) => ({
      settings: { slowMs: options.slowMs },
      variants: [{ name: 'pool 1', settings: { poolSize: 1 }, estimateMs: 1 }],
    }),
    measure: async () => ({ measured: createSampleResult().variants[0].measured ?? {} }),
    predict: undefined,
  };
  const result = await runLab(lab, { url: mongod.urlOf(), slowMs: 1 }, SURROUNDINGS);
  const shown = JSON.stringify(result) + renderHtml([{ lab, result }]);
  expect(shown).toContain('pool 1');
  expect(shown).not.toMatch(TRACES);
  expect(shown).not.toContain(mongod.host);
});
