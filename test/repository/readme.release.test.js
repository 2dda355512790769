import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { cleanUp } from 'test-support/cleanup.js';
import { commandsInRows, commandsInText, commandsOf } from '../support/commands-of.js';
import { readJourney, shapeOf } from '../support/readme-journey.js';
import { createWorkbench } from '../../lab/test/support/workbench.js';
import { until } from 'test-support/waiting.js';

const onWindows = process.platform === 'win32';

const readme = await readFile('README.md', 'utf8');
/** The commands of one's own pool. readme.long.test.js runs all but the last one, which takes minutes. */
const { sweep: proof, ...journey } = readJourney(readme);
const docs = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => path.join('docs', name));
const pages = [readme, ...(await Promise.all(docs.map((file) => readFile(file, 'utf8'))))];
const rowCommands = (
  await Promise.all(
    (await readdir('docs/experiments')).map((name) => readFile(path.join('docs/experiments', name), 'utf8')),
  )
).flatMap(commandsInRows);
const ci = await readFile('.ci/run', 'utf8');

/** .ci/run runs these, with or without more options. */
const RUN_BY_CI = ['npm install && npm run demo', 'npm install && npm test'];
/** These need a Docker engine, a cluster or an account. docs.test.js looks for their files. */
const NEEDS_MORE = /^(docker|kubectl|aws) /;
const RUN_BY_OTHER_TESTS = new Set([
  ...Object.values(journey).map(({ command }) => command),
  // layers.test.js: what it installs, and how large that is
  'npm install --omit=dev',
  // watch-command.long.test.js
  'npx pool-lab doctor http://127.0.0.1:9000',
  // class.long.test.js
  'npx pool-lab class',
  // npm run test:release has it as a step of its own
  'node benchmarks/attach-cost.js',
  // doctor.test.js
  'npx pool-lab doctor trace.jsonl',
  'npx pool-lab doctor /var/log/shop-pool.jsonl',
  // recordings.long.test.js
  'npx pool-lab replay /var/log/shop-pool.jsonl',
  // follows-driver.release.test.js of both packages, with fewer schedules; the conformance needs a clone
  'node packages/pool-predictor/test/simulator/compare-with-driver.js everything 100000',
  'npm run conformance -- --spec ../specifications',
  'node packages/pool-monitor/test/driver/compare-with-driver.js 10000',
  // sweep.long.test.js, with another load
  'npx pool-lab sweep my.yaml --pool-sizes 2,4,8 --repeat 3 --out before -- node app.js',
  'npx pool-lab sweep my.yaml --pool-sizes 2,4,8 --repeat 3 --baseline before/sweep.json -- node app.js',
  // docs.long.test.js
  'npx artillery run-fargate',
  'npx artillery run-lambda',
  'npx pool-lab report pool-10.json pool-20.json --out pools.html',
  // packages.long.test.js
  'npm pack -w packages/pool-monitor -w packages/pool-page --ignore-scripts=false',
]);
const START = 'MONGO_POOLSIZE=1 npm start';
const WORK = 'SLOW_QUERY=work MONGO_POOLSIZE=64 npm start';
const ARTILLERY = 'npx artillery run loadtests/mixed.yaml';
const SMOKE = 'npx artillery run -e smoke loadtests/users-and-admins.yaml';
const RUN = 'npx pool-lab run mixed --pool-sizes 1,2,3,5,10 --repeat 3';
const NPX = 'npx pool-lab run mixed';
/** Each experiment, with the options that make it run in seconds. */
const EXPERIMENTS = new Map([
  [NPX, '--pool-sizes 3 --slow-ms 100 --environment smoke'],
  ['npx pool-lab run mixed --driver 3', '--pool-sizes 3 --slow-ms 100 --environment smoke'],
  ['npx pool-lab run sessions --rtt 20', '--workers 2 --queries 5 --pool-sizes 2 --rtt 2'],
  ['npx pool-lab run handles', '--handles one --connections 4 --warm-up-ms 100 --duration-ms 100'],
  ['npx pool-lab run inserts', '--cases 1/2 --docs 20'],
  ['npx pool-lab run replication', '--cases 1 --ops 1000 --seconds 0'],
  ['npx pool-lab run remedies', '--remedies client --environment smoke --slow-ms 100'],
  ['npx pool-lab run saturation', '--pool-sizes 1,2 --reference 4 --loads closed --measure-ms 100 --repeat 1'],
  ['npx pool-lab run utilisation --parallel', '--shares 50 --use-ms 20 --seconds 1'],
]);
const APP = '-- node examples/article-app.js';
const WATCH = `npx pool-lab watch --mongo embedded ${APP}`;
const WATCH_ELSEWHERE = 'npx --prefix ../mongodb-pool-lab pool-lab watch -- node server.js';
/** It uses the app's own MongoDB. */
const SWEEP = `npx pool-lab sweep loadtests/mixed.yaml --pool-sizes 1,3,10 --slo '/fast max < 100ms' ${APP}`;
const PLAYGROUND = 'npm run playground';
const REPORT = 'npx pool-lab report results/*/mixed.json --out comparison.html';
const SERVICES = '--service /slow=5000 --service /fast=2';
const MINUTE = '--trace examples/ordinary-minute.jsonl';
/** What predict and advise say. @type {[command: string, says: RegExp][]} */
const ANSWERS = [
  [
    `npx pool-lab predict loadtests/mixed.yaml --pool-sizes 1..10 ${SERVICES}`,
    /^Best guess: 5 connections, because more would not help/,
  ],
  [`npx pool-lab predict loadtests/mixed.yaml --driver 3 --pool-sizes 1,3,10 ${SERVICES}`, /^ +3 .* 9003$/m],
  [
    'npx pool-lab predict loadtests/remedies.yaml --pool-sizes 2,8,64 --service /slow=work:180 --service ' +
      '/fast=work:1 --server-cores 2',
    /Above\s+2\s+connections\s+the\s+server\s+is\s+the\s+bottleneck/,
  ],
  [
    `npx pool-lab advise loadtests/users-and-admins.yaml --slo '/fast p99 < 50ms' ${SERVICES}`,
    /^\d+ connections: \d+ meet /,
  ],
  [`npx pool-lab predict ${MINUTE} --pool-sizes 8,12,16`, /^Best guess: 13 to 16 connections/],
  [`npx pool-lab advise --slo '/fast p99 < 100ms' ${MINUTE}`, /^17 connections: 14 meet /],
];

