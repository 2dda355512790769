/**
 * A query that takes about `ms` on an idle server: it sleeps, or keeps a core of the server busy.
 *
 * @typedef {[command: 'find' | 'distinct', collection: string, ms: number, isBusy?: boolean]} AppQuery
 *
 * @typedef {object} ShopLoad
 * @property {number} pool size
 * @property {Record<string, AppQuery[]>} routes with their queries, one after the other
 * @property {Record<string, number>} [ratePerSec] of an open loop with Poisson arrivals, by route
 * @property {[forMs: number, times: number][]} [swing] how the rates change, again and again
 * @property {Record<string, { callers: number, thinkMs: number }>} [callers] of a closed loop, by route
 */

/** @type {Record<string, ShopLoad>} */
export const LOADS = {
  'one slow query': {
    pool: 4,
    routes: { '/user': [['find', 'users', 4]], '/report': [['distinct', 'orders', 80]] },
    ratePerSec: { '/user': 30, '/report': 38 },
  },
  'two in sequence': {
    pool: 3,
    routes: {
      '/checkout': [
        ['find', 'carts', 12],
        ['find', 'prices', 60],
      ],
      '/home': [['find', 'articles', 6]],
    },
    ratePerSec: { '/checkout': 31, '/home': 30 },
  },
  // Each takes a third of the pool's time.
  'three alike': {
    pool: 4,
    routes: {
      '/product': [['find', 'products', 20]],
      '/search': [['find', 'words', 60]],
      '/statistics': [['distinct', 'sales', 150]],
    },
    ratePerSec: { '/product': 56, '/search': 19, '/statistics': 7.6 },
  },
  'users who wait': {
    pool: 4,
    routes: { '/map': [['find', 'places', 50]], '/place': [['find', 'reviews', 15]] },
    callers: { '/map': { callers: 10, thinkMs: 80 }, '/place': { callers: 6, thinkMs: 40 } },
  },
  bursts: {
    pool: 5,
    routes: {
      '/item': [['find', 'items', 25]],
      '/export': [['distinct', 'logs', 100]],
    },
    ratePerSec: { '/item': 30, '/export': 14 },
    swing: [
      [1500, 0.7],
      [500, 2.5],
    ],
  },
  'busy server': {
    pool: 3,
    routes: {
      '/price': [['find', 'rates', 10, true]],
      '/forecast': [['distinct', 'weather', 30, true]],
    },
    ratePerSec: { '/price': 95, '/forecast': 35 },
  },
};
