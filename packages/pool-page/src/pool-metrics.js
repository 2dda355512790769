import { readGauges } from 'mongodb-pool-monitor';
import { Histogram, renderMetrics } from './prometheus.js';

/** @import { EndedRequest, Gauges, PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { Metric } from './prometheus.js' */

/** In seconds, from an idle connection to a minute behind slow queries. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

const POOL = 'db_client_connection_pool_name';
const STATE = 'db_client_connection_state';
const REQUEST_DURATION = 'http_server_request_duration_seconds';
const MS_PER_S = 1000;
/** More combinations of method, route and status are counted as the route `other`: each costs memory for good. */
const MAX_REQUEST_SERIES = 500;

/** Name and help of a duration metric, by the event that ends the duration. */
const DURATIONS = /** @type {const} */ ({
  checkedOut: ['wait_time', 'Time from checkOutStarted to checkedOut, connecting included'],
  checkedIn: ['use_time', 'Time from checkedOut to checkedIn'],
  connectionReady: ['create_time', 'Time to create a connection'],
});

/** Name, help and source of a gauge. @type {[string, string, keyof Gauges][]} */
const GAUGES = [
  ['idle_max', 'Maximum number of idle connections', 'max'],
  ['idle_min', 'Minimum number of connections kept open', 'min'],
  ['max', 'Maximum number of connections', 'max'],
  ['pending_requests', 'Requests that wait for a connection', 'waiting'],
];

/** @typedef {Record<keyof typeof DURATIONS, Histogram | undefined> & { timeouts: number }} PoolCounts of one pool */
/** @typedef {{ method: string, status: number, durations: Histogram }} RequestSeries */

/**
 * Metrics of the pools and the app. Names follow OpenTelemetry's semantic conventions, written as Prometheus does it
 * (underscores, seconds, `_total` for counters).
 * https://opentelemetry.io/docs/specs/semconv/database/database-metrics/
 * https://opentelemetry.io/docs/specs/semconv/http/http-metrics/
 */
export class PoolMetrics {
  #listMonitors;
  /** By label. They outlive their clients. @type {Map<string, PoolCounts>} */
  #counts = new Map();
  /** By route, with one for each method and status. @type {Map<string, RequestSeries[]>} */
  #requests = new Map();
  #requestSeries = 0;
  /** @type {Metric[]} */
  #metrics;

