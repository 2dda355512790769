import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { gatherInserts } from 'mongodb-gather';
import { watchThread } from '../../harness/environment.js';
import { runClosedLoop } from '../../harness/loads/closed-loop.js';
import { COUNT, COUNTS, createChoiceParser, listOption, parseInteger } from '../../harness/lab-options.js';
import { createClient } from '../../../src/mongo/client.js';
import { DATABASE } from '../../../src/mongo/demo-data.js';
import { chooseInstance, PUBLISHED } from './inserts-published.js';
import { describeCores, describeIndexes } from './inserts-findings.js';
import { insertsView } from './inserts-view.js';
import { limitCores } from './limit-cores.js';
import { readSizes } from './read-sizes.js';
import { describeFaults, verifyInserts } from './verify-inserts.js';

/** @import { Collection, Db } from 'mongodb' */
/** @import { Context, Lab, PlannedVariant, Plan } from '../../harness/run-lab.js' */
/** @import { InsertsFigures, InsertsSettings } from './inserts-view.js' */

const COLLECTION = 'inserts';
/** As in the article; a document is 1 KB. */
const CONTENT_LENGTH = 970;
/** MongoDB compresses pages of 32 KB, so it can't use that contents repeat after almost a megabyte. */
const RANDOM_CONTENTS = 1000;
const WARM_UP_MS = 1000;
/** Estimate for the progress bar: setting up and verifying a variant. */
const OVERHEAD_MS = 1500;

/** @type {Record<string, (collection: Collection<any>) => (document: any) => Promise<unknown>>} */
const WAYS = {
  plain: (collection) => (document) => collection.insertOne(document),
  gathered: (collection) => gatherInserts(collection).insert,
};

/** Contents that the documents take in turn. @type {Record<string, () => string[]>} */
const DATA = {
  zeros: () => ['0'.repeat(CONTENT_LENGTH)],
  random: () =>
    Array.from({ length: RANDOM_CONTENTS }, () =>
      randomBytes(CONTENT_LENGTH).toString('base64').slice(0, CONTENT_LENGTH),
    ),
};

/**
 * @typedef {object} InsertsOptions
 * @property {string[]} cases
 * @property {string[]} ways
 * @property {number} docs
 * @property {number} seconds
 * @property {'majority' | 1} writeConcern
 * @property {string} data a key of DATA
 * @property {number} [indexes]
 * @property {number[]} [serverCores]
 * @property {string} [url] of a MongoDB that is not our own
 *
 * @typedef {Plan<InsertsSettings, InsertsFigures> & { settings: InsertsOptions, isOwnServer: boolean }} InsertsPlan
 * @typedef {{ contents: string[], pid: number }} InsertsSetUp `pid`: of the server
 */

/** @type {Lab<InsertsOptions, InsertsSettings, InsertsFigures, InsertsPlan, InsertsSetUp>} */
export const inserts = {
  name: 'inserts',
  ...insertsView,
  summary: 'documents stored per second, one by one or gathered',
  options: {
    cases: {
      value: 'list',
      about: 'sessions/inserters: connections in the pool, and inserters that share them',
      parse: parseCases,
      default: PUBLISHED.cases,
      published: PUBLISHED.cases,
    },
    ways: { ...listOption(Object.keys(WAYS)), about: `how documents are inserted: ${Object.keys(WAYS).join(', ')}` },
    docs: {
      ...COUNT,
      about: 'documents of 1 KB per variant; removed afterwards',
      default: 100_000,
      published: PUBLISHED.docs,
    },
    seconds: {
      value: 's',
      about: 'time limit of a variant: a slow one inserts fewer documents',
      parse: parseInteger,
      default: 5,
      published: 3600,
    },
    writeConcern: { value: 'w', about: 'majority or 1', parse: parseWriteConcern, default: 'majority', published: 1 },
    data: {
      value: 'kind',
      about: 'content of the documents: zeros, or random, which MongoDB can hardly compress',
      parse: createChoiceParser(Object.keys(DATA)),
      default: 'zeros',
    },
    indexes: {
      ...COUNT,
      about: 'each case is also measured with so many more indexes, each on a field with random numbers',
    },
    serverCores: {
      ...COUNTS,
      about:
        'cores that the embedded MongoDB may use, e.g. 1,2: each case is measured with each; with taskset, on Linux',
    },
  },
  plan,
  prepare,
  measure,
};

/**
 * @param {InsertsOptions} options
 * @returns {Promise<InsertsPlan>}
 * @throws {Error} if there are fewer documents than inserters, or fewer cores than wanted
 */
