import { CHECKPOINT_DATABASE, connectDeployments } from 'oplog-replicator';
import { addLatency } from '../../harness/latency.js';
import { connectClient, createClient } from '../../../src/mongo/client.js';
import { openMongo } from '../../../src/mongo/embedded.js';
import { createCollections, fillSource, listCollections } from './fill-source.js';

/** @import { Db, MongoClient } from 'mongodb' */
/** @import { Context } from '../../harness/run-lab.js' */
/** @import { Settings } from '../../../src/settings.js' */
/** @import { Shape } from './cases.js' */
/** @import { OplogRange } from './fill-source.js' */

const DATABASE = 'pool_lab_replication';
const CHECKPOINT = 'pool-lab run replication';

/**
 * @typedef {Shape & { shards: number }} Data
 * @typedef {{ url: string, client: MongoClient }} TestServer
 * @typedef {{ sources: TestServer[], target: TestServer }} Servers
 */

/**
 * @param {object} options
 * @param {string} options.source connection string
 * @param {string} [options.target] connection string in place of MONGO_TARGET_URL
 * @param {number} [options.shards] all but the first are embedded
 * @param {Omit<Context, 'mongoUrl'>} context
 */
export async function openTestbed({ source, target, shards = 1 }, { settings, report, signal, onEnd }) {
  /** @param {string} [url] @param {string} [origin] the setting or option that has the URL */
  const open = async (url, origin) => {
    const mongo = await openMongo({ ...settings, mongoUrl: url }, { report, signal });
    onEnd(mongo.stop);
    const client = createClient(mongo.url, settings, origin);
    onEnd(() => client.close());
    await connectClient(client, origin);
    return { url: mongo.url, client };
  };
  const sources = [await open(source, '--source')];
  while (sources.length < shards) sources.push(await open());
  const servers = {
    sources,
    target: await open(target ?? settings.mongoTargetUrl, target ? '--target' : 'MONGO_TARGET_URL'),
  };
  await assertUsable(servers);
  const testbed = new Testbed(servers, { settings, signal });
  onEnd(() => testbed.clear());
  return testbed;
}

/**
 * Lets the replicator check the servers before anything is written.
 * @param {Servers} servers
 */
async function assertUsable({ sources, target }) {
  const urls = { sources: sources.map(({ url }) => url), target: target.url };
  await (await connectDeployments(urls, { connections: 1 })).close();
}

/** A source with the data, which may have a second shard, and a target. */
export class Testbed {
  #servers;
  #surroundings;
  /** The operations of each database in the oplogs. @type {Map<string, OplogRange[]>} */
  #databases = new Map();

  /**
   * @param {Servers} servers
   * @param {{ settings: Settings, signal: AbortSignal }} surroundings
   */
  constructor(servers, surroundings) {
    this.#servers = servers;
    this.#surroundings = surroundings;
  }

  get targetUrl() {
    return this.#servers.target.url;
  }

  /** @param {number} rttMs how much longer a round trip to the target takes */
  async openTarget(rttMs) {
    return addLatency(this.targetUrl, this.#surroundings.settings, rttMs);
  }

  /**
   * Writes the data to the sources, unless they have it.
   * @param {Data} data
   * @param {number} ops
   */
  async fill(data, ops) {
    const database = nameDatabase(data);
    if (this.#databases.has(database)) return;
    /** @type {OplogRange[]} */
    const ranges = [];
    this.#databases.set(database, ranges);
    for (const [part, { client }] of this.#servers.sources.slice(0, data.shards).entries()) {
      const { signal } = this.#surroundings;
      ranges.push(await fillSource(client, { database, shape: data, ops, part, of: data.shards, signal }));
    }
  }

  /**
   * The replicator's options that choose the data.
   * @param {Data} data
   */
  sourceOptions(data) {
    return {
      sources: this.#servers.sources.slice(0, data.shards).map(({ url }) => url),
      from: this.listTimes(data, 'from'),
      namespaces: { include: [nameDatabase(data)] },
      checkpointId: CHECKPOINT,
    };
  }

  /** @param {Data} data @param {keyof OplogRange} name @returns where this is in the oplogs */
  listTimes(data, name) {
    return this.#databases.get(nameDatabase(data))?.map((range) => range[name]) ?? [];
  }

  /** @param {Data} data */
  async clearTarget(data) {
    const db = this.#servers.target.client.db(nameDatabase(data));
    await db.dropDatabase();
    await createCollections(db, data);
  }

  /** @param {Data} data @returns its first collection, on the source and on the target */
  pickCollections(data) {
    const { sources, target } = this.#servers;
    const [name] = listCollections(data);
    const [source, copy] = [sources[0], target].map(({ client }) => client.db(nameDatabase(data)).collection(name));
    return { source, target: copy };
  }

  /**
   * Compares the target with the source that has all of the data.
   * @param {Data} data
   * @returns {Promise<string[]>} collections that differ
   */
  compare(data) {
    const { sources, target } = this.#servers;
    const expected = sources[0].client.db(nameDatabase({ ...data, shards: 1 }));
    return findDifferences(expected, target.client.db(nameDatabase(data)));
  }

  /** Removes what was written. */
  async clear() {
    const { sources, target } = this.#servers;
    const clients = [...sources, target].map(({ client }) => client);
    for (const database of this.#databases.keys()) {
      await Promise.all(clients.map((client) => client.db(database).dropDatabase()));
    }
    await target.client.db(CHECKPOINT_DATABASE).collection('checkpoints').deleteMany({ '_id.name': CHECKPOINT });
  }
}

/**
 * @param {Db} one
 * @param {Db} other
 * @returns {Promise<string[]>} collections that differ, by the server's hash of their documents, or that only one has
 */
export async function findDifferences(one, other) {
  const [hashes, others] = await Promise.all(
    [one, other].map(
      async (db) => /** @type {Record<string, string>} */ ((await db.command({ dbHash: 1 })).collections),
    ),
  );
  return [...new Set([...Object.keys(hashes), ...Object.keys(others)])].filter((name) => hashes[name] !== others[name]);
}

/** @param {Data} data */
function nameDatabase({ collections, fields, shards }) {
  return `${DATABASE}_${collections}x${fields}${shards > 1 ? '_shards' : ''}`;
}
