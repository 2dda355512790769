import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createTraceWriter } from '../../../pool-monitor/src/trace-writer.js';
import { readTrace } from '../../src/node/read-trace.js';
import { scratchFolder } from '../../../../test/support/scratch-folder.js';

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

/** @param {number} checkOutStartedAtMs @param {string} [route] */
const checkout = (checkOutStartedAtMs, route) => ({ checkOutStartedAtMs, checkedOutAtMs: checkOutStartedAtMs + 2, checkedInAtMs: checkOutStartedAtMs + 5.5, route });

test('a file without line ends is refused before all of it is in memory', async () => {
  const file = await write('x'.repeat(1_100_000));
  await expect(readTrace(file)).rejects.toThrow(`${file} is not a trace: its line 1 is longer than 1000000 characters`);
});

describe('what is written can be read', () => {
  test('in the order in which the checkouts started', async () => {
    const file = newFile();
    const writer = await createTraceWriter(file, { header: { maxPoolSize: 4 } });
    for (const [atMs, route] of /** @type {const} */ ([[1_000_010, '/a'], [1_000_000, '/b'], [1_000_020, undefined]])) {
      writer.write(checkout(atMs, route));
    }
    expect(await writer.close()).toEqual({ checkouts: 3, failed: 0, dropped: 0, isFull: false });
    const trace = await readTrace(file);
    expect(trace).toMatchObject({ header: { maxPoolSize: 4, version: 2 }, routes: ['/a', '/b', 'checkout'], warnings: [] });
    expect([trace.checkOutStartedMs, trace.waitMs, trace.useMs, trace.routeOf].map((list) => Array.from(list))).toEqual(
      [[0, 10, 20], [2, 2, 2], [3.5, 3.5, 3.5], [1, 0, 2]]);
  });

  test('with what was known only at the end', async () => {
    const file = newFile();
    const writer = await createTraceWriter(file);
    writer.write(checkout(6, '/a'));
    const overhead = { kind: 'sample', valuesMs: [0.4, 0.6] };
    await writer.close({ overhead });
    expect((await readTrace(file)).header).toMatchObject({ overhead });
  });

  test('without what was known at the end, where it does not fit', async () => {
    const file = newFile();
    const writer = await createTraceWriter(file, { maxBytes: 500 });
    writer.write(checkout(6, '/a'));
    await writer.close({ overhead: { kind: 'sample', valuesMs: Array(200).fill(0.4) } });
    const { header, warnings } = await readTrace(file);
    expect({ overhead: header.overhead, warnings }).toEqual({ overhead: undefined, warnings: [] });
    expect(await readFile(file, 'utf8')).toMatch(/\{"end":"closed"\}\n$/);
  });

  test('with a warning about checkouts without a connection', async () => {
    const file = newFile();
    const writer = await createTraceWriter(file);
    writer.write({ checkOutStartedAtMs: 5, checkedOutAtMs: NaN, checkedInAtMs: NaN, route: '/a' });
    writer.write({ checkOutStartedAtMs: 5, checkedOutAtMs: null, checkedInAtMs: null, route: null });
    writer.write(checkout(6, '/a'));
    await writer.close();
    const { checkOutStartedMs, warnings } = await readTrace(file);
    expect(checkOutStartedMs).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/^2 checkouts got no connection/)]);
  });

  test('with failed operations marked, left out and counted in a warning: they are no service times', async () => {
    const file = newFile();
    const writer = await createTraceWriter(file);
    writer.write({ ...checkout(0, '/a'), hasFailed: true });
    writer.write(checkout(6, '/a'));
    expect(await writer.close()).toMatchObject({ checkouts: 2, failed: 1 });
    expect(await readFile(file, 'utf8')).toContain('{"checkOutStartedMs":0,"waitMs":2,"useMs":3.5,"route":"/a","failed":true}\n');
    const { useMs, warnings } = await readTrace(file);
    expect(useMs).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/^1 checkout had a failed operation and is left out/)]);
  });

  test('but a trace of nothing but failures is an error', async () => {
    const file = newFile();
    const writer = await createTraceWriter(file);
    writer.write({ ...checkout(0, '/a'), hasFailed: true });
    await writer.close();
    await expect(readTrace(file)).rejects.toThrow('has no checkouts but 1 that failed');
  });

  test('up to the size limit, with a warning to the reader', async () => {
    const file = newFile();
    let calls = 0;
    const writer = await createTraceWriter(file, { maxBytes: 1000, onFull: () => { calls++; } });
    for (let atMs = 0; atMs < 100; atMs++) writer.write(checkout(atMs, '/a'));
    const { checkouts, dropped, isFull } = await writer.close();
    expect({ isFull, calls, all: checkouts + dropped }).toEqual({ isFull: true, calls: 1, all: 100 });
    expect((await stat(file)).size).toBeLessThanOrEqual(1000);
    expect(checkouts).toBeGreaterThan(10);
    expect((await readTrace(file)).warnings).toEqual([expect.stringMatching(/reached its size limit/)]);
  });
});

