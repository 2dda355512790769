import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commandsOf } from './support/commands-of.js';
import { scratchFolder } from './support/scratch-folder.js';

const readme = await readFile('README.md', 'utf8');
const ci = await readFile('.ci/run', 'utf8');
const folder = await scratchFolder();
const onWindows = process.platform === 'win32';

/** All commands that the README tells people to type. */
const commands = commandsOf(readme);

/** Commands that .ci/run runs as they are, or with more options behind. */
const RUN_BY_CI = ['npm install && npm run demo', 'npm install && npm test'];
/** Its image and its file are checked against the compose schema; it needs a Docker engine to run. */
const CHECKED_ELSEWHERE = ['docker compose up -d mongo'];
const START = 'MONGO_POOLSIZE=1 npm start';
const ARTILLERY = 'npx artillery run loadtests/mixed.yaml';
const RUN = 'npx pool-lab run mixed --pool-sizes 1,2,3,5,10 --repeat 3';
/** Each experiment, and what makes it a matter of seconds here. */
const EXPERIMENTS = new Map([
  ['npx pool-lab run mixed', '--pool-sizes 3 --slow-ms 100 --environment smoke'],
  ['npx pool-lab run sessions --rtt 20', '--workers 2 --queries 5 --pool-sizes 2 --rtt 2'],
  ['npx pool-lab run handles', '--handles one --connections 4 --warm-up-ms 100 --duration-ms 100'],
  ['npx pool-lab run inserts', '--cases 1/2 --docs 20'],
  ['npx pool-lab run replication', '--cases 1 --ops 1000'],
  ['npx pool-lab run remedies', '--remedies client --environment smoke --slow-ms 100'],
]);
const REPORT = 'npx pool-lab report results/*/mixed.json --out comparison.html';
const SERVICES = '--service /slow=5000 --service /fast=2';
const PREDICT = `npx pool-lab predict loadtests/mixed.yaml --pool-sizes 1..10 ${SERVICES}`;
const ADVISE = `npx pool-lab advise --slo '/fast p99 < 50ms' --scenario loadtests/users-and-admins.yaml ${SERVICES}`;

const env = {
  ...process.env, MONGO_URL: process.env.TEST_MONGO_URL, SLOW_MS: '100', PORT: '0', ARTILLERY_DISABLE_TELEMETRY: 'true',
};

/** @param {string} command @param {Record<string, string>} [changes] of the environment */
async function run(command, changes) {
  const child = spawn(command, { shell: true, env: { ...env, ...changes }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => { said += chunk; });
  const [code] = await once(child, 'close');
  return { code, said };
}

test('every command is run by a test or by .ci/run', () => {
  expect(commands.toSorted()).toEqual([...RUN_BY_CI, ...CHECKED_ELSEWHERE, START, ARTILLERY, RUN, ...EXPERIMENTS.keys(), REPORT, PREDICT, ADVISE].toSorted());
  for (const part of RUN_BY_CI.flatMap((command) => command.split(' && '))) expect(ci).toContain(`\n${part}`.trim());
});

test('the app starts, and the load test runs against it', async () => {
  const powershell = readme.match(/`(\$env:.+?)`/)?.[1];
  expect(powershell).toBe('$env:MONGO_POOLSIZE=1; npm start');
  const app = onWindows
    ? spawn('powershell', ['-Command', String(powershell)], { env })
    : spawn(START, { shell: true, env, detached: true });
  try {
    const url = await new Promise((resolve, reject) => {
      let said = '';
      app.stdout.on('data', (chunk) => {
        said += chunk;
        const found = said.match(/listening on (http:[^\s"]+)/);
        if (found && said.includes('maxPoolSize 1')) resolve(found[1]);
      });
      app.once('exit', () => reject(new Error(`the app ended: ${said}`)));
    });
    const { code, said } = await run(`${ARTILLERY} --target ${url}`);
    expect(said).toMatch(/http\.responses: \.+ 10\n/);
    expect(said).toMatch(/vusers\.failed: \.+ 0\n/);
    expect(code).toBe(0);
  } finally {
    const ended = once(app, 'exit');
    if (onWindows) app.kill();
    else process.kill(-Number(app.pid), 'SIGTERM');
    await ended;
  }
});

test('the experiment runs, and its results can be shown side by side', async () => {
  const out = path.join(folder, 'run');
  const measured = await run(`${RUN} --repeat 1 --parallel --slow-ms 100 --environment smoke --out ${out}`);
  expect(measured).toMatchObject({ code: 0, said: expect.stringContaining('ratio') });

  // The shell finds the results in results/, where a run keeps them unless told otherwise.
  const kept = path.join('results', `readme-test-${process.pid}`);
  await cp(out, kept, { recursive: true });
  try {
    const page = path.join(folder, 'comparison.html');
    const shown = await run(REPORT.replace('results/*', `results/*-test-${process.pid}`).replace('comparison.html', page));
    expect(shown).toMatchObject({ code: 0 });
    expect(existsSync(page)).toBe(true);
  } finally {
    await rm(kept, { recursive: true });
  }
});

test.each([...EXPERIMENTS])('%s', async (command, inSeconds) => {
  const out = path.join(folder, command.replaceAll(/\W/g, ''));
  // On a MongoDB of its own, as a reader has it: other tests run the same experiments.
  const ran = await run(`${command} ${inSeconds} --out ${out}`, { MONGO_URL: '' });
  expect(ran).toMatchObject({ code: 0, said: expect.stringContaining('Report: ') });
});

test.each([[PREDICT, /More than 5\s+connections\s+do\s+not\s+help/], [ADVISE, /\d+ connections are enough/]])(
  '%s', async (command, says) => {
    expect(await run(command)).toMatchObject({ code: 0, said: expect.stringMatching(says) });
  });

describe.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md'])('%s', (file) => {
  test('links lead to files that are there', async () => {
    const text = await readFile(file, 'utf8');
    const links = [...text.matchAll(/\]\(([^)#:]+)\)|(?:src|srcset)="([^":]+)"/g)].map(([, link, source]) => link ?? source);
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });
});

test('every script of package.json is in the README, and no other', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  const named = [...readme.matchAll(/npm (?:run )?([a-z]+)/g)].map(([, name]) => name).filter((name) => name !== 'install');
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(scripts).toSorted());
});
