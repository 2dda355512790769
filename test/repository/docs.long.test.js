import { copyFile, readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { parseAllDocuments } from 'yaml';
import { startApp } from '../../lab/harness/app-process.js';
import { commandsOf } from '../support/commands-of.js';
import { createWorkbench } from '../../lab/test/support/workbench.js';

const [container] = parseAllDocuments(await readFile('deploy/kubernetes/app.yaml', 'utf8'))
  .map((document) => document.toJS())
  .find(({ kind }) => kind === 'Deployment').spec.template.spec.containers;

const FILE = 'loadtests/users-and-admins.yaml';

const names = (await readdir('docs')).filter((name) => name.endsWith('.md'));

const pages = await Promise.all(names.map((name) => readFile(path.join('docs', name), 'utf8')));

const commands = pages.flatMap(commandsOf);

test('Artillery accepts the commands and options of scale.md', async () => {
  const text = await readFile('docs/scale.md', 'utf8');
  const lines = commands.flatMap((command) => /^npx artillery (run-.+)/.exec(command)?.[1] ?? []);
  const [, spot, memory] = /`(--spot)`.+`(--memory-size \d+)`/.exec(text) ?? [];
  const inWords = '--subnet-ids a --security-group-ids b --dotenv c';
  for (const option of inWords.match(/--\S+/g) ?? []) expect(text).toContain(option);
  const wrong = ['--regoin eu-west-1', '--region mars', '--count many'];
  const { stdout } = await runNode([
    'test/support/parse-artillery.js',
    JSON.stringify([
      ...lines,
      `run-fargate ${spot} ${inWords} ${FILE}`,
      `run-lambda ${memory} ${inWords} ${FILE}`,
      ...wrong.map((options) => `run-fargate ${options} ${FILE}`),
    ]),
  ]);
  const understood = expect.objectContaining({ args: { script: FILE } });
  expect(lines).toHaveLength(2);
  expect(JSON.parse(stdout)).toEqual([understood, understood, understood, understood, null, null, null]);
});

test('report compares the results of Artillery load tests', async () => {
  const bench = await createWorkbench({});
  const app = await startApp({ MONGO_URL: sharedMongoUrl(), SLOW_MS: '100' });
  try {
    await bench.run(`npx artillery run --target ${app.url} -e smoke --output pool-10.json loadtests/mixed.yaml`);
    await copyFile(path.join(bench.cwd, 'pool-10.json'), path.join(bench.cwd, 'pool-20.json'));
  } finally {
    await app.stop();
  }
  const [command] = commands.filter((one) => one.includes(' report pool-'));
  const { code, said } = await bench.run(command);
  expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/pool-10 +4 .+\npool-20 +4 /) });
  expect(await readFile(path.join(bench.cwd, 'pools.html'), 'utf8')).toContain('Slowest /slow request');
});

test('advise answers the command for a fleet', async () => {
  const bench = await createWorkbench({});
  const [command] = commands.filter((one) => one.includes('--instances'));
  expect(await bench.run(`${command} --seeds 60 --headroom 1`)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/The fleet: 1000 instances x 3 servers .+they fit/s),
  });
});

describe('Kubernetes', () => {
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
});
