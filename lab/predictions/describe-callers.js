import { countOf, formatQuantity, formatShare } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Advice, CallerFacts } from 'mongodb-pool-predictor' */

/** Which requests of a trace wait for the answers to others, as one sentence. @param {CallerFacts} facts */
export function describeCallers({ callers, callersShare, visits, visitsShare, aloneShare, thinkMs, fewest }) {
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

/** What to call an advice without a size, from the best to the worst. @type {Record<Advice['verdict'], string>} */
const VERDICTS = {
  size: '',
  tooManyConnections: '',
  belowNoise: '"below the noise"',
  nothing: '"no size"',
  notEnoughData: '"not enough data"',
};

/**
 * Which of two pieces of advice needs more.
 *
 * @param {Advice} first
 * @param {Advice} second
 */
export function pickWorse(first, second) {
  const [one, other] = [first, second].map(({ verdict }) => Object.keys(VERDICTS).indexOf(verdict));
  if (one !== other) return one > other ? first : second;
  return Number(second.poolSize) > Number(first.poolSize) ? second : first;
}

/**
 * Which of the two it is.
 *
 * @param {CallerFacts} facts
 * @param {Advice} likely
 * @param {Advice} other if as few callers as possible sent the requests
 */
export function describeWorse({ fewest }, likely, other) {
  const [one, two] = [likely, other].map(({ verdict, poolSize }) =>
    poolSize === null ? VERDICTS[verdict] : String(poolSize),
  );
  if (one === two) return '';
  return (
    `As few as ${countOf(Number(fewest), 'caller', 'callers')} could have sent the recorded requests, each after the answer to its last: then it ` +
    `would be ${two} instead of ${one}. This advice is the worse of the two. --callers N says how many did.`
  );
}
