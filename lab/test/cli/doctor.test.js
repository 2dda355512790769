import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import {
  CAUSE_NAMES,
  explainBusiest,
  explainLastMinute,
  explainVerdict,
} from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { describeFinding } from 'mongodb-pool-page/universal/finding-words.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { renderDiagnosis } from '../../predictions/diagnosis-view.js';
import { expectRefused, runCli } from '../support/run-cli.js';
import { serveHandler } from '../../../test/support/serve-app.js';

const folder = await scratchFolder();
const isDiagnosis = new Ajv().compile(JSON.parse(await readFile('lab/predictions/diagnosis.schema.json', 'utf8')));

/**
 * A trace of 200 requests to /articles/:id in 20 s, half of which wait behind two of /report.
 *
 * @param {string} name
 * @param {number} waitMs
 * @param {number} [requests]
 * @param {{ header?: object, fromMs?: number }} [more] header: more fields of the first line; fromMs: when it begins
 */
async function writeTrace(name, waitMs, requests = 200, { header, fromMs = 0 } = {}) {
  const file = path.join(folder, `${name}.jsonl`);
  const lines = [
    { trace: 'mongodb-pool-lab', version: 3, resolutionMs: 0.001, ...header },
    { define: 'process', id: 0, pid: 7, attached: true },
    {
      define: 'pool',
      id: 0,
      process: 0,
      name: null,
      options: { maxPoolSize: { value: 2, from: 'code', uri: 50 } },
    },
    { define: 'route', id: 0, name: '/articles/:id' },
    { define: 'route', id: 1, name: '/report' },
    { define: 'operation', id: 0, name: 'find articles' },
    { event: 'server', atMs: fromMs + 1, cores: 2, busyCores: 0.1 },
    ...Array.from({ length: requests }, (_, request) => {
      const atMs = fromMs + request * 100;
      const wait = request % 2 === 0 ? { waitMs, behind: [[1, 0, 900, 901]] } : { waitMs: 0 };
      return [
        { atMs, useMs: 2, pool: 0, connection: 1, route: 0, operation: 0, request, ...wait },
        { request, route: 0, atMs, durationMs: wait.waitMs + 3, status: 200 },
      ];
    }).flat(),
  ];
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const full = await writeTrace('full', 40);
const fine = await writeTrace('fine', 0);

test("the proofs of a history have the clock's time, because it lasts for hours", async () => {
  const fromMs = Date.parse('2026-11-25T18:30:05Z');
  const { stdout } = await runCli([
    'doctor',
    await writeTrace('history', 40, 200, { header: { history: true }, fromMs }),
  ]);
  expect(stdout).toMatch(/^11-25 18:30:(0[5-9]|1\d|2[0-5]) UTC: \/articles\/:id find articles, 40 ms behind /m);
});

describe('a full pool', () => {
  test('is named first, with who fills it, proofs, and what to do', async () => {
    const { code, stdout, stderr } = await runCli(['doctor', full]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, 3).join(' ')).toBe(
      '50 % of the requests wait 40 ms on average, because /report (find articles) holds all 2 connections. ',
    );
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^the pool was full +4\.0 s +100 % +100 100 %$/m);
    expect(stdout.match(/: \/articles\/:id find articles, 40 ms behind 2 × find articles of \/report$/gm)).toHaveLength(
      3,
    );
    // Nothing in the trace holds the connections, so a simulation has no size.
    expect(stdout).toMatch(/^> Make the queries that hold the connections faster/m);
    expect(stdout.replaceAll('\n', ' ')).toContain(
      '! client 1: the code sets maxPoolSize to 2, so 50 in the URI has no effect.',
    );
  });

  test('has a size where a simulation explains the waits', async () => {
    const { stdout } = await runCli(['doctor', 'examples/slow-deploy.jsonl']);
    expect(stdout.replaceAll('\n', ' ')).toContain(
      '(find products) holds all 4 connections. Best guess: 14 connections, because more would not help at the ' +
        'recorded load; pool-lab advise finds the size for a goal, with headroom. ',
    );
    expect(stdout).toMatch(/^> Raise maxPoolSize to that/m);
  });

  test('is said to refuse, where it does', async () => {
    const file = path.join(folder, 'refusing.jsonl');
    const lines = (await readFile(full, 'utf8')).trim().split('\n');
    const refuse = (/** @type {string} */ line) =>
      line.replace(/"useMs":2,(.*"behind")/, '"outcome":"checkOutFailed","reason":"timeout",$1');
    await writeFile(file, lines.map(refuse).join('\n'));
    const { stdout } = await runCli(['doctor', file]);
    expect(stdout.replaceAll('\n', ' ')).toMatch(
      /^50 % of the requests wait 40 ms on average, and 50 % of the checkouts get no connection, because \/report /,
    );
  });

  test('is proved by checkouts whose long names go on in the next line', async () => {
    const route = '/organisations/:organisation/reports/quarterly';
    const file = path.join(folder, 'long-names.jsonl');
    await writeFile(file, (await readFile(full, 'utf8')).replace('/report', route));
    const { stdout } = await runCli(['doctor', file]);
    expect(stdout.split(`find articles of\n${route}\n`)).toHaveLength(4);
  });

  test('is one object with --json', async () => {
    const { code, stdout } = await runCli(['doctor', full, '--json', '--instances', '30', '--server-limit', '100']);
    const diagnosis = JSON.parse(stdout);
    expect(isDiagnosis(diagnosis) || isDiagnosis.errors).toBe(true);
    expect(diagnosis).toMatchObject({ verdict: { cause: 'fullPool' }, poolSize: null });
    expect(diagnosis.settings.map((/** @type {any} */ { kind }) => kind)).toEqual(['overridden', 'tooManyConnections']);
    expect(code).toBe(2);
  });
});