// Not the shared MongoDB: other tests run the same experiments, on collections with the same names.
const mongo = await startEmbeddedMongo(readSettings());
cleanUp(mongo.stop);
const settings = { MONGO_URL: mongo.url, SLOW_MS: '100', PORT: '0' };
const env = { ...process.env, ...settings, ARTILLERY_DISABLE_TELEMETRY: 'true' };
// The last two are for the example of sweep.
const bench = await createWorkbench({ env: { ...settings, MONGODB_URI: mongo.url, SLEEP_MS: '100' } });

/**
 * @param {string} command as typed
 * @param {Record<string, string>} [changes] to the environment
 * @param {string} [cwd]
 */
async function run(command, changes, cwd) {
  const child = spawn(command, { cwd, shell: true, env: { ...env, ...changes }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, said };
}

/** A terminal breaks its lines anywhere. @param {string} said */
function inOneLine(said) {
  return said.replaceAll(/\s+/g, ' ');
}

test('every command of README.md and docs/ is run by a test or by .ci/run', () => {
  const isElsewhere = (/** @type {string} */ command) =>
    NEEDS_MORE.test(command) ||
    RUN_BY_OTHER_TESTS.has(command) ||
    RUN_BY_OTHER_TESTS.has(command.split(' ').slice(0, 3).join(' ')) ||
    /^npx pool-lab advise .+ --instances /.test(command);
  const all = [...pages.flatMap(commandsOf), ...commandsInText(readme)];
  expect(new Set(all.filter((command) => !isElsewhere(command)))).toEqual(
    new Set([
      ...RUN_BY_CI,
      START,
      WORK,
      ARTILLERY,
      SMOKE,
      RUN,
      ...EXPERIMENTS.keys(),
      REPORT,
      ...ANSWERS.map(([command]) => command),
      proof.command,
      WATCH,
      WATCH_ELSEWHERE,
      SWEEP,
      PLAYGROUND,
    ]),
  );
  // There, `npm ci` installs exactly what the lock file says.
  for (const part of RUN_BY_CI.flatMap((command) => command.replace('npm install', 'npm ci').split(' && ')))
    expect(ci).toMatch(new RegExp(`^ *${part}`, 'm'));
});

test('the app starts, and the load tests run against it', async () => {
  const powershell = readme.match(/`(\$env:.+?)`/)?.[1];
  expect(powershell).toBe('$env:MONGO_POOLSIZE=1; npm start');
  const { url, stop } = await startAsTyped(onWindows ? String(powershell) : START, 'maxPoolSize 1');
  try {
    const { code, said } = await run(ARTILLERY, { PORT: new URL(url).port });
    expect(said).toMatch(/http\.responses: \.+ 10\n/);
    expect(said).toMatch(/vusers\.failed: \.+ 0\n/);
    // The README tells people to look here.
    expect(said).toMatch(
      /Summary report[^]+plugins\.metrics-by-endpoint\.response_time\.\/fast:\n +min: [^]+ +max: \.+ \d/,
    );
    expect(code).toBe(0);
    const smoke = await run(SMOKE, { PORT: new URL(url).port });
    // Whether the goal is met depends on the machine.
    expect(smoke.said).toMatch(/http\.codes\.200: \.+ 60\n[^]+Checks:/);
  } finally {
    await stop();
  }
});

// PowerShell sets variables in another way, as the test above shows.
(onWindows ? test.skip : test)('the app starts with buses that work', async () => {
  const { url, stop } = await startAsTyped(WORK, 'maxPoolSize 64, /slow costs the server CPU time');
  try {
    expect((await fetch(`${url}/slow`)).status).toBe(200);
  } finally {
    await stop();
  }
});

/** @param {string} command that starts the app @param {string} says what its log has then */
async function startAsTyped(command, says) {
  const app = onWindows
    ? spawn('powershell', ['-Command', command], { env })
    : spawn(command, { shell: true, env, detached: true });
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
  [
    WATCH_ELSEWHERE.replace('../mongodb-pool-lab', process.cwd()).replace(
      'server.js',
      path.resolve('examples/article-app.js'),
    ),
    bench.cwd,
  ],
])('%s', async (command, cwd) => {
  const watch = spawn(command, { cwd, shell: true, env: { ...env, MONGODB_URI: mongo.url }, detached: true });
  const ended = once(watch, 'exit');
  /** @type {string} */
  const page = await new Promise((resolve) => {
    let said = '';
    watch.stderr.on('data', (chunk) => {
      said += chunk;
      const found = said.match(/the pools of this app: (http:\S+)/);
      if (found) resolve(found[1]);
    });
  });
  try {
    const pool = await until('it has a client', async () => {
      const answer = await fetch(`${page}pool`);
      return answer.ok ? answer.json() : undefined;
    });
    expect(pool).toMatchObject({ max: 10, process: { command: 'article-app.js' } });
  } finally {
    process.kill(-Number(watch.pid), 'SIGTERM');
    await ended;
  }
  // The shell may end before the command that it ran.
  await until('its page is gone', () =>
    fetch(page).then(
      () => undefined,
      () => true,
    ),
  );
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

/**
 * The commands of docs/experiments/ that run one, each with the options that make it run in seconds. --server-cores
 * needs a MongoDB of its own: inserts-lab.test.js has it.
 */
const IN_ROWS = [...new Set(rowCommands)].flatMap((command) => {
  const [, start] = command.match(/^(npx pool-lab run [a-z]+) ./) ?? [];
  const inSeconds = [...EXPERIMENTS].find(([known]) => start && known.startsWith(start))?.[1];
  // What a query takes is given in another way, or as in the article.
  return inSeconds && !command.includes('--server-cores') ? [[command, inSeconds.replace('--rtt 2', '')]] : [];
});

test.each([...EXPERIMENTS, ...IN_ROWS])('%s', async (command, inSeconds) => {
  const out = path.join(bench.cwd, command.replaceAll(/\W/g, '').slice(-60));
  // npx works the same for all of them: one is enough.
  const ran = await (command === NPX ? run : bench.run)(`${command} ${inSeconds} --out ${out}`);
  expect(ran).toMatchObject({ code: 0, said: expect.stringContaining('Report: ') });
});

test(SWEEP, async () => {
  const ran = await bench.run(SWEEP.replace(' -- ', ' --environment smoke --warm-up 0 -- '));
  expect({ ...ran, said: inOneLine(ran.said) }).toEqual({
    code: 0,
    said: expect.stringContaining('Measured: the goal is met at pool size 1, 3, 10.'),
  });
});

test.each(ANSWERS)('%s', async (command, says) => {
  expect(await bench.run(command)).toMatchObject({ code: 0, said: expect.stringMatching(says) });
});

test(PLAYGROUND, async () => {
  expect(await run(PLAYGROUND)).toMatchObject({
    code: 0,
    said: expect.stringContaining(path.join('dist', 'playground', 'index.html')),
  });
});

// As it stands, with a minute of load at each size.
test('sweep proves the size: with 2 connections customers wait, with 5 they do not', async () => {
  const alone = await createWorkbench({});
  const { code, said } = await alone.run(proof.command);
  expect({ code, shape: shapeOf(said) }).toEqual({ code: 0, shape: expect.stringContaining(shapeOf(proof.shows)) });
  expect(inOneLine(said)).toContain('Measured: the goal is met at pool size 5.');
}, 600_000);
