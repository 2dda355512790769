import { runClosedLoop } from '../../harness/closed-loop.js';
import { createChoicesParser, parseInteger } from '../../harness/lab-options.js';
import { gatherInserts } from 'mongodb-gather';
import { createClient } from '../../mongo/client.js';
import { DATABASE } from '../../mongo/demo-data.js';
import { insertsView } from './inserts-view.js';
import { choosePublished } from './inserts-published.js';
import { describeFaults, verifyInserts } from './verify-inserts.js';

/** @import { Collection, Db } from 'mongodb' */
/** @import { Context, Lab, PlannedVariant, Plan } from '../../harness/run-lab.js' */
/** @import { InsertsFigures, InsertsSettings } from './inserts-view.js' */

const COLLECTION = 'inserts';
/** As in the article; a document is 1 KB. */
const CONTENT = '0'.repeat(970);
const PUBLISHED_DOCS = 200_000;
const WARM_UP_MS = 1000;
/** Estimate for the progress bar: setting up and verifying a variant. */
const OVERHEAD_MS = 1500;

/** @type {Record<string, (collection: Collection<any>) => (document: any) => Promise<unknown>>} */
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
 *
 * @typedef {Plan<InsertsSettings, InsertsFigures> & { settings: InsertsOptions }} InsertsPlan
 */

/** @type {Lab<InsertsOptions, InsertsSettings, InsertsFigures, InsertsPlan>} */
export const inserts = {
  name: 'inserts',
  ...insertsView,
  summary: 'documents stored per second, one by one or gathered',
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
      value: 'n', about: 'documents of 1 KB per variant; removed afterwards', parse: parseInteger,
      default: 100_000, published: PUBLISHED_DOCS,
    },
    seconds: {
      value: 's', about: 'time limit of a variant: a slow one inserts fewer documents',
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
 * @returns {Promise<InsertsPlan>}
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
      // The article used w: 1, the default of its time, which costs much less than majority.
      published: way === 'plain' && writeConcern === 1 && ratesPerSec[workload]
        ? { ratePerSec: ratesPerSec[workload], instance } : null,
      estimateMs: WARM_UP_MS + seconds * 1000 + OVERHEAD_MS,
    }));
  });
  return { settings: { cases, ways, docs, seconds, writeConcern }, variants };
}

/** @param {InsertsPlan} plan @param {Context} context */
async function prepare(plan, { mongoUrl, settings: { serverSelectionTimeoutMs } }) {
  const undo = async () => {
    const client = createClient(mongoUrl, { serverSelectionTimeoutMs });
    await client.db(DATABASE).dropCollection(COLLECTION).finally(() => client.close());
  };
  return { undo };
}

/**
 * @param {PlannedVariant<InsertsSettings, InsertsFigures>} variant
 * @param {InsertsPlan} plan
 * @param {Context} context
 */
async function measure({ settings: { sessions, inserters, way } }, plan, { mongoUrl, settings, signal }) {
  const { docs, seconds, writeConcern } = plan.settings;
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
    await recreateCollection(db);
    // Opens the connections and warms up the code.
    await run(WARM_UP_MS);
    await recreateCollection(db);
    const figures = await run(seconds * 1000);
    const faults = await verifyInserts(collection, figures.count, CONTENT);
    return { measured: { ...figures, ...faults }, failed: describeFaults(faults) };
  } finally {
    await client.close();
  }
}

/** @param {Db} db */
async function recreateCollection(db) {
  await db.dropCollection(COLLECTION);
  // Otherwise the first insert creates it.
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
