import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { describeSpeedup, describeWhatIf } from 'mongodb-pool-page/universal/speedup-words.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { expectRefused, runCli } from '../support/run-cli.js';

const folder = await scratchFolder();
const MINUTE = 'examples/ordinary-minute.jsonl';
const SHORT = 'corpus/loads/slow-beside-fast/recorded-at-2.jsonl.gz';
const wrapped = (/** @type {string} */ text) => text.replaceAll('\n', ' ');

describe('which query would help most', () => {
  const MINUTE_SAYS =
    /If the queries of \/slow took half the time, the p95 of \/fast would fall from 922 ms to 5\.0 ms \([^)]+\); no other query matters more\. In this recording, 2 connections more would have done the same\. This counts that faster queries also free the server's cores\./;

  test('is said by doctor after its answer, and by advise, which has a goal', async () => {
    const { stdout } = await runCli(['doctor', MINUTE]);
    expect(wrapped(stdout)).toMatch(MINUTE_SAYS);
    expect(stdout.indexOf('If the queries')).toBeGreaterThan(stdout.indexOf('Best guess'));
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
  });

  const SHORT_SAYS = /^If runCommand of \/slow were never sent, the p95 of \/a would fall from 132 ms to 18 ms \(/;

  test('is said by advise for its goal, and is in the JSON with all that were tried', async () => {
    const { stdout } = await runCli(['advise', '--trace', SHORT, '--slo', '/a p95 < 100ms', '--json']);
    const { speedups, whatIf, words } = JSON.parse(stdout);
    expect(speedups.target).toMatchObject({ route: '/a', figure: 'p95Ms' });
    expect(speedups.kinds.map((/** @type {any} */ { route, tries }) => [route, tries.length])).toEqual([
      ['/slow', 3],
      ['/a', 3],
    ]);
    expect(whatIf).toEqual([]);
    expect(words.at(-1)).toMatch(SHORT_SAYS);
    const doctor = await runCli(['doctor', SHORT, '--json']);
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      speedups: { kinds: speedups.kinds },
      words: { speedup: words.at(-1) },
    });
  });

  test('is said only where queries cause the waits', async () => {
    const { stdout } = await runCli(['doctor', 'corpus/causes/coldStart/open-loop.jsonl.gz', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ speedups: null, whatIf: [], words: { speedup: '' } });
  });
});

describe('--what-if', () => {
  test('tries each change, with doctor and with advise', async () => {
    const changes = ['--what-if', '/slow=50%', '--what-if', '/slow=none'];
    const { stdout } = await runCli(['doctor', SHORT, ...changes]);
    expect(stdout).toMatch(/^With \/slow=50%, at 2 connections:$/m);
    expect(stdout).toMatch(/^\/a, p95 +132 ms \([^)]+\) +22 to 112 ms$/m);
    expect(stdout).toMatch(/^\/slow, max +\S.* +gone$/m);
    const advised = await runCli(['advise', '--trace', SHORT, '--slo', '/a p95 < 100ms', ...changes, '--json']);
    expect(JSON.parse(advised.stdout).whatIf).toMatchObject([{ text: '/slow=50%' }, { text: '/slow=none' }]);
    expect(advised.stderr).toContain('With /slow=none, at 2 connections');
  });

  test('is tried although the pool is healthy', async () => {
    const file = 'corpus/causes/none/closed-loop.jsonl.gz';
    const { stdout } = await runCli(['doctor', file, '--what-if', '/report=50%']);
    expect(stdout).toMatch(/^With \/report=50%, at 25 connections:\nroute +now +then\n/m);
  });

  test('has no figures where the recording has none', async () => {
    const { stdout } = await runCli([
      ...['doctor', 'corpus/loads/callers-on-a-silent-server/recorded-at-2.jsonl.gz', '--what-if', '/a=50%'],
    ]);
    expect(wrapped(stdout)).toContain('With /a=50%, at 2 connections: no figures, because most queries found');
  });

  test('is refused for what the recording does not have', async () => {
    const refused = /"find x=50%": the recording has no "find x"\. It has \/fast, \/slow, and OPERATION of ROUTE/;
    await expectRefused(['doctor', MINUTE, '--what-if', 'find x=50%'], refused);
    const advise = ['advise', '--slo', '/fast p95 < 100ms'];
    await expectRefused([...advise, '--trace', MINUTE, '--what-if', '/slow=fast'], /"\/slow=fast" is not a change/);
    const scenario = [...advise, 'loadtests/mixed.yaml', '--service', '/slow=5000', '--service', '/fast=5'];
    await expectRefused([...scenario, '--what-if', '/slow=50%'], /--what-if needs a recording: --trace FILE/);
  });

  test('has to say the size of the recorded pool', async () => {
    const file = path.join(folder, 'no-size.jsonl');
    await writeWithoutSize(file);
    await expectRefused(
      ['doctor', file, '--what-if', '/fast=50%'],
      /the recording does not say how large its pool was/,
    );
  });
});

