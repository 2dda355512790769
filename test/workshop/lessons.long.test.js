import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parseAppUrl } from '../../src/cli/running-app.js';
import { gatherEvidence, readResults } from '../../src/cli/evidence.js';
import { isCure } from '../../src/labs/remedies/criterion.js';
import { readLessons } from '../../src/workshop/lessons.js';
import { cleanUp } from '../support/cleanup.js';
import { commandsOf } from '../support/commands-of.js';
import { cleanEnvironment } from '../support/environment.js';
import { findFreePort } from '../support/free-port.js';
import { measureUntil } from '../support/measure-until.js';
import { cutNetwork } from '../support/offline.js';
import { createWorkbench } from '../support/workbench.js';

const lessons = await readLessons();
const prefix = await cutNetwork();
const offlineTest = prefix ? test : test.skip;
const mongoUrl = await serveMongo();

/** A load of seconds: two users, one second apart. With two buses, two lanes are the knee. */
const SHORT = '--environment smoke';
const ADVISE = "npx pool-lab advise --slo '/fast p99 < 100ms' --trace examples/ordinary-minute.jsonl";
const FEW_RUNS = '--seeds 60 --headroom 1';

/** What is put behind a command so that it takes seconds; a later option wins over one that the lesson gives. */
const SHORTENED = /** @type {Record<string, string>} */ ({
  'npx pool-lab run mixed --pool-sizes 1': SHORT,
  'npx pool-lab run mixed --pool-sizes 1,3,10 --parallel': `${SHORT} --pool-sizes 3`,
  'npx pool-lab run mixed --pool-sizes 4,5,6 --parallel': `${SHORT} --pool-sizes 1,2`,
  'npx pool-lab run mixed --pool-sizes 2': SHORT,
  'npx pool-lab run mixed --pool-sizes 1,5 --parallel --pool-timeout 2500': SHORT,
  'npx pool-lab run remedies --remedies warm': `${SHORT} --slow-ms 300`,
  'npx pool-lab run remedies': `${SHORT} --remedies size,limit --pool-sizes 20`,
  'npx pool-lab run saturation --causes processor --loads closed --heavy-ms 20 --pool-sizes 2,4,8,16 --repeat 3':
    '--pool-sizes 4 --repeat 1',
  'npx pool-lab run handles --connections 128': '--connections 8 --warm-up-ms 200 --duration-ms 400',
  'npx pool-lab run inserts --cases 1/100,100/100': '--docs 2000 --seconds 1',
  'npx pool-lab run replication --cases 7 --workers 1,8,64': '--ops 2000 --workers 1,8',
  [ADVISE]: FEW_RUNS,
  [`${ADVISE} --instances 40 --servers 3 --server-limit 3000`]: FEW_RUNS,
});

/** Commands that end with an error, as their lesson says. */
const FAILS = [
  'npx pool-lab run sessions --workers 5 --queries 4 --strategies copy --pool-sizes 5 --leaks 5 --max-await 86400000 '
    + '--pool-timeout 500',
  'npx pool-lab run mixed --pool-sizes 1,5 --parallel --pool-timeout 2500',
];

/** What there is to answer, as it follows from what was measured. */
const ANSWERS = /** @type {Record<string, (variants: any[]) => number>} */ ({
  '05-wait-queue': () => 1,
  '06-cold-start': (variants) => {
    const [cold, warm] = variants.filter(({ name }) => name.startsWith('burst'))
      .map(({ measured }) => measured.routes['/fast'].p99Ms);
    return cold - warm;
  },
  '08-remedies': (variants) => {
    const alone = variants.find(({ settings }) => settings.load === 'customers');
    return variants.filter((variant) => (
      variant.settings.load === 'all' && variant.settings.remedy !== 'none' && isCure(variant, alone))).length;
  },
  '10-one-client-or-several': (variants) => 1_000_000 / rateOf(variants, 'c8 one'),
  '11-batching': (variants) => rateOf(variants, '1/100 gathered') / rateOf(variants, '100/100 plain'),
  '12-workers': (variants) => (
    variants.toSorted((a, b) => b.measured.ratePerSec - a.measured.ratePerSec)[0].settings.workers),
  '13-your-own-pool': () => 14,
  '14-fleet-budget': () => 5,
});

/** @returns {Promise<string>} connection string of a MongoDB in the network that the lessons are tried in */
async function serveMongo() {
  const [file, ...args] = [...prefix ?? [], process.execPath, 'test/support/serve-mongo.js'];
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
    code: 1, said: expect.stringContaining('ENETUNREACH'),
  });
});

/** @param {string} command @param {string} target option for Artillery, or '' */
function shorten(command, target) {
  // What follows -- belongs to the user's app.
  if (command.includes(' -- ')) return command.replace(' -- ', ` ${SHORT} --pool-sizes 1,2 --warm-up 1 -- `);
  return `${command} ${SHORTENED[command] ?? ''} ${target}`;
}

/**
 * Follow a lesson's instructions.
 * @param {typeof lessons[number]} lesson
 * @param {Awaited<ReturnType<typeof createWorkbench>>} bench
 * @param {number} port that its app listens on
 * @returns the final result of its check
 */
async function doLesson({ name, text, lab }, bench, port) {
  const commands = commandsOf(text);
  const verify = String(commands.pop());
  const started = [];
  for (const command of commands) {
    if (command.endsWith('npm start')) {
      const app = bench.start(command);
      await app.says('listening on');
      started.push(app);
    } else {
      const target = command.startsWith('npx artillery') ? `--target http://127.0.0.1:${port}` : '';
      const { code, said } = await bench.run(shorten(command, target));
      expect({ command, code, said }).toEqual({ command, code: FAILS.includes(command) ? 1 : 0, said });
    }
  }
  const [result] = lab ? await readResults(path.join(bench.cwd, 'results'), lab) : [];
  const verdict = await bench.run(verify.replace(' N', ` ${ANSWERS[name]?.(result?.variants)}`));
  for (const app of started) {
    app.interrupt();
    expect(await app.ended).toMatchObject({ code: 0 });
  }
  return verdict;
}

test.concurrent.each(lessons)('$name: its check fails before its commands, and passes after', async (lesson) => {
  const port = await findFreePort();
  const bench = await createWorkbench({ prefix, env: { PORT: String(port), SLOW_MS: '2500', MONGO_URL: mongoUrl, MONGODB_URI: mongoUrl, SLEEP_MS: '2500' } });
  // In lessons without measurements, the answer is missing.
  const app = parseAppUrl('--app', `http://127.0.0.1:${port}`);
  const nothing = { results: bench.cwd, app, answer: lesson.lab ? 1 : undefined };
  const before = gatherEvidence(lesson, { lessons: {} }, nothing).then(async (evidence) => (await lesson.check(evidence)).isRight);
  expect(await before.catch(() => false)).toBe(false);

  const verdict = await measureUntil(() => doLesson(lesson, bench, port), ({ code }) => code === 0, 3);
  expect(verdict).toMatchObject({ code: 0, said: expect.stringContaining('Right.') });
}, 300_000);
