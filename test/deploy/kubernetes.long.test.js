import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { startApp } from '../../src/harness/app-process.js';
import { cleanUp } from '../support/cleanup.js';
import { sharedMongoUrl } from '../support/environment.js';

const FLOOD = 6000;
const linuxTest = process.platform === 'linux' ? test : test.skip;

linuxTest('a flood of requests of /slow stays well within the memory that the app is allowed', async () => {
  const [deployment] = parseAllDocuments(await readFile('deploy/kubernetes/app.yaml', 'utf8')).map((one) => one.toJS());
  const [{ env, resources }] = deployment.spec.template.spec.containers;
  const limitMiB = Number(/^(\d+)Mi$/.exec(resources.limits.memory)?.[1]);
  const settings = Object.fromEntries(env.map((/** @type {any} */ { name, value }) => [name, value ?? sharedMongoUrl()]));
  const app = await startApp({ ...settings, HOST: '127.0.0.1', PORT: '0' });
  cleanUp(app.stop);
  const agent = new http.Agent({ maxSockets: Infinity });
  const statuses = await Promise.all(Array.from({ length: FLOOD }, () => ask(`${app.url}/slow`, agent)));
  const [, peakKiB] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${app.pid}/status`, 'utf8')) ?? [];
  expect(statuses.filter((status) => status === 200 || status === 503).length).toBeGreaterThan(FLOOD / 2);
  expect(Number(peakKiB) / 1024).toBeLessThan(0.85 * limitMiB);
}, 180_000);

/**
 * @param {string} url
 * @param {http.Agent} agent
 * @returns {Promise<number | undefined>} the status, undefined where the connection was refused
 */
function ask(url, agent) {
  return new Promise((resolve) => {
    http.get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', () => resolve(undefined));
  });
}
