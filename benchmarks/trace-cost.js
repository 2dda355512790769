// What do traces cost? Writes checkouts and requests as fast as a busy app ends them, then reads and diagnoses the file
// in a process of its own.
// The checkouts are those of a full pool: one in two waits behind six others. Exits with 1 if a figure is over its
// limit.
//
//   node benchmarks/trace-cost.js [--lines 10000,100000,1000000]
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { createTraceWriter } from 'mongodb-pool-monitor';
import { diagnose } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { parsePositive } from '../lab/cli/option-parsers.js';

/** A busy app on one core. */
const CHECKOUTS_PER_SEC = 20_000;
/** memoryPerLine: bytes that are still in use after the reading. @type {Record<string, number>} */
const LIMITS = {
  ...{ missed: 0, bytesPerLine: 150, readMs: 6000, memoryPerLine: 200, peakMb: 400 },
  ...{ diagnoseMs: 12_000, diagnosePeakMb: 530 },
};
const MB = 1e6;

const { lines: sizes, read } = new Command('trace-cost.js')
  .option('--lines <list>', 'sizes of the traces', (text) => text.split(',').map(parsePositive), [1e4, 1e5, 1e6])
  .option('--read <file>', 'only read this trace')
  .parse()
  .opts();
if (read === undefined) await measure(sizes);
else await readHere(read);

/** @param {number[]} counts */
async function measure(counts) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trace-cost-'));
  try {
    for (const lines of counts) {
      const file = path.join(folder, `${lines}.jsonl`);
      const missed = await write(file, lines / 2);
      const { keptBytes, ...ofReading } = await readApart(file);
      const { size } = await stat(file);
      /** @type {Record<string, number>} */
      const figures = { missed, bytesPerLine: size / lines, ...ofReading, memoryPerLine: keptBytes / lines };
      const over = Object.keys(LIMITS).filter((name) => figures[name] > LIMITS[name]);
      const rounded = Object.entries(figures).map(([name, value]) => [name, Math.round(value)]);
      process.stdout.write(`${JSON.stringify({ lines, ...Object.fromEntries(rounded), over })}\n`);
      if (over.length > 0) process.exitCode = 1;
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param {string} file @param {number} checkouts @returns {Promise<number>} how many were lost */
async function write(file, checkouts) {
  const trace = await createTraceWriter(file, { maxBytes: Infinity });
  const startedAtMs = performance.now();
  let ended = 0;
  while (ended < checkouts) {
    const due = Math.min(checkouts, ((performance.now() - startedAtMs) / 1000) * CHECKOUTS_PER_SEC);
    for (; ended < due; ended++) {
      trace.write(createCheckout(ended));
      const route = `/route-${ended % 20}`;
      trace.writeRequest({
        request: ended,
        route,
        endedAtMs: ended / 20 + 20.25,
        totalMs: 20.25,
        status: 200,
        socket: 7,
      });
    }
    await delay(5);
  }
  return (await trace.close()).missed;
}

/** @param {number} index */
function createCheckout(index) {
  const others = (/** @type {number} */ from, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, place) => Math.max(0, index - from - place));
  return {
    pool: index % 3 === 0 ? 'reports' : null,
    server: '127.0.0.1:27017',
    checkOutStartedAtMs: index / 20,
    checkedOutAtMs: index / 20 + 12.3456,
    checkedInAtMs: index / 20 + 17.8765,
    connectionId: (index % 10) + 1,
    route: `/route-${index % 20}`,
    operation: `find collection-${index % 10}`,
    request: index,
    heldBy: [
      { route: `/route-${index % 7}`, operation: 'find collection-3', kind: null, requests: others(1, 4) },
      { route: '/slow', operation: 'find collection-9', kind: null, requests: others(9, 2) },
    ].slice(0, index % 2 === 0 ? 2 : 0),
  };
}

/** @param {string} file @returns {Promise<Record<string, number>>} */
async function readApart(file) {
  const script = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, '--read', file]);
  return JSON.parse(stdout);
}

/** @param {string} file */
async function readHere(file) {
  const beforeBytes = usedBytes();
  const startedAtMs = performance.now();
  const trace = await readTrace(file);
  const readMs = performance.now() - startedAtMs;
  const figures = { readMs, peakMb: peakMb(), keptBytes: usedBytes() - beforeBytes };
  const diagnosedAtMs = performance.now();
  diagnose(trace);
  const diagnoseMs = performance.now() - diagnosedAtMs;
  process.stdout.write(JSON.stringify({ ...figures, diagnoseMs, diagnosePeakMb: peakMb() }));
}

function peakMb() {
  return (process.resourceUsage().maxRSS * 1024) / MB;
}

function usedBytes() {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
