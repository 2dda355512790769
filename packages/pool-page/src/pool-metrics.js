import {
  DURATION_BOUNDS,
  nameOfPool,
  POOL_DURATIONS,
  POOL_GAUGES,
  POOL_TIMEOUTS,
  readPoolGauge,
} from 'mongodb-pool-monitor';
import { Histogram, renderMetrics } from './prometheus.js';

/** @import { EndedRequest, PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { Metric } from './prometheus.js' */

const POOL = 'db_client_connection_pool_name';
const STATE = 'db_client_connection_state';
const REQUEST_DURATION = 'http_server_request_duration_seconds';
const REQUEST_WAIT = 'http_server_request_pool_wait_seconds';
const MS_PER_S = 1000;
/** More combinations of method, route and status are counted as the route `other`: each costs memory for good. */
const MAX_REQUEST_SERIES = 500;

/**
 * @typedef {Record<keyof typeof POOL_DURATIONS, Histogram | undefined> & { timeouts: number, labels: { [POOL]: string }
 *   }} PoolCounts of one pool
 */
/** @typedef {{ method: string, status: number, durations: Histogram }} RequestSeries */
/** @typedef {{ series: RequestSeries[], waits: Histogram }} RouteCounts series: one for each method and status */

/**
 * Metrics of the pools and the app. Names follow OpenTelemetry's semantic conventions, written as Prometheus does it
 * (underscores, seconds, `_total` for counters; see `nameOf`).
 * https://opentelemetry.io/docs/specs/semconv/database/database-metrics/
 * https://opentelemetry.io/docs/specs/semconv/http/http-metrics/
 */
