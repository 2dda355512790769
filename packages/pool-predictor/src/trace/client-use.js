import { MONITORS } from '../base/monitors.js';
import { sum } from '../base/sample-statistics.js';

/** @import { ClientsSecond, RecordedTrace } from './recorded-trace.js' */

/** Fewer clients of one server can have their reasons, such as a pool for slow queries and one for change streams. */
const MANY = 5;
/** A route creates a client in each request if this share of its requests are the first to use one. */
const EACH_SHARE = 0.8;

/**
 * More clients of one server than an app needs.
 *
 * @typedef {object} ClientUse
 * @property {'perRequest' | 'comeAndGo' | 'stay'} kind perRequest: a route creates one in each request; comeAndGo: they
 *   are closed after some use, such as by a job; stay: they are kept, such as one for each tenant
 * @property {number} process row
 * @property {string | null} route that creates them
 * @property {string | null} place the line that created most of them, such as `src/db.js:12`
 * @property {number} places how many lines did
 * @property {string} hosts
 * @property {number} created during the recording; of those that stay, before it as well
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
    const most = [...counts].toSorted((a, b) => Math.max(b.created, b.open) - Math.max(a.created, a.open))[0];
    if (!most || Math.max(most.created, most.open) < MANY) return [];
    const route = findRoute(trace, process);
    const isEach = most.created >= MANY && route >= 0;
    const kind = isEach ? 'perRequest' : most.closed >= MANY ? 'comeAndGo' : 'stay';
    if (kind === 'stay' && most.open < MANY) return [];
    const { maxPoolSize = 0 } = pools.find((pool) => pool.process === process) ?? {};
    const { closed, total, connections, ...facts } = most;
    return {
      ...facts,
      kind: /** @type {ClientUse['kind']} */ (kind),
      process,
      created: kind === 'stay' ? total : facts.created,
      route: isEach ? trace.routes[route] : null,
      connections: connections === null ? null : connections + MONITORS * most.open,
      mayOpen: maxPoolSize > 0 ? most.open * (maxPoolSize + MONITORS) : null,
      limit: limit ?? null,
    };
  });
  const rankOf = (/** @type {ClientUse} */ { kind, created }) => (kind === 'stay' ? 0 : 1e9) + created;
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
  const own = checkouts.poolOf.filter((row) => row === pool).length;
  const clients = checkouts.poolOf.filter((row, checkout) => row === pool && isFirst(trace, checkout)).length;
  return own < all / 2 || clients >= MANY ? use : undefined;
}

/**
 * Whether a checkout was the first of its client.
 * @param {RecordedTrace} trace
 * @param {number} row
 */
function isFirst({ checkouts: { isFresh, connectionOf } }, row) {
  return isFresh[row] === 1 && connectionOf[row] === 1;
}

/** @param {RecordedTrace} trace @param {number} process row @returns {number} row of the route that creates most; -1: none */
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
    first.size >= Math.max(MANY, EACH_SHARE * all.size) ? first.size : 0,
  );
  const most = Math.max(0, ...counts);
  return most === 0 ? -1 : counts.indexOf(most);
}

/**
 * Counts the clients of a process by the hosts that they connect to.
 * @param {RecordedTrace} trace
 * @param {number} process row
 */
function countClients({ pools, seconds: { clients } }, process) {
  const seconds = clients.filter((each) => each.process === process);
  if (seconds.length === 0) return countPools(pools.filter((pool) => pool.process === process));
  const lines = [...groupBy(seconds, ({ place, hosts }) => JSON.stringify([place, hosts])).values()].map((line) => {
    const [first, last] = [line[0], /** @type {ClientsSecond} */ (line.at(-1))];
    return {
      ...last,
      total: last.created,
      created: last.created - first.created,
      closed: last.closed - first.closed,
      open: last.created - last.closed,
    };
  });
  return [...groupBy(lines, ({ hosts }) => hosts)].map(([hosts, own]) => {
    const [{ place = null }] = own.toSorted((a, b) => b.created + b.open - a.created - a.open);
    const sumOf = (/** @type {'created' | 'closed' | 'open' | 'total'} */ name) => sum(own.map((line) => line[name]));
    const connections = sum(own.map((line) => line.connections ?? 0));
    const places = own.filter(({ created, open }) => created + open > 0).length;
    return {
      hosts,
      place,
      places,
      created: sumOf('created'),
      closed: sumOf('closed'),
      open: sumOf('open'),
      total: sumOf('total'),
      connections,
    };
  });
}

/** The same from a monitor that does not count clients. @param {RecordedTrace['pools']} pools */
function countPools(pools) {
  return [...groupBy(pools, ({ address = '' }) => address)].map(([hosts, own]) => {
    const total = new Set(own.map(({ name }) => name)).size;
    return { hosts, place: null, places: 1, created: total, closed: 0, open: total, total, connections: null };
  });
}

/** @template T @param {T[]} items @param {(item: T) => string} keyOf @returns {Map<string, T[]>} */
function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
