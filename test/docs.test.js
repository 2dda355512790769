import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { compareFleet } from '../packages/pool-predictor/src/advise/fleet.js';
import { commandsOf } from './support/commands-of.js';

/** @param {string} name */
const readDoc = (name) => readFile(path.join('docs', name), 'utf8');
const names = (await readdir('docs')).filter((name) => name.endsWith('.md'));
const packages = await readdir('packages');
const lessons = (await readdir('lessons', { recursive: true })).filter((name) => name.endsWith('.md'));
const pages = await Promise.all([
  ...names.map((name) => path.join('docs', name)),
  ...lessons.map((name) => path.join('lessons', name)),
  ...packages.map((name) => path.join('packages', name, 'README.md')),
].map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
const commands = (await Promise.all(names.map(readDoc))).flatMap(commandsOf);

test.each(pages)('links of $file lead to files that exist', ({ file, text }) => {
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) => path.join(path.dirname(file), link));
  expect(links.filter((link) => !existsSync(link))).toEqual([]);
});

/** These need a Docker engine, a cluster or an account. Other tests check their files. */
const NEEDS_MORE = /^(docker|kubectl|aws) /;

// docs.long.test.js tries them.
test('every command of docs/ is tried, or its files exist', () => {
  const files = commands.filter((one) => NEEDS_MORE.test(one)).flatMap((one) => one.match(/\S+\/\S+\.ya?ml/g) ?? []);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  expect(commands.filter((one) => !NEEDS_MORE.test(one)).map((one) => one.split(' ').slice(0, 3).join(' '))).toEqual([
    'npx pool-lab advise', 'npx artillery run-fargate', 'npx artillery run-lambda', 'npx pool-lab report',
    // readme.long.test.js runs it.
    'npx pool-lab sweep',
  ]);
});

test.each(['pool-monitor', 'pool-predictor'])('the table in packages/%s/README.md lists real exports', async (name) => {
  const { text } = pages.find(({ file }) => file === path.join('packages', name, 'README.md')) ?? { text: '' };
  const [table] = text.match(/^\| export \|(?:.*\n)+?(?=\n|$)/m) ?? [''];
  const listed = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) => (
    [...cell.matchAll(/`(?:new )?(\w+)[`(]/g)].map(([, word]) => word)));
  expect(listed.length).toBeGreaterThan(1);
  const entries = ['index.js', 'node/index.js'].map((entry) => `packages/${name}/src/${entry}`).filter(existsSync);
  /** @type {string[]} */
  const exported = [];
  // One after the other: Jest can't link modules that two imports have in common at once.
  for (const entry of entries) exported.push(...Object.keys(await import(`../${entry}`)));
  expect(listed.filter((word) => !exported.includes(word))).toEqual([]);
});

describe('distributed load', () => {
  test('the roles have the permissions that the page lists', async () => {
    const templates = commands.flatMap((command) => /--template-file (\S+)/.exec(command)?.[1] ?? []);
    const [fargate, lambda] = await Promise.all(templates.map((file) => readFile(file, 'utf8')));
    /** @param {string} text */
    const servicesOf = (text) => (
      [...new Set([...text.matchAll(/- "?([a-z0-9]+):[A-Z*]/g)].map(([, service]) => service))].toSorted());
    expect(servicesOf(fargate)).toEqual(['ec2', 'ecs', 'iam', 'logs', 's3', 'secretsmanager', 'sqs', 'ssm']);
    expect(servicesOf(lambda)).toEqual(expect.arrayContaining(['iam', 'lambda', 's3', 'sqs']));
  });
});

describe('the fleet', () => {
  const POOL = 10;
  const SERVERS = 3;

  test('the table has the calculated figures', async () => {
    const rows = [...(await readDoc('database.md')).matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, instances, rest]) => (
      [Number(instances), ...rest.split(' | ').map(Number)]));
    const limits = [1500, 6000, 128_000];
    expect(rows).toEqual([10, 1000, 100_000].map((instances) => {
      const { perServer, total } = compareFleet({ instances, servers: SERVERS }, POOL);
      const largest = limits.map((serverLimit) => compareFleet({ instances, serverLimit }, POOL).largestPool);
      return [instances, perServer, total, ...largest];
    }));
  });

  test('so do the ways out', async () => {
    const text = (await readDoc('database.md')).replaceAll(/\s+/g, ' ');
    const ofService = compareFleet({ instances: 200 }, 100).perServer;
    expect(text).toContain(`200 instances of it with a pool of 100 are ${ofService} connections`);
    const instances = Math.ceil(100_000 * 2 / 60);
    const { perServer } = compareFleet({ instances }, POOL);
    expect(text).toContain(`a mongos serves ${instances} instances and sees ${perServer} connections`);
  });
});
