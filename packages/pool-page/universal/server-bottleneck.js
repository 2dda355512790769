import { mean } from './stats.js';

/** @import { Second } from './feed-shapes.js' */

/** The least share of the server's cores. Others on its machine may take the rest: the app, the load, a browser. */
const BUSY_SHARE = 1 / 3;
/** The largest share of the time. An app that is busier can be the reason why its queries seem to take long. */
const MAX_LOOP_BUSY = 0.9;
/** How many times longer than alone a query takes that clearly shares a core with others. */
const STRETCH = 1.5;
/** A verdict needs the readings of some seconds, and lasts until there was no reason for it for some seconds. */
const READ_SECONDS = 5;
const MIN_READINGS = 3;
const LASTING_SECONDS = 4;
const SECOND_MS = 1000;

/**
 * Whether the server is the bottleneck, so that more connections do not help. Then four things come together:
 *
 * - More queries are in use than the server has cores.
 * - The server keeps many of its cores busy.
 * - The app does not: it has time between its answers.
 * - Queries of a route take clearly longer than alone. That shows that they share the cores.
 *
 * The last needs queries that work and whose time alone is known, as the lab's app knows it. Queries that sleep need no
 * core: however full the pool is, the server is not the bottleneck.
 *
 * @param {Second[]} seconds oldest first
 * @returns {boolean} at the end of the last one
 */
export function isServerBottleneck(seconds) {
  const latest = Array.from({ length: LASTING_SECONDS }, (_, ago) => seconds.slice(0, seconds.length - ago));
  return latest.some(isSaturated);
}

/** @param {Second[]} seconds @returns {boolean} at the end of the last one */
function isSaturated(seconds) {
  const last = seconds.at(-1);
  const read = seconds
    .slice(-READ_SECONDS)
    .flatMap(({ server, active, loopBusy }) =>
      server && server.busyCores !== null
        ? [{ busy: server.busyCores / server.cores, extra: active - server.cores, loopBusy }]
        : [],
    );
  if (!last || read.length < MIN_READINGS) return false;
  const isBusy =
    mean(read.map(({ extra }) => extra)) > 0 &&
    mean(read.map(({ busy }) => busy)) >= BUSY_SHARE &&
    mean(read.map(({ loopBusy }) => loopBusy)) < MAX_LOOP_BUSY;
  // Where queries take a minute, none may have ended in this second. Those that run have held their connections for
  // half of their time on average.
  return (
    isBusy &&
    Object.entries(last.queries).some(([route, { isWork }]) => {
      const tookMs = Math.max(last.routes[route]?.useP50Ms ?? 0, last.heldMs[route] ?? 0);
      // Somebody may have changed SLOW_MS since these queries started.
      const aloneMs = seconds
        .filter(({ atMs }) => atMs >= last.atMs - tookMs - SECOND_MS)
        .map(({ queries }) => queries[route]?.aloneMs ?? Infinity);
      return isWork && tookMs >= STRETCH * Math.max(...aloneMs);
    })
  );
}
