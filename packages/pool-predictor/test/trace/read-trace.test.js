import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createTraceWriter } from 'mongodb-pool-monitor';
import { scratchFolder } from 'test-support/cleanup.js';
import { traceText } from 'test-support/trace-text.js';
import { readTrace } from '../../src/node/input-files.js';
import { nameClient, pickPool } from '../../src/trace/pick-pool.js';
import { EVENTS, OUTCOMES } from '../../src/reading/recorded-trace.js';
import { readTraceText } from '../../src/reading/read-trace.js';

/** @import { RecordedTrace } from '../../src/reading/recorded-trace.js' */

const folder = await scratchFolder();

describe('a trace', () => {
  const HEADER = '{"trace":"mongodb-pool-lab","version":3}';
  const POOL = '{"define":"pool","id":0}';
  let files = 0;
  const newFile = () => path.join(folder, `${++files}.jsonl`);

  /** @param {string} text */
  async function write(text) {
    const file = newFile();
    await writeFile(file, text);
    return file;
  }

  /**
   * @param {Parameters<Awaited<ReturnType<typeof createTraceWriter>>['write']>[0][]} checkouts
   * @param {Parameters<typeof createTraceWriter>[1]} [options]
   * @param {Parameters<Awaited<ReturnType<typeof createTraceWriter>>['close']>[0]} [end]
   */
  async function writeCheckouts(checkouts, options, end) {
    const file = newFile();
    const writer = await createTraceWriter(file, options);
    for (const each of checkouts) writer.write(each);
    return { file, counts: await writer.close(end) };
  }

  /** @param {number} checkOutStartedAtMs @param {string} [route] */
  const checkout = (checkOutStartedAtMs, route) => ({
    checkOutStartedAtMs,
    checkedOutAtMs: checkOutStartedAtMs + 2,
    checkedInAtMs: checkOutStartedAtMs + 5.5,
    route,
  });

  test('a file without line ends is refused before all of it is in memory', async () => {
    const file = await write('x'.repeat(1_100_000));
    await expect(readTrace(file)).rejects.toThrow(
      `${file}, line 1: this is not a line of a trace: it is longer than 1000000 characters. ` +
        'docs/trace-format.md shows how',
    );
  });

  describe('what is written can be read', () => {
    test('in the order in which the checkouts started', async () => {
      const { file, counts } = await writeCheckouts([
        checkout(1_000_010, '/a'),
        checkout(1_000_000, '/b'),
        checkout(1_000_020),
      ]);
      expect(counts).toMatchObject({ checkouts: 3, failed: 0, refused: 0, dropped: 0, missed: 0, isFull: false });
      const { trace } = pickPool(await readTrace(file));
      expect(trace).toMatchObject({
        header: { version: 3 },
        routes: ['/a', '/b', 'checkout'],
        warnings: [],
      });
      expect(
        [trace.checkOutStartedMs, trace.waitMs, trace.useMs, trace.routeOf].map((list) => Array.from(list)),
      ).toEqual([
        [0, 10, 20],
        [2, 2, 2],
        [3.5, 3.5, 3.5],
        [1, 0, 2],
      ]);
    });

    test('with what was known only at the end', async () => {
      const overhead = { kind: 'sample', valuesMs: [0.4, 0.6] };
      const { file } = await writeCheckouts([checkout(6, '/a')], {}, { overhead });
      expect((await readTrace(file)).header).toMatchObject({ overhead });
    });

    test('without what was known at the end, where it does not fit', async () => {
      const overhead = { kind: 'sample', valuesMs: Array(200).fill(0.4) };
      const { file } = await writeCheckouts([checkout(6, '/a')], { maxBytes: 500 }, { overhead });
      const { header, warnings } = await readTrace(file);
      expect({ overhead: header.overhead, warnings }).toEqual({ overhead: undefined, warnings: [] });
      expect(await readFile(file, 'utf8')).toMatch(/\{"end":"closed"\}\n$/);
    });

    test('with a warning about checkouts without a connection', async () => {
      const { file } = await writeCheckouts([
        { checkOutStartedAtMs: 5, checkedOutAtMs: NaN, checkedInAtMs: NaN, route: '/a' },
        { checkOutStartedAtMs: 5, checkedOutAtMs: null, checkedInAtMs: null, route: null },
        checkout(6, '/a'),
      ]);
      const { checkOutStartedMs, warnings } = pickPool(await readTrace(file)).trace;
      expect(checkOutStartedMs).toHaveLength(1);
      expect(warnings).toEqual([expect.stringMatching(/^2 checkouts got no connection/)]);
    });

    test('with failed operations marked, replayed as they were, and counted in a warning', async () => {
      const { file, counts } = await writeCheckouts([
        { ...checkout(0, '/a'), outcome: 'operationFailed' },
        checkout(6, '/a'),
      ]);
      expect(counts).toMatchObject({ checkouts: 2, failed: 1 });
      expect(await readFile(file, 'utf8')).toContain(
        '{"atMs":0,"waitMs":2,"useMs":3.5,"pool":0,"route":0,"outcome":"operationFailed"}\n',
      );
      const { useMs, warnings } = pickPool(await readTrace(file)).trace;
      expect(Array.from(useMs)).toEqual([3.5, expect.closeTo(3.5)]);
      expect(warnings).toEqual([expect.stringMatching(/^Failed with a connection: 1\. .* 50 % of the time in use$/)]);
    });

    test('but a trace of nothing but operations that were lost with their connections is an error', async () => {
      const { file } = await writeCheckouts([{ ...checkout(0, '/a'), outcome: 'operationFailed' }]);
      const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
      lines.splice(-1, 0, '{"event":"poolCleared","atMs":20,"pool":0,"reason":"closed"}');
      await writeFile(file, lines.join('\n'));
      const trace = await readTrace(file);
      expect(() => pickPool(trace)).toThrow(
        `${file} has no checkouts but 1 that had an operation that failed when the pool was cleared`,
      );
    });

    test('up to the size limit, with a warning to the reader', async () => {
      let calls = 0;
      const { file, counts } = await writeCheckouts(
        Array.from({ length: 100 }, (_, atMs) => checkout(atMs, '/a')),
        { maxBytes: 1000, onFull: () => void calls++ },
      );
      const { checkouts, dropped, isFull } = counts;
      expect({ isFull, calls, all: checkouts + dropped }).toEqual({ isFull: true, calls: 1, all: 100 });
      expect((await stat(file)).size).toBeLessThanOrEqual(1000);
      expect(checkouts).toBeGreaterThan(10);
      expect((await readTrace(file)).warnings).toEqual([expect.stringMatching(/reached its size limit/)]);
    });
  });

  test('the writer keeps which checkouts belong to one request', async () => {
    const { file } = await writeCheckouts(
      [4, null, 4].map((request, index) => ({ ...checkout(10 * index, '/a'), request })),
    );
    const { requestOf } = (await readTrace(file)).checkouts;
    expect(requestOf[0]).toBe(requestOf[2]);
    expect(requestOf[1]).toBe(-1);
  });

  describe('the writer', () => {
    test('never overwrites a file', async () => {
      const file = await write('precious');
      await expect(createTraceWriter(file)).rejects.toThrow(`${file} can't be written: it already exists`);
      expect(await readFile(file, 'utf8')).toBe('precious');
    });

    test('names a folder that does not exist', async () => {
      await expect(createTraceWriter(path.join(folder, 'no', 'where'))).rejects.toThrow(
        /can't be written: there is no such folder/,
      );
    });
  });

  describe('an interrupted trace', () => {
    const lines = `${HEADER}\n${POOL}\n{"atMs":0,"waitMs":0,"useMs":1,"pool":0}\n`;

    test.each(['{"atMs":5,"waitMs":0,"use', '{', '{"atMs":5,"waitMs":0,"pool":0}'])(
      'drops its last line %j with a warning',
      async (cut) => {
        const { checkouts, warnings } = await readTrace(await write(lines + cut));
        expect(checkouts).toHaveLength(1);
        expect(warnings).toEqual([expect.stringMatching(/line 4: the last line is incomplete/)]);
      },
    );

    test('cut between two lines needs no warning', async () => {
      expect((await readTrace(await write(lines))).warnings).toEqual([]);
      expect((await readTrace(await write(lines.replaceAll('\n', '\r\n')))).warnings).toEqual([]);
    });
  });

  describe('anything else is refused', () => {
    test.each([
      ['', /is empty/],
      ['\n\n', /is empty/],
      [
        '{"trace":"mongodb-po',
        /, line 1: this is not a trace, which begins with \{"trace":"mongodb-pool-lab","version":3\. /,
      ],
      ['{"lab":"mixed","variants":[]}', /, line 1: this is not a trace/],
      ['\n\nconfig:\n  phases: []\n', /, line 3: this is not a trace/],
      [
        'startMs,durationMs,route\n0,5,/a\n',
        /, line 1: this is not a trace, .* docs\/trace-format\.md shows how to make a trace of other files$/,
      ],
      ['{"resourceSpans":[]}\n', /, line 1: this is not a trace, .* docs\/trace-format\.md/],
      ['{"t":{"$date":"2026-01-01"},"s":"I","msg":"Slow query"}\n', /, line 1: this is not a trace, .* docs\//],
      ['{\0"\0t\0r\0a\0c\0e\0', /, line 1: this is not UTF-8 text: unpack it, or save it as UTF-8$/],
      [HEADER.replace('3', '1'), /version 1; this release reads version 3\. Record it again: /],
      [HEADER.replace('3', '2'), /version 2; .*\. Record it again: npx pool-lab record --url URL --out FILE$/],
      [HEADER.replace('3', '4'), /, line 1: this is a trace of version 4; this release reads version 3$/],
      [HEADER.replace('3', '{"toString":1}'), /version {"toString":1}; this release reads version 3$/],
      [`${HEADER}\n`, /has no checkouts/],
    ])('%j', async (text, message) => {
      await expect(readTrace(await write(text))).rejects.toThrow(message);
    });

    test.each([
      '{"atMs":1e300,"waitMs":0,"useMs":1,"pool":0}',
      '{"atMs":{"toString":1},"waitMs":0,"useMs":1,"pool":0}',
      '{"atMs":"0","waitMs":1,"useMs":1,"pool":0}',
      '{"atMs":0,"waitMs":0,"useMs":1e300,"pool":0}',
      '{"atMs":0,"waitMs":0,"useMs":null,"pool":0}',
      '{"atMs":0,"waitMs":-1,"useMs":1,"pool":0}',
      '{"atMs":0,"waitMs":1,"useMs":1,"pool":0,"behind":[[{"toString":1},-1,-1]]}',
      'nonsense',
    ])('the line %s, where it is not the last', async (line) => {
      const text = `${HEADER}\n${POOL}\n${line}\n{"atMs":0,"waitMs":1,"useMs":1,"pool":0}\n`;
      await expect(readTrace(await write(text))).rejects.toThrow(/, line 3: not a line of a trace/);
    });

    test('a file that does not exist', async () => {
      await expect(readTrace(path.join(folder, 'nowhere'))).rejects.toThrow(
        /nowhere can't be read: no such file or directory$/,
      );
    });
  });
});

describe('a trace that was recorded before', () => {
  /** It must stay readable. */
  const GOLDEN = new URL('golden/version-3.jsonl', import.meta.url);

  /** A checkout in words. @param {RecordedTrace} trace @param {number} row */
  function describeRow({ checkouts, pools, processes, routes, operations, behind, reasons }, row) {
    const { poolOf, outcomeOf, routeOf, operationOf, reasonOf, behindFrom, behindCount } = checkouts;
    const pool = pools[poolOf[row]];
    const from = behindFrom[row];
    return {
      pool: `${processes[pool.process].pid} ${nameClient(pool)}`,
      route: routes[routeOf[row]],
      operation: operations[operationOf[row]]?.name,
      outcome: OUTCOMES[outcomeOf[row]],
      reason: reasons[reasonOf[row]],
      behind: Array.from({ length: behindCount[row] }, (_, index) => routes[behind.routeOf[from + index]]),
    };
  }

  test('has all that the monitor knows', async () => {
    const trace = await readTrace(GOLDEN.pathname);
    const { checkouts, requests, events, seconds, pools, behind } = trace;
    expect(trace).toMatchObject({ resolutionMs: 0.001, warnings: [] });
    expect(trace.processes).toMatchObject([
      { pid: 18377, attached: true },
      { pid: 18376, attached: true },
    ]);
    expect(pools.map(({ process, maxPoolSize }) => [process, maxPoolSize])).toEqual(
      [0, 1].flatMap((process) => [4, 2, 1, 4].map((size) => [process, size])),
    );
    expect(checkouts).toHaveLength(21);
    expect(checkouts.startedMs[0]).toBe(0);
    const rowAt = (/** @type {number} */ atMs) =>
      checkouts.startedMs.findIndex((ms) => Math.abs(ms - 215.32 - atMs) < 1e-6);
    expect(describeRow(trace, rowAt(76.603))).toEqual({
      pool: '18376 audit',
      route: '/report',
      operation: 'insert log',
      outcome: 'checkOutFailed',
      reason: 'timeout',
      behind: ['/report'],
    });
    expect([checkouts.waitMs[rowAt(76.603)], checkouts.useMs[rowAt(76.603)]]).toEqual([42.583, NaN]);
    const waited = rowAt(187.967);
    expect(describeRow(trace, waited)).toMatchObject({ pool: '18376 reports', behind: ['/report', '/report'] });
    const holders = behind.requestOf.subarray(checkouts.behindFrom[waited], checkouts.behindFrom[waited] + 2);
    expect(new Set(holders).size).toBe(2);
    const fresh = rowAt(425.777);
    expect(describeRow(trace, fresh)).toMatchObject({
      pool: '18376 brief',
      route: '/brief',
      operation: 'find articles',
    });
    const { isFresh, openingMs, connectionOf } = checkouts;
    expect([isFresh, openingMs, connectionOf].map((column) => column[fresh])).toEqual([1, 10.987, 2]);
    expect(trace.operations.map(({ kind }) => kind)).toEqual([null, null, 'changeStream']);
    // A checkout and the line of its request have one row.
    const request = checkouts.requestOf[rowAt(31.114)];
    const { durationMs, statusOf, socketOf } = requests;
    expect([durationMs, statusOf, socketOf].map((column) => column[request])).toEqual([53.414, 200, 6]);
    expect(requests.startedMs[request]).toBeCloseTo(29.388 + 215.32, 6);
    const eventTexts = Array.from(events.kindOf, (kind, row) =>
      [EVENTS[kind], trace.reasons[events.reasonOf[row]]].filter(Boolean).join(', '),
    );
    const opened = ['connectionReady', 'connectionClosed, idle'];
    const cleared = 'poolCleared, MongoNetworkError: connect ECONNREFUSED 127.0.0.1:28741';
    expect(eventTexts).toEqual([...opened, ...opened, cleared]);
    expect(seconds.loop.map(({ process }) => process)).toEqual([0, 1, 0]);
    expect(seconds.loop.map(({ maxMs }) => maxMs)).toEqual([24.368, 43.57, 22.107]);
    expect(seconds.server).toMatchObject([
      { process: 0, busyCores: 0.323, ticketsTotal: 256 },
      { process: 1, busyCores: 0.333 },
    ]);
  });

  test('without a last line, what the server did is the mean of its seconds', async () => {
    const lines = (await readFile(GOLDEN, 'utf8')).trim().split('\n');
    const file = path.join(folder, 'interrupted.jsonl');
    await writeFile(file, lines.slice(0, -1).join('\n'));
    const { server } = await readTrace(file);
    expect(server).toEqual({ cores: 2, busyCores: expect.closeTo(0.328) });
  });

  test('the last line says what it lacks, and what the server did', async () => {
    const end = { end: 'full', server: { cores: 2, busyCores: 1.8 }, silentMs: 1500, lost: 7 };
    const { server, warnings } = await readTraceText(traceText({ checkouts: [{ atMs: 0, useMs: 1 }], end }), 'cut');
    expect(server).toEqual({ cores: 2, busyCores: 1.8 });
    expect(warnings).toEqual([
      'cut is incomplete: it reached its size limit',
      'cut is incomplete: the recorded app did not answer for 1.5 s, and 7 checkouts are missing',
    ]);
  });
});

describe('the pool that is picked', () => {
  const DEFINITIONS = [
    { trace: 'mongodb-pool-lab', version: 3, pool: { requestTimeoutMs: 9 } },
    { define: 'process', id: 0, pid: 10 },
    { define: 'process', id: 1, pid: 11 },
    {
      define: 'pool',
      id: 0,
      name: null,
      appName: 'shop',
      options: { maxPoolSize: { value: 4, from: 'uri' }, maxConnecting: { value: 3 } },
    },
    { define: 'pool', id: 1, name: 'reports', options: { maxPoolSize: { value: 2, from: 'code' } } },
    { define: 'pool', id: 2, process: 1, name: null, options: { maxPoolSize: { value: 0, from: 'code' } } },
    { define: 'pool', id: 3, process: 1, name: 'idle' },
    { define: 'route', id: 0, name: '/a' },
    { define: 'route', id: 1, name: '/b' },
  ];
  const USES = [
    { atMs: 100, waitMs: 0, useMs: 1, pool: 0, connection: 5, route: 0, request: 1 },
    { atMs: 101, waitMs: 0, useMs: 2, pool: 0, route: 0 },
    { atMs: 103, waitMs: 9, useMs: 3, pool: 0, route: 0 },
    { atMs: 105, waitMs: 0, useMs: 4, pool: 1, route: 1 },
    { atMs: 106, waitMs: 0, useMs: 5, pool: 1, outcome: 'operationFailed' },
    { atMs: 107, waitMs: 5, pool: 1, outcome: 'checkOutAborted' },
    { atMs: 108, waitMs: 0, useMs: 7, pool: 2, route: 1 },
    { atMs: 109, waitMs: 0, useMs: 8, pool: 2, route: 1 },
  ];
  /** @param {object[]} [lines] */
  const read = (lines = []) =>
    readTraceText([...DEFINITIONS, ...USES, ...lines].map((line) => JSON.stringify(line)).join('\n'));

  describe('the pool that is predicted', () => {
    test('is the one with the most checkouts', async () => {
      const { trace, pool, process, others } = pickPool(await read());
      expect({ pool, process }).toMatchObject({ pool: { name: null, appName: 'shop' }, process: { pid: 10 } });
      expect(others.map(({ name, process: row }) => [name, row])).toEqual([
        ['reports', 0],
        [null, 1],
      ]);
      expect(trace).toMatchObject({
        header: { maxPoolSize: 4, pool: { requestTimeoutMs: 9 } },
        routes: ['/a'],
        warnings: [],
        resolutionMs: 1,
      });
      expect([trace.checkOutStartedMs, trace.useMs, trace.routeOf].map((column) => [...Array.from(column)])).toEqual([
        [0, 1, 3],
        [1, 2, 3],
        [0, 0, 0],
      ]);
      expect([[...Array.from(trace.connectionOf ?? [])], [...Array.from(trace.requestOf ?? [])]]).toEqual([
        [5, 0, 0],
        [0, -1, -1],
      ]);
    });

    test('knows which of its checkouts waited for others', async () => {
      const opened = { atMs: 104, waitMs: 6, openingMs: 5, useMs: 1, pool: 0 };
      const behind = { atMs: 105, waitMs: 6, useMs: 1, pool: 0, behind: [[0, -1, 1, 2]] };
      const { trace } = pickPool(await read([opened, behind, { ...opened, pool: 1 }]));
      expect([...Array.from(trace.isBehind ?? [])]).toEqual([0, 0, 0, 0, 1]);
    });

    test('knows which of its connections were opened, and how many were open before', async () => {
      const { trace } = pickPool(
        await read([
          { event: 'connectionReady', atMs: 99, pool: 0, connection: 4, durationMs: 8 },
          { event: 'connectionReady', atMs: 120, pool: 0, connection: 6, durationMs: 7 },
          { event: 'connectionReady', atMs: 110, pool: 0, connection: 7, durationMs: 9 },
          { event: 'connectionReady', atMs: 111, pool: 1, connection: 1, durationMs: 5 },
          { event: 'connectionClosed', atMs: 112, pool: 0, connection: 4, reason: 'idle' },
          { atMs: 113, waitMs: 7, openingMs: 7, useMs: 1, pool: 0, connection: 6 },
        ]),
      );
      // Numbers 4 and 5 were open: one was closed later, the other one used.
      expect(trace.openings).toEqual({
        openAtStart: 2,
        fromMs: Float64Array.of(1, 13),
        durationsMs: Float64Array.of(9, 7),
        settings: { maxConnecting: 3 },
      });
    });

    test('is the only one where checkouts waited for others, however few', async () => {
      const waited = { atMs: 110, waitMs: 2, useMs: 1, pool: 1, route: 1, behind: [[1, -1, -1]] };
      const { pool, trace } = pickPool(await read([waited]));
      expect(pool.name).toBe('reports');
      expect(trace.header.maxPoolSize).toBe(2);
      expect(trace.routes).toEqual(['/b', 'the app itself']);
      expect(trace.checkOutStartedMs[2]).toBe(5);
      expect(trace.requestOf).toBeUndefined();
      expect(trace.warnings).toEqual([
        expect.stringMatching(/^Failed with a connection: 1\. /),
        '1 checkout got no connection and is left out: its service time is unknown',
      ]);
      const both = { ...waited, pool: 0, atMs: 111 };
      expect(pickPool(await read([waited, both])).pool.name).toBe(null);
    });

    test.each([
      [{ client: 'reports' }, 'reports', 10],
      [{ client: 'shop' }, null, 10],
      [{ client: 'client 1', process: '11' }, null, 11],
      [{ process: '11' }, null, 11],
    ])('is that of %j', async (choice, name, pid) => {
      const picked = pickPool(await read(), choice);
      expect([picked.pool.name, picked.process.pid]).toEqual([name, pid]);
    });

    test.each([
      [{ client: 'nobody' }, 'client "nobody"'],
      [{ process: '5' }, 'process 5'],
      [{ client: 'idle', process: '11' }, 'client "idle" in process 11'],
    ])('is none of %j: the error says what there is', async (choice, words) => {
      const trace = await read();
      expect(() => pickPool(trace, choice)).toThrow(
        `The trace has no checkouts of ${words}, but 3 of client "client 1" in process 10, ` +
          '2 of client "reports" in process 10, 2 of client "client 1" in process 11',
      );
    });
  });
});
