import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';
import { cleanUp } from './support/cleanup.js';
import { commandsOf } from './support/commands-of.js';
import { createWorkbench } from './support/workbench.js';

const onWindows = process.platform === 'win32';

const readme = await readFile('README.md', 'utf8');
const ci = await readFile('.ci/run', 'utf8');

/** .ci/run runs these, with or without more options. */
const RUN_BY_CI = ['npm install && npm run demo', 'npm install && npm test'];
/** Needs a Docker engine. compose.test.js checks the file. */
const CHECKED_ELSEWHERE = ['docker compose up -d mongo'];
const START = 'MONGO_POOLSIZE=1 npm start';
const WORK = 'SLOW_QUERY=work MONGO_POOLSIZE=64 npm start';
const ARTILLERY = 'npx artillery run loadtests/mixed.yaml';
const RUN = 'npx pool-lab run mixed --pool-sizes 1,2,3,5,10 --repeat 3';
const NPX = 'npx pool-lab run mixed';
/** Each experiment, with the options that make it run in seconds. */
const EXPERIMENTS = new Map([
  [NPX, '--pool-sizes 3 --slow-ms 100 --environment smoke'],
  ['npx pool-lab run sessions --rtt 20', '--workers 2 --queries 5 --pool-sizes 2 --rtt 2'],
  ['npx pool-lab run handles', '--handles one --connections 4 --warm-up-ms 100 --duration-ms 100'],
  ['npx pool-lab run inserts', '--cases 1/2 --docs 20'],
  ['npx pool-lab run replication', '--cases 1 --ops 1000'],
  ['npx pool-lab run remedies', '--remedies client --environment smoke --slow-ms 100'],
  ['npx pool-lab run saturation', '--pool-sizes 1,2 --reference 4 --loads closed --measure-ms 100 --repeat 1'],
]);
/** It asks before it measures somebody's MongoDB, but not before it starts its own. */
const CALIBRATE = 'npx pool-lab calibrate --seconds 5';
const WATCH = 'npx pool-lab watch -- node examples/article-app.js';
const WATCH_ELSEWHERE = 'npx --prefix ../mongodb-pool-lab pool-lab watch -- node server.js';
/** It uses the app's own MongoDB. */
const SWEEP = "npx pool-lab sweep --scenario loadtests/mixed.yaml --pool-sizes 1,3,10 --slo '/fast p95 < 100ms' -- node examples/article-app.js";
const PLAYGROUND = 'npm run playground';
const REPORT = 'npx pool-lab report results/*/mixed.json --out comparison.html';
const SERVICES = '--service /slow=5000 --service /fast=2';
const PREDICT = `npx pool-lab predict loadtests/mixed.yaml --pool-sizes 1..10 ${SERVICES}`;
const FULL = 'npx pool-lab predict loadtests/remedies.yaml --pool-sizes 2,8,64 --service /slow=work:180 --service /fast=work:1 --server-cores 2';
const ADVISE = `npx pool-lab advise --slo '/fast p99 < 50ms' --scenario loadtests/users-and-admins.yaml ${SERVICES}`;

// Not the shared MongoDB: other tests run the same experiments, on collections with the same names.
const mongo = await startEmbeddedMongo(readSettings());
cleanUp(mongo.stop);
const settings = { MONGO_URL: mongo.url, SLOW_MS: '100', PORT: '0' };
const env = { ...process.env, ...settings, ARTILLERY_DISABLE_TELEMETRY: 'true' };
// The last two are for the example of sweep.
const bench = await createWorkbench({ env: { ...settings, MONGODB_URI: mongo.url, SLEEP_MS: '100' } });

