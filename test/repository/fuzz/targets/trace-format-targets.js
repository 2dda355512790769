import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { readTraceText } from 'mongodb-pool-predictor';
import { changesOf } from 'test-support/fuzz-arbitraries.js';
import { require } from 'test-support/fuzz-outcome.js';

const SCHEMA = path.join(import.meta.dirname, '../../../../packages/pool-predictor/trace.schema.json');
/** Knows the schema as `trace`. */
export const ajv = new Ajv2020({ strictTypes: false, strictRequired: false, strictTuples: false }).addSchema(
  JSON.parse(await readFile(SCHEMA, 'utf8')),
  'trace',
);
const isHeader = ajv.compile({ $ref: 'trace#/$defs/header' });
const isLater = ajv.compile({ $ref: 'trace#/$defs/later' });

export const HEADER = {
  trace: 'mongodb-pool-lab',
  version: 3,
  startedAt: '2026-01-01T00:00:00.000Z',
  resolutionMs: 0.001,
  server: { version: '8.0.1', cores: 2 },
  pool: { minPoolSize: 1 },
  overhead: { kind: 'sample', valuesMs: [0.4, 0.6] },
};
export const DEFINITIONS = [
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
export const CHECKOUT = {
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
  transaction: 3,
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

/** @param {unknown[]} entries @param {boolean} fits */
async function compare(entries, fits) {
  require((await isRead(entries)) === fits, fits ? 'it fits the schema, and is not read' : 'it is read');
}

// The reader takes a line if and only if it fits the schema.
/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  'trace headers': {
    arbitrary: changesOf([HEADER]),
    check: (header) => compare([header, ...DEFINITIONS, CHECKOUT], isHeader(header)),
  },
  'trace lines': {
    arbitrary: changesOf(LATER),
    check(line) {
      fc.pre(refersToDefinitions(line));
      return compare([HEADER, ...DEFINITIONS, line, CHECKOUT], isLater(line));
    },
  },
};
