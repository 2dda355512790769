import { describeHolders, nameRoute } from '../universal/holder-words.js';
import { formatQuantity } from '../universal/quantity.js';
import { NOTICED_WAIT_MS, kindOf } from '../universal/route-kinds.js';

/** @import { Holder } from 'mongodb-pool-monitor' */
/** @import { Note, ServerReading, Snapshot, QueuedWaiter } from '../universal/feed-shapes.js' */
/** @import { LivePool, State } from './state.js' */

/** A running time: always in seconds with one decimal, so that its width does not jump. @param {number} ms */
export function formatSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** @param {Pick<State, 'connection' | 'pool'>} state */
export function describeConnection({ connection, pool }) {
  if (connection === 'connecting') return 'Connecting to the app';
  if (connection === 'lost') return 'The app is not responding. Retrying.';
  if (!pool || pool.database.reachable) return 'Live';
  const { reason } = pool.database;
  return `The app responds, but MongoDB does not${reason ? `: ${reason}` : '.'}`;
}

/**
 * The two halves of the heading.
 * @param {LivePool} pool
 * @param {number} elapsedMs since the last pool event
 * @returns {{ mood: 'calm' | 'queue', lanes: string, queue: string }}
 */
export function describePool(pool, elapsedMs) {
  const { database, active, waiting } = pool;
  if (!database.reachable) {
    const queue = waiting > 0 ? describeQueue(pool, elapsedMs) : 'requests fail';
    return { mood: 'queue', lanes: 'MongoDB is unreachable', queue };
  }
  const lanes = describeLanes(pool);
  if (waiting === 0) return { mood: 'calm', lanes, queue: active === 0 ? '' : 'nobody is waiting' };
  return { mood: 'queue', lanes, queue: describeOpening(pool) ?? describeQueue(pool, elapsedMs) };
}

/** @param {LivePool} pool */
function describeLanes({ max, active, idle, waiting }) {
  if (active === 0 && waiting > 0) return idle === 0 ? 'No lane is open yet' : 'No lane is busy';
  if (active === 0 && max === 1) return 'The only lane is free';
  if (active === 0 && max === 2) return 'Both lanes are free';
  if (active === 0) return max === 0 ? 'All lanes are free' : `All ${max} lanes are free`;
  if (max === 0) return `${active} ${active === 1 ? 'lane' : 'lanes'} busy, no limit`;
  return max === 1 ? 'The only lane is busy' : `${active} of ${max} lanes busy`;
}

/**
 * Why requests wait in front of closed lanes: the driver opens only a few connections at once (maxConnecting).
 * This replaces the longest wait, because the heading has only one line.
 * @param {LivePool} pool
 */
function describeOpening({ max, maxConnecting, total, connecting, waiting }) {
  if (connecting === 0) return undefined;
  const isHeldUp = waiting > connecting && (max === 0 || total < max);
  if (isHeldUp) return `${waiting} waiting: lanes open ${maxConnecting} at a time`;
  return `${waiting} waiting, ${connecting} ${connecting === 1 ? 'lane' : 'lanes'} opening`;
}

/** @param {LivePool} pool @param {number} elapsedMs */
function describeQueue({ waiting, queue }, elapsedMs) {
  if (queue.length === 0) return `${waiting} waiting`;
  const longest = formatSeconds(queue[0].waitMs + elapsedMs);
  return waiting === 1 ? `1 waiting, for ${longest}` : `${waiting} waiting, the longest for ${longest}`;
}

/** Fewer cores in use are of no interest. */
const BUSY_CORES = 0.5;

/** @param {ServerReading | null} server null where it does not tell */
export function describeServer(server) {
  if (server === null) return 'MongoDB';
  const { cores, busyCores } = server;
  // Two clocks measure it: it may come out a little too high.
  const busy =
    busyCores === null || busyCores < BUSY_CORES
      ? ''
      : `, ${Math.min(busyCores, cores).toFixed(cores < 100 ? 1 : 0)}\u00a0busy`;
  return `MongoDB, ${countCores(cores).replace(' ', '\u00a0')}${busy}`;
}

/** @param {NonNullable<State['bottleneck']>} bottleneck */
export function describeBottleneck({ queries, cores }) {
  return `The server is the bottleneck: ${queries} queries share ${countCores(cores)}. More connections will not help.`;
}

/** @param {number} cores */
function countCores(cores) {
  return cores === 1 ? '1 core' : `${cores} cores`;
}

/** The text of an empty list of notes. @param {Pick<State, 'pool' | 'others' | 'kinds'>} state */
export function describeNoneYet({ pool, others, kinds }) {
  const pools = [pool, ...others.map((view) => view.pool)].filter((each) => each !== null);
  const count = pools.flatMap(({ queue }) => queue.filter(({ route }) => kindOf(kinds, route) === 'ferrari')).length;
  if (count === 0) return 'None so far.';
  // The app sends only the head of each queue.
  const many = pools.some(({ waiting, queue }) => waiting > queue.length) ? `More than ${count}` : String(count);
  if (many === '1') return 'One is waiting now. It will appear here once it is done.';
  return `${many} are waiting now. They will appear here once they are done.`;
}

/** Who holds the connections that a request waits for: `2 × find articles of /report`. @param {Holder[]} behind */
export function describeBehind(behind) {
  /** @type {Map<string, { count: number, route: string | null, operation: string | null }>} */
  const groups = new Map();
  for (const { route, operation = null } of behind) {
    const key = JSON.stringify([route, operation]);
    groups.set(key, { route, operation, count: (groups.get(key)?.count ?? 0) + 1 });
  }
  return describeHolders([...groups.values()]);
}

