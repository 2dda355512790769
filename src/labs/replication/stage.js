import { connectClient, createClient } from '../../mongo/client.js';
import { openMongo } from '../../mongo/open.js';
import { CHECKPOINT_DATABASE, connectEnds } from 'oplog-replicator';
import { createCollections, fillSource, listCollections } from './fill-source.js';
import { findDifferences } from './find-differences.js';

/** @import { Settings } from '../../settings.js' */
/** @import { Shape } from './cases.js' */
/** @import { OplogRange } from './fill-source.js' */

const DATABASE = 'pool_lab_replication';
const CHECKPOINT = 'pool-lab run replication';

/**
 * @typedef {Shape & { shards: number }} Data
 * @typedef {{ url: string, client: import('mongodb').MongoClient }} Server
 * @typedef {{ sources: Server[], target: Server }} Ends
 * @typedef {Awaited<ReturnType<typeof openStage>>} Stage
 */

/**
 * Open both sides of the lab: a source, which can have a second shard, and a target.
 *
 * @param {object} options
 * @param {string} options.source connection string
 * @param {string} [options.target] connection string in place of MONGO_TARGET_URL
 * @param {number} [options.shards] the others are embedded
 * @param {object} surroundings
 * @param {Settings} surroundings.settings
 * @param {(line: string) => void} surroundings.report
 * @param {AbortSignal} surroundings.signal
 */
export async function openStage({ source, target, shards = 1 }, { settings, report, signal }) {
  /** @type {(() => Promise<void>)[]} */
  const closers = [];
  const close = async () => {
    while (closers.length > 0) await closers.pop()?.();
  };
  /** @param {string} [url] @param {string} [origin] */
  const open = async (url, origin) => {
    const mongo = await openMongo({ ...settings, mongoUrl: url }, { report, signal });
    closers.push(mongo.stop);
    const client = createClient(mongo.url, settings, origin);
    closers.push(() => client.close());
    await connectClient(client, origin);
    return { url: mongo.url, client };
  };
  try {
    const sources = [await open(source, '--source')];
    while (sources.length < shards) sources.push(await open());
    const ends = { sources, target: await open(target ?? settings.mongoTargetUrl, target ? '--target' : 'MONGO_TARGET_URL') };
    await assertUsable(ends);
    return createStage(ends, close, signal);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Have the replicator itself say whether it could work with these, before anything is written.
 * @param {Ends} ends
 */
async function assertUsable({ sources, target }) {
  const ends = await connectEnds({ sources: sources.map(({ url }) => url), target: target.url }, sources.length);
  await ends.close();
}

/**
 * @param {Ends} ends
 * @param {() => Promise<void>} close
 * @param {AbortSignal} signal
 */
function createStage({ sources, target }, close, signal) {
  /** Where each database's inserts are in the oplogs. @type {Map<string, OplogRange[]>} */
  const databases = new Map();

  return {
    target,
    /**
     * Have the sources' oplogs hold inserts; what is there already is used again.
     * @param {Data} data
     * @param {number} ops
     */
    async fill(data, ops) {
      const database = nameDatabase(data);
      if (databases.has(database)) return;
      /** @type {OplogRange[]} */
      const ranges = [];
      databases.set(database, ranges);
      for (const [part, { client }] of sources.slice(0, data.shards).entries()) {
        ranges.push(await fillSource(client, { database, shape: data, ops, part, of: data.shards, signal }));
      }
    },
    /**
     * What a replicator is told of the data: where it is, and of nothing else.
     * @param {Data} data
     */
    describe(data) {
      const database = nameDatabase(data);
      const ranges = databases.get(database) ?? [];
      return {
        sources: sources.slice(0, data.shards).map(({ url }) => url),
        from: ranges.map(({ from }) => from),
        namespaces: { include: [database] },
        checkpointId: CHECKPOINT,
      };
    },
    /**
     * Where the data ends in the oplogs.
     * @param {Data} data
     */
    listEnds(data) {
      return databases.get(nameDatabase(data))?.map(({ until }) => until) ?? [];
    },
    /** @param {Data} data */
    async clearTarget(data) {
      const db = target.client.db(nameDatabase(data));
      await db.dropDatabase();
      await createCollections(db, data);
    },
    /**
     * The first collection of the data on both sides.
     * @param {Data} data
     */
    pickCollections(data) {
      const [name] = listCollections(data);
      const [source, copy] = [sources[0], target].map(({ client }) => client.db(nameDatabase(data)).collection(name));
      return { source, target: copy };
    },
    /**
     * Compare the target with one source that has all of the data.
     * @param {Data} data
     * @returns {Promise<string[]>} collections that differ
     */
    compare(data) {
      const whole = sources[0].client.db(nameDatabase({ ...data, shards: 1 }));
      return findDifferences(whole, target.client.db(nameDatabase(data)));
    },
    /** Take away what was written, and end what was started. */
    async close() {
      const clients = [...sources, target].map(({ client }) => client);
      try {
        for (const database of databases.keys()) {
          await Promise.all(clients.map((client) => client.db(database).dropDatabase()));
        }
        await target.client.db(CHECKPOINT_DATABASE).collection('checkpoints').deleteMany({ '_id.name': CHECKPOINT });
      } finally {
        await close();
      }
    },
  };
}

/** @param {Data} data */
function nameDatabase({ collections, fields, shards }) {
  return `${DATABASE}_${collections}x${fields}${shards > 1 ? '_shards' : ''}`;
}
