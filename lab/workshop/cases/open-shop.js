import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startApp } from '../../harness/app-process.js';
import { addLatency } from '../../harness/latency.js';
import { openLoopbackServer } from '../../base/loopback-server.js';
import { connectClient, createClient } from '../../../src/mongo/client.js';
import { startEmbeddedMongo } from '../../../src/mongo/embedded.js';
import { readSettings } from '../../../src/settings.js';

/** @import { MongoClient } from 'mongodb' */
/** @typedef {Awaited<ReturnType<typeof openShop>>} Shop */
/** @typedef {{ url: string, pid: number, signal: AbortSignal, stop: () => Promise<void> }} ShopApp */

/** Name of the clients that are not the shop's. */
export const APP_NAME = 'pool-lab case';
/** How many connections the shop may have. */
export const POOL_SIZE = 5;
export const CATEGORIES = ['books', 'games', 'music', 'tools', 'toys'];
const PRODUCTS = 1000;
/** Enough that a query without an index reads for tens of milliseconds. */
const ORDERS = 100_000;
export const CUSTOMERS = ORDERS / 10;
const BATCH = 10_000;
/** The way to the database. On loopback connections open too fast for anybody to wait. */
const RTT_MS = 20;
/** What TLS and the login add to opening a connection. */
const CONNECT_MS = 100;
/** How long the other service takes. */
const STOCK_MS = 30;
const SERVER = fileURLToPath(new URL('serve-shop.js', import.meta.url));

/**
 * What a shop of a case needs: a MongoDB of its own, 20 ms away, with its data, and the service that knows the stock.
 * @param {{ report: (line: string) => void, signal: AbortSignal }} options
 */
export async function openShop({ report, signal }) {
  const settings = readSettings();
  /** What ends what was started, the last first. @type {(() => unknown)[]} */
  const ends = [];
  const close = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const mongo = await startEmbeddedMongo({ ...settings, report, signal });
    ends.push(mongo.stop);
    const client = createClient(mongo.url, { ...settings, poolSize: 2, minPoolSize: 0, appName: APP_NAME });
    ends.push(() => client.close());
    await connectClient(client);
    await fill(client, signal);
    const way = await addLatency(mongo.url, settings, RTT_MS, { connectMs: CONNECT_MS });
    ends.push(way.close);
    const stock = await openStock();
    ends.push(stock.close);
    return {
      client,
      close,
      countStock: stock.count,
      /** @param {string} file of the shop @param {string} [port] @returns {Promise<ShopApp>} */
      start: (file, port = '0') =>
        startApp(
          { MONGO_URL: way.url, POOL_SIZE: String(POOL_SIZE), STOCK_URL: stock.url, PORT: port },
          { script: SERVER, args: [file], signal },
        ),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {MongoClient} client @param {AbortSignal} signal */
async function fill(client, signal) {
  const db = client.db('shop');
  const products = Array.from({ length: PRODUCTS }, (_, _id) => ({
    _id,
    category: CATEGORIES[_id % CATEGORIES.length],
    price: _id + 1,
  }));
  await db.collection('products').insertMany(/** @type {any[]} */ (products));
  for (let first = 0; first < ORDERS; first += BATCH) {
    signal.throwIfAborted();
    const orders = Array.from({ length: BATCH }, (_, index) => {
      const _id = first + index;
      const bought = Array.from({ length: 10 }, (__, n) => (_id + 7 * n) % PRODUCTS);
      return { _id, customer: _id % CUSTOMERS, products: bought };
    });
    await db.collection('orders').insertMany(/** @type {any[]} */ (orders));
  }
}

/** Nobody who has not asked the service knows its answers. */
async function openStock() {
  const base = randomInt(1000);
  const count = (/** @type {number} */ product) => (base + 17 * product) % 1000;
  const { url, close } = await openLoopbackServer(
    (path, res, req) => {
      const products = new URL(String(req.url), url).searchParams.get('products') ?? '';
      setTimeout(() => res.end(JSON.stringify(products.split(',').map(Number).map(count))), STOCK_MS);
    },
    { port: 0 },
  );
  return { url, close, count };
}
