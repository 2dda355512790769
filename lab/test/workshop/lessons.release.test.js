import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parseAppUrl } from '../../cli/running-app.js';
import { gatherEvidence, readResults } from '../../cli/evidence.js';
import { isCure } from '../../labs/remedies/criterion.js';
import { readLessons } from '../../workshop/lessons.js';
import { cleanUp } from 'test-support/cleanup.js';
import { commandsOf } from '../../../test/support/commands-of.js';
import { cleanEnvironment } from '../../../test/support/start-app.js';
import { findFreePort } from 'test-support/processes.js';
import { measureUntil } from 'test-support/waiting.js';
import { cutNetwork } from '../../../test/support/offline.js';
import { createWorkbench } from '../support/workbench.js';

/** @import { Running } from '../support/workbench.js' */

const lessons = await readLessons();
const prefix = await cutNetwork();
const offlineTest = prefix ? test : test.skip;
const mongoUrl = await serveMongo();

const ADVISE = "npx pool-lab advise --slo '/fast p99 < 100ms' --trace examples/ordinary-minute.jsonl";
const ADVISE_OWN = "npx pool-lab advise --slo '/fast p99 < 100ms' --trace my-minute.jsonl --headroom 1";
const REPLICATE = 'npx pool-lab replicate --source mongodb://127.0.0.1:27117 --target mongodb://127.0.0.1:27118';
const FEW_RUNS = '--seeds 60 --headroom 1';

/** What is appended to a command where the check allows less. A later option overrides the lesson's. */
const SHORTENED = /** @type {Record<string, string>} */ ({
  'npx pool-lab run remedies --remedies warm': '--environment smoke --slow-ms 300',
  'npx pool-lab run saturation --loads closed --heavy-ms 20 --pool-sizes 2,4,8,16 --repeat 3':
    '--pool-sizes 4 --repeat 1',
  'npx pool-lab run handles --connections 128': '--connections 8 --warm-up-ms 200 --duration-ms 400',
  'npx pool-lab run sessions --workers 1,50 --strategies fixed,copy --pool-sizes 4096 --query-ms 1.27':
    '--workers 2 --queries 20',
  'npx pool-lab run inserts --cases 1/100,100/100': '--docs 2000 --seconds 1',
  [ADVISE]: FEW_RUNS,
  [`${ADVISE} --instances 40 --servers 3 --server-limit 3000`]: FEW_RUNS,
});

/** Commands that end with an error, as their lesson says. */
const FAILS = [
  'npx pool-lab run sessions --workers 5 --queries 4 --strategies copy --pool-sizes 5 --leaks 5 --max-await 86400000 ' +
    '--pool-timeout 500',
  'npx pool-lab run mixed --pool-sizes 1,5 --parallel --pool-timeout 2500',
  'npx artillery run loadtests/users-and-admins.yaml',
];

/** What there is to answer, as it follows from what was measured. */
const ANSWERS = /** @type {Record<string, (variants: any[]) => number>} */ ({
  '05-wait-queue': () => 7,
  '06-cold-start': (variants) => {
    const [cold, warm] = variants
      .filter(({ name }) => name.startsWith('burst'))
      .map(({ measured }) => measured.routes['/fast'].p99Ms);
    return cold - warm;
  },
  '08-remedies': (variants) => {
    const alone = variants.find(({ settings }) => settings.load === 'customers');
    return variants.filter(
      (variant) => variant.settings.load === 'all' && variant.settings.remedy !== 'none' && isCure(variant, alone),
    ).length;
  },
  '10-one-client-or-several': (variants) => {
    const [one, gathered] = ['c8 one', 'c8 gathered'].map((wanted) => variants.find(({ name }) => name === wanted));
    return one.measured.cpuUs / gathered.measured.cpuUs;
  },
  '11-batching': (variants) => rateOf(variants, '1/100 gathered') / rateOf(variants, '100/100 plain'),
  '12-utilisation': (variants) => {
    const { ratePerSec, waitMeanMs } = variants.find(({ name }) => name === 'random, 90 %').measured;
    return (ratePerSec * waitMeanMs) / 1000;
  },
  '14-fleet-budget': () => 5,
  '16-replication': ([one, eight]) => eight.measured.ratePerSec / one.measured.ratePerSec,
});

