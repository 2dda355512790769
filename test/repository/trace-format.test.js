import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { createTraceWriter } from 'mongodb-pool-monitor';
import { readTraceText } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { changesOf } from 'test-support/fuzz-arbitraries.js';
import { scratchFolder } from 'test-support/cleanup.js';

const folder = await scratchFolder();
const schema = JSON.parse(await readFile('packages/pool-predictor/trace.schema.json', 'utf8'));
const ajv = new Ajv2020({ strictTypes: false, strictRequired: false, strictTuples: false }).addSchema(schema, 'trace');
const isLine = ajv.compile({ $ref: 'trace' });
const isHeader = ajv.compile({ $ref: 'trace#/$defs/header' });
const isLater = ajv.compile({ $ref: 'trace#/$defs/later' });
const isLaterOfVersion2 = ajv.compile({
  anyOf: [{ $ref: 'trace#/$defs/checkoutOfVersion2' }, { $ref: 'trace#/$defs/end' }],
});

const HEADER = {
  trace: 'mongodb-pool-lab',
  version: 3,
  startedAt: '2026-01-01T00:00:00.000Z',
  resolutionMs: 0.001,
  server: { version: '8.0.1', cores: 2 },
  maxPoolSize: 10,
  pool: { minPoolSize: 1 },
  overhead: { kind: 'sample', valuesMs: [0.4, 0.6] },
};
const DEFINITIONS = [
  { define: 'process', id: 0, pid: 7, command: 'app.js', url: 'http://127.0.0.1:1', attached: true, node: 'v24.0.0' },
  {
    define: 'pool',
    id: 0,
    process: 0,
    name: null,
    address: 'db:27017',
    appName: 'shop',
    driver: '7.9.0',
    options: { maxPoolSize: { value: 2, from: 'code', uri: 4 }, minPoolSize: { value: 0, from: 'default' } },
  },
  { define: 'route', id: 0, name: '/a' },
  { define: 'operation', id: 0, name: 'getMore events', kind: 'changeStream' },
];
const CHECKOUT = {
  atMs: 13.1,
  waitMs: 0.18,
  openingMs: 0.1,
  useMs: 2.5,
  pool: 0,
  connection: 4,
  fresh: true,
  route: 0,
  operation: 0,
  request: 7,
  holds: 1,
  behind: [
    [0, 0, 5, 6],
    [-1, -1, -1],
  ],
};
const LATER = [
  ...DEFINITIONS.map((line) => ({ ...line, id: 2 })),
  CHECKOUT,
  { atMs: 1, waitMs: 20, pool: 0, outcome: 'checkOutFailed', reason: 'timeout' },
  { atMs: 1, waitMs: 20, useMs: 3, pool: 0, outcome: 'operationFailed' },
  { request: 7, process: 0, route: 0, atMs: 12, durationMs: 9, status: 200, socket: 3 },
  { event: 'connectionReady', atMs: 1, pool: 0, connection: 4, durationMs: 60 },
  { event: 'connectionClosed', atMs: 1, pool: 0, connection: 4, reason: 'idle', durationMs: 60 },
  { event: 'poolCleared', atMs: 1, pool: 0, reason: 'gone' },
  { event: 'loop', atMs: 1, process: 0, meanMs: 0.4, maxMs: 12, busy: 0.5 },
  { event: 'server', atMs: 1, process: 0, cores: 2, busyCores: 1.5, ticketsOut: 1, ticketsTotal: 256, queued: 0 },
  { end: 'closed' },
  { end: 'full', overhead: { kind: 'sample', valuesMs: [1] } },
  { end: 'closed', server: { cores: 2, busyCores: 1.5 } },
];
const CHECKOUT_2 = { checkOutStartedMs: 13.1, waitMs: 0.18, useMs: 2.5, route: '/slow', request: 7, failed: false };
const LATER_2 = [CHECKOUT_2, { checkOutStartedMs: 12.5, waitMs: null, useMs: null }, { end: 'closed' }];

/** Whether the numbers in a line are those of DEFINITIONS, and it defines none of them again. @param {any} line */
function refersToDefinitions(line) {
  const { define, id, behind } = Object(line);
  const numbers = ['pool', 'process', 'route', 'operation'].map((name) => Object(line)[name] ?? 0);
  const ofHolders = (Array.isArray(behind) ? behind : []).flatMap((group) =>
    Array.isArray(group) ? group.slice(0, 2) : [],
  );
  const isKnown = (/** @type {unknown} */ number) => !Number.isInteger(number) || number === 0;
  return (
    !(define !== undefined && id === 0) &&
    numbers.every(isKnown) &&
    ofHolders.every((number) => number === -1 || isKnown(number))
  );
}

/** @param {unknown[]} entries @returns {Promise<boolean>} whether the reader takes them */
async function isRead(entries) {
  return readTraceText(entries.map((entry) => JSON.stringify(entry)).join('\n')).then(
    () => true,
    () => false,
  );
}

