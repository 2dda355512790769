/**
 * Formulas for k servers and one first-in, first-out queue, to compare with a simulation. `offered` is the offered load in
 * Erlang: the arrival rate times the mean service time, and so how many servers are busy on average.
 */

/**
 * `scv` is a squared coefficient of variation: 0 when all values are equal, 1 when they are exponential.
 *
 * @typedef {object} Stream
 * @property {number} ratePerSec
 * @property {number} meanMs service time
 * @property {number} [scv] of the service times, default 1
 */

/** @param {Stream} stream @returns {number} Erlang */
export function offeredLoad({ ratePerSec, meanMs }) {
  return (ratePerSec * meanMs) / 1000;
}

/**
 * Erlang B: the share of arrivals that find all servers busy when none may wait, by the recursion
 * B(0) = 1, B(n) = a B(n-1) / (n + a B(n-1)). https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_B_formula
 *
 * @param {number} servers
 * @param {number} offered
 */
export function erlangB(servers, offered) {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked);
  return blocked;
}

/**
 * Erlang C: the share of arrivals that must wait in M/M/k: C = B / (1 - rho (1 - B)) with rho = a / k.
 * https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_C_formula
 *
 * @param {number} servers
 * @param {number} offered
 * @returns {number} 1 when the servers cannot keep up
 */
export function erlangC(servers, offered) {
  if (offered >= servers) return 1;
  const blocked = erlangB(servers, offered);
  return blocked / (1 - (offered / servers) * (1 - blocked));
}

/**
 * The mean wait in M/M/k: Wq = C S / (k - a).
 *
 * @param {number} servers
 * @param {Stream} stream
 * @returns {number} ms; Infinity when the servers cannot keep up
 */
export function erlangWaitMs(servers, stream) {
  const offered = offeredLoad(stream);
  return offered >= servers ? Infinity : (erlangC(servers, offered) * stream.meanMs) / (servers - offered);
}

/**
 * The approximate mean wait in G/G/k: that of M/M/k times (Ca^2 + Cs^2) / 2. A. O. Allen, Probability, Statistics and
 * Queueing Theory (1978), after J. Cunneen; https://en.wikipedia.org/wiki/M/G/k_queue has the case Ca = 1. For a mix of a
 * few long and many short queries it can be far off.
 *
 * @param {number} servers
 * @param {Stream} stream
 * @param {number} [arrivalScv] of the gaps between arrivals, default 1
 */
export function allenCunneenWaitMs(servers, stream, arrivalScv = 1) {
  return (erlangWaitMs(servers, stream) * (arrivalScv + (stream.scv ?? 1))) / 2;
}

/**
 * Several streams as one. Rates add up; means and second moments of the service times are weighted by rate.
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
