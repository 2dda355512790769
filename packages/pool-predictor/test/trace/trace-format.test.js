import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { changesOf } from '../../../../test/fuzz/arbitraries.js';
import { scratchFolder } from '../../../../test/support/scratch-folder.js';
import { createTraceWriter } from '../../../pool-monitor/src/trace-writer.js';
import { readTraceOf } from '../../src/formats/trace.js';

const folder = await scratchFolder();
const schema = JSON.parse(await readFile('packages/pool-predictor/trace.schema.json', 'utf8'));
const ajv = new Ajv2020({ strictTypes: false, strictRequired: false }).addSchema(schema, 'trace');
const isLine = ajv.compile({ $ref: 'trace' });
const isHeader = ajv.compile({ $ref: 'trace#/$defs/header' });
const isLater = ajv.compile({ anyOf: [{ $ref: 'trace#/$defs/checkout' }, { $ref: 'trace#/$defs/end' }] });

const HEADER = {
  trace: 'mongodb-pool-lab', version: 2, startedAt: '2026-01-01T00:00:00.000Z', maxPoolSize: 10, pool: { minPoolSize: 1 },
  overhead: { kind: 'sample', valuesMs: [0.4, 0.6] },
};
const CHECKOUT = { checkOutStartedMs: 13.1, waitMs: 0.18, useMs: 2.5, route: '/slow', request: 7, failed: false };
const LATER = [
  CHECKOUT, { checkOutStartedMs: 12.5, waitMs: null, useMs: null }, { end: 'closed' },
  { end: 'full', overhead: { kind: 'sample', valuesMs: [1] } }, { end: 'closed', server: { cores: 2, busyCores: 1.5 } },
];

/** @param {unknown[]} entries @returns {Promise<boolean>} whether the reader takes them */
async function isRead(entries) {
  const texts = entries.map((entry) => JSON.stringify(entry));
  async function* lines() {
    yield* texts;
  }
  return readTraceOf({ file: 'trace.jsonl', head: texts.join('\n'), lines }).then(() => true, () => false);
}

test('every line that the writer writes fits the schema, and so do the lines of docs/trace-format.md', async () => {
  const ms = fc.oneof(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.constantFrom(NaN, null));
  const written = path.join(folder, 'written.jsonl');
  const writer = await createTraceWriter(written, { maxBytes: 1e5, header: { maxPoolSize: 2, overhead: HEADER.overhead } });
  for (const [startMs, waitMs, useMs, route, hasFailed] of fc.sample(fc.tuple(
    fc.double({ min: -1e9, max: 1e9, noNaN: true }), ms, ms, fc.option(fc.string()), fc.boolean()), { numRuns: 1000, seed: 1 })) {
    const checkedOutAtMs = waitMs === null ? null : startMs + waitMs;
    writer.write({
      checkOutStartedAtMs: startMs, checkedOutAtMs, route, hasFailed,
      checkedInAtMs: useMs === null || checkedOutAtMs === null ? null : checkedOutAtMs + useMs,
    });
  }
  await writer.close();
  const example = /```jsonl\n([^]*?)```/.exec(await readFile('docs/trace-format.md', 'utf8'))?.[1] ?? '';
  for (const text of [await readFile(written, 'utf8'), example]) {
    const lines = text.trim().split('\n').map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => !isLine(line))).toEqual([]);
  }
});

test('the reader takes a line if and only if it fits the schema', async () => {
  await fc.assert(fc.asyncProperty(changesOf([HEADER]), async (header) => {
    // The schema describes version 2, and the reader takes version 1, too.
    fc.pre(/** @type {any} */ (header)?.version !== 1);
    expect(await isRead([header, CHECKOUT])).toBe(isHeader(header));
  }), { numRuns: 500, seed: 1 });
  await fc.assert(fc.asyncProperty(changesOf(LATER), async (line) => {
    expect(await isRead([HEADER, line, CHECKOUT])).toBe(isLater(line));
  }), { numRuns: 1500, seed: 1 });
});
