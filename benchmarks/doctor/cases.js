/** @import { Cause } from 'mongodb-pool-predictor' */

/**
 * What the app does.
 *
 * @typedef {object} AppCase
 * @property {import('mongodb').MongoClientOptions} options of its client
 * @property {import('mongodb').MongoClientOptions} [reportOptions] of a second client
 * @property {number} [streams] change streams that it opens
 * @property {{ everyMs: number, count: number, step: [string, number] }[]} [jobs] the app's own work: so many queries
 *   at once
 * @property {Record<string, RouteCase>} routes
 *
 * @typedef {object} RouteCase
 * @property {[string, number][]} steps see app.js
 * @property {number} [limit] of its requests at once
 * @property {number} [cached] share of its requests that are answered without a query
 *
 * @typedef {object} Case
 * @property {AppCase} app
 * @property {Cause} [expected] default: the name of the case
 * @property {string} [client] that the verdict must name
 * @property {Partial<import('./proxy.js').Faults>} [faults]
 * @property {InjectedLoad[]} load
 * @property {boolean} [isBurst] the load starts with as many requests at once as there are callers, also in an open
 *   loop
 * @property {number} [seconds] default 6
 * @property {number} [drainMs] how long the recording waits for the last answers at most, default 0
 *
 * @typedef {object} InjectedLoad
 * @property {string} route
 * @property {number} ratePerSec of an open loop
 * @property {number} callers of a closed loop
 * @property {number} thinkMs their mean think time
 * @property {boolean} [isOpen] default: as the whole run
 * @property {string} [agent] loads with the same agent share its sockets, as behind a gateway; default: an open loop
 *   has one of its own, and so has each caller. none: each request has a new socket
 * @property {number} [maxSockets] of the agent, default no limit
 * @property {number} [timeoutMs] after which a client gives up, default never
 * @property {number} [retries] of a client that gave up, or got an error, default 0
 * @property {number} [periodMs] the rate of an open loop swings between a tenth and 1.9 times, once in this time
 */

const FAST = { '/fast': { steps: /** @type {[string, number][]} */ ([['find', 1]]) } };

/**
 * The injected causes. `random` draws a whole number.
 * @type {Partial<Record<Cause | 'twoClients', (random: (low: number, high: number) => number) => Case>>}
 */