test('without waits, all is well, and --compare says what changed', async () => {
  const { code, stdout } = await runCli(['doctor', '--compare', full, fine]);
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /^Before: 50 % of the requests wait 40 ms .* After: All is well: requests wait 0 ms .* the pool was full 20 ms 0 ms $/,
  );
  const { stdout: json } = await runCli(['doctor', '--compare', full, fine, '--json']);
  expect(isDiagnosis(JSON.parse(json)) || isDiagnosis.errors).toBe(true);
  expect(JSON.parse(json)).toMatchObject({ verdict: { cause: 'none' }, before: { verdict: { cause: 'fullPool' } } });
});

test('too little data is no verdict', async () => {
  const { code, stdout } = await runCli(['doctor', await writeTrace('short', 40, 8)]);
  expect(stdout).toMatch(/^Too little data: 8 checkouts\. Record for longer/);
  expect(code).toBe(1);
});

test('a few requests are enough if many of them wait', async () => {
  const { code, stdout } = await runCli(['doctor', await writeTrace('few', 40, 12), '--json']);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 2, verdict: { cause: 'fullPool', waitingShare: 0.5 } });
});

test('a running app is looked at until the time is up, or Ctrl-C', async () => {
  const stop = new AbortController();
  const url = await serveHandler((req, res) => {
    const { pathname, searchParams } = new URL(String(req.url), 'http://app');
    const after = Number(searchParams.get('after'));
    if (after === 30) stop.abort();
    const checkouts = Array.from({ length: 30 }, (_, index) => ({
      id: after + index + 1,
      checkOutStartedAtMs: index * 10,
      checkedOutAtMs: index * 10,
      checkedInAtMs: index * 10 + 3,
      route: '/a',
    }));
    if (pathname === '/pool') res.end(JSON.stringify({ max: 3 }));
    else if (pathname === '/pool/checkouts') res.end(JSON.stringify({ checkouts, lastId: after + 30, forgotten: 0 }));
    else res.writeHead(404).end('{}');
  });
  const { code, stdout, stderr } = await runCli(['doctor', url, '--json'], { interrupt: stop.signal });
  expect(stderr).toMatch(/^Looking at http:\S+ for 60 s\. Ctrl-C ends it sooner\.\nAll is well/);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, verdict: { cause: 'none' } });
});

