import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { readGauges } from 'mongodb-pool-monitor';

/** @import { Gauges, PoolMonitor } from 'mongodb-pool-monitor' */

/** In seconds, from a connection that is handed over at once to a minute behind slow queries. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

const POOL = 'db_client_connection_pool_name';
const STATE = 'db_client_connection_state';
const MS_PER_S = 1000;

/** How a duration metric is called, by the kind of pool event that ends what it times. */
const DURATIONS = /** @type {const} */ ({
  checkedOut: ['wait_time', 'Time to get a connection from the pool, connecting included'],
  checkedIn: ['use_time', 'Time between borrowing a connection and returning it'],
  connectionReady: ['create_time', 'Time to create a connection'],
});

/** How a gauge is called, what it is, and where it comes from. @type {[string, string, keyof Gauges][]} */
const GAUGES = [
  ['idle_max', 'Most idle connections allowed', 'max'],
  ['idle_min', 'Fewest connections kept open', 'min'],
  ['max', 'Most connections allowed', 'max'],
  ['pending_requests', 'Requests that wait for a connection', 'waiting'],
];

/**
 * The pool and the app as metrics for Prometheus. Names are those of OpenTelemetry's semantic conventions for
 * database client connection pools and HTTP servers, in the form that Prometheus gives them: underscores, seconds,
 * `_total` behind counters.
 *
 * @param {() => PoolMonitor[]} listMonitors those whose pools are open now
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
    // A counter has to be seen at 0 for its first increase to count.
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
    /** @returns {Promise<string>} the text that Prometheus scrapes */
    render: () => registry.metrics(),
    /**
     * Count the events of a client's pools, from now on.
     * @param {PoolMonitor} monitor
     */
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
 * The conventions want a name that no other pool of the app has: the server, and the client's where it has one.
 * @param {PoolMonitor} monitor
 * @param {string} server host:port
 */
function labelOf({ name }, server) {
  return name ? `${server}/${name}` : server;
}
