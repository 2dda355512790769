import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { parseAllDocuments } from 'yaml';
import { startApp } from '../../../lab/harness/app-process.js';

const [container] = parseAllDocuments(await readFile('deploy/kubernetes/app.yaml', 'utf8'))
  .map((document) => document.toJS())
  .find(({ kind }) => kind === 'Deployment').spec.template.spec.containers;

const FLOOD = 6000;
const linuxTest = process.platform === 'linux' ? test : test.skip;

linuxTest(
  'the app has memory for a flood of requests of /slow',
  async () => {
    const limitMiB = Number(/^(\d+)Mi$/.exec(container.resources.limits.memory)?.[1]);
    const page = await readFile('docs/scale.md', 'utf8');
    expect(page.replaceAll(/\s+/g, ' ')).toContain(`95 % of a limit of 256 MiB, so it gets ${limitMiB}`);
    // What counts is how many wait, not how long.
    const app = await startApp({
      ...Object.fromEntries(
        container.env.map((/** @type {any} */ { name, value }) => [name, value ?? sharedMongoUrl()]),
      ),
      HOST: '127.0.0.1',
      SLOW_MS: '500',
      MONGO_WAIT_QUEUE_TIMEOUT_MS: '3000',
    });
    cleanUp(app.stop);
    const agent = new http.Agent({ maxSockets: Infinity });
    const statuses = await Promise.all(Array.from({ length: FLOOD }, () => ask(`${app.url}/slow`, agent)));
    const [, peakKiB] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${app.pid}/status`, 'utf8')) ?? [];
    expect(statuses.filter((status) => status === 200 || status === 503).length).toBeGreaterThan(FLOOD / 2);
    expect(Number(peakKiB) / 1024).toBeLessThan(0.85 * limitMiB);
    // Six thousand requests take long beside other work.
  },
  300_000,
);

/**
 * @param {string} url
 * @param {http.Agent} agent
 * @returns {Promise<number | undefined>} the status, undefined where the connection was refused
 */
function ask(url, agent) {
  return new Promise((resolve) => {
    http
      .get(url, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      })
      .on('error', () => resolve(undefined));
  });
}
