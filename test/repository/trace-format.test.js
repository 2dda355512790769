import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTraceWriter } from 'mongodb-pool-monitor';
import { readTraceText } from 'mongodb-pool-predictor';
import { scratchFolder } from 'test-support/cleanup.js';
import { ajv, CHECKOUT, DEFINITIONS, HEADER, targets } from './fuzz/targets/trace-format-targets.js';

const folder = await scratchFolder();
const isLine = ajv.compile({ $ref: 'trace' });

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
      transaction: optional(fc.nat(1e6)),
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
    const totalMs = Number(waitMs) || 0;
    writer.writeRequest({ request: 1, endedAtMs: atMs + totalMs, totalMs, status: 200, socket: 1 });
    writer.writeSecond('loop', { atMs, meanMs: 0, maxMs: 1, busy: 0.5 });
  }
  await writer.close();
  const example = /```jsonl\n([^]*?)```/.exec(await readFile('docs/trace-format.md', 'utf8'))?.[1] ?? '';
  const recordings = await Promise.all(
    ['packages/pool-predictor/test/trace/golden/version-3.jsonl', 'examples/ordinary-minute.jsonl'].map((file) =>
      readFile(file, 'utf8'),
    ),
  );
  for (const text of [await readFile(written, 'utf8'), example, ...recordings]) {
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => !isLine(line))).toEqual([]);
  }
});

test.each(Object.entries(targets))('the reader takes one of the %s if and only if it fits the schema', (_, target) =>
  fc.assert(
    fc.asyncProperty(target.arbitrary, async (line) => target.check(line, null)),
    { numRuns: 200, seed: 1 },
  ),
);

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
