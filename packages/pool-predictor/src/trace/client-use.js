import { COMMON } from '../assumptions/common-assumptions.js';
import { TRACE } from '../assumptions/trace-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { MONITORS } from '../base/monitors.js';
import { sum } from '../base/sample-statistics.js';

/** @import { ClientsSecond, RecordedTrace } from '../reading/recorded-trace.js' */

/**
 * More clients of one server than an app needs.
 *
 * @typedef {object} ClientUse
 * @property {'perRequest' | 'againAndAgain' | 'stay'} kind perRequest: a route creates one in each request;
 *   againAndAgain: more come all the time, such as one in each job; stay: they are kept, such as one for each tenant
 * @property {number} process row
 * @property {string | null} route that creates them
 * @property {string | null} place the line that created most of them, such as `src/db.js:12`
 * @property {number} places how many lines did
 * @property {string} hosts
 * @property {number} created during the recording
 * @property {number} open at its end
 * @property {number | null} connections of those that are open, together
 * @property {number | null} mayOpen connections that these may open; null without a limit
 * @property {number | null} limit connections that the server accepts
 */

/**
 * Finds the processes that have more clients than they need.
 *
 * @param {RecordedTrace} trace
 * @returns {ClientUse[]} those that come and go first, then the most clients
 */
export function findClientUse(trace) {
  const { processes, pools, seconds } = trace;
  const uses = processes.flatMap((_, process) => {
    const limit = seconds.server.findLast((each) => each.process === process && each.connectionLimit)?.connectionLimit;
    const counts = countClients(trace, process);
    const [most] = counts.toSorted((a, b) => Math.max(b.created, b.open) - Math.max(a.created, a.open));
    if (!most || Math.max(most.created, most.open) < TRACE.manyClients) return [];
    const route = findRoute(trace, process);
    const isEach = most.created >= TRACE.manyClients && route >= 0;
    const comeOften =
      most.closed >= TRACE.manyClients || (most.created >= TRACE.manyClients && keepsComing(trace, process));
    const kind = isEach ? 'perRequest' : comeOften ? 'againAndAgain' : 'stay';
    if (kind === 'stay' && most.open < TRACE.manyClients) return [];
    const { maxPoolSize = 0 } = pools.find((pool) => pool.process === process) ?? {};
    const { place, places, hosts, created, open, connections } = most;
    return {
      ...{ place, places, hosts, created, open },
      kind: /** @type {ClientUse['kind']} */ (kind),
      process,
      route: isEach ? trace.routes[route] : null,
      connections: connections === null ? null : connections + MONITORS * open * hosts.split(',').length,
      mayOpen: maxPoolSize > 0 ? open * (maxPoolSize + MONITORS) : null,
      limit: limit ?? null,
    };
  });
  const rankOf = (/** @type {ClientUse} */ { kind, created, open }) => (kind === 'stay' ? open : 1e9 + created);
  return uses.toSorted((a, b) => rankOf(b) - rankOf(a));
}

/**
 * Whether a pool is one of many, so that it is not known what a larger one would do.
 *
 * @param {RecordedTrace} trace
 * @param {number} pool row
 * @returns {ClientUse | undefined} undefined if it is not
 */
export function findManyPools(trace, pool) {
  const { checkouts, pools } = trace;
  const use = findClientUse(trace).find(({ process }) => process === pools[pool].process);
  if (!use) return undefined;
  const all = checkouts.poolOf.filter((row) => pools[row].process === use.process).length;
  const ownCheckouts = checkouts.poolOf.filter((row) => row === pool).length;
  const clients = checkouts.poolOf.filter((row, checkout) => row === pool && isFirst(trace, checkout)).length;
  return ownCheckouts < all / 2 || clients >= TRACE.manyClients ? use : undefined;
}

/**
 * Whether a checkout was the first of its client.
 * @param {RecordedTrace} trace
 * @param {number} row
 */
function isFirst({ checkouts: { isFresh, connectionOf } }, row) {
  return isFresh[row] === 1 && connectionOf[row] === 1;
}

/**
 * Whether clients are still used for the first time at the end of a trace.
 * @param {RecordedTrace} trace
 * @param {number} process row
 */
