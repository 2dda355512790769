import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Collection, Db, MongoClient } from 'mongodb' */

const CUSTOMERS = 200;
const PRODUCTS = 50;
const OLD_ORDERS = 20_000;
/** Orders of the same moment. */
const ORDERS = 4;
const PAUSE_MS = 50;
/** After so many orders a day is over, in about 4 s. */
const ORDERS_A_DAY = 240;
/** Long enough that whoever compares for 5 s finds a moment without writes. */
const NIGHT_MS = 2000;
const DAYS_KEPT = 3;
const NOTE = 'Please leave it with the neighbours. '.repeat(10);

/**
 * A shop that writes in ways that make replication hard: many updates of one product, values of a unique
 * index that move between documents, and collections that are renamed, get indexes and are dropped.
 *
 * @param {MongoClient} client
 * @param {object} options
 * @param {AbortSignal} options.signal ends it
 * @param {(operations: number) => void} options.onWrite called with the number of operations so far
 */
export async function runBusyShop(client, { signal, onWrite }) {
  const db = client.db('shop');
  await fill(db);
  for (let operations = 0, first = 0; !signal.aborted; first += ORDERS) {
    operations += await takeOrders(db, first);
    operations += await moveEmail(db, first);
    const isNight = (first + ORDERS) % ORDERS_A_DAY === 0;
    if (isNight) operations += await endDay(db, (first + ORDERS) / ORDERS_A_DAY);
    onWrite(operations);
    await sleep(isNight ? NIGHT_MS : PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}

/** @param {Db} db @param {string} name @returns {Collection<any>} */
function collection(db, name) {
  return db.collection(name);
}

/** @param {Db} db */
async function fill(db) {
  const list = (/** @type {number} */ count, /** @type {(_id: number) => object} */ create) =>
    Array.from({ length: count }, (_, _id) => ({ _id, ...create(_id) }));
  await collection(db, 'customers').createIndex({ email: 1 }, { unique: true });
  await collection(db, 'customers').insertMany(list(CUSTOMERS, (_id) => ({ email: `customer-${_id}@shop.example` })));
  await collection(db, 'products').insertMany(list(PRODUCTS, () => ({ sold: 0 })));
  await collection(db, 'old_orders').insertMany(list(OLD_ORDERS, () => ({ note: NOTE })));
}

/** @param {Db} db @param {number} first number of the first order @returns {Promise<number>} operations */
async function takeOrders(db, first) {
  for (let order = first; order < first + ORDERS; order++) {
    // Every second order is for the same product.
    const product = order % 2 ? 0 : order % PRODUCTS;
    await collection(db, 'orders').insertOne({ _id: order, product, note: NOTE });
    await collection(db, 'products').updateOne({ _id: product }, { $inc: { sold: 1 } });
  }
  return 2 * ORDERS;
}

/** A customer gets the address of another one, who gets a new one first. @param {Db} db @param {number} order */
async function moveEmail(db, order) {
  const customers = collection(db, 'customers');
  const [from, to] = [order, order + 1].map((number) => number % CUSTOMERS);
  const before = await customers.findOneAndUpdate({ _id: from }, { $set: { email: `order-${order}@shop.example` } });
  await customers.updateOne({ _id: to }, { $set: { email: before.email } });
  return 2;
}

/** @param {Db} db @param {number} day */
async function endDay(db, day) {
  const name = `orders_of_day_${day}`;
  await collection(db, 'orders').rename(name);
  await collection(db, name).createIndex({ product: 1 });
  const isDropped = day > DAYS_KEPT && (await db.dropCollection(`orders_of_day_${day - DAYS_KEPT}`));
  return isDropped ? 3 : 2;
}