/** @param {string} command as typed @param {Record<string, string>} [changes] to the environment */
async function run(command, changes) {
  const child = spawn(command, { shell: true, env: { ...env, ...changes }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => { said += chunk; });
  const [code] = await once(child, 'close');
  return { code, said };
}

test('every command is run by a test or by .ci/run', () => {
  expect(commandsOf(readme).toSorted()).toEqual([
    ...RUN_BY_CI, ...CHECKED_ELSEWHERE, START, WORK, ARTILLERY, RUN, ...EXPERIMENTS.keys(), REPORT, PREDICT, FULL, ADVISE,
    CALIBRATE, WATCH, WATCH_ELSEWHERE, SWEEP, PLAYGROUND,
  ].toSorted());
  for (const part of RUN_BY_CI.flatMap((command) => command.split(' && '))) expect(ci).toContain(`\n${part}`);
});

test('the app starts, and the load test runs against it', async () => {
  const powershell = readme.match(/`(\$env:.+?)`/)?.[1];
  expect(powershell).toBe('$env:MONGO_POOLSIZE=1; npm start');
  const { url, stop } = await startAsTyped(onWindows ? String(powershell) : START, 'maxPoolSize 1');
  try {
    const { code, said } = await run(ARTILLERY, { PORT: new URL(url).port });
    expect(said).toMatch(/http\.responses: \.+ 10\n/);
    expect(said).toMatch(/vusers\.failed: \.+ 0\n/);
    // The README tells people to look here.
    expect(said).toMatch(/Summary report[^]+plugins\.metrics-by-endpoint\.response_time\.\/fast:\n +min: [^]+ +max: \.+ \d/);
    expect(code).toBe(0);
  } finally {
    await stop();
  }
});

// PowerShell sets variables in another way, as the test above shows.
(onWindows ? test.skip : test)('the app starts with buses that work', async () => {
  const { url, stop } = await startAsTyped(WORK, 'maxPoolSize 64, /slow costs the server processor time');
  try {
    expect((await fetch(`${url}/slow`)).status).toBe(200);
  } finally {
    await stop();
  }
});

/** @param {string} command that starts the app @param {string} says what its log has then */
async function startAsTyped(command, says) {
  const app = onWindows ? spawn('powershell', ['-Command', command], { env }) : spawn(command, { shell: true, env, detached: true });
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    let said = '';
    app.stdout.on('data', (chunk) => {
      said += chunk;
      const found = said.match(/listening on (http:[^\s"]+)/);
      if (found && said.includes(says)) resolve(found[1]);
    });
    app.once('exit', () => reject(new Error(`the app ended: ${said}`)));
  });
  return {
    url,
    async stop() {
      const ended = once(app, 'exit');
      if (onWindows) app.kill();
      else process.kill(-Number(app.pid), 'SIGTERM');
      await ended;
    },
  };
}

(onWindows ? test.skip : test).each([
  [WATCH, process.cwd()],
  [WATCH_ELSEWHERE.replace('../mongodb-pool-lab', process.cwd()).replace('server.js', path.resolve('examples/article-app.js')), bench.cwd],
])('%s', async (command, cwd) => {
  const watch = spawn(command, { cwd, shell: true, env: { ...env, MONGODB_URI: mongo.url }, detached: true });
  const ended = once(watch, 'exit');
  /** @type {string} */
  const page = await new Promise((resolve) => {
    let said = '';
    watch.stderr.on('data', (chunk) => {
      said += chunk;
      const found = said.match(/watching process \d+: (http:\S+)/);
      if (found) resolve(found[1]);
    });
  });
  try {
    expect(await (await fetch(`${page}pool`)).json()).toMatchObject({ max: 50, controls: false, process: { command: 'article-app.js' } });
  } finally {
    process.kill(-Number(watch.pid), 'SIGTERM');
    await ended;
  }
  await expect(fetch(page)).rejects.toThrow();
});

test('the experiment runs, and report compares its results', async () => {
  const measured = await bench.run(`${RUN} --repeat 1 --parallel --slow-ms 100 --environment smoke`);
  expect(measured).toMatchObject({ code: 0, said: expect.stringContaining('ratio') });

  // The reader's shell expands the star.
  const kept = (await readdir(path.join(bench.cwd, 'results'))).map((name) => `results/${name}/mixed.json`);
  expect(kept).toHaveLength(1);
  expect(await bench.run(REPORT.replace('results/*/mixed.json', kept.join(' ')))).toMatchObject({ code: 0 });
  expect(existsSync(path.join(bench.cwd, 'comparison.html'))).toBe(true);
});

test.each([...EXPERIMENTS])('%s', async (command, inSeconds) => {
  const out = path.join(bench.cwd, command.replaceAll(/\W/g, ''));
  // npx works the same for all of them: one is enough.
  const ran = await (command === NPX ? run : bench.run)(`${command} ${inSeconds} --out ${out}`);
  expect(ran).toMatchObject({ code: 0, said: expect.stringContaining('Report: ') });
});

test(CALIBRATE, async () => {
  expect(await run(CALIBRATE, { MONGO_URL: '' })).toMatchObject({ code: 0, said: expect.stringMatching(/--service \/slow=\S*work:.* --server-cores \d/) });
});

test(SWEEP, async () => {
  const ran = await bench.run(SWEEP.replace(' -- ', ' --environment smoke --warm-up 0 -- '));
  expect(ran).toMatchObject({ code: 0, said: expect.stringContaining('Measured: the goal is met at pool size 1, 3, 10.') });
});

test.each([[PREDICT, /More than 5\s+connections\s+do\s+not\s+help/], [FULL, /Above\s+2\s+connections\s+the\s+server\s+is\s+the\s+bottleneck/], [ADVISE, /\d+ connections are enough/]])(
  '%s', async (command, says) => {
    expect(await bench.run(command)).toMatchObject({ code: 0, said: expect.stringMatching(says) });
  });

test(PLAYGROUND, async () => {
  expect(await run(PLAYGROUND)).toMatchObject({ code: 0, said: expect.stringContaining(path.join('dist', 'playground', 'index.html')) });
});