async function plan({ url, ...settings }) {
  const { cases, ways, docs, seconds, indexes, serverCores } = settings;
  assertCores(serverCores ?? []);
  const variants = cases.flatMap((workload) => {
    const [sessions, inserters] = workload.split('/').map(Number);
    if (docs < inserters) throw new Error(`--docs is ${docs}; ${workload} needs at least ${inserters}`);
    const setUps = (serverCores ?? [undefined]).flatMap((cores) =>
      ways.flatMap((way) => (indexes ? [0, indexes] : [0]).map((more) => ({ way, serverCores: cores, indexes: more }))),
    );
    return setUps.map((setUp) => ({
      name: `${workload} ${setUp.way}${describeIndexes(setUp.indexes)}${describeCores(setUp.serverCores)}`,
      settings: { workload, sessions, inserters, ...setUp },
      published: findPublished(workload, settings, setUp),
      estimateMs: WARM_UP_MS + seconds * 1000 + OVERHEAD_MS,
    }));
  });
  return { settings, variants, isOwnServer: !url };
}

/**
 * The article inserted zeros, without more indexes, and with w: 1, the default of its time, which costs much less than
 * majority.
 * @param {string} workload
 * @param {InsertsOptions} settings
 * @param {Pick<InsertsSettings, 'way' | 'serverCores'>} setUp
 */
function findPublished(workload, { writeConcern, data, indexes }, { way, serverCores }) {
  const { ratesPerSec, ...instance } = chooseInstance(serverCores ?? os.availableParallelism());
  const isComparable = way === 'plain' && writeConcern === 1 && data === 'zeros' && !indexes;
  return isComparable && ratesPerSec[workload] ? { ratePerSec: ratesPerSec[workload], ...instance } : null;
}

/** @param {InsertsPlan} plan @param {Context} context */
async function prepare({ isOwnServer, settings: { data, serverCores } }, { mongoUrl, settings, onEnd }) {
  if (serverCores && (!isOwnServer || settings.mongoUrl)) {
    throw new Error('--server-cores limits the embedded MongoDB only: leave out --url and MONGO_URL');
  }
  const client = createClient(mongoUrl, { serverSelectionTimeoutMs: settings.serverSelectionTimeoutMs });
  onEnd(() => client.close());
  const { pid } = serverCores ? await client.db('admin').command({ serverStatus: 1 }) : { pid: 0 };
  for (const cores of serverCores ?? []) await limitCores(pid, cores);
  onEnd(() => client.db(DATABASE).dropCollection(COLLECTION));
  return { shared: { contents: DATA[data](), pid } };
}

/**
 * @param {PlannedVariant<InsertsSettings, InsertsFigures>} variant
 * @param {InsertsPlan} plan
 * @param {Context & { shared: InsertsSetUp }} context
 */
async function measure(
  { settings: { sessions, inserters, way, indexes, serverCores } },
  plan,
  { mongoUrl, settings, signal, shared: { contents, pid } },
) {
  const { docs, seconds, writeConcern } = plan.settings;
  const { serverSelectionTimeoutMs } = settings;
  if (serverCores) await limitCores(pid, serverCores);
  const client = createClient(mongoUrl, { poolSize: sessions, serverSelectionTimeoutMs });
  const db = client.db(DATABASE);
  const collection = db.collection(COLLECTION, { writeConcern: { w: writeConcern } });
  const insert = WAYS[way](collection);
  // The same documents with the indexes and without.
  const fields = Array.from({ length: plan.settings.indexes ?? 0 }, (_, index) => `field${index}`);
  const indexed = fields.slice(0, indexes);
  const makeDocument = (/** @type {number} */ n) => {
    const document = { n, d: contents[n % contents.length] };
    return fields.length > 0
      ? Object.assign(document, ...fields.map((field) => ({ [field]: Math.random() })))
      : document;
  };
  /** @param {number} withinMs */
  const run = (withinMs) =>
    runClosedLoop({ workers: inserters, total: docs, task: (n) => insert(makeDocument(n)), withinMs }, { signal });
  try {
    await recreateCollection(db, indexed);
    // Opens the connections and warms up the code.
    await run(WARM_UP_MS);
    await recreateCollection(db, indexed);
    const readUse = watchThread();
    const figures = await run(seconds * 1000);
    const use = readUse();
    const faults = await verifyInserts(collection, figures.count, contents);
    return {
      measured: { ...figures, ...faults, ...(await readSizes(db, COLLECTION)), cpuPercent: use.cpuShare * 100 },
      failed: describeFaults(faults),
    };
  } finally {
    await client.close();
  }
}

/** @param {Db} db @param {string[]} fields to index */
async function recreateCollection(db, fields) {
  await db.dropCollection(COLLECTION);
  // Otherwise the first insert creates it.
  const collection = await db.createCollection(COLLECTION);
  for (const field of fields) await collection.createIndex({ [field]: 1 });
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

/** @param {number[]} counts @throws {Error} if this machine has fewer */
function assertCores(counts) {
  const cores = os.availableParallelism();
  const most = Math.max(...counts);
  if (most > cores) throw new Error(`--server-cores is ${most}; this machine has ${cores}`);
}
