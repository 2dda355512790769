import { readGauges } from './gauges.js';

/** @import { Gauges } from './gauges.js' */
/** @import { PoolMonitor } from './monitor.js' */

// OpenTelemetry's metrics of a pool, without `db.client.connection.`, in the order of its semantic conventions:
// https://opentelemetry.io/docs/specs/semconv/database/database-metrics/

/** The R10 series of preferred numbers, ISO 3: ten steps per decade, each by 10^(1/10), rounded. */
const STEPS = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8];

/**
 * Bounds of the buckets in seconds, from 1 ms to just over two minutes. Each is at most 28 % above the one before, and
 * an estimated quantile of longer times than the first bound can't be further off than that.
 */
export const DURATION_BOUNDS = [
  ...[-3, -2, -1, 0, 1].flatMap((exponent) => STEPS.map((step) => Number(`${step}e${exponent}`))),
  ...[100, 125],
];

/** Name and help of each duration, by the event that ends it. */
export const POOL_DURATIONS = /** @type {const} */ ({
  checkedOut: ['wait_time', 'Time from checkOutStarted to checkedOut, connecting included'],
  checkedIn: ['use_time', 'Time from checkedOut to checkedIn'],
  connectionReady: ['create_time', 'Time to create a connection'],
});

/**
 * Name, help and unit of each gauge, and where its values come from, with their state if there are several.
 * @type {[name: string, help: string, unit: string, values: [gauge: keyof Gauges, state?: string][]][]}
 */
export const POOL_GAUGES = [
  [
    'count',
    'Connections in the given state',
    '{connection}',
    [
      ['idle', 'idle'],
      ['active', 'used'],
    ],
  ],
  ['idle.max', 'Maximum number of idle connections', '{connection}', [['max']]],
  ['idle.min', 'Minimum number of connections kept open', '{connection}', [['min']]],
  ['max', 'Maximum number of connections', '{connection}', [['max']]],
  ['pending_requests', 'Requests that wait for a connection', '{request}', [['waiting']]],
];

/** Name and help. */
export const POOL_TIMEOUTS = /** @type {const} */ (['timeouts', 'Requests for a connection that timed out']);

/**
 * Names a pool. The conventions ask for a name that is unique within the app.
 * @param {PoolMonitor} monitor
 * @param {string} server host:port
 */
export function nameOfPool({ name }, server) {
  return name ? `${server}/${name}` : server;
}

/**
 * Reads a gauge of the open pools. Pools of one name count as one.
 * @param {Iterable<PoolMonitor>} monitors
 * @param {keyof Gauges} gauge
 * @returns {Map<string, number>} by the pool's name
 */
export function readPoolGauge(monitors, gauge) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const monitor of monitors) {
    for (const pool of monitor.servers.values()) {
      if (pool.isClosed) continue;
      const name = nameOfPool(monitor, pool.address);
      sums.set(name, (sums.get(name) ?? 0) + readGauges([pool])[gauge]);
    }
  }
  return sums;
}
