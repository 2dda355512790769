import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { readTrace } from 'mongodb-pool-predictor/node';
import { expectRefused, runCli } from '../support/run-cli.js';
import { serveHandler } from '../../../test/support/serve-app.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { traceText } from 'test-support/trace-text.js';

const CLI = 'lab/cli.js';
const folder = await scratchFolder();
const fileOf = (/** @type {string} */ name) => path.join(folder, name);

/** An app with the checkouts given. @param {(after: number) => object} answer */
function startFake(answer) {
  return serveHandler((req, res) => {
    const url = new URL(String(req.url), 'http://app');
    if (!['/pool', '/pool/checkouts'].includes(url.pathname)) {
      res.writeHead(404).end('{}');
      return;
    }
    res.end(
      JSON.stringify(
        url.pathname === '/pool' ? { max: 3 } : { forgotten: 0, ...answer(Number(url.searchParams.get('after'))) },
      ),
    );
  });
}

/**
 * Records until `end` is called, as by Ctrl-C.
 * @param {(end: () => void) => Promise<string>} start an app, and returns its URL
 * @param {string} name of the trace
 * @param {string[]} [options]
 */
async function recordUntilEnd(start, name, options = []) {
  const stop = new AbortController();
  const url = await start(() => stop.abort());
  const file = fileOf(name);
  const { signal } = stop;
  const ran = await runCli(['record', '--url', url, '--out', file, '--every', '50', ...options], { interrupt: signal });
  return { ...ran, url, file };
}

/** @param {number} id */
const checkout = (id) => ({
  id,
  checkOutStartedAtMs: id * 10,
  checkedOutAtMs: id * 10 + 1,
  checkedInAtMs: id * 10 + 3,
  route: '/a',
});

