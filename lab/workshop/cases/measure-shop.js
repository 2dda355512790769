import { isDeepStrictEqual } from 'node:util';
import { sendRequests } from '../../harness/loads/open-loop.js';
import { poll, repeatUntil } from '../../base/poll.js';
import { quantile } from 'mongodb-pool-predictor/statistics';
import { APP_NAME, CATEGORIES, CUSTOMERS } from './open-shop.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Answer, DueRequest } from '../../harness/loads/open-loop.js' */
/** @import { Shop, ShopApp } from './open-shop.js' */

/**
 * @typedef {object} ShopFigures
 * @property {Record<string, ShopRouteFigures>} routes
 * @property {number} requests
 * @property {number} connections most that the server had from the shop, with those that only monitor it
 * @property {number} opened connections while the load ran
 * @property {number} examined documents that the server looked at for a request
 * @property {number} missed changes that the shop never heard of
 * @property {number} noiseMs p90 of what needs no connection of the shop: a ping of the server, and a request without a
 *   query
 *
 * @typedef {{ p50Ms: number, p90Ms: number, failures: number, isRight: boolean }} ShopRouteFigures isRight: whether it
 *   always answered what it should
 */

export const ROUTES = ['/order', '/customer', '/offers'];
/** Requests to each route. */
const RATE_PER_SEC = 20;
const PATIENCE_MS = 10_000;
const COUNT_EVERY_MS = 200;
const CHECK_EVERY_MS = 300;
/** When the shop must have heard of a change. */
const CHANGES_MS = 5000;
/** What the right answers are asked for. */
const ID = 123;

/** The same load each time: each route in turn, evenly. @param {number} seconds @returns {DueRequest[]} */
function planLoad(seconds) {
  return Array.from({ length: RATE_PER_SEC * seconds * ROUTES.length }, (_, index) => ({
    route: `${ROUTES[index % ROUTES.length]}?id=${index % CUSTOMERS}`,
    atMs: (1000 * index) / RATE_PER_SEC / ROUTES.length,
  }));
}

/**
 * @param {ShopApp} app
 * @param {{ seconds: number }} options
 * @returns {Promise<Record<string, Omit<ShopRouteFigures, 'isRight'>>>}
 */
export async function loadShop({ url, signal }, { seconds }) {
  const answers = await sendRequests(planLoad(seconds), { url, patienceMs: PATIENCE_MS, signal });
  return Object.fromEntries(ROUTES.map((route) => [route, summarise(answers, route)]));
}

/** @param {Answer[]} all @param {string} wanted */
function summarise(all, wanted) {
  const answers = all.filter(({ route }) => route.startsWith(`${wanted}?`));
  const tookMs = answers.map((answer) => answer.tookMs);
  const failures = answers.filter(({ status }) => status !== 200).length;
  return { p50Ms: quantile(tookMs, 0.5), p90Ms: quantile(tookMs, 0.9), failures };
}

/**
 * @param {Shop} shop
 * @param {ShopApp} app
 * @param {{ seconds: number }} options
 * @returns {Promise<ShopFigures>}
 */
export async function measureShop({ client, countStock }, app, { seconds }) {
  await loadShop(app, { seconds: 1 }); // the warm-up
  const changesBefore = Number(await ask(app, '/changes'));
  const right = await readAnswers(client, countStock);
  const before = await readServer(client);
  const counting = new AbortController();
  /** Routes that gave another answer. @type {Set<string>} */
  const wrongRoutes = new Set();
  /** @type {number[]} */
  const noisesMs = [];
  let connections = 0;
  const counted = repeatUntil(
    async () => {
      connections = Math.max(connections, await countConnections(client));
      const sentAtMs = performance.now();
      await client.db('admin').command({ ping: 1 });
      await ask(app, '/changes');
      noisesMs.push(performance.now() - sentAtMs);
    },
    { everyMs: COUNT_EVERY_MS, stop: counting.signal },
  );
  // Under load: an app could give an empty answer only to those who would have to wait.
  const checked = repeatUntil(
    async () => {
      const answers = await Promise.all(ROUTES.map((route) => ask(app, `${route}?id=${ID}`)));
      answers.forEach((answer, index) => {
        if (!isDeepStrictEqual(answer, right[ROUTES[index]])) wrongRoutes.add(ROUTES[index]);
      });
    },
    { everyMs: CHECK_EVERY_MS, stop: counting.signal },
  );
  const [routes] = await Promise.all([loadShop(app, { seconds }), changeProducts(client)]).finally(() =>
    counting.abort(),
  );
  await Promise.all([counted, checked]);
  const after = await readServer(client);
  const requests = planLoad(seconds).length;
  const missed = async () => CATEGORIES.length + changesBefore - Number(await ask(app, '/changes'));
  await poll(async () => (await missed()) === 0 || undefined, { everyMs: 100, timeoutMs: CHANGES_MS });
  return {
    routes: Object.fromEntries(
      Object.entries(routes).map(([route, figures]) => [route, { ...figures, isRight: !wrongRoutes.has(route) }]),
    ),
    requests,
    connections,
    opened: after.opened - before.opened,
    examined: (after.examined - before.examined) / requests,
    missed: await missed(),
    noiseMs: quantile(noisesMs, 0.9),
  };
}

/** One product of each category. @param {MongoClient} client */
async function changeProducts(client) {
  const products = client.db('shop').collection('products');
  for (const category of CATEGORIES) await products.updateOne({ category }, { $inc: { price: 1 } });
}

/** @param {MongoClient} client */
async function readServer(client) {
  const { connections, metrics } = await client.db('admin').command({ serverStatus: 1 });
  return { opened: Number(connections.totalCreated), examined: Number(metrics.queryExecutor.scannedObjects) };
}

/** Those of all clients but our own. @param {MongoClient} client @returns {Promise<number>} */
async function countConnections(client) {
  const [{ count } = { count: 0 }] = await client
    .db('admin')
    .aggregate([
      { $currentOp: { allUsers: true, idleConnections: true } },
      { $match: { client: { $exists: true }, appName: { $ne: APP_NAME } } },
      { $count: 'count' },
    ])
    .toArray();
  return count;
}

/** @param {ShopApp} app @param {string} path @returns {Promise<unknown>} undefined if there is no such answer */
async function ask({ url, signal }, path) {
  const response = await fetch(new URL(path, url), { signal });
  const text = await response.text();
  return response.ok && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
}

/**
 * @param {MongoClient} client
 * @param {(product: number) => number} countStock
 * @returns {Promise<Record<string, unknown>>} by route
 */
async function readAnswers(client, countStock) {
  const [orders, products] = ['orders', 'products'].map((name) => client.db('shop').collection(name));
  const order = await orders.findOne({ _id: /** @type {any} */ (ID) });
  const offers = products.find({ _id: /** @type {any} */ ({ $gte: ID }) }, { sort: { _id: 1 }, limit: 10 });
  const answers = {
    '/order': await products.find({ _id: { $in: order?.products } }).toArray(),
    '/customer': await orders.find({ customer: ID }).toArray(),
    '/offers': (await offers.toArray()).map((offer) => ({ ...offer, count: countStock(Number(offer._id)) })),
  };
  // As they arrive.
  return JSON.parse(JSON.stringify(answers));
}
