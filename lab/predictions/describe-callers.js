import { countOf, formatQuantity, formatShare } from 'mongodb-pool-page/universal/quantity.js';

/** @import { CallerFacts } from 'mongodb-pool-predictor' */

/**
 * Which requests of a trace wait for the answers to others, and how much work belongs to no request.
 * @param {CallerFacts} facts
 */
export function describeCallers({ outside = 0, ...facts }) {
  const others =
    outside === 0
      ? ''
      : ` ${countOf(outside, 'checkout belongs', 'checkouts belong')} to no request, such as those of a timer, and ` +
        `${outside === 1 ? 'comes at its recorded time' : 'come at their recorded times'}.`;
  return `${describeRequests(facts)}${others}`;
}

/** @param {Omit<CallerFacts, 'outside'>} facts */
function describeRequests({ callers, callersShare, visits, visitsShare, aloneShare, thinkMs, fewest }) {
  const parts = [
    callers > 0 &&
      `${formatShare(callersShare)} of the queries come from ${
        callers === 1 ? 'one caller that waits for its answers' : `${callers} callers that wait for their answers`
      }`,
    visits > 0 &&
      `${formatShare(visitsShare)} come in ${visits === 1 ? 'one chain' : `${visits} chains`}, each query after the ` +
        'one before it',
    aloneShare > 0 && `${formatShare(aloneShare)} arrive on their own`,
  ].filter(Boolean);
  const other =
    fewest === null
      ? ''
      : ` The bands also hold what happens if as few as ${countOf(fewest, 'caller', 'callers')} sent all of them.`;
  if (callers + visits === 0)
    return `No query seems to wait for the answer to another: all arrive at the times in the trace.${other}`;
  const think = formatQuantity(thinkMs, 'ms');
  return `Of the trace, ${parts.join('; ')}. From an answer to the next query it takes ${think} (median).${other}`;
}
