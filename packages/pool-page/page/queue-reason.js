import { nameHolder, nameRoute } from '../universal/holder-words.js';
import { countConnections } from '../universal/quantity.js';
import { kindOf } from '../universal/route-kinds.js';
import { joinWords } from './words.js';

/** @import { RouteKinds } from '../universal/route-kinds.js' */
/** @import { LivePool, State } from './state.js' */

/** A queue that is gone sooner needs no sentence, which nobody could read. */
const LASTS_MS = 400;
/** More holders are counted. */
const MAX_NAMED = 2;

/**
 * Why requests wait now: who has the connections, and who is ahead in the queue. The state is that of the picture.
 *
 * @param {Pick<State, 'pool' | 'others' | 'kinds' | 'queuedSinceMs' | 'receivedAtMs'>} state
 * @returns {string} empty if nobody waits, or not for long
 */
export function explainQueue({ pool, others, kinds, queuedSinceMs, receivedAtMs }) {
  const pools = [pool, ...others.map((view) => view.pool)].flatMap((each) => each ?? []);
  const queued = pools.find(({ waiting }) => waiting > 0);
  if (!queued || queuedSinceMs === null || receivedAtMs - queuedSinceMs < LASTS_MS) return '';
  const client = queued === pool || !(queued.address ?? queued.name) ? '' : ` for ${queued.address ?? queued.name}`;
  const { waiting } = queued;
  return (
    `${waiting} ${waiting === 1 ? 'waits' : 'wait'}${client} now, because ` +
    `${findReason(queued)}${findAhead(queued, kinds)}.`
  );
}

/** @param {LivePool} pool */
function findReason({ database, max, active, total, connecting, maxConnecting, waiting, lanes }) {
  if (!database.reachable) return 'MongoDB does not answer';
  const isFull = max > 0 && active >= max;
  if (!isFull && connecting > 0)
    return waiting > connecting && (max === 0 || total < max)
      ? `the pool opens only ${countConnections(maxConnecting)} at a time`
      : `${countOpening(connecting)} being opened`;
  if (!isFull || lanes.length === 0) return 'the free connections are about to be used';
  const holders = countAlike(lanes.map(nameHolder));
  const named = holders.slice(0, holders.length > MAX_NAMED + 1 ? MAX_NAMED : holders.length);
  const more = lanes.length - named.reduce((sum, { count }) => sum + count, 0);
  const words = [...named.map(countName), ...(more > 0 ? [`${more} others`] : [])];
  const all = active === 1 ? 'the only connection' : `all ${countConnections(active)}`;
  return `${joinWords(words)} ${active === 1 ? 'holds' : 'hold'} ${all}`;
}

/** @param {number} connecting */
function countOpening(connecting) {
  return connecting === 1 ? 'a connection is' : `${connecting} connections are`;
}

/**
 * Which buses are ahead of the first Ferrari.
 * @param {LivePool} pool
 * @param {RouteKinds} kinds
 */
function findAhead({ queue, lanes }, kinds) {
  const isBus = (/** @type {string | null} */ route) => {
    const busyMs = Math.max(0, ...lanes.filter((lane) => lane.route === route).map((lane) => lane.busyMs));
    return kindOf(kinds, route, busyMs) === 'bus';
  };
  const first = queue.findIndex(({ route }) => !isBus(route));
  if (first <= 0) return '';
  const ahead = countAlike(queue.slice(0, first).map(({ route }) => nameRoute(route)));
  const verb = first === 1 ? 'is' : 'are';
  return `; ${joinWords(ahead.map(countName))} ${verb} ahead of ${nameRoute(queue[first].route)}`;
}

/** @param {string[]} names @returns {{ name: string, count: number }[]} the most frequent first */
function countAlike(names) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Array.from(counts, ([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
}

/** @param {{ name: string, count: number }} counted */
function countName({ name, count }) {
  return count === 1 ? name : `${count} × ${name}`;
}
