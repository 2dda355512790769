import { COMMON } from '../assumptions/common-assumptions.js';
import { TRACE } from '../assumptions/trace-assumptions.js';
import { sum } from '../base/sample-statistics.js';

/** @import { RecordedRequests } from '../reading/recorded-trace.js' */

/**
 * Who sends the requests of a socket. `alone`: its only request. `waiting`: one user, who sends the next request after
 * the answer. `arriving`: a client that keeps sockets for arrivals which wait for nothing. `unclear`: either.
 * `unknown`: the socket is not known.
 */
export const SOCKET_USES = /** @type {const} */ (['unknown', 'alone', 'waiting', 'arriving', 'unclear']);

/**
 * @typedef {typeof SOCKET_USES[number]} SocketUse
 *
 * @typedef {object} UsedSocket
 * @property {number} id
 * @property {number[]} startsMs of its requests, ascending
 * @property {number[]} endsMs of their answers
 * @property {number} route row; or MIXED
 */

/** The route of a socket with several. */
const MIXED = -1;
/** Comparing more requests, or more sockets, would only take longer. */
const MAX_COMPARED = { requests: 20_000, sockets: 100 };

/**
 * Tells users who wait for their answers, each with a socket, from clients that keep sockets for any request.
 *
 * Such a client takes the idle socket that was in use last, or the first of its list, and opens one if none is idle. So
 * of two of its sockets, one never starts while the other one is idle and comes before it. Sockets of different users
 * know nothing of each other and break that rule as often as chance has it. The sockets of each client are judged
 * together: users who wait start the fewer requests, the fewer of their sockets are idle
 * (https://en.wikipedia.org/wiki/Machine_repair_problem), and never open one because all are in use; arrivals come at
 * the same rate and do open one.
 *
 * @param {RecordedRequests} requests
 * @param {number} process row
 * @param {boolean} isLoopLate requests that came while the process was busy seem to start right after answers
 * @returns {Map<number, SocketUse>} by the number of the socket
 */
export function judgeSockets(requests, process, isLoopLate) {
  /** @type {Map<number, SocketUse>} */
  const uses = new Map();
  for (const all of splitByRoute(listSockets(requests, process))) {
    const kept = all.filter(isKept);
    const { withOwnClient, clients } = groupSockets(kept);
    for (const { id } of all) uses.set(id, 'alone');
    const mayArrive = isLoopLate && !areOftenFull(kept);
    for (const sockets of clients) {
      const likely = judgeTogether(sockets);
      const isDoubtful = mayArrive || isFleeting(sockets, all.length - kept.length);
      for (const { id } of sockets) uses.set(id, likely === 'waiting' && isDoubtful ? 'unclear' : likely);
    }
    const likelyUse = mayArrive || judgeTogether(withOwnClient) === 'arriving' ? 'unclear' : 'waiting';
    for (const { id } of withOwnClient) uses.set(id, likelyUse);
  }
  return uses;
}

/** @param {UsedSocket} socket */
const isKept = ({ startsMs }) => startsMs.length > 1;

/**
 * A client that keeps sockets sends requests of any route on each. Where each socket has requests of one route only,
 * and hardly by chance, those of each route have clients of their own.
 *
 * @param {UsedSocket[]} sockets
 */
function splitByRoute(sockets) {
  const counts = new Map();
  for (const { route, startsMs } of sockets) counts.set(route, (counts.get(route) ?? 0) + startsMs.length);
  const all = sum([...counts.values()]);
  const nats = sum(sockets.map(({ route, startsMs }) => (startsMs.length - 1) * Math.log(all / counts.get(route))));
  if (nats < TRACE.clientNats || sockets.some(({ route }) => route === MIXED)) return [sockets];
  return [...counts.keys()].map((route) => sockets.filter((socket) => socket.route === route));
}