export class PoolMetrics {
  #listMonitors;
  /** Counts by the pool's label. They outlive their clients. @type {Map<string, PoolCounts>} */
  #counts = new Map();
  /** The counts of each monitor by server, under the name that it had. */
  #watched = /** @type {WeakMap<PoolMonitor, { name: string | null, ofServers: Map<string, PoolCounts> }>} */ (
    new WeakMap()
  );
  /** @type {Map<string, RouteCounts>} */
  #routes = new Map();
  #requestSeries = 0;
  /** @type {Metric[]} */
  #metrics;

  /** @param {() => PoolMonitor[]} listMonitors with open pools */
  constructor(listMonitors) {
    this.#listMonitors = listMonitors;
    this.#metrics = [
      ...POOL_GAUGES.map(
        ([name, help, , values]) =>
          /** @type {Metric} */ ({
            name: nameOf(name),
            help,
            type: 'gauge',
            read: () =>
              values.flatMap(([gauge, state]) =>
                [...readPoolGauge(this.#listMonitors(), gauge)].map(([label, value]) => ({
                  labels: { [POOL]: label, ...(state && { [STATE]: state }) },
                  value,
                })),
              ),
          }),
      ),
      {
        name: `${nameOf(POOL_TIMEOUTS[0])}_total`,
        help: POOL_TIMEOUTS[1],
        type: 'counter',
        read: () => {
          // Prometheus only sees the first increase of a counter if it saw it at 0.
          for (const label of readPoolGauge(this.#listMonitors(), 'max').keys()) this.#countsOf(label);
          return [...this.#counts].map(([label, { timeouts }]) => ({ labels: { [POOL]: label }, value: timeouts }));
        },
      },
      ...Object.entries(POOL_DURATIONS).map(
        ([type, [name, help]]) =>
          /** @type {Metric} */ ({
            name: `${nameOf(name)}_seconds`,
            help,
            type: 'histogram',
            read: () =>
              [...this.#counts.values()].flatMap(
                (each) =>
                  each[/** @type {keyof typeof POOL_DURATIONS} */ (type)]?.read(`${nameOf(name)}_seconds`) ?? [],
              ),
          }),
      ),
      {
        name: REQUEST_DURATION,
        help: 'Duration of HTTP server requests',
        type: 'histogram',
        read: () =>
          [...this.#routes.values()].flatMap(({ series }) =>
            series.flatMap(({ durations }) => durations.read(REQUEST_DURATION)),
          ),
      },
      {
        name: REQUEST_WAIT,
        help: 'The time that an HTTP server request waited for at least one connection',
        type: 'histogram',
        read: () => [...this.#routes.values()].flatMap(({ waits }) => waits.read(REQUEST_WAIT)),
      },
    ];
  }

  /** @returns {string} Prometheus' text format */
  render() {
    for (const monitor of this.#listMonitors()) this.#followName(monitor);
    return renderMetrics(this.#metrics);
  }

  /** @param {PoolMonitor} monitor whose events count from now on */
  watch(monitor) {
    /** Kept by server, so that an event needs one look-up. @type {Map<string, PoolCounts>} */
    const ofServers = new Map();
    this.#watched.set(monitor, { name: monitor.name, ofServers });
    monitor.subscribe(({ type, server, reason, durationMs }) => {
      if (type !== 'checkOutFailed' && !(type in POOL_DURATIONS)) return;
      let found = ofServers.get(server);
      if (!found) ofServers.set(server, (found = this.#countsOf(nameOfPool(monitor, server))));
      if (type === 'checkOutFailed') found.timeouts += reason === 'timeout' ? 1 : 0;
      else
        (found[/** @type {keyof typeof POOL_DURATIONS} */ (type)] ??= new Histogram(
          DURATION_BOUNDS,
          found.labels,
        )).observe(durationMs / MS_PER_S);
    });
  }

  /** Labels what was counted so far with the name that a monitor has now. @param {PoolMonitor} monitor */
  #followName(monitor) {
    const watched = this.#watched.get(monitor);
    if (!watched || watched.name === monitor.name) return;
    for (const [server, counts] of watched.ofServers) {
      this.#counts.delete(counts.labels[POOL]);
      counts.labels[POOL] = nameOfPool(monitor, server);
      this.#counts.set(counts.labels[POOL], counts);
    }
    watched.name = monitor.name;
  }

  /** @param {Pick<EndedRequest, 'method' | 'route' | 'status' | 'totalMs' | 'waitMs'>} request */
  observeRequest({ method, route, status, totalMs, waitMs }) {
    let counts = this.#routes.get(route);
    let series = findSeries(counts, method, status);
    if (!series && this.#requestSeries >= MAX_REQUEST_SERIES) {
      [method, route] = ['_OTHER', 'other'];
      counts = this.#routes.get(route);
      series = findSeries(counts, method, status);
    }
    if (!counts)
      this.#routes.set(route, (counts = { series: [], waits: new Histogram(DURATION_BOUNDS, { http_route: route }) }));
    if (!series) {
      series = createSeries(route, method, status);
      counts.series.push(series);
      this.#requestSeries += 1;
    }
    series.durations.observe(totalMs / MS_PER_S);
    counts.waits.observe(waitMs / MS_PER_S);
  }

  /** @param {string} label */
  #countsOf(label) {
    let found = this.#counts.get(label);
    if (!found) {
      const labels = { [POOL]: label };
      found = { checkedOut: undefined, checkedIn: undefined, connectionReady: undefined, timeouts: 0, labels };
      this.#counts.set(label, found);
    }
    return found;
  }
}

/**
 * Prometheus' name of a metric. There, only a histogram or a summary may end in `_count`.
 * https://prometheus.io/docs/practices/naming/, checked by `promtool check metrics`
 * @param {string} name without `db.client.connection.`
 */
function nameOf(name) {
  return name === 'count' ? 'db_client_connections' : `db_client_connection_${name.replace('.', '_')}`;
}

/**
 * A loop costs less than a name for each request.
 * @param {RouteCounts | undefined} counts
 * @param {string} method
 * @param {number} status
 */
function findSeries(counts, method, status) {
  for (const series of counts?.series ?? []) if (series.status === status && series.method === method) return series;
  return undefined;
}

/** @param {string} route @param {string} method @param {number} status @returns {RequestSeries} */
function createSeries(route, method, status) {
  const labels = { http_request_method: method, http_route: route, http_response_status_code: String(status) };
  return { method, status, durations: new Histogram(DURATION_BOUNDS, labels) };
}
