import { quantile, sum } from '../base/sample-statistics.js';

/** @import { RecordedRequests } from './recorded-trace.js' */

/**
 * Who sends the requests of a socket. `alone`: its only request. `waiting`: one user, who sends the next request after
 * the answer. `arriving`: a client that keeps sockets for arrivals which wait for nothing. `unclear`: either. `unknown`:
 * the socket is not known.
 */
export const SOCKET_USES = /** @type {const} */ (['unknown', 'alone', 'waiting', 'arriving', 'unclear']);

/**
 * @typedef {typeof SOCKET_USES[number]} SocketUse
 *
 * @typedef {object} UsedSocket
 * @property {number} id
 * @property {number[]} startsMs of its requests, ascending
 * @property {number[]} endsMs of their answers
 */

/** A socket with fewer requests can't be compared with another one. */
const MIN_REQUESTS = 10;
/** Comparing more requests, or more sockets, would only take longer. */
const MAX_COMPARED = { requests: 20_000, sockets: 100 };
/** Fewer chances to break a rule show nothing. */
const MIN_CHANCES = 10;
/** Sockets that break a rule in a smaller share of the chances keep it: an answer reaches its client a little later. */
const MAX_BROKEN_SHARE = 0.3;
/** In nats: e^10 is 22,000 to 1. */
const MIN_EVIDENCE = 10;
/** The evidence for arrivals, in nats, of a socket that is opened while all others are in use. */
const OPENED_EVIDENCE = 3;
/** Think times that vary less than this, from the 10th to the 90th percentile, by the median, are those of one user. */
const STEADY_SPREAD = 0.25;
/** Clients may open all their sockets in this share of the requests. */
const OPENING_SHARE = 0.05;

/**
 * Tells users who wait for their answers, each with a socket, from clients that keep sockets for any request.
 *
 * Such a client takes the idle socket that was in use last, or the first of its list, and opens one if none is idle. So
 * of two of its sockets, one never starts while the other one is idle and comes before it. Sockets of different users
 * know nothing of each other and break that rule as often as chance has it. All other sockets are judged together: users
 * who wait start the fewer requests, the fewer of their sockets are idle (https://en.wikipedia.org/wiki/Machine_repair_problem),
 * and never open one because all are in use; arrivals come at the same rate and do open one.
 *
 * @param {RecordedRequests} requests
 * @param {number} process row
 * @returns {Map<number, SocketUse>} by the number of the socket
 */
export function judgeSockets(requests, process) {
  const all = listSockets(requests, process);
  const several = all.filter(({ startsMs }) => startsMs.length > 1);
  const own = new Set(findSeparate(several));
  const shared = several.filter((socket) => !own.has(socket));
  /** @type {Map<number, SocketUse>} */
  const uses = new Map(all.map(({ id }) => [id, 'alone']));
  const ofShared = judgeTogether(shared);
  for (const { id } of shared) uses.set(id, ofShared);
  const ofOwn = judgeTogether([...own]) === 'arriving' && ![...own].every(isSteady) ? 'unclear' : 'waiting';
  for (const { id } of own) uses.set(id, ofOwn);
  return uses;
}

/** @param {RecordedRequests} requests @param {number} process row @returns {UsedSocket[]} by their first requests */
function listSockets({ startedMs, durationMs, socketOf, processOf }, process) {
  /** @type {Map<number, UsedSocket>} */
  const sockets = new Map();
  const rows = Uint32Array.from(startedMs.keys()).filter(
    (row) => processOf[row] === process && socketOf[row] >= 0 && !Number.isNaN(startedMs[row]),
  );
  for (const row of rows.sort((a, b) => startedMs[a] - startedMs[b])) {
    const id = socketOf[row];
    const socket = sockets.get(id) ?? { id, startsMs: [], endsMs: [] };
    sockets.set(id, socket);
    socket.startsMs.push(startedMs[row]);
    socket.endsMs.push(startedMs[row] + durationMs[row]);
  }
  return [...sockets.values()];
}