/** @param {string} file */
async function writeWithoutSize(file) {
  const text = await readFile(MINUTE, 'utf8');
  await writeFile(file, text.replace(/"maxPoolSize":\{"value":8/g, '"maxPoolSize":{"value":0'));
}

describe('the sentence', () => {
  const best = {
    ...{ route: '/recommendations', operation: 'find products', factor: 0.9, ms: 1400, lowMs: 1100, highMs: 1700 },
    ...{ change: { low: 0.6, high: 0.88 }, connections: 3, rivals: [] },
  };
  const known = {
    ...{ target: { route: '/fast', figure: 'p95Ms' }, poolSize: 8, isShared: false, reason: null },
    ...{ now: { ms: 2000, lowMs: 1600, highMs: 2400 }, kinds: [{}, {}], best },
  };
  const say = (/** @type {object} */ facts) => describeSpeedup(/** @type {any} */ ({ ...known, ...facts }));

  test('names the query, what its time does to whom, and how many connections do the same', () => {
    expect(say({})).toBe(
      'If find products of /recommendations took 10 % less time, the p95 of /fast would fall from 2.0 s to 1.4 s ' +
        '(1.1 to 1.7 s); no other query matters more. In this recording, 3 connections more would have done the same.',
    );
  });

  test('says how far it falls where its times are hidden', () => {
    const reason = { code: 'wideBand', figures: {} };
    expect(say({ reason })).toContain('would fall by 12 to 40 %; no');
    expect(say({ reason, best: { ...best, change: { low: 0.6, high: 1.02 } } })).toContain(
      'would fall by up to 40 %; no',
    );
    expect(say({ reason, best: { ...best, change: { low: NaN, high: NaN } } })).toContain('/fast would fall; no');
  });

  test('knows rivals, a query that is alone, failures, and what no pool can do', () => {
    const rivals = [{ route: '/a', operation: 'find a' }, { route: '/b' }];
    expect(say({ best: { ...best, rivals } })).toContain(
      '; find a of /a and the queries of /b would do about as much.',
    );
    expect(say({ kinds: [{}] })).toContain('; there is no other query.');
    expect(say({ target: { route: '/fast', figure: 'meanMs' } })).toContain('the mean time of /fast would fall from');
    expect(say({ now: { ms: Infinity } })).toContain(
      'would be 1.4 s (1.1 to 1.7 s), where too many requests fail now;',
    );
    expect(say({ best: { ...best, connections: null } })).toMatch(/No number of connections does the same\.$/);
    expect(say({ best: null })).toBe(
      'Of no query alone is it sure that the p95 of /fast falls, even if it were never sent.',
    );
    expect(say({ now: null })).toBe('');
  });

  test('has a range where the figure of a change is hidden', () => {
    const time = { ms: 5, lowMs: 4, highMs: 6, reason: null };
    const wide = { ms: NaN, lowMs: 1, highMs: 100, reason: { code: 'wideBand', figures: {} } };
    const tried = { text: '/a=50%', poolSize: 1, isShared: false, reason: null };
    const routes = [
      { route: '/a', figure: 'p95Ms', now: time, then: wide },
      { route: '/b', figure: 'maxMs', now: time, then: null },
    ];
    expect(describeWhatIf(/** @type {any} */ ({ ...tried, routes }))).toEqual({
      headline: 'With /a=50%, at 1 connection:',
      rows: [
        { route: '/a, p95', now: '5 ms (4 to 6 ms)', then: '1 to 100 ms' },
        { route: '/b, max', now: '5 ms (4 to 6 ms)', then: 'gone' },
      ],
    });
  });
});
