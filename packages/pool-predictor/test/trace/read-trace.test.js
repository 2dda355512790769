import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createTraceWriter } from 'mongodb-pool-monitor';
import { readTrace } from '../../src/node/input-files.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { scratchFolder } from 'test-support/cleanup.js';

const folder = await scratchFolder();
const HEADER = '{"trace":"mongodb-pool-lab","version":2}';
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
    `${file}, line 1: this is not a line of a trace: it is longer than 1000000 characters. docs/trace-format.md shows how`,
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
    expect([trace.checkOutStartedMs, trace.waitMs, trace.useMs, trace.routeOf].map((list) => Array.from(list))).toEqual(
      [
        [0, 10, 20],
        [2, 2, 2],
        [3.5, 3.5, 3.5],
        [1, 0, 2],
      ],
    );
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

  test('with failed operations marked, left out and counted in a warning: they are no service times', async () => {
    const { file, counts } = await writeCheckouts([
      { ...checkout(0, '/a'), outcome: 'operationFailed' },
      checkout(6, '/a'),
    ]);
    expect(counts).toMatchObject({ checkouts: 2, failed: 1 });
    expect(await readFile(file, 'utf8')).toContain(
      '{"atMs":0,"waitMs":2,"useMs":3.5,"pool":0,"route":0,"outcome":"operationFailed"}\n',
    );
    const { useMs, warnings } = pickPool(await readTrace(file)).trace;
    expect(useMs).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/^1 checkout had a failed operation and is left out/)]);
  });

  test('but a trace of nothing but failures is an error', async () => {
    const { file } = await writeCheckouts([{ ...checkout(0, '/a'), outcome: 'operationFailed' }]);
    const trace = await readTrace(file);
    expect(() => pickPool(trace)).toThrow(`${file} has no checkouts but 1 that had a failed operation`);
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

test('a trace of version 1 is read like one of version 2', async () => {
  const lines = '{"checkOutStartedMs":7,"waitMs":0.5,"useMs":1}\n{"checkOutStartedMs":9,"waitMs":null,"useMs":null}\n';
  const [now, before] = await Promise.all([
    write(`${HEADER}\n${lines}`),
    write(`${HEADER}\n${lines}`.replace('"version":2', '"version":1').replaceAll('checkOutStartedMs', 'askedMs')),
  ]);
  expect(await readTrace(before)).toEqual({
    ...(await readTrace(now)),
    file: before,
    version: 1,
    header: { trace: 'mongodb-pool-lab', version: 1 },
  });
  await expect(readTrace(await write(`${HEADER.replace('2', '1')}\n${lines}`))).rejects.toThrow(
    /line 2: not a line of a trace/,
  );
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
  const lines = `${HEADER}\n{"checkOutStartedMs":0,"waitMs":0,"useMs":1,"route":"/a"}\n`;

  test.each(['{"checkOutStartedMs":5,"waitMs":0,"use', '{', '{"checkOutStartedMs":5,"waitMs":0}'])(
    'drops its last line %j with a warning',
    async (cut) => {
      const { checkouts, warnings } = await readTrace(await write(lines + cut));
      expect(checkouts).toHaveLength(1);
      expect(warnings).toEqual([expect.stringMatching(/line 3: the last line is incomplete/)]);
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
    [HEADER.replace('2', '4'), /, line 1: this is a trace of version 4; this release reads versions 1, 2 and 3$/],
    [HEADER.replace('2', '{"toString":1}'), /version {"toString":1}; this release reads versions 1, 2 and 3$/],
    [`${HEADER}\n`, /has no checkouts/],
  ])('%j', async (text, message) => {
    await expect(readTrace(await write(text))).rejects.toThrow(message);
  });

  test.each([
    '{"checkOutStartedMs":1e300,"waitMs":0,"useMs":1}',
    '{"checkOutStartedMs":{"toString":1},"waitMs":0,"useMs":1}',
    '{"checkOutStartedMs":"0","waitMs":1,"useMs":1}',
    '{"checkOutStartedMs":0,"waitMs":0,"useMs":1e300}',
    '{"checkOutStartedMs":0,"waitMs":0,"useMs":null}',
    '{"checkOutStartedMs":0,"waitMs":-1,"useMs":1}',
    'nonsense',
  ])('the line %s, where it is not the last', async (line) => {
    const text = `${HEADER}\n${line}\n{"checkOutStartedMs":0,"waitMs":1,"useMs":1}\n`;
    await expect(readTrace(await write(text))).rejects.toThrow(/, line 2: not a line of a trace/);
  });

  test('a file that does not exist', async () => {
    await expect(readTrace(path.join(folder, 'nowhere'))).rejects.toThrow(
      /nowhere can't be read: no such file or directory$/,
    );
  });
});
