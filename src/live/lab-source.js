import { readClientSettings } from 'mongodb-pool-monitor/live';

/** @import { Checkouts } from 'mongodb-pool-monitor' */
/** @import { LiveSource } from 'mongodb-pool-monitor/live' */
/** @import { ConcurrencyLimit } from '../http/concurrency-limit.js' */
/** @import { Database } from '../mongo/database.js' */

/**
 * @typedef {object} Lab
 * @property {Database} [database] once it is open
 * @property {{ slowMs: number }} load
 * @property {Checkouts} checkouts
 * @property {LiveSource['requests']} requests
 * @property {ReturnType<typeof import('./load-test-runner.js').createLoadTests>} loadTests
 * @property {{ enabled: boolean, token?: string }} controls
 * @property {ConcurrencyLimit} slowLimit
 * @property {ConcurrencyLimit} requestLimit
 * @property {number} requestTimeoutMs
 */

/**
 * What the live view shows of the lab's app: its pools, and what only the lab has.
 *
 * @param {Lab} lab
 * @returns {LiveSource}
 */
export function createLabSource(lab) {
  const openDatabase = () => /** @type {Database} */ (lab.database);
  return {
    checkouts: lab.checkouts,
    requests: lab.requests,
    listPools: () => (lab.database?.clients ?? []).map(({ current, handles }) => ({
      name: current.monitor.name, monitors: handles.map(({ monitor }) => monitor), settings: readClientSettings(current.client),
    })),
    readStatus: () => openDatabase().status(),
    readServerLoad: () => openDatabase().readServerLoad(),
    listQueries: () => ({
      '/slow': { aloneMs: lab.load.slowMs, isWork: lab.database?.slowQuery === 'work' },
      '/fast': { aloneMs: 1, isWork: false },
    }),
    about: () => describeLab(openDatabase(), lab),
    onReader(send) {
      for (const test of lab.loadTests.list()) send('load-test', test);
    },
  };
}

/**
 * Fields of `GET /pool` that only the lab has. `requests` and, if a limit is set, `slowLimit` count running requests.
 * `settings` have the names of src/settings-table.js.
 *
 * @param {Database} database
 * @param {Lab} lab
 */
function describeLab({ main, slow, slowQuery, version }, { load, requestTimeoutMs, requestLimit, slowLimit, controls, loadTests }) {
  const limit = slowLimit.snapshot();
  return {
    title: 'MongoDB Pool Lab',
    slowMs: load.slowMs,
    slowQuery,
    serverVersion: version,
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