/** @param {RecordedRequests} requests @param {number} process row @returns {UsedSocket[]} by their first requests */
function listSockets({ startedMs, durationMs, socketOf, processOf, routeOf }, process) {
  /** @type {Map<number, UsedSocket>} */
  const sockets = new Map();
  const rows = Uint32Array.from(startedMs.keys()).filter(
    (row) => processOf[row] === process && socketOf[row] >= 0 && !Number.isNaN(startedMs[row]),
  );
  for (const row of rows.sort((a, b) => startedMs[a] - startedMs[b])) {
    const id = socketOf[row];
    const socket = sockets.get(id) ?? { id, startsMs: [], endsMs: [], route: routeOf[row] };
    sockets.set(id, socket);
    if (routeOf[row] !== socket.route) socket.route = MIXED;
    socket.startsMs.push(startedMs[row]);
    socket.endsMs.push(startedMs[row] + durationMs[row]);
  }
  return [...sockets.values()];
}

/**
 * Finds the sockets that share no client with another one, and those of each client. Those that are not compared are of
 * the client with the most, or of one more.
 *
 * @param {UsedSocket[]} sockets
 * @returns {{ withOwnClient: UsedSocket[], clients: UsedSocket[][] }}
 */
function groupSockets(sockets) {
  const sorted = sockets.toSorted((a, b) => b.startsMs.length - a.startsMs.length);
  const [compared, rest] = [sorted.slice(0, MAX_COMPARED.sockets), sorted.slice(MAX_COMPARED.sockets)];
  const groups = joinAlike(compareSockets(compared)).map((group) => group.map((socket) => compared[socket]));
  // Nothing refutes that the only socket is of a client that keeps it for any request.
  const isOwn = (/** @type {UsedSocket[]} */ { length }) => length === 1 && compared.length > 1;
  const withOwnClient = groups.filter(isOwn).flat();
  const clients = groups.filter((group) => !isOwn(group));
  const [largest = []] = clients.sort((a, b) => b.length - a.length);
  if (largest.length > withOwnClient.length) largest.push(...rest);
  else if (rest.length > 0) clients.push(rest);
  return { withOwnClient, clients };
}

/**
 * Joins the sockets of one client, by the sum of what their pairs say. Those that have too few requests to say are with
 * the client that they fit best.
 *
 * @param {number[][]} evidence by both sockets, see compareSockets
 * @returns {number[][]} sockets of each client
 */
function joinAlike(evidence) {
  const groups = evidence.map((_, socket) => [socket]);
  const sums = evidence.map((row) => [...row]);
  const isFew = (/** @type {number[]} */ one, /** @type {number[]} */ two, /** @type {number} */ nats) =>
    Math.min(one.length, two.length) === 1 && nats >= -TRACE.pairNats;
  const join = (/** @type {number} */ one, /** @type {number} */ two) => {
    sums[two].forEach((nats, other) => (sums[one][other] += nats));
    sums.forEach((row, other) => (row[one] = sums[one][other]));
    groups[one].push(...groups[two]);
    for (const each of [groups, sums, ...sums]) each.splice(two, 1);
  };
  for (;;) {
    const best = sums.map((row, one) =>
      Math.max(...row.filter((nats, two) => nats > TRACE.pairNats || isFew(groups[one], groups[two], nats))),
    );
    const one = best.indexOf(Math.max(...best));
    if (!Number.isFinite(best[one])) return groups;
    join(one, sums[one].indexOf(best[one]));
  }
}

/**
 * Weighs whether two sockets are of one client. If they are not, the client's rule is broken as often as chance has it;
 * if they are, in a few of those chances. Both are counts of rare events, so they have Poisson distributions.
 *
 * @param {UsedSocket[]} sockets
 * @returns {number[][]} log-likelihood ratio in nats, by both sockets, for the rule that they keep best; positive: of
 *   one client; with itself -Infinity
 */