test.each([
  [{ pool: 3 }, /split.jsonl, line 1: pool must be an object/],
  [{ pool: { poolSize: '3' } }, /split.jsonl, line 1: pool.poolSize must be a whole number/],
  [
    { overhead: { kind: 'sample', valuesMs: [-1] } },
    /split.jsonl, line 1: overhead must be {"kind":"sample".* from 0 to 365 days/,
  ],
])('a trace with %j is refused', async (fields, message) => {
  const file = fileOf('bad-split.jsonl');
  await writeFile(file, traceText({ header: fields, checkouts: [{ atMs: 0, useMs: 5 }] }));
  await expectRefused(['predict', '--trace', file], message);
});

test('an app that had no client when its recording began is predicted by the size of each pool', async () => {
  const file = fileOf('late-client.jsonl');
  await writeFile(file, traceText({ header: { pool: {} }, poolSize: 2, checkouts: [{ atMs: 0, useMs: 500 }] }));
  const { stdout } = await runCli(['predict', '--trace', file, '--pool-sizes', '1', '--json']);
  expect(JSON.parse(stdout).variants).toHaveLength(1);
});

describe('recording', () => {
  /** @type {[string, { ids: number[], lastId: number, forgotten: number }[], string][]} */
  const pasts = [
    [
      'checkouts that the app forgot between two fetches are lost, earlier ones do not count',
      [
        { ids: [4, 5], lastId: 5, forgotten: 3 },
        { ids: [10, 11], lastId: 11, forgotten: 4 },
      ],
      'Recorded 2 checkouts.\nIn 1 of them the operation failed. predict and advise replay these, too.\n' +
        '4 checkouts lost: the app keeps only the latest ones. Fetch more often with --every.\n',
    ],
    [
      'an app that was idle before loses nothing',
      [
        { ids: [], lastId: 3014, forgotten: 3014 },
        { ids: [3015], lastId: 3015, forgotten: 0 },
      ],
      'Recorded 1 checkout.\n',
    ],
    [
      'an id that never existed is not lost',
      [
        { ids: [1], lastId: 1, forgotten: 0 },
        { ids: [3], lastId: 3, forgotten: 0 },
      ],
      'Recorded 1 checkout.\n',
    ],
  ];

  test.each(pasts)('%s', async (name, answers, says) => {
    const fetched = /** @type {number[]} */ ([]);
    const start = (/** @type {() => void} */ end) =>
      startFake((after) => {
        if (fetched.push(after) > answers.length) end();
        const { ids, ...rest } = answers[fetched.length - 1] ?? { ids: [], lastId: after, forgotten: 0 };
        return {
          checkouts: ids.map((id) => ({ ...checkout(id), outcome: id === 11 ? 'operationFailed' : 'checkedIn' })),
          ...rest,
        };
      });
    const { code, stderr, url, file } = await recordUntilEnd(start, `${name.replaceAll(/\W/g, '-')}.jsonl`);
    expect(code).toBe(0);
    expect(stderr).toBe(`Recording ${url} to ${file}. Press Ctrl-C to stop.\n${says}`);
    expect(fetched.slice(0, 3)).toEqual([0, ...answers.map(({ lastId }) => lastId)]);
    expect(await readTrace(file)).toMatchObject({ header: { url }, pools: [{ maxPoolSize: 3 }] });
  });

  test('a busy app is asked more often than --every, before it forgets', async () => {
    let fetched = 0;
    const start = (/** @type {() => void} */ end) =>
      startFake((after) => {
        // The first and the last answer come anyway.
        if (++fetched === 4) end();
        return {
          checkouts: Array.from({ length: 3000 }, (_, index) => checkout(after + index + 1)),
          lastId: after + 3000,
        };
      });
    const { stderr } = await recordUntilEnd(start, 'busy.jsonl', ['--every', '60000']);
    expect(stderr).toMatch(/\nRecorded 12000 checkouts\.\n$/);
  });

  test('ends when the trace is full', async () => {
    let id = 0;
    const url = await startFake((after) => {
      if (after === 0) return { checkouts: [], lastId: 1 };
      const checkouts = Array.from({ length: 20_000 }, () => checkout(after + ++id));
      return { checkouts, lastId: checkouts.at(-1)?.id };
    });
    const file = fileOf('full.jsonl');
    const { code, stderr } = await runCli(['record', '--url', url, '--out', file, '--every', '10', '--max-mb', '1']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/The trace is full\. Use --max-mb to allow for more\.\n\d+ checkouts did not fit\./);
    expect((await readFile(file, 'utf8')).endsWith('{"end":"full"}\n')).toBe(true);
  });

  test('has those that had not ended at its end, and doctor says why they waited', async () => {
    const waiting = { ...checkout(99), checkedOutAtMs: null, checkedInAtMs: null, endedAtMs: 9990, outcome: 'waiting' };
    const heldBy = [{ route: '/report', operation: 'find articles', kind: null, requests: [900] }];
    const open = [
      ...Array.from({ length: 5 }, () => ({ ...waiting, checkOutStartedAtMs: waiting.endedAtMs - 9000, heldBy })),
      { ...waiting, kind: 'changeStream', operation: 'watch' },
    ];
    const clients = [{ name: null, servers: ['db:1'], options: { maxPoolSize: { value: 1, from: 'code' } } }];
    const start = (/** @type {() => void} */ end) =>
      serveHandler((req, res) => {
        const { pathname, searchParams } = new URL(String(req.url), 'http://app');
        const after = Number(searchParams.get('after'));
        if (after === 31) end();
        const checkouts = after === 1 ? Array.from({ length: 30 }, (_, index) => checkout(index + 2)) : [];
        const ended = { max: 1, clients, checkouts, lastId: after === 0 ? 1 : 31, forgotten: 0 };
        res.end(JSON.stringify(pathname === '/pool/open' ? { checkouts: open } : ended));
      });
    const { file, stderr } = await recordUntilEnd(start, 'waiting.jsonl');
    expect(stderr).toContain('Recorded 36 checkouts.\n6 of them had not ended.\n');
    const { code, stdout } = await runCli(['doctor', file, '--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 2,
      verdict: { cause: 'fullPool', facts: { holders: [{ route: '/report' }] } },
      totals: { checkouts: 36, stillWaiting: 5, stillWaitedMs: 45_000 },
    });
  });

  test('an app that stops is an error, and the trace so far is kept', async () => {
    let requests = 0;
    const url = await startFake((after) =>
      ++requests > 2 ? {} : { checkouts: after === 0 ? [] : [checkout(2)], lastId: after === 0 ? 1 : 2 },
    );
    const file = fileOf('stopped.jsonl');
    const { code, stderr } = await runCli(['record', '--url', url, '--out', file, '--every', '50']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /Recorded 1 checkout\.\n--url .*GET \/pool\/checkouts did not answer with a list of checkouts/,
    );
    expect((await readTrace(file)).checkouts).toHaveLength(1);
  });

  test.each([
    ['no app', ['--url', 'http://127.0.0.1:1'], /^--url http:\/\/127\.0\.0\.1:1 does not answer GET \/pool \(/],
    ['no URL', [], /Add --url URL, such as http.*, or set APP_URL/],
  ])('%s is one clear message', async (_, args, message) => {
    await expectRefused(['record', ...args, '--out', fileOf('never.jsonl')], message);
  });
});

describe('the processes of an app under `pool-lab watch`', () => {
  /** A monitor of an app with two clients. @param {number} pid @param {() => void} [onRead] calls when all is read */
  const startMonitor = (pid, onRead = () => {}, threadId = 0) =>
    serveHandler((req, res) => {
      const { pathname, searchParams } = new URL(String(req.url), 'http://app');
      if (pathname === '/pool/seconds' && searchParams.get('after') === '9') onRead();
      const isNew = Number(searchParams.get('after')) < 9;
      const lists = {
        checkouts: ['null', 'slow'].flatMap((name, index) => ({
          ...checkout(8 + index),
          pool: name === 'null' ? null : name,
          server: 'db:1',
          request: 3,
          operation: 'find users',
          heldBy: [{ route: '/held', operation: null, kind: null, requests: [1, null] }],
        })),
        requests: [{ id: 9, request: 3, socket: 4, route: '/a', status: 200, totalMs: 5, endedAtMs: 90 }],
        connections: [
          { id: 9, event: 'connectionClosed', atMs: 80, pool: 'slow', server: 'db:1', connectionId: 2, reason: 'idle' },
        ],
        seconds: [{ id: 9, atMs: 100, max: 5, loopBusy: 0.5, loopDelayMs: { mean: 1.23456, max: 20 } }],
      };
      const name = /** @type {keyof typeof lists} */ (pathname.replace('/pool/', ''));
      const options = { maxPoolSize: { value: 3, from: 'uri' } };
      const answers = {
        '/pool': {
          max: 3,
          process: { pid, threadId, command: 'app.js', node: 'v24.0.0' },
          clients: [null, 'slow'].map((name) => ({ name, servers: ['db:1'], driver: '7.9.0', options, queue: [] })),
        },
        '/pool/server': { atMs: 1, cpuMs: 2, cores: 2, version: '8.0.0', ticketsOut: 1 },
      };
      res.end(
        JSON.stringify(
          answers[/** @type {keyof typeof answers} */ (pathname)] ?? {
            lastId: searchParams.get('after') === '0' ? 7 : 9,
            forgotten: 0,
            [name]: searchParams.get('after') !== '0' && isNew ? lists[name] : [],
          },
        ),
      );
    });

  /** The page of all processes. @param {string[]} urls */
  const startOverview = (urls) =>
    serveHandler((req, res) => {
      if (req.url !== '/processes') res.writeHead(404);
      res.end(JSON.stringify({ rows: urls.map((url) => ({ name: 'app.js', url })) }));
    });

  test('are all recorded, each with its clients, and kept apart', async () => {
    const start = async (/** @type {() => void} */ end) => {
      const read = new Set();
      const endAfter = (/** @type {number} */ pid) => () => read.add(pid).size === 2 && end();
      return startOverview([await startMonitor(11, endAfter(11)), await startMonitor(12, endAfter(12))]);
    };
    const { code, stderr, url, file } = await recordUntilEnd(start, 'processes.jsonl');
    expect(stderr).toBe(
      `Recording 2 processes of ${url}: 11 (client 1, slow), 12 (client 1, slow), to ${file}. Press Ctrl-C to stop.\n` +
        'Recorded 4 checkouts.\n',
    );
    expect(code).toBe(0);
    const trace = await readTrace(file);
    expect(trace.processes.map(({ pid }) => pid)).toEqual([11, 12]);
    expect(trace.pools.map(({ process, name, driver, maxPoolSize }) => [process, name, driver, maxPoolSize])).toEqual([
      [0, null, '7.9.0', 3],
      [0, 'slow', '7.9.0', 3],
      [1, null, '7.9.0', 3],
      [1, 'slow', '7.9.0', 3],
    ]);
    expect([...trace.checkouts.poolOf].toSorted()).toEqual([0, 1, 2, 3]);
    // Both have a request 3, and these are two.
    expect(new Set(trace.checkouts.requestOf).size).toBe(2);
    expect([...trace.requests.socketOf].filter((socket) => socket === 4)).toHaveLength(2);
    expect([...trace.events.poolOf].toSorted()).toEqual([1, 3]);
    expect(trace.seconds.loop.map(({ process, meanMs }) => [process, meanMs]).toSorted()).toEqual([
      [0, 1.235],
      [1, 1.235],
    ]);
    expect(trace.header).toMatchObject({ url, server: { version: '8.0.0', cores: 2 } });
    expect(trace.operations).toEqual([{ name: 'find users', kind: null }]);
    const { behind, routes } = trace;
    expect(Array.from(behind.routeOf.subarray(0, 2), (row) => routes[row])).toEqual(['/held', '/held']);
    expect(behind.requestOf[1]).toBe(-1);
  });

  test('one that is restarted at the same address is recorded on', async () => {
    let pid = 11;
    let asked = 0;
    const start = async (/** @type {() => void} */ end) => {
      const monitor = await serveHandler((req, res) => {
        const { pathname, searchParams } = new URL(String(req.url), 'http://app');
        const after = Number(searchParams.get('after'));
        const options = { maxPoolSize: { value: 3, from: 'uri' } };
        const clients = [{ name: null, servers: ['db:1'], options }];
        if (pathname === '/pool') return res.end(JSON.stringify({ max: 3, process: { pid }, clients }));
        if (pathname !== '/pool/checkouts') return res.writeHead(404).end('{}');
        asked += 1;
        if (asked === 3) pid = 12;
        // The new process has none until it is recorded.
        const isRead = pid === 12 && after === 0 && asked > 4;
        if (pid === 12 && after === 1) end();
        const checkouts = isRead ? [{ ...checkout(1), server: 'db:1' }] : [];
        return res.end(
          JSON.stringify({ checkouts, lastId: pid === 11 ? 500 : isRead ? 1 : after === 1 ? 1 : 0, forgotten: 0 }),
        );
      });
      return startOverview([monitor]);
    };
    const { stderr, file } = await recordUntilEnd(start, 'restarted.jsonl');
    expect(stderr).toMatch(/^Process 11 has ended\.\nAlso recording process 12 .+\.\nRecorded 1 checkout\.$/m);
    expect((await readTrace(file)).processes.map((process) => process.pid)).toEqual([11, 12]);
  });

  test('--client and --process choose, and what is not there is an error that says what is', async () => {
    const start = async (/** @type {() => void} */ end) =>
      startOverview([await startMonitor(11), await startMonitor(12, end)]);
    const options = ['--process', '12', '--client', 'slow'];
    const { stderr, url, file } = await recordUntilEnd(start, 'chosen.jsonl', options);
    expect(stderr).toBe(`Recording ${url} to ${file}. Press Ctrl-C to stop.\nRecorded 1 checkout.\n`);
    const { processes, pools, checkouts } = await readTrace(file);
    expect({ pids: processes.map(({ pid }) => pid), names: pools.map(({ name }) => name) }).toEqual({
      pids: [12],
      names: ['slow'],
    });
    expect(checkouts).toHaveLength(1);
    const has = 'process 11 \\(client 1, slow\\), process 12 \\(client 1, slow\\)';
    for (const [wrong, words] of [
      [['--client', 'nobody'], 'no client "nobody"'],
      [['--process', '5'], 'no process 5'],
    ])
      await expectRefused(
        ['record', '--url', url, '--out', fileOf('never.jsonl'), ...wrong],
        new RegExp(`^${url} has ${words}, but ${has}$`, 'm'),
      );
  });

  test('--client can choose one server, and a client that gets another name meanwhile is still the same', async () => {
    let asked = 0;
    const start = (/** @type {() => void} */ end) =>
      serveHandler((req, res) => {
        const { pathname } = new URL(String(req.url), 'http://app');
        const servers = ['a:1', 'b:1'];
        const isFirst = asked < 2;
        const clients = isFirst
          ? [{ name: 'shop', servers }]
          : [
              { name: 'shop maxPoolSize=50', servers, formerNames: ['shop'] },
              { name: 'shop maxPoolSize=5', servers },
            ];
        if (pathname === '/pool') return res.end(JSON.stringify({ max: 3, process: { pid: 1 }, clients }));
        if (pathname !== '/pool/checkouts') return res.writeHead(404).end('{}');
        asked += 1;
        if (asked === 4) end();
        const pools = isFirst ? ['shop'] : ['shop maxPoolSize=50', 'shop maxPoolSize=5'];
        const checkouts = pools.flatMap((pool) => servers.map((server) => ({ ...checkout(asked), pool, server })));
        const isRead = asked >= 2 && asked <= 4;
        return res.end(JSON.stringify({ checkouts: isRead ? checkouts : [], lastId: asked, forgotten: 0 }));
      });
    const { stderr, file } = await recordUntilEnd(start, 'renamed.jsonl', ['--client', 'a:1/shop']);
    expect(stderr).toMatch(/^Recorded 3 checkouts\.$/m);
    const { pools, checkouts } = await readTrace(file);
    expect(pools.map(({ name, address }) => [name, address])).toEqual([['shop', 'a:1']]);
    expect([...checkouts.poolOf]).toEqual([0, 0, 0]);
  });

  test.each([
    ['11', '2 processes of URL: 11 (client 1, slow), 11:2 (client 1, slow),', 4],
    ['11:0', 'URL, 2 clients (client 1, slow),', 2],
    ['11:2', 'URL, 2 clients (client 1, slow),', 2],
  ])('a worker thread has the id of its process, and --process %s', async (id, what, count) => {
    const start = async (/** @type {() => void} */ end) => {
      const read = new Set();
      const endAfter = (/** @type {number} */ thread) => () => read.add(thread).size === count / 2 && end();
      const threads = await Promise.all([0, 2].map((thread) => startMonitor(11, endAfter(thread), thread)));
      return startOverview([...threads, await startMonitor(12)]);
    };
    const { stderr, url } = await recordUntilEnd(start, `thread-${id.replace(':', '-')}.jsonl`, ['--process', id]);
    expect(stderr.replace(url, 'URL')).toMatch(`Recording ${what} to `);
    expect(stderr).toContain(`\nRecorded ${count} checkouts.\n`);
  });

  test('that have no MongoClient yet are an error, which says why if that is known', async () => {
    const trouble = 'Process 3 is not Node.js: it runs bun.';
    const known = await serveHandler((_, res) => res.end(JSON.stringify({ rows: [], trouble })));
    for (const [url, words] of [
      [await startOverview([]), /none of its processes has a MongoClient yet\.$/m],
      [known, /none of its processes has a MongoClient yet\. Process 3 is not Node\.js: it runs bun\.$/m],
    ])
      await expectRefused(
        ['record', '--url', String(url), '--out', fileOf('never.jsonl')],
        /** @type {RegExp} */ (words),
      );
  });

  test('a disk that is too slow is what a loss is blamed on', async () => {
    // More than the writer keeps in memory, in one answer: it can't write before it has read all of it.
    const reason = 'x'.repeat(20_000);
    const checkouts = Array.from({ length: 1000 }, (_, index) => ({ ...checkout(index + 2), reason }));
    const [none, all] = [[], checkouts].map((list) => JSON.stringify({ checkouts: list, lastId: 1001, forgotten: 0 }));
    let fetched = 0;
    const start = (/** @type {() => void} */ end) =>
      serveHandler((req, res) => {
        if (!req.url?.startsWith('/pool/checkouts')) {
          res.writeHead(req.url === '/pool' ? 200 : 404).end('{"max":3}');
          return;
        }
        res.end(++fetched === 2 ? all : none);
        // It has written the answer before this one.
        if (fetched === 3) end();
      });
    const { stderr, file } = await recordUntilEnd(start, 'slow-disk.jsonl');
    const [, written, lost] =
      /\nRecorded (\d+) checkouts\.\n(\d+) checkouts lost: the disk was too slow\.\n$/.exec(stderr) ?? [];
    expect(Number(written) + Number(lost)).toBe(1000);
    expect((await readTrace(file)).checkouts).toHaveLength(Number(written));
  });
});

test.each(
  /** @type {const} */ ([
    [[], [], 'No request ended. Record again while the app gets requests:'],
    [[429, 429, 0], [], '3 requests ended: 2 x 429, 1 x no answer. None succeeded: see why, '],
    [[200, 404], [], "2 requests ended: 1 x 200, 1 x 404. They took no connection of the app's MongoDB clients. "],
    [[200], ['--client', 'client 1'], '1 request ended: 1 x 200. They took no connection of what was recorded. '],
  ]),
)('without a checkout nothing is kept, and what was seen is an error: %j %j', async (statuses, options, words) => {
  const requests = statuses.map((status, index) => ({
    id: index + 1,
    request: index,
    status,
    endedAtMs: 5,
    totalMs: 1,
  }));
  let asked = 0;
  const start = (/** @type {() => void} */ end) =>
    serveHandler((req, res) => {
      const { pathname } = new URL(String(req.url), 'http://app');
      if (pathname === '/pool') return res.end('{"max":3}');
      if (!['/pool/checkouts', '/pool/requests'].includes(pathname)) return res.writeHead(404).end('{}');
      if (pathname === '/pool/requests' && ++asked === 3) end();
      const list = asked === 2 && pathname === '/pool/requests' ? { requests } : {};
      return res.end(JSON.stringify({ checkouts: [], requests: [], ...list, lastId: 0, forgotten: 0 }));
    });
  const { code, stderr, url, file } = await recordUntilEnd(start, 'empty.jsonl', [...options]);
  const [, said, again] =
    String(stderr.split('Press Ctrl-C to stop.\n')[1]).match(/^No checkout within \d+ s\. (.*)\n(.*)\n$/) ?? [];
  expect({ code, said, again }).toEqual({
    code: 1,
    said: expect.stringContaining(words),
    again: `  npx pool-lab record --url ${url} --seconds 30 --out ${file}`,
  });
  await expect(access(file)).rejects.toThrow('ENOENT');
});

describe('a trace in place of a scenario', () => {
  const header = '{"trace":"mongodb-pool-lab","version":3}\n';
  const short = traceText({ poolSize: 2, checkouts: [0, 20].map((atMs) => ({ atMs, useMs: 2, route: '/a' })) });

  test('whose waits were for something else than the pool has them with any pool', async () => {
    const file = fileOf('unexplained.jsonl');
    const checkouts = Array.from({ length: 400 }, (_, index) => ({
      atMs: index * 20,
      waitMs: index % 3 === 0 ? 61 : 0.1,
      useMs: 5,
      route: '/a',
      behind: undefined,
    }));
    await writeFile(file, traceText({ poolSize: 4, checkouts }));
    const advised = await runCli(['advise', '--trace', file, '--slo', '/a p95 < 50ms', '--json']);
    expect({ code: advised.code, ...JSON.parse(advised.stdout) }).toMatchObject({ code: 1, verdict: 'nothing' });
    const { code, stdout } = await runCli(['predict', '--trace', file, '--pool-sizes', '2,4,8', '--json']);
    const { check, withheld, variants } = JSON.parse(stdout);
    expect({ code, check, withheld }).toEqual({ code: 0, check: undefined, withheld: undefined });
    expect(variants.map((/** @type {any} */ { predicted }) => Math.round(predicted.routes['/a'].p95Ms))).toEqual([
      66, 66, 66,
    ]);
  });

  test('with too few checkouts is not enough data', async () => {
    const file = fileOf('short.jsonl');
    await writeFile(file, short);
    const { code, stdout } = await runCli(['advise', '--trace', file, '--slo', '/a p99 < 400ms', '--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 1,
      verdict: 'notEnoughData',
      samples: [{ count: 2 }],
    });
  });

  test('with an incomplete last line is read with a warning', async () => {
    const file = fileOf('cut.jsonl');
    await writeFile(file, short.slice(0, short.indexOf('{"end"') - 20));
    const { code, stdout } = await runCli(['predict', '--trace', file, '--pool-sizes', '1']);
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('line 5: the last line is incomplete and left out');
  });

  test.each([
    ['truncated in its first line', header.slice(0, 20), [], /, line 1: this is not a trace, which begins with/],
    ['without checkouts', header, [], /has no checkouts/],
    ['beside a scenario', header, ['loadtests/mixed.yaml'], /^Give either a scenario or --trace, not both/],
    [
      'with service times',
      header,
      ['--service', '/a=3'],
      /^--service needs a scenario: a trace has its own requests and service times/,
    ],
  ])('%s is refused', async (name, text, args, message) => {
    const file = fileOf(`${name.replaceAll(' ', '-')}.jsonl`);
    await writeFile(file, text);
    await expectRefused(['predict', '--trace', file, ...args], message);
  });
});

(process.platform === 'win32' ? test.skip : test)(
  'a full disk ends the recording, with one line and exit code 1',
  async () => {
    const answer = (/** @type {number} */ after) => ({
      checkouts: Array.from({ length: 200 }, (_, index) => checkout(after + index + 1)),
      lastId: after + 200,
    });
    const file = fileOf('full-disk.jsonl');
    const command = [process.execPath, CLI, 'record', '--url', await startFake(answer), '--out', file, '--every', '10'];
    // A limit on the size of files acts like a full disk.
    const child = spawn('sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', ...command]);
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^Recording .*\n${file} is incomplete: EFBIG: file too large, write\n$`));
    expect((await readTrace(file)).checkouts.length).toBeGreaterThan(0);
  },
);
