import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { readGauges } from 'mongodb-pool-monitor';

/** @import { Gauges, PoolMonitor } from 'mongodb-pool-monitor' */

/** In seconds, from an idle connection to a minute behind slow queries. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

const POOL = 'db_client_connection_pool_name';
const STATE = 'db_client_connection_state';
const MS_PER_S = 1000;

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

/**
 * Metrics of the pools and the app. Names follow OpenTelemetry's semantic conventions, written as Prometheus does it
 * (underscores, seconds, `_total` for counters).
 * https://opentelemetry.io/docs/specs/semconv/database/database-metrics/
 * https://opentelemetry.io/docs/specs/semconv/http/http-metrics/
 *
 * @param {() => PoolMonitor[]} listMonitors with open pools
 */
export function createMetrics(listMonitors) {
  const registry = new Registry();
  const shared = { registers: [registry], labelNames: [POOL] };
  /** @param {string} name */
  const named = (name) => `db_client_connection_${name}`;

  new Gauge({
    ...shared,
    name: named('count'),
    help: 'Connections in the given state',
    labelNames: [POOL, STATE],
    collect() {
      this.reset();
      for (const [label, pool] of listPools()) {
        const { idle, active } = readGauges([pool]);
        this.inc({ [POOL]: label, [STATE]: 'idle' }, idle);
        this.inc({ [POOL]: label, [STATE]: 'used' }, active);
      }
    },
  });
  for (const [name, help, gauge] of GAUGES) {
    new Gauge({
      ...shared,
      name: named(name),
      help,
      collect() {
        this.reset();
        for (const [label, pool] of listPools()) this.inc({ [POOL]: label }, readGauges([pool])[gauge]);
      },
    });
  }
  const timeouts = new Counter({
    ...shared,
    name: named('timeouts_total'),
    help: 'Requests for a connection that timed out',
    // Prometheus only sees the first increase of a counter if it saw it at 0.
    collect() {
      for (const [label] of listPools()) this.inc({ [POOL]: label }, 0);
    },
  });
  const durations = Object.fromEntries(Object.entries(DURATIONS).map(([type, [name, help]]) => [
    type, new Histogram({ ...shared, name: `${named(name)}_seconds`, help, buckets: BUCKETS }),
  ]));
  const requests = new Histogram({
    registers: [registry],
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: BUCKETS,
  });

  function listPools() {
    return listMonitors().flatMap((monitor) => [...monitor.servers.values()]
      .filter(({ isClosed }) => !isClosed)
      .map((pool) => /** @type {const} */ ([labelOf(monitor, pool.address), pool])));
  }

  return {
    contentType: registry.contentType,
    /** @returns {Promise<string>} Prometheus' text format */
    render: () => registry.metrics(),
    /** @param {PoolMonitor} monitor whose events count from now on */
    watch(monitor) {
      monitor.subscribe(({ type, server, reason, durationMs }) => {
        const label = labelOf(monitor, server);
        durations[type]?.observe({ [POOL]: label }, durationMs / MS_PER_S);
        if (type === 'checkOutFailed' && reason === 'timeout') timeouts.inc({ [POOL]: label });
      });
    },
    /**
     * @param {object} request
     * @param {string} request.method
     * @param {string} request.route
     * @param {number} request.status
     * @param {number} request.totalMs
     */
    observeRequest({ method, route, status, totalMs }) {
      requests.observe(
        { http_request_method: method, http_route: route, http_response_status_code: String(status) }, totalMs / MS_PER_S);
    },
  };
}

/**
 * The conventions ask for a name that is unique within the app.
 * @param {PoolMonitor} monitor
 * @param {string} server host:port
 */
function labelOf({ name }, server) {
  return name ? `${server}/${name}` : server;
}
