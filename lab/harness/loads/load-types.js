/**
 * How a load is run: every kind of load has one such function, in a file of its own.
 *
 * - `closed-loop.js`: workers, each starting its next task when its last one is done
 * - `open-loop.js`: requests that are sent when they are due, whether or not earlier ones were answered
 * - `http.js`: a closed loop of HTTP requests by autocannon, in its own process
 * - `artillery-load.js`: a scenario, by Artillery
 * - `command.js`: any other load generator, in a shell
 *
 * It resolves when the load has ended, and throws the signal's reason.
 *
 * @template Load
 * @template Figures
 * @typedef {(load: Load, options?: { signal?: AbortSignal }) => Promise<Figures>} RunLoad
 */

/**
 * What a load test found out on the side of the client.
 *
 * @typedef {object} ClientReport
 * @property {Partial<import('../../../src/load-tests/artillery.js').LoadTestFigures> & { usersPlanned?: number,
 *   usersSent?: number }} figures none where the load generator is unknown
 * @property {string} [failed] why requests failed
 * @property {Record<string, number>} [failures] the same, by what went wrong, such as `HTTP 429` or `ETIMEDOUT`
 * @property {string[]} warnings what was not as it should be
 */

export {};
