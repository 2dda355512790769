import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { predict } from '../../../packages/pool-predictor/src/predict.js';
import { createTraceLoad, summariseTrace } from '../../../packages/pool-predictor/src/trace/trace-load.js';
import { createTraceWriter } from '../../../packages/pool-monitor/src/trace-writer.js';
import { readServiceTimes } from '../../../packages/pool-predictor/src/node/read-service-times.js';
import { readTrace } from '../../../packages/pool-predictor/src/node/read-trace.js';
import { changesOf, mutationsOf, sentencesOf, texts } from '../arbitraries.js';
import { requireClear, require } from '../outcome.js';

const LINES = [
  {
    trace: 'mongodb-pool-lab', version: 2, startedAt: '2026-01-01T00:00:00.000Z', maxPoolSize: 10,
    url: 'http://127.0.0.1:3000',
  },
  { checkOutStartedMs: 0, waitMs: 0.21, useMs: 1.83, route: '/fast' },
  { checkOutStartedMs: 12.5, waitMs: null, useMs: null, route: '/slow' },
  { checkOutStartedMs: 3, waitMs: 1, useMs: 2, request: 1 },
  { checkOutStartedMs: 4, waitMs: 1, useMs: 2, failed: true },
  { end: 'closed' },
];
const print = (/** @type {unknown[]} */ lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const ms = fc.integer({ min: 0, max: 1e9 }).map((us) => us / 1000);
const checkout = fc.record({ checkOutStartedAtMs: ms, waitMs: ms, useMs: ms, route: fc.option(texts, { nil: undefined }) });

const attribute = (/** @type {string} */ key, /** @type {string | number} */ value) => (
  { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: value } });
const EXPORT = {
  resourceSpans: [{
    resource: { attributes: [attribute('service.name', 'shop'), attribute('process.pid', 7)] },
    scopeSpans: [{
      scope: { name: 'mongodb' },
      spans: [
        {
          traceId: 'a', spanId: '1', kind: 2, name: 'GET',
          attributes: [attribute('http.request.method', 'GET'), attribute('url.path', '/orders/7')],
        },
        {
          traceId: 'a', spanId: '2', parentSpanId: '1', kind: 3, name: 'mongodb.find', status: { code: 0 },
          startTimeUnixNano: '1767225600000000000', endTimeUnixNano: '1767225600002500000',
          attributes: [attribute('db.system.name', 'mongodb'), attribute('server.port', 27017)],
        },
      ],
    }],
  }],
};
const LOG = [
  {
    t: { $date: '2026-01-01T00:00:00.000+00:00' }, s: 'I', c: 'COMMAND', ctx: 'conn6', msg: 'Slow query',
    attr: {
      type: 'command', ns: 'shop.orders', appName: 'shop', command: { find: 'orders', filter: { status: 1 }, $db: 'shop' },
      queryHash: '006FD1D6', remote: '127.0.0.1:39240', durationMillis: 0,
    },
  },
  {
    t: { $date: '2026-01-01T00:00:00.500+00:00' }, s: 'I', c: 'COMMAND', ctx: 'conn6', msg: 'Slow query',
    attr: {
      type: 'command', ns: 'shop.$cmd', command: { update: 'orders', updates: [{ q: { status: 1 } }], $db: 'shop' },
      remote: '127.0.0.1:39240', durationMillis: 0,
    },
  },
];
const TABLE = 'start,durationMs,waitMs,route,request,failed\n2026-01-01T00:00:00.123Z,1.5,0,"/a ""b""",r1,\n'
  + '2026-01-01T00:00:01+01:00,20,3,/b,,false\n';
const WORDS = [
  'start', 'startMs', 'startS', 'durationMs', 'durationS', 'waitMs', 'route', 'failed', 'request', ',', ',', ',', '"', '\n', '\n',
  '1', '2.5', 'true', '2026-01-01T00:00:00Z', '\r\n', ' ',
];
/** The writer rounds to microseconds. */
const TOLERANCE_MS = 0.002;