/**
 * Describes a note in three parts, so that the time can stand out.
 * @param {Note} note
 * @returns {{ before: string, time: string, after: string }}
 */
export function describeNote({ route, count, status, totalMs, waitMs, behind }) {
  const holders = describeBehind(behind);
  const waited =
    waitMs >= NOTICED_WAIT_MS
      ? `, ${formatQuantity(waitMs, 'ms')} of it waiting${holders ? ` behind ${holders}` : ''}`
      : '';
  const [who, upTo] = count > 1 ? [`${count} ${route}`, ' up to'] : [route, ''];
  return { before: `${who} ${describeOutcome(status)}${upTo} `, time: formatQuantity(totalMs, 'ms'), after: waited };
}

/** @param {number} status */
function describeOutcome(status) {
  if (status === 200) return 'took';
  return status === 0 ? 'cancelled by the client after' : `failed with status ${status} after`;
}

/** @param {string[]} words */
export function joinWords(words) {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' and ');
}

/**
 * @param {Pick<QueuedWaiter, 'route' | 'waitMs' | 'behind' | 'holds'>} waiter
 * @param {number} elapsedMs since it was sent
 */
export function describeWaiter({ route, waitMs, behind, holds }, elapsedMs) {
  const holders = describeBehind(behind);
  return [
    `${nameRoute(route)} has waited ${formatSeconds(waitMs + elapsedMs)}${holders ? ` behind ${holders}` : ''}`,
    ...(holds > 0
      ? [`It holds ${holds === 1 ? 'a connection' : `${holds} connections`} and waits for another: deadlock risk.`]
      : []),
  ].join('. ');
}

const PARKED = {
  changeStream: ['change stream', 'change streams'],
  tailableCursor: ['tailable cursor', 'tailable cursors'],
};

/** @param {keyof typeof PARKED} kind @returns {string[]} what to write in its lane, the longest first */
export function describeParked(kind) {
  const [name] = PARKED[kind];
  return [`${name}: holds this lane for as long as it is open`, name];
}

/**
 * What else people should know about a pool: lanes that are gone for good, and requests that may wait for themselves.
 * @param {Pick<LivePool, 'lanes' | 'queue'>} pool
 * @returns {string} empty if there is nothing
 */
export function describeRisks({ lanes, queue }) {
  const parked = /** @type {(keyof typeof PARKED)[]} */ (Object.keys(PARKED)).flatMap((kind) => {
    const count = lanes.filter((lane) => lane.kind === kind).length;
    if (count === 0) return [];
    const [one, many] = PARKED[kind];
    return count === 1
      ? [`A ${one} holds 1 lane for as long as it is open.`]
      : [`${count} ${many} hold ${count} lanes for as long as they are open.`];
  });
  const risky = queue.filter(({ holds }) => holds > 0).length;
  if (risky === 0) return parked.join(' ');
  const who = risky === 1 ? 'A waiting request holds' : `${risky} waiting requests hold`;
  return [...parked, `${who} a connection and ${risky === 1 ? 'waits' : 'wait'} for another: deadlock risk.`].join(' ');
}

const MAX_NAMED = 3;

/**
 * A kind of vehicle in the legend.
 * @param {'bus' | 'ferrari'} kind
 * @param {string[]} routes of that kind
 */
export function describeKind(kind, routes) {
  const [one, many, meaning] =
    kind === 'bus'
      ? ['bus', 'buses', 'holds its connection for long']
      : ['Ferrari', 'Ferraris', 'returns its connection at once'];
  if (routes.length === 0) return `${one}: ${meaning}`;
  if (routes.length === 1) return `${routes[0]}, the ${one}`;
  const named =
    routes.length > MAX_NAMED + 1 ? [...routes.slice(0, MAX_NAMED), `${routes.length - MAX_NAMED} more`] : routes;
  return `${joinWords(named)}, the ${many}`;
}

/** @param {Pick<LivePool, 'name' | 'servers' | 'role'>} client */
export function describeClient({ name, servers, role }) {
  const to = servers.length > 0 ? `, to ${joinWords(servers)}` : '';
  return `${name === null ? 'the first client' : `client ${name}`}${to}${role ? ` (${role})` : ''}`;
}

/** Pools without a tunnel. @param {Pick<LivePool, 'active' | 'waiting'>[]} pools */
export function describeRest(pools) {
  const [active, waiting] = /** @type {const} */ (['active', 'waiting']).map((gauge) =>
    pools.reduce((sum, pool) => sum + pool[gauge], 0),
  );
  const more = pools.length === 1 ? '1 more pool' : `${pools.length} more pools`;
  return `And ${more}, see /metrics: ${active} of their lanes busy, ${waiting || 'nobody is'} waiting.`;
}

/** @param {Snapshot} snapshot @returns {{ title: string, about: string }} of the page, and what runs */
export function describeApp({ title, process, serverVersion }) {
  const about = process ? [`process ${process.pid}`, `Node.js ${process.node.replace('v', '')}`] : [];
  return {
    title: title ?? process?.command ?? 'MongoDB connection pools',
    about: [...about, ...(serverVersion ? [`MongoDB ${serverVersion}`] : [])].join(' · '),
  };
}