test('the writer keeps which checkouts belong to one request', async () => {
  const file = newFile();
  const writer = await createTraceWriter(file);
  for (const [atMs, request] of /** @type {[number, number | null][]} */ ([[0, 4], [10, null], [20, 4]])) writer.write({ ...checkout(atMs, '/a'), request });
  await writer.close();
  const { requestOf = [] } = await readTrace(file);
  expect(requestOf[0]).toBe(requestOf[2]);
  expect(requestOf[1]).toBe(-1);
});

test('a trace of version 1 is read like one of version 2', async () => {
  const lines = '{"checkOutStartedMs":7,"waitMs":0.5,"useMs":1}\n{"checkOutStartedMs":9,"waitMs":null,"useMs":null}\n';
  const [now, before] = await Promise.all([
    write(`${HEADER}\n${lines}`),
    write(`${HEADER}\n${lines}`.replace('"version":2', '"version":1').replaceAll('checkOutStartedMs', 'askedMs')),
  ]);
  expect(await readTrace(before)).toEqual({ ...await readTrace(now), header: { trace: 'mongodb-pool-lab', version: 1 } });
  await expect(readTrace(await write(`${HEADER.replace('2', '1')}\n${lines}`))).rejects.toThrow(/line 2: not a line of a trace/);
});

test('the recorded example is of version 1', async () => {
  const { header, checkOutStartedMs, warnings } = await readTrace('examples/ordinary-minute.jsonl');
  expect({ version: header.version, warnings }).toEqual({ version: 1, warnings: [] });
  expect(checkOutStartedMs.length).toBeGreaterThan(1000);
});

describe('the writer', () => {
  test('never overwrites a file', async () => {
    const file = await write('precious');
    await expect(createTraceWriter(file)).rejects.toThrow(`${file} can't be written: it already exists`);
    expect(await readFile(file, 'utf8')).toBe('precious');
  });

  test('names a folder that does not exist', async () => {
    await expect(createTraceWriter(path.join(folder, 'no', 'where'))).rejects.toThrow(/can't be written: ENOENT/);
  });
});

describe('an interrupted trace', () => {
  const lines = `${HEADER}\n{"checkOutStartedMs":0,"waitMs":0,"useMs":1,"route":"/a"}\n`;

  test.each(['{"checkOutStartedMs":5,"waitMs":0,"use', '{', '{"checkOutStartedMs":5,"waitMs":0}'])('drops its last line %j with a warning', async (cut) => {
    const { checkOutStartedMs, warnings } = await readTrace(await write(lines + cut));
    expect(checkOutStartedMs).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/line 3: the last line is incomplete/)]);
  });

  test('cut between two lines needs no warning', async () => {
    expect((await readTrace(await write(lines))).warnings).toEqual([]);
    expect((await readTrace(await write(lines.replaceAll('\n', '\r\n')))).warnings).toEqual([]);
  });
});

describe('anything else is refused', () => {
  test.each([
    ['', /is empty/],
    ['\n\n', /is empty/],
    ['{"trace":"mongodb-po', /is not a trace: its first line must begin with \{"trace":"mongodb-pool-lab","version":2/],
    ['{"lab":"mixed","variants":[]}', /is not a trace/],
    ['config:\n  phases: []\n', /is not a trace/],
    ['{"trace":"mongodb-pool-lab","version":3}\n', /version 3; this release reads versions 1 and 2$/],
    ['{"trace":"mongodb-pool-lab","version":{"toString":1}}\n', /version {"toString":1}; this release reads versions 1 and 2$/],
    [`${HEADER}\n{"checkOutStartedMs":1e300,"waitMs":0,"useMs":1}\n{"end":"closed"}\n`, /, line 2: not a line of a trace/],
    [`${HEADER}\n{"checkOutStartedMs":{"toString":1},"waitMs":0,"useMs":1}\n{"end":"closed"}\n`, /, line 2: not a line of a trace/],
    [`${HEADER}\n{"checkOutStartedMs":0,"waitMs":0,"useMs":1e300}\n{"end":"closed"}\n`, /, line 2: not a line of a trace/],
    [`${HEADER}\n`, /has no checkouts/],
    [`${HEADER}\n{"checkOutStartedMs":0,"waitMs":0,"useMs":null}\n{"end":"closed"}\n`, /, line 2: not a line of a trace/],
    [`${HEADER}\n{"checkOutStartedMs":0,"waitMs":-1,"useMs":1}\n{"checkOutStartedMs":0,"waitMs":1,"useMs":1}\n`, /, line 2: not a line/],
    [`${HEADER}\nnonsense\n{"checkOutStartedMs":0,"waitMs":1,"useMs":1}\n`, /, line 2: not a line/],
    [`${HEADER}\n{"checkOutStartedMs":"0","waitMs":1,"useMs":1}\n{"checkOutStartedMs":0,"waitMs":1,"useMs":1}\n`, /, line 2: not a line/],
  ])('%j', async (text, message) => {
    await expect(readTrace(await write(text))).rejects.toThrow(message);
  });

  test('a file that does not exist', async () => {
    await expect(readTrace(path.join(folder, 'nowhere'))).rejects.toThrow(/nowhere can't be read: ENOENT/);
  });
});
