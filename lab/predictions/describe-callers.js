import { explainReason } from 'mongodb-pool-page/universal/finding-words.js';
import { formatQuantity, formatShare } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Advice, CallerFacts, CodedFinding } from 'mongodb-pool-predictor' */

/** Which requests of a trace wait for the answers to others, as one sentence. @param {CallerFacts} facts */
export function describeCallers({ callers, callersShare, visits, visitsShare, aloneShare, thinkMs, isUnclear }) {
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
  if (callers + visits === 0) {
    return isUnclear
      ? 'First, all queries arrive at the times in the trace.'
      : 'No query waits for the answer to another: all arrive at the times in the trace.';
  }
  const think = formatQuantity(thinkMs, 'ms');
  return (
    `${isUnclear ? 'First, of' : 'Of'} the trace, ${parts.join('; ')}. From an answer to the next query it takes ` +
    `${think} (median).`
  );
}

/** @param {CallerFacts} facts why they are unclear */
function describeReason(facts) {
  const why = explainReason({ code: /** @type {CodedFinding['code']} */ (facts.doubt), figures: facts });
  return `It is unclear, because ${why},`;
}

/** The trace can't tell. @param {CallerFacts} closedReading */
export function describeDoubt(closedReading) {
  return (
    `${describeReason(closedReading)} whether these queries arrive on their own, as above, or come from callers that ` +
    `wait for their answers, as below. ${describeCallers({ ...closedReading, isUnclear: false })}`
  );
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
 * @param {CallerFacts} facts why they are unclear
 * @param {Advice} arriving if the queries arrive on their own
 * @param {Advice} waiting if they come from callers that wait for their answers
 */
export function describeWorse(facts, arriving, waiting) {
  const [one, other] = [arriving, waiting].map(({ verdict, poolSize }) =>
    poolSize === null ? VERDICTS[verdict] : String(poolSize),
  );
  const both =
    one === other
      ? `Both give ${one}.`
      : `The first gives ${one}, the second ${other}: this advice is the worse of the two.`;
  return (
    `${describeReason(facts)} whether all queries arrive on their own, or some come from callers that wait for their ` +
    `answers. ${both}`
  );
}
