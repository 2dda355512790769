import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { readTrace } from 'mongodb-pool-predictor/node';
import { scratchFolder } from 'test-support/cleanup.js';
import { findFreePort } from 'test-support/processes.js';
import { WIDTH } from '../../cli/lesson-text.js';
import { findLesson, listTasks, readLessons } from '../../workshop/lessons.js';
import { createSampleResult, saveSampleResult } from '../report/sample-result.js';
import { commandsOf } from '../../../test/support/commands-of.js';
import { runCli } from '../support/run-cli.js';
import { savedRun } from '../support/saved-runs.js';
import { checkTask } from '../../cli/check-task.js';
import { watchTask } from '../../cli/watch-task.js';
import { describeShopRecording } from '../../workshop/cases/shop-recording.js';
import { readProgress } from '../../workshop/lesson-progress.js';

const nowhere = `http://127.0.0.1:${await findFreePort()}`;

describe('the workshop', () => {
  /** @type {string} */
  let folder;
  beforeEach(async () => {
    folder = await scratchFolder();
  });

  /** @param {string[]} args */
  function workshop(...args) {
    return runCli(['workshop', ...args], { env: { POOL_LAB_DATA: path.join(folder, 'data') } });
  }

  /** What a command that failed said, without its line breaks. @param {string[]} args */
  async function failWith(...args) {
    const { code, stderr } = await workshop(...args);
    expect(code).toBe(1);
    return stderr.replaceAll(/\s+/g, ' ').trim();
  }

  /** A run with one lane, as the second lesson wants it. */
  async function saveResult(startedAt = new Date().toISOString()) {
    const result = createSampleResult({ startedAt });
    result.variants.length = 1;
    Object.assign(result.variants[0].measured ?? {}, { unloaded: { serviceMs: 2 } });
    const saved = path.join(folder, 'results', startedAt.replaceAll(':', '-'));
    await mkdir(saved, { recursive: true });
    await writeFile(path.join(saved, 'mixed.json'), JSON.stringify(result));
  }

  test('a lesson not done says why and exits with 1; one that is done is remembered until the reset', async () => {
    const verify = ['verify', '02-one-lane', '--results', path.join(folder, 'results')];
    await workshop('guess', '2', '18');
    expect(await workshop(...verify)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Not yet\. First run it with one lane/),
    });

    await saveResult();
    expect(await workshop(...verify)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Right\..+\n\nJudged: .+mixed\.json\n\nWhy, and a twist: npx pool-lab workshop 02-one-lane\nNext: npx pool-lab workshop 01/s,
      ),
    });
    expect((await workshop()).stdout).toMatch(/^ +2 A pool of one connection .+ 2 of 3 done$/m);

    await workshop('reset');
    expect((await workshop()).stdout).not.toMatch(/ done$/m);
    await workshop('guess', '2', '18');
    expect(await workshop(...verify)).toMatchObject({ code: 1 });
    await saveResult();
    expect(await workshop(...verify)).toMatchObject({ code: 0 });
  });

  test('a lesson is shown by its name or its number', async () => {
    const [byName, byNumber] = await Promise.all([workshop('02-one-lane'), workshop('2')]);
    expect(byName.stdout).toMatch(/^A pool of one connection\n.+\n {4}npx pool-lab run mixed/s);
    expect(byNumber).toEqual(byName);
  });

  test.each([
    ['an unknown lesson', ['verify', '99'], /There is no lesson "99"\. The lessons are 01-what-a-pool-is, 02/],
    ['a missing guess', ['verify', '4'], /Make a guess first\. Five users arrive/],
    ['a guess that is not a number', ['guess', '4', 'much'], /must be a number/],
    [
      'an answer without a question',
      ['verify', '7', '--answer', '1'],
      /^07-change-streams asks for no answer: leave out --answer 1\n$/,
    ],
    ['an unwanted guess', ['guess', '14', '5'], /14-fleet-budget does not ask for a guess/],
    ['a puzzle that is not there', ['puzzle', '2'], /02-one-lane has no puzzle\. These have one: 03-find/],
    ['hints of a twist', ['hint', '2', '--twist'], /has no hints/],
    ['a case that was never started', ['verify', 'case-1'], /^Start it first:\n {2}npx pool-lab case 1\n$/],
    [
      'a case to watch',
      ['watch', 'case-1'],
      /^A case is measured once you have named its cause: npx pool-lab workshop verify/,
    ],
    ['two parts at once', ['verify', '3', '--twist', '--puzzle'], /Choose one of/],
    ['an app that does not run', ['verify', '1', '--twist', '--app', nowhere], /--app http:.+connect ECONNREFUSED/],
  ])('%s is one clear line', async (_, args, message) => {
    const { code, stdout, stderr } = await workshop(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ +at /m);
    for (const line of stderr.split('\n'))
      if (!/^( |error:)/.test(line)) expect(line.length).toBeLessThanOrEqual(WIDTH);
  });

  test('the list fits a terminal when everything is done, and the last check prints the card', async () => {
    const lessons = await readLessons();
    const file = path.join(folder, 'data', 'workshop.json');
    await mkdir(path.dirname(file), { recursive: true });
    const done = { doneAt: '2026-01-01T00:00:00.000Z', points: 3 };
    await writeFile(
      file,
      JSON.stringify({ lessons: Object.fromEntries(lessons.flatMap(listTasks).map(({ name }) => [name, done])) }),
    );
    const { stdout } = await workshop();
    expect(stdout).toMatch(/3 of 3 done, twist, puzzle, case$/m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(WIDTH);

    const last = await workshop('verify', '14', '--answer', '5', '--results', path.join(folder, 'results'));
    expect(last.stdout).toMatch(/^What to take home\n.+For example, 200 queries/ms);
  });

  test('the card takes its example from your own run, unless the machine was busy', async () => {
    for (const name of ['busy 12', 'quiet 12']) {
      const saved = path.join(folder, 'results', name);
      await mkdir(saved, { recursive: true });
      await writeFile(path.join(saved, 'utilisation.json'), JSON.stringify(savedRun(name)));
    }
    const { stdout } = await workshop('card', '--results', path.join(folder, 'results'));
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'On your machine, with 9.6 queries a second and a mean wait of 684 ms, 6.6 were waiting on average.',
    );
  });

  test('what was done stays done when a new lesson moves it', async () => {
    const file = path.join(folder, 'data', 'workshop.json');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(
      file,
      '{"lessons":{"10-batching":{"doneAt":"2026-01-01T00:00:00.000Z"},' +
        '"99-gone":{"doneAt":"2026-01-01T00:00:00.000Z"}}}',
    );
    const { stdout } = await workshop();
    expect(
      stdout
        .split('\n')
        .filter((line) => /✓|done|\[x\]/i.test(line))
        .join('\n'),
    ).toContain('11 Batches instead of connections');
    await workshop('reset');
  });

  test('invalid files are named, and not changed', async () => {
    const file = path.join(folder, 'data', 'workshop.json');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '{"lessons":{"04-predict-then-reveal":{"guess":{"value":"11"}}}}');
    expect(await failWith()).toContain(`${file} does not contain`);
    await writeFile(file, '{"lessons":null}');
    expect(await failWith()).toContain(`${file} does not contain the progress of the workshop`);
    expect(await readFile(file, 'utf8')).toBe('{"lessons":null}');
    await workshop('reset');

    await workshop('guess', '2', '18');
    await saveResult();
    const broken = path.join(folder, 'results', 'broken');
    await mkdir(broken);
    await writeFile(path.join(broken, 'mixed.json'), '{');
    expect(await failWith('verify', '2', '--results', path.join(folder, 'results'))).toContain(
      `${path.join(broken, 'mixed.json')} is not JSON`,
    );
  });

  test('a check that throws is an error that names the lesson and the cause', async () => {
    const saved = path.join(folder, 'results', 'odd');
    await mkdir(saved, { recursive: true });
    const result = createSampleResult();
    result.variants.length = 1;
    Object.assign(result.variants[0], { measured: { unloaded: {} } });
    await writeFile(path.join(saved, 'mixed.json'), JSON.stringify(result));
    await workshop('guess', '2', '18');
    expect(await failWith('verify', '2', '--results', path.join(folder, 'results'))).toMatch(
      /^The check of lesson 02-one-lane failed: .*undefined/,
    );
  });

  test('without an app it says how to start one, and mentions no option that nobody typed', async () => {
    const { port } = new URL(nowhere);
    const { code, stderr } = await runCli(['workshop', 'verify', '1', '--twist'], {
      env: { POOL_LAB_DATA: path.join(folder, 'data'), PORT: port },
    });
    expect({ code, said: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
      code: 1,
      said:
        `the app at ${nowhere} does not answer GET /pool (connect ECONNREFUSED 127.0.0.1:${port}); ` +
        'start it with npm start, or choose another one with --app ',
    });
  });

  test('the explanation comes after the check, unless somebody asks for it', async () => {
    expect((await workshop('2')).stdout).not.toMatch(/^Why$/m);
    expect((await workshop('2')).stdout).toContain('--all shows them now');
    expect((await workshop('2', '--all')).stdout).toMatch(/^Why$/m);
    await workshop('guess', '2', '20');
    await saveResult();
    await workshop('verify', '2', '--results', path.join(folder, 'results'));
    expect((await workshop('2')).stdout).toMatch(/^Why$/m);
  });

  test('three hints, one per call, the last one being the answer; a number asks for one of them', async () => {
    const hints = [];
    for (let call = 0; call < 4; call++) hints.push((await workshop('hint', '14')).stdout);
    expect(hints.map((text) => text.slice(0, 11))).toEqual([
      'Hint 1 of 3',
      'Hint 2 of 3',
      'Hint 3 of 3',
      'Hint 3 of 3',
    ]);
    expect(hints[2]).toContain('the answer: 7 - 2 = 5');
    expect((await workshop('hint', '3', '--puzzle')).stdout).toMatch(/^Hint 1 of 3: The buses may wait/);
  });

  test('every puzzle names a command that tells what can be changed', async () => {
    const commands = (await readLessons()).flatMap(({ puzzle }) => (puzzle ? commandsOf(puzzle.text) : []));
    expect(commands).toHaveLength(5);
    for (const command of new Set(commands)) {
      expect(await runCli(command.split(' ').slice(2))).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Options:'),
      });
    }
  });

  test('a puzzle has a text and a check of its own', async () => {
    expect((await workshop('puzzle', '3')).stdout).toMatch(/^Two lanes must do\n/);
    expect(await workshop('verify', '3', '--puzzle', '--results', folder)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Not yet/),
    });
  });

  test('a case wants a cause and a route, and its hints end with the signs of each cause', async () => {
    const shop = path.join(folder, 'data', 'case-1', 'shop.mjs');
    await mkdir(path.dirname(shop), { recursive: true });
    await writeFile(shop, '');
    const progress = { lessons: { 'case-1': { cause: 'ten-queries' } } };
    await writeFile(path.join(folder, 'data', 'workshop.json'), JSON.stringify(progress));
    const all = '--cause client-per-request|ten-queries|lost-option';
    expect(await failWith('verify', 'case-1')).toBe(`Name the cause as well: ${all}`);
    expect(await failWith('verify', 'case-1', '--cause', 'slow-service')).toBe(
      `--cause slow-service is not one of them: ${all}`,
    );
    expect(await failWith('verify', 'case-1', '--cause', 'ten-queries', '--route', '/fast')).toBe(
      '--route /fast is not one of them: --route /order|/customer|/offers|all',
    );
    const hints = [];
    for (let call = 0; call < 3; call++) hints.push((await workshop('hint', 'case-1')).stdout);
    expect(hints[2]).toMatch(/lost-option: the pool did\s+not\s+have\s+the\s+size/);
  });

  describe('after a wrong cause', () => {
    const named = ['verify', 'case-1', '--cause', 'ten-queries', '--route', '/order'];

    /** A recording of a process. @param {string} startedAt @param {string} command @param {number} checkouts */
    async function saveRecording(startedAt, command, checkouts) {
      const file = path.join(folder, 'evidence.jsonl');
      const lines = [
        { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001, startedAt },
        { define: 'process', id: 0, pid: 1, command },
        { define: 'pool', id: 0, name: 'client 1' },
        { define: 'route', id: 0, name: '/order' },
        ...Array.from({ length: checkouts }, (_, atMs) => {
          return { atMs, waitMs: 4 + atMs, useMs: 9, pool: 0, connection: 1, route: 0 };
        }),
      ];
      await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return file;
    }

    test('the next try needs a newer recording of the shop', async () => {
      const file = path.join(folder, 'data', 'workshop.json');
      await mkdir(path.dirname(file));
      const known = { cause: 'lost-option', evidenceSince: '2026-11-20T12:00:00.000Z' };
      await writeFile(file, JSON.stringify({ lessons: { 'case-1': known } }));
      expect(await failWith(...named)).toMatch(/^Before your next try, show what you saw: .+ --out evidence\.jsonl/);
      /** @type {[string, string, number, RegExp][]} */
      const refused = [
        ['2026-11-20T13:00:00.000Z', 'app.js', 40, /is not a recording of the shop\. Before your next try/],
        ['2026-11-20T11:00:00.000Z', 'serve-shop.js', 40, /is older than your last try/],
        ['2026-11-20T13:00:00.000Z', 'serve-shop.js', 3, /has only 3 checkouts/],
      ];
      for (const [startedAt, command, checkouts, words] of refused) {
        const trace = await saveRecording(startedAt, command, checkouts);
        expect(await failWith(...named, '--trace', trace)).toMatch(words);
      }
      const trace = await saveRecording('2026-11-20T13:00:00.000Z', 'node serve-shop.js', 41);
      expect(await failWith(...named, '--trace', trace)).toMatch(/^Start it first/);
      expect(describeShopRecording(await readTrace(trace), known.evidenceSince)).toEqual([
        ['/order', '41 checkouts; half waited 24 ms or more, and used a connection for 9 ms or more'],
      ]);
    });

    test('the need is remembered, and forgotten when the cause is right', async () => {
      const workshopOf = { dataDir: folder, lessons: await readLessons() };
      const evidenceOf = { results: folder, app: /** @type {any} */ (undefined) };
      const check = async (/** @type {string | undefined} */ needs) => {
        const task = { name: 'case-1', check: () => ({ isRight: false, words: 'It is slow.', needs }) };
        const { text } = await checkTask(task, evidenceOf, workshopOf);
        return { text, since: (await readProgress(folder, workshopOf.lessons)).lessons['case-1'].evidenceSince };
      };
      expect(await check('Record it:\n  pool-lab record')).toEqual({
        text: 'Not yet. It is slow.\n\nRecord it:\n  pool-lab record',
        since: expect.stringMatching(/^\d{4}-/),
      });
      expect(await check(undefined)).toEqual({ text: 'Not yet. It is slow.', since: undefined });
    });
  });

  test('check-all looks at every lesson, twist and puzzle', async () => {
    await workshop('guess', '2', '20');
    await saveResult();
    await workshop('verify', '14', '--answer', '5');
    const { code, stdout } = await workshop('check-all', '--results', path.join(folder, 'results'), '--app', nowhere);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^02-one-lane: right$/m);
    expect(stdout).toMatch(/^14-fleet-budget: right$/m);
    expect(stdout).toMatch(/^03-find-the-knee\/puzzle: not yet\./m);
    expect(stdout).toMatch(/^14 of 16 lessons are open\.$/m);
  });

  test('a guess after the measurement gets no points', async () => {
    await saveResult();
    await workshop('guess', '2', '20');
    expect((await workshop('verify', '2', '--results', path.join(folder, 'results'))).stdout).toContain(
      'No points for your guess: it came after',
    );
  });
});

describe('a watched task', () => {
  test('a result that is saved while the one before is checked is checked next', async () => {
    const folder = await scratchFolder();
    const lessons = await readLessons();
    /** @type {string[]} */
    const said = [];
    saveSampleResult(folder, 3);
    const lesson = { ...findLesson(lessons, '2'), guess: undefined };
    await watchTask(
      lesson,
      { results: folder, app: /** @type {any} */ (undefined) },
      { dataDir: folder, lessons },
      {
        signal: AbortSignal.timeout(60_000),
        print: (text) => {
          if (said.push(text) === 1) saveSampleResult(folder, 1);
        },
        warn: () => {},
      },
    );
    expect(said).toEqual([expect.stringContaining('Not yet.'), expect.stringContaining('Right. A query of 2 ms')]);
  });
});
