import { beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { runLab } from '../../src/harness/run-lab.js';
import { mixed } from '../../src/labs/mixed/mixed-lab.js';
import { renderHtml } from '../../src/report/html.js';
import { readSettings } from '../../src/settings.js';
import { createSampleResult } from '../report/sample-result.js';
import { sharedMongoUrl } from '../support/environment.js';
import { runNode } from '../support/run-node.js';
import { CA_FILE, startSecuredMongod } from '../support/secured-mongod.js';
import { startApp } from '../support/start-app.js';

const MIXED_OPTIONS = { poolSizes: [1], slowMs: 1, scenario: 'loadtests/mixed.yaml' };
const PASSWORD = 'hunter2@/:?#%&+"\'\\ é€';
/** Parts of it, however encoded, that must not appear. */
const TRACES = /hunter2|%40%2F|@\/:\?/i;

/** @type {Awaited<ReturnType<typeof startSecuredMongod>>} */
let mongod;
/** @type {string} */
let url;
beforeAll(async () => {
  mongod = await startSecuredMongod();
  await mongod.addUser('lab', PASSWORD);
  url = urlOf();
});

/** @param {{ password?: string, tls?: string }} [changes] */
function urlOf({ password = PASSWORD, tls = `tls=true&tlsCAFile=${encodeURIComponent(CA_FILE)}` } = {}) {
  return `mongodb://lab:${encodeURIComponent(password)}@${mongod.host}/?authSource=admin&serverSelectionTimeoutMS=700&${tls}`;
}

test('the app works over TLS, as a user with one database, and never shows the password', async () => {
  const app = startApp({ MONGO_URL: url, LOG_LEVEL: 'trace', SLOW_MS: '50', MONGO_POOLSIZE: '1' });
  const at = await app.url;
  const said = [];
  const routes = ['/', '/slow', '/fast', '/livez', '/readyz', '/pool', '/pool/checkouts', '/pool/server', '/metrics', '/nowhere'];
  for (const route of routes) {
    const response = await fetch(at + route);
    expect({ route, status: response.status }).toEqual({ route, status: route === '/nowhere' ? 404 : 200 });
    said.push(await response.text());
  }

  // A new client can't log in now. That is a server error, and the log has it.
  await mongod.root.db('admin').command({ updateUser: 'lab', pwd: 'another' });
  const refused = await fetch(`${at}/control/pool-size`, {
    method: 'POST', headers: { 'Content-Type': 'application/json', Origin: at }, body: '{"poolSize":2}',
  });
  expect(refused.status).toBe(500);
  said.push(await refused.text());
  await mongod.root.db('admin').command({ updateUser: 'lab', pwd: PASSWORD });

  app.child.disconnect();
  const { stdout, stderr } = await app.ended;
  expect(stdout).toContain('Authentication failed');
  expect([...said, stdout, stderr].filter((text) => TRACES.test(text))).toEqual([]);
});

describe('a failed start is one line, without the password', () => {
  test.each([
    ['a wrong password', () => urlOf({ password: `${PASSWORD}x` }), 'the server or the driver rejects MONGO_URL or a pool setting: Authentication failed.'],
    ['an unknown certificate', () => urlOf({ tls: 'tls=true' }), /^MONGO_URL: no MongoDB was found .*certificate/],
    ['no login', () => urlOf().replace(/lab:.*?@/, ''), /^MONGO_URL: the server requires a login. Put USER:PASSWORD@ in front of the hosts\.$/],
    ['no TLS', () => urlOf({ tls: '' }), /^MONGO_URL: no MongoDB was found/],
    ['a password that was not encoded', () => urlOf().replace(/lab:.*?@/, () => `lab:${PASSWORD}@`), /^MONGO_URL is not a connection string/],
  ])('%s', async (_, make, message) => {
    const app = startApp({ MONGO_URL: make(), MONGO_SERVER_SELECTION_TIMEOUT_MS: '700' });
    const { code, stdout, stderr } = await app.ended;
    expect({ code, lines: stderr.trimEnd().split('\n') }).toEqual({ code: 1, lines: [expect.stringMatching(message)] });
    expect(stdout + stderr).not.toMatch(TRACES);
  });

  test('also for pool-lab', async () => {
    const { code, stdout, stderr } = await runNode(
      ['src/cli.js', 'run', 'mixed', '--url', urlOf({ password: `${PASSWORD}x` })]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1, stdout: '', stderr: 'the server or the driver rejects --url or a pool setting: Authentication failed.\n',
    });
  });
});

test('a lab that the user may not run is one line that says which role is missing', async () => {
  const client = new MongoClient(url);
  /** @type {import('../../src/harness/run-lab.js').AnyLab} */
  const lab = { ...mixed, prepare: () => client.db('other').createCollection('any').then(() => ({ undo: async () => {} })) };
  await expect(runLab(lab, { ...MIXED_OPTIONS, url }, {
    settings: readSettings({}, 'no .env file'), signal: new AbortController().signal, report() {}, onStep() {},
  })).rejects.toThrow(/^the user may not run "create" on the database other: grant it the role readWrite there$/);
  await client.close();
});

test('a result and its report do not say where the MongoDB is', async () => {
  /** @type {import('../../src/harness/run-lab.js').AnyLab} */
  const lab = {
    ...mixed,
    plan: async (options) => ({ settings: { slowMs: options.slowMs }, variants: [{ name: 'pool 1', settings: { poolSize: 1 }, estimateMs: 1 }] }),
    measure: async () => ({ measured: createSampleResult().variants[0].measured ?? {} }),
    predict: undefined,
  };
  const result = await runLab(lab, { url, slowMs: 1 }, {
    settings: readSettings({ MONGO_URL: sharedMongoUrl() }, 'no .env file'), signal: new AbortController().signal,
    report() {}, onStep() {},
  });
  const shown = JSON.stringify(result) + renderHtml([{ lab, result }]);
  expect(shown).toContain('pool 1');
  expect(shown).not.toMatch(TRACES);
  expect(shown).not.toContain(mongod.host);
});