  /** @param {() => PoolMonitor[]} listMonitors with open pools */
  constructor(listMonitors) {
    this.#listMonitors = listMonitors;
    this.#metrics = [
      {
        name: nameOf('count'),
        help: 'Connections in the given state',
        type: 'gauge',
        read: () => [
          ...this.#readByLabel(({ idle }) => idle, { [STATE]: 'idle' }),
          ...this.#readByLabel(({ active }) => active, { [STATE]: 'used' }),
        ],
      },
      ...GAUGES.map(
        ([name, help, gauge]) =>
          /** @type {Metric} */ ({
            name: nameOf(name),
            help,
            type: 'gauge',
            read: () => this.#readByLabel((gauges) => gauges[gauge]),
          }),
      ),
      {
        name: nameOf('timeouts_total'),
        help: 'Requests for a connection that timed out',
        type: 'counter',
        read: () => {
          // Prometheus only sees the first increase of a counter if it saw it at 0.
          for (const [label] of this.#listPools()) this.#countsOf(label);
          return [...this.#counts].map(([label, { timeouts }]) => ({ labels: { [POOL]: label }, value: timeouts }));
        },
      },
      ...Object.entries(DURATIONS).map(
        ([type, [name, help]]) =>
          /** @type {Metric} */ ({
            name: `${nameOf(name)}_seconds`,
            help,
            type: 'histogram',
            read: () =>
              [...this.#counts.values()].flatMap(
                (each) => each[/** @type {keyof typeof DURATIONS} */ (type)]?.read(`${nameOf(name)}_seconds`) ?? [],
              ),
          }),
      ),
      {
        name: REQUEST_DURATION,
        help: 'Duration of HTTP server requests',
        type: 'histogram',
        read: () => [...this.#requests.values()].flat().flatMap(({ durations }) => durations.read(REQUEST_DURATION)),
      },
    ];
  }

  /** @returns {string} Prometheus' text format */
  render() {
    return renderMetrics(this.#metrics);
  }

  /** @param {PoolMonitor} monitor whose events count from now on */
  watch(monitor) {
    /** By server, so that an event needs one look-up. @type {Map<string, PoolCounts>} */
    const ofServers = new Map();
    monitor.subscribe(({ type, server, reason, durationMs }) => {
      if (type !== 'checkOutFailed' && !(type in DURATIONS)) return;
      const label = labelOf(monitor, server);
      let found = ofServers.get(server);
      if (!found) ofServers.set(server, (found = this.#countsOf(label)));
      if (type === 'checkOutFailed') found.timeouts += reason === 'timeout' ? 1 : 0;
      else
        (found[/** @type {keyof typeof DURATIONS} */ (type)] ??= new Histogram(BOUNDS, { [POOL]: label })).observe(
          durationMs / MS_PER_S,
        );
    });
  }

  /** @param {Pick<EndedRequest, 'method' | 'route' | 'status' | 'totalMs'>} request */
  observeRequest({ method, route, status, totalMs }) {
    let series = this.#findSeries(route, method, status);
    if (!series && this.#requestSeries >= MAX_REQUEST_SERIES) {
      [method, route] = ['_OTHER', 'other'];
      series = this.#findSeries(route, method, status);
    }
    (series ?? this.#addSeries(route, method, status)).durations.observe(totalMs / MS_PER_S);
  }

  /**
   * A loop costs less than a name for each request.
   * @param {string} route
   * @param {string} method
   * @param {number} status
   */
  #findSeries(route, method, status) {
    for (const series of this.#requests.get(route) ?? [])
      if (series.status === status && series.method === method) return series;
    return undefined;
  }

  /** @param {string} route @param {string} method @param {number} status */
  #addSeries(route, method, status) {
    const durations = new Histogram(BOUNDS, {
      http_request_method: method,
      http_route: route,
      http_response_status_code: String(status),
    });
    const series = { method, status, durations };
    const ofRoute = this.#requests.get(route);
    if (ofRoute) ofRoute.push(series);
    else this.#requests.set(route, [series]);
    this.#requestSeries += 1;
    return series;
  }

  /** @param {string} label */
  #countsOf(label) {
    let found = this.#counts.get(label);
    if (!found) {
      found = { checkedOut: undefined, checkedIn: undefined, connectionReady: undefined, timeouts: 0 };
      this.#counts.set(label, found);
    }
    return found;
  }

  #listPools() {
    return this.#listMonitors().flatMap((monitor) =>
      [...monitor.servers.values()]
        .filter(({ isClosed }) => !isClosed)
        .map((pool) => /** @type {const} */ ([labelOf(monitor, pool.address), pool])),
    );
  }

  /**
   * Pools of one label count as one.
   * @param {(gauges: Gauges) => number} read
   * @param {Record<string, string>} [labels] more
   */
  #readByLabel(read, labels) {
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (const [label, pool] of this.#listPools()) sums.set(label, (sums.get(label) ?? 0) + read(readGauges([pool])));
    return [...sums].map(([label, value]) => ({ labels: { [POOL]: label, ...labels }, value }));
  }
}

/** @param {string} name */
function nameOf(name) {
  return `db_client_connection_${name}`;
}

/**
 * The conventions ask for a name that is unique within the app.
 * @param {PoolMonitor} monitor
 * @param {string} server host:port
 */
function labelOf({ name }, server) {
  return name ? `${server}/${name}` : server;
}
