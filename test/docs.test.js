import { existsSync } from 'node:fs';
import { copyFile, readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../src/bench/app-process.js';
import { compareFleet } from '../src/predict/advise/fleet.js';
import { commandsOf } from './support/commands-of.js';
import { sharedMongoUrl } from './support/environment.js';
import { runNode } from './support/run-node.js';
import { createWorkbench } from './support/workbench.js';

/** @param {string} name */
const readDoc = (name) => readFile(path.join('docs', name), 'utf8');
const names = (await readdir('docs')).filter((name) => name.endsWith('.md'));
const lessons = (await readdir('workshop', { recursive: true })).filter((name) => name.endsWith('.md'));
const pages = await Promise.all(
  [...names.map((name) => path.join('docs', name)), ...lessons.map((name) => path.join('workshop', name))]
    .map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
const commands = (await Promise.all(names.map(readDoc))).flatMap(commandsOf);

test.each(pages)('links of $file lead to files that are there', ({ file, text }) => {
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) => path.join(path.dirname(file), link));
  expect(links.filter((link) => !existsSync(link))).toEqual([]);
});

/** They need a Docker engine, a cluster or an account: their files are checked by tests of their own. */
const NEEDS_MORE = /^(docker|kubectl|aws) /;

test('every command of docs/ is tried, or its files are there', () => {
  const files = commands.filter((one) => NEEDS_MORE.test(one)).flatMap((one) => one.match(/\S+\/\S+\.ya?ml/g) ?? []);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  expect(commands.filter((one) => !NEEDS_MORE.test(one)).map((one) => one.split(' ').slice(0, 3).join(' '))).toEqual([
    'npx pool-lab advise', 'npx artillery run-fargate', 'npx artillery run-lambda', 'npx pool-lab report',
  ]);
});

describe('distributed load', () => {
  const FILE = 'loadtests/users-and-admins.yaml';

  test('its command lines and options are such as Artillery takes', async () => {
    const text = await readDoc('distributed-load.md');
    const lines = commands.flatMap((command) => /^npx artillery (run-.+)/.exec(command)?.[1] ?? []);
    const [, spot, memory] = /`(--spot)`.+`(--memory-size \d+)`/.exec(text) ?? [];
    const inWords = '--subnet-ids a --security-group-ids b --dotenv c';
    for (const option of inWords.match(/--\S+/g) ?? []) expect(text).toContain(option);
    const wrong = ['--regoin eu-west-1', '--region mars', '--count many'];
    const { stdout } = await runNode(['test/support/parse-artillery.js', JSON.stringify([
      ...lines, `run-fargate ${spot} ${inWords} ${FILE}`, `run-lambda ${memory} ${inWords} ${FILE}`,
      ...wrong.map((options) => `run-fargate ${options} ${FILE}`),
    ])]);
    const understood = expect.objectContaining({ args: { script: FILE } });
    expect(lines).toHaveLength(2);
    expect(JSON.parse(stdout)).toEqual([understood, understood, understood, understood, null, null, null]);
  });

  test('the roles allow what the page says', async () => {
    const templates = commands.flatMap((command) => /--template-file (\S+)/.exec(command)?.[1] ?? []);
    const [fargate, lambda] = await Promise.all(templates.map((file) => readFile(file, 'utf8')));
    /** @param {string} text */
    const servicesOf = (text) => (
      [...new Set([...text.matchAll(/- "?([a-z0-9]+):[A-Z*]/g)].map(([, service]) => service))].toSorted());
    expect(servicesOf(fargate)).toEqual(['ec2', 'ecs', 'iam', 'logs', 's3', 'secretsmanager', 'sqs', 'ssm']);
    expect(servicesOf(lambda)).toEqual(expect.arrayContaining(['iam', 'lambda', 's3', 'sqs']));
  });
});

describe('load tests of Artillery', () => {
  test('are shown side by side', async () => {
    const bench = await createWorkbench({});
    const app = await startApp({ MONGO_URL: sharedMongoUrl(), SLOW_MS: '100' });
    try {
      await bench.run(`npx artillery run --target ${app.url} -e smoke --output pool-10.json loadtests/mixed.yaml`);
      await copyFile(path.join(bench.cwd, 'pool-10.json'), path.join(bench.cwd, 'pool-20.json'));
    } finally {
      await app.stop();
    }
    const [command] = commands.filter((one) => one.includes(' report '));
    const { code, said } = await bench.run(command);
    expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/pool-10 +4 +0 .+\npool-20 +4 +0 /) });
    expect(await readFile(path.join(bench.cwd, 'pools.html'), 'utf8')).toContain('Slowest /slow request');
  });
});

describe('the fleet', () => {
  const POOL = 10;
  const SERVERS = 3;

  test('the table is what the arithmetic gives', async () => {
    const rows = [...(await readDoc('database.md')).matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, instances, rest]) => (
      [Number(instances), ...rest.split(' | ').map(Number)]));
    const limits = [1500, 6000, 128_000];
    expect(rows).toEqual([10, 1000, 100_000].map((instances) => {
      const { perServer, total } = compareFleet({ instances, servers: SERVERS }, POOL);
      const largest = limits.map((serverLimit) => compareFleet({ instances, serverLimit }, POOL).largestPool);
      return [instances, perServer, total, ...largest];
    }));
  });

  test('and so are the ways out', async () => {
    const text = (await readDoc('database.md')).replaceAll(/\s+/g, ' ');
    const ofService = compareFleet({ instances: 200 }, 100).perServer;
    expect(text).toContain(`200 instances of it with a pool of 100 are ${ofService} connections`);
    const instances = Math.ceil(100_000 * 2 / 60);
    const { perServer } = compareFleet({ instances }, POOL);
    expect(text).toContain(`a mongos serves ${instances} instances and sees ${perServer} connections`);
  });

  test('the advice is given as the page says', async () => {
    const bench = await createWorkbench({});
    const [command] = commands.filter((one) => one.includes(' advise '));
    expect(await bench.run(`${command} --seeds 60 --headroom 1`)).toMatchObject({
      code: 0, said: expect.stringMatching(/The fleet: 1000 instances x 3 servers .+they fit/s),
    });
  });
});
