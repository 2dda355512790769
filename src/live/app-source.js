import { readClientSettings } from 'mongodb-pool-page';

/** @import { Checkouts } from 'mongodb-pool-monitor' */
/** @import { Extension, LiveSource } from 'mongodb-pool-page' */
/** @import { ConcurrencyLimit } from '../http/concurrency-limit.js' */
/** @import { LoadTests } from '../load-tests/load-test-runner.js' */
/** @import { Database } from '../mongo/database.js' */

/** What only this app's page has: settings, traffic, load tests. @type {Extension} */
export const CONTROLS = {
  files: new URL('browser/', import.meta.url),
  html: 'controls.html',
  style: 'controls.css',
  module: 'controls.js',
};

/**
 * @typedef {object} AppState what the live view reads of the app
 * @property {Database} database may still be connecting
 * @property {{ slowMs: number }} load
 * @property {Checkouts} checkouts
 * @property {LiveSource['requests']} requests
 * @property {LoadTests} loadTests
 * @property {{ enabled: boolean, token?: string }} controls
 * @property {ConcurrencyLimit} slowLimit
 * @property {ConcurrencyLimit} requestLimit
 * @property {number} requestTimeoutMs
 */

/**
 * What the live view shows of the app: its pools, and the fields that only this app has.
 *
 * @param {AppState} app
 * @returns {LiveSource}
 */
export function createAppSource(app) {
  const { database, load, loadTests, checkouts, requests } = app;
  return {
    checkouts,
    requests,
    listPools: () =>
      database.clients
        .filter(({ isConnected }) => isConnected)
        .map(({ current, handles }) => ({
          name: current.monitor.name,
          monitors: handles.map(({ monitor }) => monitor),
          settings: readClientSettings(current.client),
        })),
    readStatus: () => database.status(),
    readServerLoad: () => database.readServerLoad(),
    listQueries: () => ({
      '/slow': { aloneMs: load.slowMs, isWork: database.slowQuery === 'work' },
      '/fast': { aloneMs: 1, isWork: false },
    }),
    about: () => describeApp(app),
    onReader(send) {
      for (const test of loadTests.list()) send('load-test', test);
    },
  };
}

/**
 * Fields of `GET /pool` that only this app has. `requests` and, if a limit is set, `slowLimit` count running requests.
 * `settings` have the names of src/base/settings-table.js.
 *
 * @param {AppState} app
 */
function describeApp({ database, load, requestTimeoutMs, requestLimit, slowLimit, controls, loadTests }) {
  const { main, slow, slowQuery } = database;
  const limit = slowLimit.snapshot();
  return {
    title: 'MongoDB Pool Lab',
    slowMs: load.slowMs,
    slowQuery,
    serverVersion: main.version,
    controls: controls.enabled,
    needsToken: controls.token !== undefined,
    features: { loadTests: loadTests.missing === null },
    settings: {
      ...(slow !== main && { slowPoolSize: slow.current.client.options.maxPoolSize }),
      ...(limit.max < Infinity && { slowConcurrency: limit.max }),
      requestTimeoutMs,
    },
    requests: requestLimit.snapshot(),
    ...(limit.max < Infinity && { slowLimit: limit }),
  };
}