export const CASES = {
  none: (random) => ({
    app: {
      options: { maxPoolSize: random(10, 30) },
      routes: { ...FAST, '/report': { steps: [['hold', random(5, 40)]] } },
    },
    load: [
      { route: '/fast', ratePerSec: random(10, 40), callers: 2, thinkMs: 40 },
      { route: '/report', ratePerSec: random(5, 20), callers: 3, thinkMs: 80 },
    ],
  }),
  fullPool: (random) => {
    const [size, holdMs] = [random(2, 6), random(80, 300)];
    return {
      app: { options: { maxPoolSize: size }, routes: { ...FAST, '/report': { steps: [['hold', holdMs]] } } },
      load: [
        { route: '/fast', ratePerSec: random(10, 30), callers: 3, thinkMs: 30 },
        { route: '/report', ratePerSec: (0.97 * size * 1000) / holdMs, callers: size + random(1, 5), thinkMs: 20 },
      ],
    };
  },
  transactions: (random) => ({
    app: {
      options: { maxPoolSize: random(2, 4) },
      routes: { ...FAST, '/transfer': { steps: [['transfer', random(5, 15)]] } },
    },
    load: [
      { route: '/fast', ratePerSec: 20, callers: 2, thinkMs: 40 },
      { route: '/transfer', ratePerSec: random(25, 35), callers: random(5, 8), thinkMs: 60 },
    ],
    // One that is left open would block the documents for those of the next run.
    drainMs: 5000,
  }),
  coldStart: (random) => {
    const size = random(20, 40);
    return {
      app: {
        options: { maxPoolSize: size, maxConnecting: size },
        routes: { '/report': { steps: [['hold', random(20, 60)]] } },
      },
      faults: { handshakeMs: random(15, 25) },
      load: [{ route: '/report', ratePerSec: 5, callers: size, thinkMs: 3000 }],
      isBurst: true,
      seconds: 3,
    };
  },
  slowHandshake: (random) => {
    const size = random(20, 40);
    return {
      app: {
        options: { maxPoolSize: size, maxConnecting: size },
        routes: { '/report': { steps: [['hold', random(20, 60)]] } },
      },
      faults: { handshakeMs: random(150, 400) },
      load: [{ route: '/report', ratePerSec: 5, callers: size, thinkMs: 3000 }],
      isBurst: true,
      seconds: 3,
    };
  },
  maxConnecting: (random) => {
    const size = random(30, 60);
    return {
      app: { options: { maxPoolSize: size }, routes: { '/report': { steps: [['hold', random(400, 800)]] } } },
      faults: { handshakeMs: random(20, 60) },
      load: [{ route: '/report', ratePerSec: 5, callers: size, thinkMs: 2000 }],
      isBurst: true,
      seconds: 4,
    };
  },
  idleConnections: (random) => ({
    app: { options: { maxPoolSize: random(4, 12), maxIdleTimeMS: random(20, 40) }, routes: FAST },
    faults: { handshakeMs: random(40, 90) },
    load: [{ route: '/fast', ratePerSec: random(15, 30), callers: random(3, 8), thinkMs: 150 }],
  }),
  lostConnections: (random) => ({
    app: { options: { maxPoolSize: random(4, 12) }, routes: FAST },
    faults: { handshakeMs: random(10, 60), idleMs: random(20, 40) },
    load: [{ route: '/fast', ratePerSec: random(15, 30), callers: random(3, 8), thinkMs: 150 }],
  }),
  poolCleared: (random) => ({
    app: {
      options: { maxPoolSize: random(5, 15), heartbeatFrequencyMS: 500 },
      routes: { '/report': { steps: [['hold', 20]] } },
    },
    faults: { cutEveryMs: random(1200, 2000), downMs: random(300, 500) },
    load: [{ route: '/report', ratePerSec: random(20, 40), callers: random(5, 10), thinkMs: 100 }],
  }),
  parkedConnections: (random) => {
    const streams = random(2, 6);
    return {
      app: {
        options: { maxPoolSize: streams + 1 },
        streams,
        routes: { ...FAST, '/report': { steps: [['hold', 25]] } },
      },
      load: [
        { route: '/fast', ratePerSec: 12, callers: 3, thinkMs: 50 },
        { route: '/report', ratePerSec: random(18, 26), callers: random(2, 5), thinkMs: 20 },
      ],
    };
  },
  severalAtOnce: (random) => {
    const count = random(3, 6);
    return {
      app: {
        options: { maxPoolSize: random(2, count - 1) },
        routes: { ...FAST, '/list': { steps: [['atOnce', count]] } },
      },
      load: [
        { route: '/fast', ratePerSec: 4, callers: 1, thinkMs: 100 },
        { route: '/list', ratePerSec: random(5, 9), callers: random(1, 4), thinkMs: 60 },
      ],
    };
  },
  fullServer: (random) => ({
    app: {
      options: { maxPoolSize: random(8, 24) },
      routes: { ...FAST, '/sum': { steps: [['compute', random(10, 40)]] } },
    },
    load: [
      { route: '/fast', ratePerSec: 10, callers: 2, thinkMs: 50 },
      { route: '/sum', ratePerSec: 150, callers: 40, thinkMs: 5 },
    ],
  }),
  lateEventLoop: (random) => ({
    app: {
      options: { maxPoolSize: random(2, 5) },
      routes: {
        ...FAST,
        '/crunch': {
          steps: [
            ['find', 1],
            ['block', random(120, 300)],
          ],
        },
      },
    },
    load: [
      { route: '/fast', ratePerSec: random(30, 80), callers: 12, thinkMs: 60 },
      { route: '/crunch', ratePerSec: 2.2, callers: 1, thinkMs: 250 },
    ],
  }),
  concurrencyLimit: (random) => {
    const [limit, holdMs] = [random(2, 5), random(40, 150)];
    return {
      app: { options: { maxPoolSize: 20 }, routes: { ...FAST, '/report': { steps: [['hold', holdMs]], limit } } },
      load: [
        { route: '/fast', ratePerSec: 10, callers: 2, thinkMs: 50 },
        { route: '/report', ratePerSec: (1.05 * limit * 1000) / holdMs, callers: limit + random(3, 8), thinkMs: 20 },
      ],
    };
  },
  notThePool: (random) => ({
    app: {
      options: { maxPoolSize: random(10, 20) },
      routes: {
        ...FAST,
        '/order': {
          steps: [
            ['find', 1],
            ['elsewhere', random(150, 500)],
            ['find', 1],
          ],
        },
      },
    },
    load: [
      { route: '/fast', ratePerSec: 10, callers: 2, thinkMs: 50 },
      { route: '/order', ratePerSec: random(5, 20), callers: random(4, 10), thinkMs: 50 },
    ],
  }),
  twoClients: (random) => ({
    expected: 'fullPool',
    client: 'reports',
    app: {
      options: { maxPoolSize: random(4, 8) },
      reportOptions: { maxPoolSize: 2, appName: 'reports' },
      routes: { ...FAST, '/report': { steps: [['report', random(60, 120)]] } },
    },
    load: [
      { route: '/fast', ratePerSec: 20, callers: 2, thinkMs: 50 },
      { route: '/report', ratePerSec: 16, callers: 6, thinkMs: 20 },
    ],
  }),
};

/**
 * @param {string} cause one of CASES
 * @param {() => number} random from 0 to 1
 * @returns {Case}
 */
export function drawCase(cause, random) {
  const whole = (/** @type {number} */ low, /** @type {number} */ high) =>
    low + Math.floor(random() * (high - low + 1));
  return /** @type {any} */ (CASES)[cause](whole);
}

/**
 * Whether a verdict has the injected cause and, of two clients, names the one whose pool is full.
 *
 * @param {{ cause: string, facts?: { client?: string } | null }} verdict
 * @param {{ cause: string, client?: string }} injected
 */
export function isRight(verdict, { cause, client }) {
  return verdict.cause === cause && (client === undefined || verdict.facts?.client === client);
}
