/**
 * Formulas for k servers and one first-in first-out queue, beside which a simulation can be held.
 * `load` is the arrival rate times the mean service time, in Erlang: how many servers are busy on average.
 */

/**
 * What comes in and how long it is served. `scv` is a squared coefficient of variation: 0 when all are alike,
 * 1 when they are exponential.
 *
 * @typedef {object} Stream
 * @property {number} ratePerSec
 * @property {number} meanMs
 * @property {number} [scv] of the service times, default 1
 */

/** @param {Stream} stream */
export function loadOf({ ratePerSec, meanMs }) {
  return (ratePerSec * meanMs) / 1000;
}

/**
 * The share of arrivals that find all servers busy when none may wait. A. K. Erlang (1917), by the recursion
 * B(0) = 1, B(n) = a B(n-1) / (n + a B(n-1)).
 *
 * @param {number} servers
 * @param {number} load
 */
export function erlangB(servers, load) {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (load * blocked) / (n + load * blocked);
  return blocked;
}

/**
 * The share of arrivals that have to wait, M/M/k: C = B / (1 - rho (1 - B)) with rho = load / servers.
 *
 * @param {number} servers
 * @param {number} load
 * @returns {number} 1 when the servers cannot keep up
 */
export function erlangC(servers, load) {
  if (load >= servers) return 1;
  const blocked = erlangB(servers, load);
  return blocked / (1 - (load / servers) * (1 - blocked));
}

/**
 * The mean wait for M/M/k: Wq = C S / (k - a).
 *
 * @param {number} servers
 * @param {Stream} stream
 * @returns {number} ms; Infinity when the servers cannot keep up
 */
export function erlangWaitMs(servers, stream) {
  const load = loadOf(stream);
  return load >= servers ? Infinity : (erlangC(servers, load) * stream.meanMs) / (servers - load);
}

/**
 * The mean wait for G/G/k, approximately: that of M/M/k times (Ca^2 + Cs^2) / 2. A. O. Allen, Probability,
 * Statistics and Queueing Theory (1978), after J. Cunneen. It knows of variance, not of two kinds of query:
 * for a mix of a few long and many short ones it can be far off.
 *
 * @param {number} servers
 * @param {Stream} stream
 * @param {number} [arrivalScv] of the gaps between arrivals, default 1
 */
export function allenCunneenWaitMs(servers, stream, arrivalScv = 1) {
  return (erlangWaitMs(servers, stream) * (arrivalScv + (stream.scv ?? 1))) / 2;
}

/**
 * Several streams seen as one: rates add up; of the service times, means and second moments are weighted by
 * rate.
 *
 * @param {Stream[]} streams
 * @returns {Required<Stream>}
 */
export function mixStreams(streams) {
  let ratePerSec = 0;
  let sum = 0;
  let sumOfSquares = 0;
  for (const stream of streams) {
    ratePerSec += stream.ratePerSec;
    sum += stream.ratePerSec * stream.meanMs;
    sumOfSquares += stream.ratePerSec * stream.meanMs ** 2 * (1 + (stream.scv ?? 1));
  }
  const meanMs = sum / ratePerSec;
  return { ratePerSec, meanMs, scv: sumOfSquares / ratePerSec / meanMs ** 2 - 1 };
}