function keepsComing(trace, process) {
  const { startedMs, poolOf } = trace.checkouts;
  const firsts = startedMs.filter((_, row) => trace.pools[poolOf[row]].process === process && isFirst(trace, row));
  const lateMs = startedMs[0] + (2 / 3) * (startedMs[startedMs.length - 1] - startedMs[0]);
  return firsts.filter((ms) => ms >= lateMs).length >= TRACE.keepComingShare * firsts.length;
}

/**
 * @param {RecordedTrace} trace
 * @param {number} process row
 * @returns {number} row of the route that creates most; -1: none
 */
function findRoute(trace, process) {
  const { checkouts, pools, routes } = trace;
  const requests = routes.map(() => ({ all: new Set(), first: new Set() }));
  for (let row = 0; row < checkouts.length; row++) {
    const request = checkouts.requestOf[row];
    if (request < 0 || pools[checkouts.poolOf[row]].process !== process) continue;
    const { all, first } = requests[checkouts.routeOf[row]];
    all.add(request);
    if (isFirst(trace, row)) first.add(request);
  }
  const counts = requests.map(({ all, first }) =>
    first.size >= Math.max(TRACE.manyClients, COMMON.nearlyAllShare * all.size) ? first.size : 0,
  );
  const most = Math.max(0, ...counts);
  return most === 0 ? -1 : counts.indexOf(most);
}

/**
 * @typedef {Pick<ClientUse, 'place' | 'places' | 'hosts' | 'created' | 'open' | 'connections'> & { closed: number }
 *   } Counts closed: during the recording
 */

/**
 * Counts the clients of a process by the hosts that they connect to, and of a line that creates many by itself.
 *
 * @param {RecordedTrace} trace
 * @param {number} process row
 * @returns {Counts[]}
 */
function countClients(trace, process) {
  const seconds = trace.seconds.clients.filter((each) => each.process === process);
  if (seconds.length === 0) return countPools(trace, process);
  const lines = [...groupBy(seconds, ({ place, hosts }) => JSON.stringify([place, hosts])).values()].map(countLine);
  const many = lines.filter(({ created, open }) => Math.max(created, open) >= TRACE.manyClients);
  return many.length > 0 ? many : [...groupBy(lines, ({ hosts }) => hosts).values()].map(addUp);
}

/** @param {ClientsSecond[]} seconds of a line @returns {Counts} */
function countLine(seconds) {
  const [first, last] = [seconds[0], seconds[seconds.length - 1]];
  const { place = null, hosts, connections = 0 } = last;
  // One that was connected before it was found is not new.
  const created = place === null ? 0 : last.created - first.created;
  const closed = last.closed - first.closed;
  return { place, places: 1, hosts, created, closed, open: last.created - last.closed, connections };
}

/** @param {Counts[]} lines that connect to the same hosts @returns {Counts} */
function addUp(lines) {
  const sumOf = (/** @type {'created' | 'closed' | 'open' | 'connections'} */ name) =>
    sum(lines.map((line) => Number(line[name])));
  const [{ place, hosts }] = lines.toSorted((a, b) => b.created + b.open - a.created - a.open);
  const places = lines.filter(({ created, open }) => created + open > 0).length;
  const counts = { created: sumOf('created'), closed: sumOf('closed'), open: sumOf('open') };
  return { place, places, hosts, ...counts, connections: sumOf('connections') };
}

/**
 * Counts the pools instead, where the monitor does not count clients.
 * @param {RecordedTrace} trace
 * @param {number} process row
 * @returns {Counts[]}
 */
function countPools(trace, process) {
  const { pools, checkouts } = trace;
  const rows = [...pools.keys()].filter((row) => pools[row].process === process);
  return [...groupBy(rows, (row) => pools[row].address ?? '')].map(([hosts, poolRows]) => {
    const open = new Set(poolRows.map((row) => pools[row].name)).size;
    const created = checkouts.poolOf.filter(
      (row, checkout) => poolRows.includes(row) && isFirst(trace, checkout),
    ).length;
    return { place: null, places: 1, hosts, created, closed: Math.max(0, created - open), open, connections: null };
  });
}
