/**
 * When the queries of a request start, and when it is answered. Each waits for the ends of others, whichever they are:
 *
 *     startsAfter  gapsMs     in the app
 *     0            0          const user = await find()            ends 1st
 *     1            2          parse(); await Promise.all([a(),     ends 3rd
 *     1            2                              b()])            ends 2nd
 *     endsAfter 3, restMs 4   respond()
 *
 * So another pool, in which they end in another order, changes when they start, and not what the app does between them.
 *
 * @typedef {object} RequestPlan
 * @property {number[]} startsAfter by query, in the order of their starts: how many queries of the request end before
 * @property {number[]} gapsMs from the last of these ends, or from the start of the first query, to its start
 * @property {number} endsAfter how many queries end before the request does; others go on, and nobody waits for them
 * @property {number} restMs from the last of these ends to the end of the request
 */

/**
 * A request whose queries and times are known, such as one that was recorded.
 *
 * @typedef {RequestPlan & { servicesMs: number[], handoversMs: number[] | null, breaks?: boolean[] | null, leadMs:
 *   number, isMeasured: boolean }} KnownRequest servicesMs by query, NaN: it is never sent; handoversMs by query, null:
 *   all 0; breaks: which queries break their connections, so that these are closed, default none; leadMs: of its
 *   response, before the first query starts. isMeasured: the plan has the whole response, so no overhead is added
 */

/** @type {RequestPlan[]} By number of queries. */
const IN_TURN = [];

/** @param {number} queries one right after another @returns {RequestPlan} */
export function planInTurn(queries) {
  return (IN_TURN[queries] ??= planTurns(
    Array.from({ length: queries }, () => 1),
    0,
  ));
}

/**
 * @param {number[]} turns how many queries start at once, when those of the turn before have ended
 * @param {number} restMs
 * @returns {RequestPlan}
 */
export function planTurns(turns, restMs) {
  /** @type {number[]} */
  const startsAfter = [];
  for (const queries of turns) startsAfter.push(...Array.from({ length: queries }, () => startsAfter.length));
  return { startsAfter, gapsMs: startsAfter.map(() => 0), endsAfter: startsAfter.length, restMs };
}

/**
 * Makes the plan of a recorded request.
 *
 * @param {{ startsMs: number[], endsMs: number[], endMs: number, sameMs: number }} recorded of its queries, in the
 *   order of their starts; endMs of the request; sameMs: up to which difference two times may be the same
 * @returns {RequestPlan}
 */
export function planRecorded({ startsMs, endsMs, endMs, sameMs }) {
  const ascendingMs = endsMs.toSorted((a, b) => a - b);
  const countUntil = (/** @type {number} */ ms, /** @type {number} */ most) => {
    let count = 0;
    while (count < most && ascendingMs[count] <= ms + sameMs) count++;
    return count;
  };
  const sinceMs = (/** @type {number} */ ms, /** @type {number} */ ended) =>
    Math.max(0, ms - (ended > 0 ? ascendingMs[ended - 1] : startsMs[0]));
  // Where times are rounded, a query may seem to have ended before it started: it can only wait for those before it.
  const startsAfter = startsMs.map((ms, index) => countUntil(ms, index));
  const endsAfter = countUntil(endMs, endsMs.length);
  return {
    startsAfter,
    gapsMs: startsMs.map((ms, index) => sinceMs(ms, startsAfter[index])),
    endsAfter,
    restMs: sinceMs(endMs, endsAfter),
  };
}
