import { runClosedLoop } from '../../harness/closed-loop.js';
import { createChoicesParser, parseInteger } from '../../harness/lab-options.js';
import { gatherInserts } from 'mongodb-gather';
import { createClient } from '../../mongo/client.js';
import { insertsView } from './inserts-view.js';
import { choosePublished } from './inserts-published.js';
import { describeFaults, verifyInserts } from './verify.js';

/** @import { Collection, Db } from 'mongodb' */
/** @import { Context, Lab, PlannedVariant, Plan } from '../../harness/run-lab.js' */

const DATABASE = 'pool_lab';
const COLLECTION = 'inserts';
/** The article's content, which makes a document of 1 KB. */
const CONTENT = '0'.repeat(970);
const PUBLISHED_DOCS = 200_000;
const WARM_UP_MS = 1000;
/** Verification and the start of a variant, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 1500;

/** How a document gets in. @type {Record<string, (collection: Collection<any>) => (document: any) => Promise<unknown>>} */
const WAYS = {
  plain: (collection) => (document) => collection.insertOne(document),
  gathered: (collection) => gatherInserts(collection).insert,
};

/**
 * @typedef {object} InsertsOptions
 * @property {string[]} cases
 * @property {string[]} ways
 * @property {number} docs
 * @property {number} seconds
 * @property {'majority' | 1} writeConcern
 */

/**
 * Insert rates by sessions and inserters: each document by itself, or those of the moment together.
 * @type {Lab}
 */
export const inserts = {
  name: 'inserts',
  ...insertsView,
  summary: 'how many documents a second get in, one by one or gathered',
  options: {
    cases: {
      value: 'list', about: 'sessions/inserters: connections in the pool, and inserters that share them',
      parse: parseCases, default: ['1/1', '1/100', '100/100', '100/10000'],
      published: ['1/1', '1/100', '100/100', '100/10000'],
    },
    ways: {
      value: 'list', about: `how documents are inserted: ${Object.keys(WAYS).join(', ')}`,
      parse: createChoicesParser(Object.keys(WAYS)), default: Object.keys(WAYS),
    },
    docs: {
      value: 'n', about: 'documents of 1 KB of each variant; they are removed after it', parse: parseInteger,
      default: 100_000, published: PUBLISHED_DOCS,
    },
    seconds: {
      value: 's', about: 'no inserter goes on after this time, so that a slow variant inserts fewer documents',
      parse: parseInteger, default: 5, published: 3600,
    },
    writeConcern: {
      value: 'w', about: 'majority or 1', parse: parseWriteConcern, default: 'majority', published: 1,
    },
  },
  plan,
  prepare,
  measure,
};

/**
 * @param {InsertsOptions} options
 * @returns {Promise<Plan>}
 * @throws {Error} if there are fewer documents than inserters
 */
async function plan({ cases, ways, docs, seconds, writeConcern }) {
  const { instance, ratesPerSec } = choosePublished();
  const variants = cases.flatMap((workload) => {
    const [sessions, inserters] = workload.split('/').map(Number);
    if (docs < inserters) throw new Error(`--docs is ${docs}; ${workload} needs at least ${inserters}`);
    return ways.map((way) => ({
      name: `${workload} ${way}`,
      settings: { workload, sessions, inserters, way },
      // It was measured with the default write concern of its time, which asks for much less.
      published: way === 'plain' && writeConcern === 1 && ratesPerSec[workload] ? { ratePerSec: ratesPerSec[workload], instance } : null,
      estimateMs: WARM_UP_MS + seconds * 1000 + OVERHEAD_MS,
    }));
  });
  return { settings: { cases, ways, docs, seconds, writeConcern }, variants };
}

/** @type {NonNullable<Lab['prepare']>} */
async function prepare(planned, { mongoUrl, settings }) {
  const undo = async () => {
    const client = createClient(mongoUrl, { serverSelectionTimeoutMs: settings.serverSelectionTimeoutMs });
    await client.db(DATABASE).dropCollection(COLLECTION).finally(() => client.close());
  };
  return { undo };
}

/**
 * @param {PlannedVariant} variant
 * @param {Plan} planned
 * @param {Context} context
 */
async function measure({ settings: { sessions, inserters, way } }, planned, { mongoUrl, settings, signal }) {
  const { docs, seconds, writeConcern } = /** @type {InsertsOptions} */ (planned.settings);
  const { serverSelectionTimeoutMs } = settings;
  const client = createClient(mongoUrl, { poolSize: sessions, serverSelectionTimeoutMs });
  const db = client.db(DATABASE);
  const collection = db.collection(COLLECTION, { writeConcern: { w: writeConcern } });
  const insert = WAYS[way](collection);
  /** @param {number} withinMs */
  const run = (withinMs) => runClosedLoop({
    workers: inserters, total: docs, task: (n) => insert({ n, d: CONTENT }), withinMs, signal,
  });
  try {
    await makeEmpty(db);
    // It opens the connections, and lets the code come to speed.
    await run(WARM_UP_MS);
    await makeEmpty(db);
    const figures = await run(seconds * 1000);
    const faults = await verifyInserts(collection, figures.count, CONTENT);
    return { measured: { ...figures, ...faults }, failed: describeFaults(faults) };
  } finally {
    await client.close();
  }
}

/** @param {Db} db */
async function makeEmpty(db) {
  await db.dropCollection(COLLECTION);
  // Else the first insert would have to.
  await db.createCollection(COLLECTION);
}

/** @param {string} text */
function parseCases(text) {
  return text.split(',').map((part) => {
    const workload = part.trim();
    if (!/^[1-9]\d*\/[1-9]\d*$/.test(workload)) {
      throw new Error(`"${workload}" is not sessions/inserters; several are written 1/1,100/10000.`);
    }
    return workload;
  });
}

/** @param {string} text */
function parseWriteConcern(text) {
  if (text !== 'majority' && text !== '1') throw new Error('It must be majority or 1.');
  return text === '1' ? 1 : text;
}
