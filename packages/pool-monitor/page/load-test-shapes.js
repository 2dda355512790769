/**
 * The load tests of the lab's app, as it sends them to the live page.
 *
 * @typedef {object} PoolSettings what the lab's page can change
 * @property {number} poolSize
 * @property {number} slowMs
 *
 * @typedef {object} LoadTestRun
 * @property {number} id
 * @property {string} scenario file name
 * @property {string} startedAt ISO 8601
 * @property {(PoolSettings & { afterMs: number })[]} changes of the settings during the test, oldest first
 * @property {'running' | 'done' | 'failed'} state
 * @property {number} progress 0 to 1, an estimate
 * @property {number} leftMs an estimate
 * @property {LoadTestFigures} [measured]
 * @property {{ maxMs?: number | null } | null} [exact] calculated; null where the formula does not apply
 * @property {string} [error]
 *
 * @typedef {PoolSettings & LoadTestRun} LoadTest a load test, with the settings that it started with
 *
 * @typedef {object} LoadTestFigures
 * @property {number} requests
 * @property {number} failures
 * @property {number | null} maxMs null if nothing was answered
 * @property {Record<string, { count: number, p50Ms: number, p95Ms: number, maxMs: number }>} routes
 */

export {};
