/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/**
 * How long clients wait for their answers, as far as a recording shows it.
 *
 * @typedef {object} Patience
 * @property {number} longestMs of the answers to requests that used the pool, whatever their status. Where a recording
 *   has no answers, the time from the first checkout of a request to its last check-in
 * @property {number[]} leftMs after how long clients left, one for each request with status 0
 * @property {number} requests that were answered, or left
 */

/** @param {RecordedTrace} trace @param {number} pool row @returns {Patience} */
export function measurePatience({ checkouts, requests, header }, pool) {
  const { poolOf, requestOf, startedMs, waitMs, useMs } = checkouts;
  const { overhead } = /** @type {Record<string, any>} */ (header);
  const restMs = Math.max(0, ...(overhead?.valuesMs ?? []));
  const hasAnswers = requests.durationMs.some((ms) => ms >= 0);
  /** When the first checkout of each request started. @type {Map<number, number>} */
  const firstMs = new Map();
  /** @type {Patience} */
  const patience = { longestMs: 0, leftMs: [], requests: 0 };
  for (let row = 0; row < poolOf.length; row++) {
    if (poolOf[row] !== pool) continue;
    const request = requestOf[row];
    const isNew = request < 0 || !firstMs.has(request);
    if (isNew) firstMs.set(request, startedMs[row]);
    const answeredMs = request < 0 ? NaN : requests.durationMs[request];
    const isAnswered = answeredMs >= 0;
    if (isAnswered && !isNew) continue;
    if (isNew && (isAnswered || !hasAnswers)) patience.requests++;
    if (isAnswered && requests.statusOf[request] === 0) patience.leftMs.push(answeredMs);
    // Nobody waits for what belongs to no request. A request without an end goes on when the recording ends.
    else if (isAnswered || request >= 0 || !hasAnswers) {
      const usedMs = startedMs[row] - Number(firstMs.get(request)) + waitMs[row] + (useMs[row] || 0) + restMs;
      patience.longestMs = Math.max(patience.longestMs, isAnswered ? answeredMs : usedMs);
    }
  }
  return patience;
}