/** @returns {Promise<string>} connection string of a MongoDB on the network that the lessons are tried in */
async function serveMongo() {
  const [file, ...args] = [...(prefix ?? []), process.execPath, 'test/support/serve-mongo.js'];
  const child = spawn(file, args, { env: cleanEnvironment(), stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  cleanUp(() => {
    child.stdin.end();
    return ended;
  });
  const [url] = await once(child.stdout, 'data');
  return String(url);
}

/** @param {any[]} variants @param {string} name */
function rateOf(variants, name) {
  return variants.find((variant) => variant.name === name).measured.ratePerSec;
}

offlineTest('nothing beyond loopback can be reached from where the lessons are tried', async () => {
  const bench = await createWorkbench({ prefix });
  // 192.0.2.1 is reserved for documentation: https://www.rfc-editor.org/rfc/rfc5737
  expect(await bench.run('npx pool-lab workshop verify 1 --twist --app http://192.0.2.1')).toMatchObject({
    code: 1,
    said: expect.stringContaining('ENETUNREACH'),
  });
});

/** @param {string} command @param {string} target option for Artillery, or '' */
function shorten(command, target) {
  // What follows -- belongs to the user's app.
  if (command.includes(' -- ')) return command.replace(' -- ', ' --warm-up 1 -- ');
  return `${command} ${SHORTENED[command] ?? ''} ${target}`;
}

/**
 * Follows a lesson's instructions.
 * @param {typeof lessons[number]} lesson
 * @param {Awaited<ReturnType<typeof createWorkbench>>} bench
 * @param {number} port that its app listens on
 * @returns the final result of its check
 */
async function doLesson({ name, text, lab }, bench, port) {
  const commands = commandsOf(text);
  const verify = String(commands.pop());
  const started = [];
  const recordings = [];
  /** The last replicator, and the demo before it. @type {Running[]} */
  const replicators = [];
  for (const command of commands) {
    if (command.endsWith('--demo') || command === REPLICATE) {
      const running = bench.start(command);
      // Its copy is complete.
      await running.says(command === REPLICATE ? 'following the oplog: ' : REPLICATE);
      replicators.push(running);
    } else if (command === 'kill -9 PID') {
      replicators.push(await killReplicator(bench, /** @type {Running} */ (replicators.pop())));
    } else if (command.endsWith('npm start')) {
      const app = bench.start(command);
      await app.says('listening on');
      started.push(app);
    } else if (command.startsWith('npx pool-lab record')) {
      // One that could not be predicted is made again.
      await rm(path.join(bench.cwd, 'my-minute.jsonl'), { force: true });
      const recording = bench.start(command.replace(':3000', `:${port}`));
      await recording.says('Recording');
      recordings.push(recording);
    } else {
      const target = command.startsWith('npx artillery') ? `--target http://127.0.0.1:${port}` : '';
      const { code, said } = await bench.run(shorten(command, target));
      expect({ command, code, said }).toEqual({ command, code: FAILS.includes(command) ? 1 : 0, said });
      if (!command.endsWith('--verify')) continue;
      for (const running of replicators.toReversed()) {
        running.interrupt();
        expect(await running.ended).toMatchObject({ code: 130 });
      }
    }
  }
  for (const { ended } of recordings) expect(await ended).toMatchObject({ code: 0 });
  const [result] = lab ? await readResults(path.join(bench.cwd, 'results'), lab) : [];
  const own = recordings.length > 0 ? Number.parseInt((await bench.run(ADVISE_OWN)).said, 10) : undefined;
  // Without a size, any answer is told to record again.
  const answer = own === undefined ? ANSWERS[name]?.(result?.variants) : own || 1;
  const verdict = await bench.run(verify.replace(' N', ` ${answer}`));
  for (const app of started) {
    app.interrupt();
    expect(await app.ended).toMatchObject({ code: 0 });
  }
  return verdict;
}

/**
 * Starts a second replicator, which names the process of the first. Kills that one, and starts it again.
 * @param {Awaited<ReturnType<typeof createWorkbench>>} bench
 * @param {Running} replicator
 */
async function killReplicator(bench, replicator) {
  const { code, said } = await bench.run(REPLICATE);
  const [, pid] = /: process (\d+) on /.exec(said) ?? [];
  expect({ code, said, pid }).toEqual({ code: 1, said, pid: expect.any(String) });
  process.kill(Number(pid), 'SIGKILL');
  await replicator.ended;
  const again = bench.start(REPLICATE);
  await again.says('from the checkpoint');
  return again;
}

/** @param {typeof lessons[number]} lesson */
async function tryLesson(lesson) {
  const port = await findFreePort();
  const bench = await createWorkbench({
    prefix,
    // A recording of shorter queries would have too few waits.
    env: { PORT: String(port), SLOW_MS: lesson.trace ? '5000' : '2500', MONGO_URL: mongoUrl, MONGODB_URI: mongoUrl },
  });
  // In lessons without measurements, the answer is missing.
  const app = parseAppUrl('--app', `http://127.0.0.1:${port}`);
  const nothing = { results: bench.cwd, app, answer: lesson.lab && lesson.asks ? 1 : undefined };
  const before = gatherEvidence(lesson, { lessons: {} }, nothing).then(
    async (evidence) => (await lesson.check(evidence)).isRight,
  );
  expect(await before.catch(() => false)).toBe(false);

  const verdict = await measureUntil(
    () => doLesson(lesson, bench, port),
    ({ code }) => code === 0,
    3,
  );
  // A check must refuse what a busy machine measured.
  if (verdict.code === 1) expect(verdict.said).toMatch(/[Cc]lose other\s+programs|measure\s+again/);
  else expect(verdict).toMatchObject({ code: 0, said: expect.stringContaining('Right.') });
}

const TITLE = '$name: its check fails before its commands, and passes after';
const TIMEOUT_MS = 600_000;
/** Their figures depend on CPU time, so each has the machine to itself. */
const needsCpu = (/** @type {typeof lessons[number]} */ { lab }) =>
  ['remedies', 'saturation', 'handles', 'inserts', 'utilisation', 'replication'].includes(String(lab));
test.concurrent.each(lessons.filter((lesson) => !needsCpu(lesson)))(TITLE, tryLesson, TIMEOUT_MS);
test.each(lessons.filter(needsCpu))(TITLE, tryLesson, TIMEOUT_MS);