describe('in words', () => {
  const FACTS = { client: 'shop', maxPoolSize: 5, holders: [], routes: [{ route: '/a' }] };
  const opening = { count: 3, medianMs: 120, maxConnecting: 2, maxIdleTimeMS: 60 };
  const loop = (/** @type {number} */ busy) => ({ loop: { busy, maxMs: 300 } });
  const holder = (/** @type {string} */ route, /** @type {number} */ share) => ({ route, operation: null, share });

  test.each([
    ['fullPool', {}, 'others hold all 5 connections of shop'],
    ['fullPool', { holders: [holder('/a', 0.5), holder('/b', 0.4)] }, '/a and /b hold all 5 connections of shop'],
    ['coldStart', { opening }, 'the pool of shop had to open 3 connections first, and opening one takes 120 ms'],
    ['slowHandshake', { opening }, 'the pool of shop had to open 3 connections, and opening one takes 120 ms'],
    ['maxConnecting', { opening }, 'the pool of shop opens only 2 connections at a time, and opening one takes 120 ms'],
    [
      'idleConnections',
      { opening },
      'their connections do not last: maxIdleTimeMS 60 closes them, 3 were opened anew, and opening one takes 120 ms',
    ],
    [
      'lostConnections',
      { opening },
      'the server, a balancer or the network ends their connections: 3 were opened anew, and opening one takes 120 ms',
    ],
    ['poolCleared', { clears: { count: 1, reason: 'a failover' } }, 'the pool of shop was cleared 1 time (a failover)'],
    [
      'parkedConnections',
      { parked: { operation: 'watch', connections: 4 } },
      'change streams or tailable cursors (watch) hold 4 of 5 connections',
    ],
    [
      'severalAtOnce',
      { atOnce: 9, holders: [holder('/a', 1)] },
      'requests of /a ask for up to 9 connections at once, and the pool of shop has 5',
    ],
    [
      'severalAtOnce',
      { atOnce: 400, holders: [{ route: 'the app itself', operation: 'find t', share: 1 }] },
      'work outside of requests (find t) asks for up to 400 connections at once, and the pool of shop has 5',
    ],
    [
      'fullServer',
      { server: { cores: 2, busyShare: 0.95, isFull: true } },
      'the server is busy: it uses 1.9 of its 2 cores',
    ],
    [
      'fullServer',
      { server: { cores: 2, busyShare: 0.65, isLocal: true, isFull: true } },
      'the server is busy: it uses 1.3 of its 2 cores, which it shares with the app',
    ],
    [
      'fullServer',
      { server: { cores: 2, busyShare: 0.4, otherCores: 1.1 } },
      'the more queries the server has, the longer each takes: it uses 0.8 of its 2 cores and other programs 1.1',
    ],
    ['fullServer', { server: { isQueueing: true } }, 'the server is full: queries wait inside it'],
    ['fullServer', { server: { growth: 2 } }, 'the server is full: the more queries it has, the longer each takes'],
    ['lateEventLoop', loop(0.99), "the app's event loop has no time left"],
    ['lateEventLoop', loop(0.5), "something blocks the app's event loop, for 300 ms in an average second"],
    ['concurrencyLimit', { limit: 3 }, 'the app runs at most 3 of /a at once'],
    [
      'transactions',
      { transactions: { route: '/a', count: 40, conflicts: 1, lostShare: 0.01, waiting: 30, waitMs: 12, atOnce: 4 } },
      '30 of 40 transactions of /a waited for a connection while they held locks, for 12 ms on average: up to 4 were ' +
        'open at once',
    ],
    [
      'transactions',
      { transactions: { route: '/a', count: 40, conflicts: 8, lostShare: 0.3, waiting: 1, waitMs: 2, atOnce: 4 } },
      '8 of 40 transactions of /a failed because another one had changed the same document, and were begun again: ' +
        '30 % of the time of their requests was lost',
    ],
  ])('%s: %j', (cause, facts, words) => {
    const verdict = { cause, facts: { ...FACTS, ...facts }, waitingShare: 1, meanWaitMs: 40, refusedShare: 0 };
    expect(explainVerdict(/** @type {any} */ ({ verdict, totals: {} }))).toBe(
      `Requests wait 40 ms on average, because ${words}.`,
    );
  });

  test.each([
    [{ requests: 10, waiting: 9 }, 0.9, '9 of 10 requests wait 40 ms'],
    [{ requests: 20, waiting: 18 }, 0.9, '90 % of the requests wait 40 ms'],
    [{ requests: 10, waiting: 10, waitedMs: 400, stillWaitedMs: 21 }, 1, 'Requests wait at least 40 ms'],
    [{ requests: 10, waiting: 10, waitedMs: 400, stillWaitedMs: 19 }, 1, 'Requests wait 40 ms'],
  ])('how many wait, and for how long: %j', (totals, waitingShare, words) => {
    const verdict = { cause: 'fullPool', isProblem: true, facts: FACTS, waitingShare, meanWaitMs: 40, refusedShare: 0 };
    const diagnosis = /** @type {any} */ ({ verdict, totals, settings: [] });
    const said = explainVerdict(diagnosis);
    expect(said.split(' on average, because ')[0]).toBe(words);
    expect([true, false].map((isQueued) => explainLastMinute(diagnosis, isQueued))).toEqual([
      `So far: ${said}`,
      `The last minute: ${said}`,
    ]);
  });

  const slow = { route: '/a', durationMs: 90, useMs: 80, outsideMs: 10 };

  test.each([
    [
      { cause: 'notThePool', slow },
      'It is not the pool: requests wait 2 ms for a connection, on average. ' +
        '/a takes 90 ms, 80 ms of them in its queries.',
    ],
    [
      { cause: 'lateEventLoop', slow: { ...slow, useMs: 10, outsideMs: 80 }, facts: { ...FACTS, ...loop(1) } },
      "Requests do not wait for a connection, but the app's event loop has no time left. " +
        '/a takes 90 ms, 80 ms of them outside of MongoDB.',
    ],
  ])('%j', (verdict, words) => {
    const totals = { waitedMs: 100, requests: 50 };
    expect(explainVerdict(/** @type {any} */ ({ verdict, totals }))).toBe(words);
  });
});

