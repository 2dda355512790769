// @ts-nocheck Any library may be behind this.
// What the app does with a client. Many of these operations fail, as they should.
const { setTimeout: wait } = require('node:timers/promises');

const OPERATIONS = {
  find: ({ orders }) => orders.findOne({}),
  insert: ({ orders }, n) => orders.insertOne({ n }),
  // A mongoose model, where there is one.
  model: ({ Order, orders }) => (Order ? Order.findOne({}) : orders.find({}).limit(3).toArray()),
  modify: ({ orders }) => orders.findOneAndUpdate({ n: 2 }, { $inc: { changes: 1 } }),
  count: ({ orders }) => orders.estimatedDocumentCount(),
  indexes: ({ orders }) => orders.listIndexes().toArray(),
  duplicate: ({ orders }) => orders.insertMany([{ _id: 'same' }, { _id: 'same' }]),
  refused: ({ orders }) => orders.findOne({ $unknown: 1 }),
  tooSlow: ({ orders }) => orders.findOne({ $where: 'sleep(100) || true' }, { maxTimeMS: 5 }),
  // Driver 5 does not know signals and finishes.
  abort: async ({ orders }, n) => {
    const controller = new AbortController();
    const abort = async () => {
      await wait(n % 4);
      controller.abort();
    };
    await Promise.all([orders.findOne({}, { signal: controller.signal }), abort()]);
  },
  // Of two transactions that change one document, the second one fails.
  conflict: async ({ client, orders }) => {
    const sessions = [client.startSession(), client.startSession()];
    try {
      for (const session of sessions) {
        session.startTransaction();
        await orders.updateOne({ n: 1 }, { $inc: { changes: 1 } }, { session });
      }
    } finally {
      for (const session of sessions) await session.endSession();
    }
  },
  // The test's server cuts the connection of this command.
  cut: ({ orders }) => orders.distinct('n'),
};

/** @param {number} n */
function pick(n) {
  if (n % 110 === 50) return 'cut';
  if (n % 50 === 1) return 'tooSlow';
  if (n % 50 === 22) return 'conflict';
  if (n % 50 === 33) return 'indexes';
  return ['find', 'insert', 'model', 'modify', 'abort', 'insert', 'count', 'duplicate', 'model', 'refused'][n % 10];
}

/** @param {any} client @param {number} n */
exports.operate = async (client, n) => {
  const kind = pick(n);
  try {
    await OPERATIONS[kind](client, n);
    return `${kind} done`;
  } catch (error) {
    return `${kind} ${error.name}`;
  }
};

/**
 * Keeps a connection until somebody kills the operation. Of those that are not served in time, as many try again as it
 * takes to keep all connections.
 * @param {any} client
 */
exports.hold = async (client) => {
  client.holding += 1;
  while ((await holdOnce(client)) === 'MongoWaitQueueTimeoutError' && client.holding <= client.max);
  client.holding -= 1;
};

/** Opens a change stream and a tailable cursor, which keep a connection each. @param {any} client */
exports.follow = ({ client, orders }) => {
  // Driver 5 can't end before the server has answered.
  const options = { maxAwaitTimeMS: 1000 };
  orders
    .watch([], options)
    .on('change', () => {})
    .on('error', () => {});
  const news = client
    .db('attach')
    .collection('news')
    .find({}, { ...options, tailable: true, awaitData: true });
  // Until the client is closed.
  news.forEach(() => {}).catch(() => {});
};

/** The server answers when its topology changes. @param {any} client @returns {Promise<string>} how it ended */
async function holdOnce({ client }) {
  try {
    const admin = client.db('admin');
    const { topologyVersion } = await admin.command({ hello: 1 }, { promoteLongs: false });
    await admin.command({ hello: 1, topologyVersion, maxAwaitTimeMS: 120_000, comment: 'held' });
    return 'answered';
  } catch (error) {
    return error.name;
  }
}
