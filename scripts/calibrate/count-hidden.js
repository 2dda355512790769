import { isClose } from '../../benchmarks/predicted-vs-measured/apps.js';
import { ALL_FIGURES, compareFigures } from '../corpus/accuracy.js';
import { questionsOf } from '../corpus/recordings.js';

/** @import { Recording } from '../corpus/recordings.js' */
/** @import { CalibrationThreads } from './calibration-threads.js' */

/**
 * The rules that hide figures, by their codes, each with the assumption that switches it off: nothing exceeds an
 * infinite one. See FindingCode. isOfTwo: it needs a second recording; isOfFailures: it hides numbers of failures
 * @type {Record<string, { id: string, isOfTwo?: boolean, isOfFailures?: boolean }>}
 */
export const RULES = {
  wideBand: { id: 'prediction.bandFactor' },
  clientsGiveUp: { id: 'common.rareShare' },
  unserved: { id: 'prediction.unservedShare' },
  unknownServer: { id: 'prediction.fullPoolShare' },
  manyClients: { id: 'trace.manyClients' },
  transactions: { id: 'common.few' },
  otherRecording: { id: 'common.minRequests', isOfTwo: true },
  unknownFailures: { id: 'prediction.bandFactor', isOfFailures: true },
};
/** Numbers of failures that are as far apart, or by 15 %, are close. */
const CLOSE_FAILURES = 3;

/** @typedef {{ alone: number, measured: number, right: number }} HiddenCount see countHidden */

/**
 * Counts what a rule hides alone: the figures that are shown without it. Those of other sizes were measured; they would
 * have been right within 15 % or 5 ms.
 *
 * @param {string} code of the rule
 * @param {Recording[]} recordings with answers of predict
 * @param {CalibrationThreads} threads
 * @returns {Promise<HiddenCount>} right: of those that were measured
 */
export async function countHidden(code, recordings, threads) {
  const { id, isOfTwo = false, isOfFailures = false } = RULES[code];
  const questionOf = (/** @type {Recording} */ recording) => {
    const [, predict] = questionsOf(recording);
    const other = recording.name.replace(/\d+$/, (size) => (size === '2' ? '8' : '2'));
    const [file] = questionsOf({ ...recording, name: other })[0].args;
    return isOfTwo ? { ...predict, args: [...predict.args, '--trace', file] } : predict;
  };
  const ask = (/** @type {Recording[]} */ some, /** @type {number | undefined} */ value) =>
    threads.askEach(some.map((recording) => ({ id, value, question: questionOf(recording) })));
  const loads = recordings.filter(({ measured }) => measured);
  const answered = isOfTwo
    ? (await ask(loads, undefined)).map((answer, index) => ({ recording: loads[index], answer }))
    : recordings.map((recording) => ({ recording, answer: recording.stored?.predict }));
  const hidden = answered.filter(({ answer }) => answer.hidden?.some((/** @type {any} */ each) => each.code === code));
  const answers = await ask(
    hidden.map(({ recording }) => recording),
    Infinity,
  );
  const counts = { alone: 0, measured: 0, right: 0 };
  for (const [index, { recording, answer }] of hidden.entries()) {
    const [before, after] = [answer, answers[index]].map((each) => listShown(each, isOfFailures));
    const alone = [...after.keys()].filter((key) => !before.has(key));
    const judged = judge(recording, answers[index], isOfFailures);
    counts.alone += alone.length;
    counts.measured += alone.filter((key) => judged.has(key)).length;
    counts.right += alone.filter((key) => judged.get(key)).length;
  }
  return counts;
}

/**
 * @param {any} predict an answer
 * @param {boolean} isOfFailures
 * @returns {Map<string, number>} figures, by what they are of
 */
function listShown({ variants = [] }, isOfFailures) {
  const names = isOfFailures ? ['failures'] : ALL_FIGURES;
  return new Map(
    variants.flatMap((/** @type {any} */ { settings: { poolSize }, predicted: { routes } }) =>
      Object.entries(routes).flatMap(([route, figures]) =>
        names
          .filter((name) => typeof figures[name] === 'number')
          .map((name) => [`${poolSize} ${route} ${name}`, figures[name]]),
      ),
    ),
  );
}

/** @param {Recording} recording @param {any} predict @param {boolean} isOfFailures @returns {Map<string, boolean>} */
function judge(recording, predict, isOfFailures) {
  if (!recording.measured) return new Map();
  if (!isOfFailures)
    return new Map(
      compareFigures(recording, /** @type {any} */ ({ predict })).flatMap(({ poolSize, route, figure, ...compared }) =>
        compared.predictedMs === null
          ? []
          : [[`${poolSize} ${route} ${figure}`, isClose(/** @type {any} */ (compared))]],
      ),
    );
  const { measured } = recording.measured;
  return new Map(
    [...listShown(predict, true)].flatMap(([key, predicted]) => {
      const [poolSize, ...rest] = key.split(' ');
      const truth = measured[poolSize]?.[rest.slice(0, -1).join(' ')];
      if (!truth) return [];
      const { failures = 0 } = truth;
      return [[key, Math.abs(predicted - failures) <= Math.max(CLOSE_FAILURES, 0.15 * failures)]];
    }),
  );
}