test('every line of the writer fits the schema, and so do those of the document and of recordings', async () => {
  const ms = fc.oneof(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.constantFrom(NaN, null));
  const written = path.join(folder, 'written.jsonl');
  const writer = await createTraceWriter(written, { maxBytes: 1e6, header: { overhead: HEADER.overhead } });
  writer.defineProcess(0, { pid: 7 });
  const optional = (/** @type {fc.Arbitrary<any>} */ each) => fc.option(each, { nil: undefined });
  const name = fc.option(fc.string());
  const count = fc.option(fc.nat(1e6));
  for (const { waitMs, useMs, event, ...facts } of fc.sample(
    fc.record({
      checkOutStartedAtMs: fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      waitMs: ms,
      useMs: ms,
      endedAtMs: optional(ms.map(Number)),
      openingMs: optional(fc.double()),
      event: fc.constantFrom(.../** @type {const} */ (['connectionReady', 'connectionClosed', 'poolCleared'])),
      pool: name,
      server: optional(fc.string()),
      reason: name,
      connectionId: count,
      isFresh: optional(fc.boolean()),
      route: name,
      operation: name,
      kind: fc.option(fc.constantFrom(.../** @type {const} */ (['changeStream', 'tailableCursor']))),
      request: count,
      holds: optional(fc.nat(1e6)),
      heldBy: optional(
        fc.array(
          fc.record({
            route: name,
            operation: name,
            kind: fc.constant(null),
            requests: fc.array(count, { minLength: 1 }),
          }),
        ),
      ),
    }),
    { numRuns: 1000, seed: 1 },
  )) {
    const { checkOutStartedAtMs: atMs } = facts;
    const checkedOutAtMs = waitMs === null ? null : atMs + waitMs;
    const checkedInAtMs = useMs === null || checkedOutAtMs === null ? null : checkedOutAtMs + useMs;
    writer.write({ ...facts, checkedOutAtMs, checkedInAtMs });
    writer.writeEvent({
      event,
      atMs,
      ...facts,
      connectionId: facts.connectionId || 1,
      durationMs: Math.abs(Number(useMs)),
    });
    writer.writeRequest({ request: 1, startedAtMs: atMs, totalMs: Number(waitMs), status: 200, socket: 1 });
    writer.writeSecond('loop', { atMs, meanMs: 0, maxMs: 1, busy: 0.5 });
  }
  await writer.close();
  const example = /```jsonl\n([^]*?)```/.exec(await readFile('docs/trace-format.md', 'utf8'))?.[1] ?? '';
  const golden = await Promise.all(
    [2, 3].map((version) => readFile(`packages/pool-predictor/test/trace/golden/version-${version}.jsonl`, 'utf8')),
  );
  for (const text of [await readFile(written, 'utf8'), example, ...golden]) {
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => !isLine(line))).toEqual([]);
  }
});

test('the reader takes a line if and only if it fits the schema', async () => {
  await fc.assert(
    fc.asyncProperty(changesOf([HEADER]), async (header) => {
      // The schema describes versions 2 and 3, and the reader takes version 1, too.
      fc.pre(/** @type {any} */ (header)?.version !== 1);
      const lines = /** @type {any} */ (header)?.version === 2 ? [CHECKOUT_2] : [...DEFINITIONS, CHECKOUT];
      expect(await isRead([header, ...lines])).toBe(isHeader(header));
    }),
    { numRuns: 500, seed: 1 },
  );
  await fc.assert(
    fc.asyncProperty(changesOf(LATER), async (line) => {
      fc.pre(refersToDefinitions(line));
      expect(await isRead([HEADER, ...DEFINITIONS, line, CHECKOUT])).toBe(isLater(line));
    }),
    { numRuns: 1000, seed: 1 },
  );
  await fc.assert(
    fc.asyncProperty(changesOf(LATER_2), async (line) => {
      expect(await isRead([{ ...HEADER, version: 2 }, line, CHECKOUT_2])).toBe(isLaterOfVersion2(line));
    }),
    { numRuns: 500, seed: 1 },
  );
});

test.each([
  [{ ...CHECKOUT, pool: 5 }, 'pool 5 is not defined'],
  [{ ...CHECKOUT, route: 5 }, 'route 5 is not defined'],
  [{ ...CHECKOUT, operation: 5 }, 'operation 5 is not defined'],
  [{ ...CHECKOUT, behind: [[5, 0, 1]] }, 'route 5 is not defined'],
  [{ request: 1, process: 5, atMs: 0, durationMs: 1, status: 200 }, 'process 5 is not defined'],
  [{ event: 'poolCleared', atMs: 0, pool: 5 }, 'pool 5 is not defined'],
  [DEFINITIONS[2], 'route 0 is defined already'],
])('%j is refused, because a number has one meaning', async (line, complaint) => {
  const text = [HEADER, ...DEFINITIONS, line, CHECKOUT].map((entry) => JSON.stringify(entry)).join('\n');
  await expect(readTraceText(text)).rejects.toThrow(`The trace, line 6: not a line of a trace: ${complaint}`);
});

test('the recorded example is of version 1', async () => {
  const { header, checkouts, warnings } = await readTrace('examples/ordinary-minute.jsonl');
  expect({ version: header.version, warnings }).toEqual({ version: 1, warnings: [] });
  expect(checkouts.length).toBeGreaterThan(1000);
});
