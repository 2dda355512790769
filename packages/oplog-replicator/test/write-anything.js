/** @import { Collection, Db, MongoClient } from 'mongodb' */
/** @import { Random } from 'test-support/random.js' */

const IDS = 40;
/** A collection that a filter may exclude. Only $out writes to it, and inserts. */
export const EXCLUDED = 'excluded';

/**
 * Performs one random operation, weighted towards what replicators get wrong, often on the same documents.
 *
 * @param {MongoClient} client
 * @param {Db} db
 * @param {Random} random
 */
export async function writeAnything(client, db, random) {
  const pick = (/** @type {any[]} */ list) => list[Math.floor(random.uniform() * list.length)];
  const number = () => Math.floor(random.uniform() * 10);
  /** @returns {Collection<any>} */
  const collection = (name = pick(['a', 'b', 'c', 'unique'])) => db.collection(name);
  const _id = () => Math.floor(random.uniform() * IDS);
  const field = () => pick(['x', 'y', 'list', 'inner', 'inner.x', 'inner.list', 'list.2', 'list.1.x']);
  const value = () =>
    pick([number(), String(number()), [number(), { x: number() }, number()], { x: number(), list: [1] }, null]);
  const document = () => ({
    _id: _id(),
    email: pick([undefined, `user-${number()}`]),
    x: number(),
    list: [1, { x: 2 }],
  });
  /** @returns {any} */
  const push = (/** @type {number} */ $slice) => ({ $push: { list: { $each: [value()], $slice } } });

  /** @type {[number, () => Promise<unknown>][]} weight, operation */
  const operations = [
    // Nothing later hides an operation that was lost or repeated here.
    [40, () => collection('kept').insertMany([{ x: number() }, { x: number() }, { x: number(), list: [] }])],
    [40, () => collection('kept').updateMany({ x: number() }, { $inc: { count: 1 }, ...push(-2) })],
    [5, () => collection('kept').deleteOne({ x: number() })],
    [4, () => collection('kept').rename(`kept-${random.uniform()}`)],
    [30, () => collection().insertOne(document())],
    [10, () => collection().insertMany(Array.from({ length: 20 }, document), { ordered: false })],
    [15, () => collection().deleteOne({ _id: _id() })],
    [
      40,
      () => collection().updateOne({ _id: _id() }, { $set: { [field()]: value(), [pick(['k', 'l', 'm'])]: value() } }),
    ],
    [10, () => collection().updateOne({ _id: _id() }, { $unset: { [field()]: '' } })],
    [20, () => collection().updateOne({ _id: _id() }, push(-4))],
    [
      20,
      () =>
        collection().updateOne({ _id: _id() }, [{ $set: { z: number(), inner: { [pick(['q', 'r'])]: number() } } }]),
    ],
    [10, () => collection().replaceOne({ _id: _id() }, { email: `user-${number()}`, y: value() }, { upsert: true })],
    [20, () => collection().updateMany({}, { $inc: { count: 1 } })],
    [
      20,
      () => collection('unique').updateOne({ _id: _id() }, { $set: { email: `user-${number()}`, moved: number() } }),
    ],
    [
      20,
      () =>
        client.withSession((session) =>
          session.withTransaction(async () => {
            await collection('a').updateOne({ _id: _id() }, { $inc: { x: 1 } }, { session });
            await collection('b').replaceOne({ _id: _id() }, { y: value() }, { session, upsert: true });
            await collection('b').deleteOne({ _id: _id() }, { session });
          }),
        ),
    ],
    [1, () => collection('a').drop()],
    [1, () => collection('unique').drop()],
    [
      3,
      () =>
        collection('unique').createIndex(
          { email: 1 },
          {
            unique: true,
            partialFilterExpression: { email: { $exists: true } },
          },
        ),
    ],
    [1, () => collection('b').rename('a', { dropTarget: true })],
    [1, () => collection('b').rename('c')],
    [2, () => collection('a').createIndex({ [pick(['x', 'y'])]: 1 })],
    [1, () => collection('a').dropIndexes()],
    [2, () => collection('a').createIndex({ at: 1 }, { expireAfterSeconds: 1 })],
    [10, () => collection('a').insertOne({ at: new Date(0) })],
    // So large that it removes nothing by itself.
    [1, () => db.command({ convertToCapped: 'c', size: 1 << 22 })],
    [1, () => db.command({ cloneCollectionAsCapped: 'b', toCollection: pick(['c', 'clone']), size: 1 << 22 })],
    [
      2,
      () =>
        collection('a')
          .aggregate([{ $out: pick(['c', EXCLUDED]) }])
          .toArray(),
    ],
    [5, () => collection(EXCLUDED).insertOne(document())],
    [1, () => db.createCollection('view', { viewOn: pick(['a', 'b']), pipeline: [] })],
    [1, () => db.collection('view').drop()],
    [1, () => db.createCollection('series', { timeseries: { timeField: 'at', metaField: 'x' } })],
    [5, () => collection('series').insertOne({ at: new Date(), x: number() })],
    [1, () => collection('series').drop()],
  ];
  let at = random.uniform() * operations.reduce((sum, [weight]) => sum + weight, 0);
  const [, operation] = /** @type {[number, () => Promise<unknown>]} */ (
    operations.find(([weight]) => (at -= weight) < 0)
  );
  await operation().catch((error) => {
    // A duplicate key, a field that is not an array, a missing collection, a server that is down.
    if (!error.name.startsWith('Mongo')) throw error;
  });
}