/** What holds for any file that is read as a trace. @param {string} text @param {{ file: string }} folder */
async function checkFile(text, { file }) {
  writeFileSync(file, text);
  const trace = await readTrace(file)
    .catch((error) => requireClear(error, (message) => message.includes(file)));
  if (!trace) return;
  require(trace.checkOutStartedMs[0] === 0 && trace.useMs.length === trace.waitMs.length, 'it is not in order');
  const { meanWaitMs, maxMs } = summariseTrace(trace);
  require(meanWaitMs >= 0 && maxMs >= meanWaitMs && maxMs < Infinity, `mean ${meanWaitMs} ms, longest ${maxMs} ms`);
  const load = createTraceLoad(trace);
  const { variants } = await predict({ load, services: load.services, poolSizes: [1, 3] });
  for (const { predicted } of variants) require(predicted.requests === trace.checkOutStartedMs.length, 'a checkout is lost');
}

async function openFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pool-lab-fuzz-'));
  return { file: path.join(folder, 'trace.jsonl'), close: () => rmSync(folder, { recursive: true }) };
}

/** @type {Record<string, import('../targets.js').Target>} */
export const traces = {
  'traces': {
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: changesOf([LINES]).map((lines) => print(Array.isArray(lines) ? lines : [lines])) },
      { weight: 2, arbitrary: mutationsOf([print(LINES)]) },
      { weight: 1, arbitrary: texts },
    ),
    open: openFolder,
    check: checkFile,
  },
  'traces of OpenTelemetry': {
    arbitrary: fc.oneof(
      { weight: 4, arbitrary: changesOf([EXPORT]).map((document) => JSON.stringify(document)) },
      { weight: 1, arbitrary: changesOf([[EXPORT, EXPORT]]).map((list) => (Array.isArray(list) ? print(list) : print([list]))) },
      { weight: 2, arbitrary: mutationsOf([JSON.stringify(EXPORT), JSON.stringify(EXPORT, null, 1)]) },
    ),
    open: openFolder,
    check: checkFile,
  },
  'traces in CSV': {
    arbitrary: fc.oneof(
      { weight: 2, arbitrary: mutationsOf([TABLE], fc.constantFrom(...WORDS)) },
      { weight: 1, arbitrary: mutationsOf([TABLE]) },
      { weight: 1, arbitrary: sentencesOf(WORDS, 30).map((rows) => `startMs,durationMs,route\n${rows}`) },
    ),
    open: openFolder,
    check: checkFile,
  },
  'logs of MongoDB': {
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: changesOf([LOG]).map((lines) => print(Array.isArray(lines) ? lines : [lines])) },
      { weight: 1, arbitrary: mutationsOf([print(LOG)]) },
    ),
    open: openFolder,
    async check(text, { file }) {
      await checkFile(text, { file });
      const read = await readServiceTimes(file)
        .catch((error) => requireClear(error, (message) => message.includes(file)));
      for (const valuesMs of read?.times.values() ?? []) require(Math.min(...valuesMs) >= 0.5, 'a service time is too short');
    },
  },
  'traces, written and read': {
    arbitrary: fc.array(checkout, { minLength: 1, maxLength: 20 }),
    open: openFolder,
    async check(/** @type {any[]} */ checkouts, { file }) {
      rmSync(file, { force: true });
      const writer = await createTraceWriter(file);
      for (const { checkOutStartedAtMs, waitMs, useMs, route } of checkouts) {
        writer.write({ checkOutStartedAtMs, checkedOutAtMs: checkOutStartedAtMs + waitMs, checkedInAtMs: checkOutStartedAtMs + waitMs + useMs, route });
      }
      await writer.close();
      const trace = await readTrace(file);
      require(checkouts.length === trace.useMs.length, 'a checkout is lost');
      const inOrder = checkouts.toSorted((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
      for (const [index, { route = 'checkout', waitMs, useMs }] of inOrder.entries()) {
        require(trace.routes[trace.routeOf[index]] === route, `checkout ${index} has another route`);
        const [waitErrorMs, useErrorMs] = [trace.waitMs[index] - waitMs, trace.useMs[index] - useMs].map(Math.abs);
        require(Math.max(waitErrorMs, useErrorMs) < TOLERANCE_MS, `checkout ${index} has other times`);
      }
    },
  },
};
