import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { predict } from '../../src/predict/predict.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { summariseTrace } from '../../src/trace/trace.js';
import { createTraceWriter } from 'mongodb-pool-monitor';
import { readTrace } from '../../src/node/input-files.js';
import { changesOf, mutationsOf, texts } from 'test-support/fuzz-arbitraries.js';
import { requireClear, require } from 'test-support/fuzz-outcome.js';
import { traceText } from 'test-support/trace-text.js';

const LINES = traceText({
  poolSize: 10,
  header: { startedAt: '2026-01-01T00:00:00.000Z', url: 'http://127.0.0.1:3000' },
  checkouts: [
    { atMs: 0, waitMs: 0.21, useMs: 1.83, route: '/fast', socket: 1 },
    { atMs: 12.5, waitMs: 3, outcome: 'checkOutFailed', route: '/slow' },
    { atMs: 3, waitMs: 1, useMs: 2, request: 1 },
    { atMs: 4, waitMs: 1, useMs: 2, outcome: 'operationFailed' },
  ],
})
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const print = (/** @type {unknown[]} */ lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const ms = fc.integer({ min: 0, max: 1e9 }).map((us) => us / 1000);
const checkout = fc.record({
  checkOutStartedAtMs: ms,
  waitMs: ms,
  useMs: ms,
  route: fc.option(texts, { nil: undefined }),
});

/** The writer rounds to microseconds. */
const TOLERANCE_MS = 0.002;

/** What holds for any file that is read as a trace. @param {string} text @param {{ file: string }} folder */
async function checkFile(text, { file }) {
  writeFileSync(file, text);
  const trace = await readTrace(file)
    .then((all) => pickPool(all).trace)
    .catch((error) => requireClear(error, (message) => message.includes(file)));
  if (!trace) return;
  require(trace.checkOutStartedMs[0] === 0 && trace.useMs.length === trace.waitMs.length, 'it is not in order');
  const { meanWaitMs, maxMs } = summariseTrace(trace);
  require(meanWaitMs >= 0 && maxMs >= meanWaitMs && maxMs < Infinity, `mean ${meanWaitMs} ms, longest ${maxMs} ms`);
  const load = createTraceLoad(trace);
  const { variants } = await predict({ load, services: load.services, poolSizes: [1, 3] });
  const { checkOutStartedMs, queryless = [] } = trace;
  for (const { predicted } of variants)
    require(predicted.requests === checkOutStartedMs.length + queryless.length, 'a request is lost');
}

async function openFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pool-lab-fuzz-'));
  return { file: path.join(folder, 'trace.jsonl'), close: () => rmSync(folder, { recursive: true }) };
}

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  traces: {
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: changesOf([LINES]).map((lines) => print(Array.isArray(lines) ? lines : [lines])) },
      { weight: 2, arbitrary: mutationsOf([print(LINES)]) },
      { weight: 1, arbitrary: texts },
    ),
    open: openFolder,
    check: checkFile,
  },
  'traces, written and read': {
    arbitrary: fc.array(checkout, { minLength: 1, maxLength: 20 }),
    open: openFolder,
    async check(/** @type {any[]} */ checkouts, { file }) {
      rmSync(file, { force: true });
      const writer = await createTraceWriter(file);
      for (const { checkOutStartedAtMs, waitMs, useMs, route } of checkouts) {
        writer.write({
          checkOutStartedAtMs,
          checkedOutAtMs: checkOutStartedAtMs + waitMs,
          checkedInAtMs: checkOutStartedAtMs + waitMs + useMs,
          route,
        });
      }
      await writer.close();
      const { trace } = pickPool(await readTrace(file));
      require(checkouts.length === trace.useMs.length, 'a checkout is lost');
      // Of those that start together, the one that is served first comes first.
      const inOrder = checkouts.toSorted(
        (a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs || a.waitMs - b.waitMs,
      );
      for (const [index, { route = 'checkout', waitMs, useMs }] of inOrder.entries()) {
        require(trace.routes[trace.routeOf[index]] === route, `checkout ${index} has another route`);
        const [waitErrorMs, useErrorMs] = [trace.waitMs[index] - waitMs, trace.useMs[index] - useMs].map(Math.abs);
        require(Math.max(waitErrorMs, useErrorMs) < TOLERANCE_MS, `checkout ${index} has other times`);
      }
    },
  },
};