function compareSockets(sockets) {
  const starts = sockets
    .flatMap(({ startsMs }, socket) => startsMs.slice(1).map((atMs, index) => ({ socket, atMs, index: index + 1 })))
    .sort((a, b) => a.atMs - b.atMs)
    .slice(0, MAX_COMPARED.requests);
  const counts = sockets.map(() => sockets.map(() => ({ newer: 0, newerChances: 0, idle: 0, idleChances: 0 })));
  const ages = sockets.map(createAges);
  /** Last request of each socket. */
  const last = sockets.map(() => 0);
  for (const { socket, atMs, index } of starts) {
    const ageMs = atMs - sockets[socket].endsMs[index - 1];
    sockets.forEach(({ startsMs, endsMs }, other) => {
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
  const weigh = (/** @type {number} */ broken, /** @type {number} */ chances) =>
    (1 - TRACE.brokenShare) * chances + broken * Math.log(TRACE.brokenShare);
  return counts.map((ofSocket, socket) =>
    ofSocket.map((one, other) => {
      const two = counts[other][socket];
      if (socket === other) return -Infinity;
      return Math.max(
        weigh(one.newer + two.newer, one.newerChances + two.newerChances),
        weigh(one.idle, one.idleChances),
        weigh(two.idle, two.idleChances),
      );
    }),
  );
}

/** Finds the share of the time in which a socket has been idle for less than `ageMs`. @param {UsedSocket} socket */
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

/** @param {UsedSocket[]} sockets @param {number} alone sockets with one request, which may be theirs */
function isFleeting(sockets, alone) {
  const requests = sum(sockets.map(({ startsMs }) => startsMs.length));
  return (
    sockets.length > TRACE.openedKeptShare * requests && sockets.length + alone > TRACE.openedShare * (requests + alone)
  );
}

/** Arrivals open sockets instead, also if they seem to start later than they do. @param {UsedSocket[]} sockets */
function areOftenFull(sockets) {
  const { fullShare, opened } = weighWaiting(sockets);
  return opened === 0 && fullShare > TRACE.fullSocketsShare;
}

/** @param {UsedSocket[]} sockets @returns {SocketUse} */
function judgeTogether(sockets) {
  const { evidence, mixture } = weighWaiting(sockets);
  if (evidence > TRACE.clientNats) return mixture > TRACE.pairNats ? 'unclear' : 'waiting';
  return evidence < -TRACE.clientNats ? 'arriving' : 'unclear';
}

/**
 * Compares two explanations of when requests start: at a rate in proportion to the idle sockets, or at the same rate
 * always.
 *
 * @param {UsedSocket[]} sockets
 * @returns {{ evidence: number, mixture: number, fullShare: number, opened: number }} evidence: log-likelihood ratio in
 *   nats; positive: users who wait explain it better; mixture: see weighMixture; fullShare of the time: all sockets are
 *   in use; opened: sockets, meanwhile. NaN without sockets
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
  const opening = COMMON.smallShare * sum(sockets.map(({ startsMs }) => startsMs.length));
  let [idle, starts, logs, opened] = [0, 0, 0, 0];
  let [idleMs, someMs, noneMs] = [0, 0, 0];
  let lastMs = events[0]?.atMs ?? 0;
  /** @type {number[]} */
  const idleAtStarts = [];
  for (const { atMs, isFirst, change } of events) {
    const passedMs = atMs - lastMs;
    idleMs += idle * passedMs;
    if (idle > 0) someMs += passedMs;
    else noneMs += passedMs;
    lastMs = atMs;
    if (change < 0) {
      starts++;
      logs += Math.log(Math.max(idle, 1));
      idleAtStarts.push(Math.max(idle, 1));
    }
    if (isFirst && idle === 0 && starts > opening) opened++;
    idle += change;
  }
  const fullShare = noneMs / (someMs + noneMs);
  const evidence = logs - starts * Math.log(idleMs / someMs) + starts * fullShare - TRACE.pairNats * opened;
  return { evidence, mixture: weighMixture(idleAtStarts, idleMs / (someMs + noneMs)), fullShare, opened };
}

/** Shares of the requests that may come from users who wait. */
const SHARES = Array.from({ length: 20 }, (_, step) => step / 20);

/**
 * Behind a gateway, some requests come from users who wait and others do not: then the rate has a part in proportion to
 * the idle sockets, and one that is always the same.
 *
 * @param {number[]} idleAtStarts sockets that were idle when each request started
 * @param {number} meanIdle of all the time
 * @returns {number} by how many nats some mixture explains the starts better than users who wait alone
 */
function weighMixture(idleAtStarts, meanIdle) {
  const natsOf = (/** @type {number} */ share) =>
    sum(idleAtStarts.map((idle) => Math.log((share * idle) / meanIdle + 1 - share)));
  return Math.max(...SHARES.map(natsOf)) - natsOf(1);
}