/** Finds the sockets that share no client with another one. @param {UsedSocket[]} sockets @returns {UsedSocket[]} */
function findSeparate(sockets) {
  const compared = sockets
    .filter(({ startsMs }) => startsMs.length >= MIN_REQUESTS)
    .toSorted((a, b) => b.startsMs.length - a.startsMs.length)
    .slice(0, MAX_COMPARED.sockets);
  const starts = compared
    .flatMap(({ startsMs }, socket) => startsMs.slice(1).map((atMs, index) => ({ socket, atMs, index: index + 1 })))
    .sort((a, b) => a.atMs - b.atMs)
    .slice(0, MAX_COMPARED.requests);
  const counts = compared.map(() => compared.map(() => ({ newer: 0, newerChances: 0, idle: 0, idleChances: 0 })));
  const ages = compared.map(createAges);
  /** By socket: its last request. */
  const last = compared.map(() => 0);
  for (const { socket, atMs, index } of starts) {
    const ageMs = atMs - compared[socket].endsMs[index - 1];
    compared.forEach(({ startsMs, endsMs }, other) => {
      if (other === socket || startsMs[0] > atMs || startsMs[startsMs.length - 1] <= atMs) return;
      const count = counts[socket][other];
      const otherAgeMs = atMs - endsMs[last[other]];
      if (otherAgeMs > 0) count.idle++;
      if (otherAgeMs > 0 && otherAgeMs < ageMs) count.newer++;
      count.idleChances += ages[other].shareYounger(Infinity);
      count.newerChances += ages[other].shareYounger(ageMs);
    });
    last[socket] = index;
  }
  return compared.filter((_, socket) => {
    const others = compared.flatMap((__, other) => (other === socket ? [] : [other]));
    const isPartner = (/** @type {number} */ other) => {
      const [one, two] = [counts[socket][other], counts[other][socket]];
      return (
        isKept(one.newer + two.newer, one.newerChances + two.newerChances) ||
        isKept(one.idle, one.idleChances) ||
        isKept(two.idle, two.idleChances)
      );
    };
    return (
      !others.some(isPartner) &&
      others.some((other) => counts[socket][other].newerChances + counts[other][socket].newerChances >= MIN_CHANCES)
    );
  });
}

/** @param {number} broken how often the rule was broken @param {number} chances how often chance alone would break it */
function isKept(broken, chances) {
  return chances >= MIN_CHANCES && broken < MAX_BROKEN_SHARE * chances;
}

/** In which share of its time a socket is idle, for less than an age. @param {UsedSocket} socket */
function createAges({ startsMs, endsMs }) {
  const gapsMs = Float64Array.from(startsMs.slice(1), (ms, index) => Math.max(0, ms - endsMs[index])).sort();
  const sums = new Float64Array(gapsMs.length + 1);
  gapsMs.forEach((ms, index) => (sums[index + 1] = sums[index] + ms));
  const spanMs = startsMs[startsMs.length - 1] - startsMs[0];
  return {
    /** @param {number} ageMs */
    shareYounger(ageMs) {
      let [low, high] = [0, gapsMs.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (gapsMs[middle] <= ageMs) low = middle + 1;
        else high = middle;
      }
      const longer = gapsMs.length - low;
      return (sums[low] + (longer > 0 ? longer * ageMs : 0)) / spanMs;
    },
  };
}

/** @param {UsedSocket[]} sockets @returns {SocketUse} */
function judgeTogether(sockets) {
  const evidence = weighWaiting(sockets);
  if (evidence > MIN_EVIDENCE) return 'waiting';
  return evidence < -MIN_EVIDENCE ? 'arriving' : 'unclear';
}

/**
 * Compares two explanations of when requests start: at a rate in proportion to the idle sockets, or at the same rate
 * always.
 *
 * @param {UsedSocket[]} sockets
 * @returns {number} log-likelihood ratio in nats; positive: users who wait explain it better
 */
function weighWaiting(sockets) {
  const events = sockets
    .flatMap(({ startsMs, endsMs }) =>
      startsMs.flatMap((atMs, index) => [
        { atMs, isFirst: index === 0, change: index === 0 ? 0 : -1 },
        // After its last answer a socket is no longer counted.
        { atMs: endsMs[index], isFirst: false, change: index === startsMs.length - 1 ? 0 : 1 },
      ]),
    )
    .sort((a, b) => a.atMs - b.atMs || b.change - a.change);
  const opening = OPENING_SHARE * sum(sockets.map(({ startsMs }) => startsMs.length));
  let [idle, starts, logs, opened] = [0, 0, 0, 0];
  let [idleMs, someMs, noneMs] = [0, 0, 0];
  let lastMs = events[0]?.atMs ?? 0;
  for (const { atMs, isFirst, change } of events) {
    const passedMs = atMs - lastMs;
    idleMs += idle * passedMs;
    if (idle > 0) someMs += passedMs;
    else noneMs += passedMs;
    lastMs = atMs;
    if (change < 0) {
      starts++;
      logs += Math.log(Math.max(idle, 1));
    }
    if (isFirst && idle === 0 && starts > opening) opened++;
    idle += change;
  }
  if (starts === 0) return 0;
  return logs - starts * Math.log(idleMs / someMs) + (starts / (someMs + noneMs)) * noneMs - OPENED_EVIDENCE * opened;
}

/** @param {UsedSocket} socket */
function isSteady({ startsMs, endsMs }) {
  const thinksMs = startsMs.slice(1).map((ms, index) => ms - endsMs[index]);
  return quantile(thinksMs, 0.9) - quantile(thinksMs, 0.1) < STEADY_SPREAD * quantile(thinksMs, 0.5);
}