describe('what was seen of a healthy pool, in words', () => {
  const route = { route: '/a', share: 0.6, durationMs: 90, useMs: 80, outsideMs: 10 };
  const time = " 60 % of the requests' time goes to /a: 90 ms each, 80 ms of them in its queries.";
  const slow = { route: '/a' };

  test.each([
    [{ maxPoolSize: 50, inUse: 3 }, route, null, 'The pool used at most 3 of its 50 connections at once. ', time],
    [{ client: 'shop', maxPoolSize: 3, inUse: 3 }, route, slow, 'The pool of shop used at times all 3 at once. ', ''],
    [{ maxPoolSize: 0, inUse: 1 }, null, null, 'The pool used at most 1 connection at once. ', ''],
    // A history.
    [null, null, null, '', ''],
  ])('%j', (pool, own, elsewhere, use, rest) => {
    const busiest = { pool, longestWaitMs: 30, route: own };
    const diagnosis = /** @type {any} */ ({
      verdict: { cause: 'none', slow: elsewhere },
      totals: {},
      busiest,
      settings: [],
    });
    const said = `${use}The longest wait was 30 ms.${rest}`;
    expect(explainBusiest(diagnosis)).toBe(said);
    expect(explainLastMinute(diagnosis, false)).toContain(said);
  });
});

test.each([
  [
    { kind: 'farServer', client: 'shop', operation: 'find t', rttMs: 8.9, openingMs: 14, share: 0.87 },
    'shop: the server is about 8.9 ms away. find t takes at least as long, and so does opening a connection ' +
      '(14 ms or more). The way there and back is 87 % of the time in which connections are in use.',
  ],
  [
    {
      kind: 'repeatedQueries',
      route: '/a',
      operations: ['runCommand'],
      queries: 12,
      ms: 53,
      savedMs: 0,
      durationMs: 57,
    },
    '/a sends 12 queries a request (runCommand), one after another, which take 53 ms of its 57 ms.',
  ],
  [{ kind: 'blockedLoop', maxMs: 129 }, "Something blocks the app's event loop, for 129 ms in an average second."],
])('a finding in words: %j', (finding, words) => {
  expect(describeFinding(/** @type {any} */ (finding))).toBe(words);
});

test('a finding is followed by its advice, once', () => {
  const finding = { kind: 'blockedLoop', maxMs: 129 };
  const verdict = { cause: 'none', isProblem: false, facts: null, slow: null };
  const totals = { waitedMs: 0, requests: 1 };
  const diagnosis = { verdict, totals, causes: [], busiest: null, findings: [finding, finding], settings: [] };
  const lines = renderDiagnosis(/** @type {any} */ (diagnosis), {
    ...{ poolSize: null, speedups: null, advice: { blockedLoop: 'Find it.' }, width: 200 },
  }).split('\n');
  expect(lines.map((line) => line.slice(0, 10))).toEqual(['All is wel', '', '! Somethin', '> Find it.', '! Somethin']);
});

test('a wait that timed out by itself is said to be the signal of the app', () => {
  const finding = {
    kind: /** @type {const} */ ('strayTimeout'),
    client: 'shop',
    option: 'waitQueueTimeoutMS',
    value: 2,
  };
  expect(describeFinding(finding)).toBe(
    'shop: 2 waits timed out, though waitQueueTimeoutMS is 0: ' +
      'a signal of the app did it, such as AbortSignal.timeout().',
  );
});

test('each cause has advice, and none has two', async () => {
  const files = await readdir('lab/predictions/advice');
  expect(files.toSorted()).toEqual(
    Object.keys(CAUSE_NAMES)
      // Findings that are no cause of waits, where the time of slow requests is, and a full pool with a size that does.
      .concat('repeatedQueries', 'farServer', 'blockedLoop', 'busyMachine', 'bufferedQueries', 'slowQueries')
      .concat('largerPool')
      .map((cause) => `${cause}.md`)
      .toSorted(),
  );
});

test.each([
  ['a file that is not there', [path.join(folder, 'never.jsonl')], /never\.jsonl/],
  ['no app', ['http://127.0.0.1:1', '--seconds', '1'], /does not answer GET \/pool/],
  ['nothing', [], /Which app\? Add a URL or a trace file, such as http.*, or set APP_URL/],
  ['instances without a limit', [full, '--instances', '3'], /--instances and --server-limit need each other, such as/],
])('%s is one clear message', async (_, args, message) => {
  await expectRefused(['doctor', ...args], message);
});
