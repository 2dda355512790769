import { countConnections, describeBand, formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';

/** @import { TraceCheck } from 'mongodb-pool-predictor' */

/** A load that changes less looks the same. */
const CHANGE = 1.25;
/** A band with a ratio of its ends above this proves little. */
const WIDE = 3;

/**
 * Whether a trace could be predicted, in words.
 *
 * @param {TraceCheck | null} check null: the size of the recorded pool, or the waits, are unknown
 */
export function explainCheck(check) {
  if (check === null) {
    return (
      'The trace does not say how large its pool was or how long each checkout waited, so nothing shows whether its ' +
      'predictions can be trusted.'
    );
  }
  const { of, poolSize, figures, holds } = check;
  const part = of === 'half' ? 'the second half of the trace' : 'the other trace';
  if (holds === null) {
    return `No check: ${part} or what it would be predicted from has fewer than 20 requests of every route.`;
  }
  const compared = figures.map(({ kind, route, recordedMs, lowMs, highMs }, index) => {
    const figure = kind === 'meanWait' ? 'Mean wait' : `p95 of ${route}`;
    const [recorded, predicted] = [formatQuantity(recordedMs, 'ms'), describeBand(lowMs, highMs)];
    return index === 0
      ? `${figure}: ${recorded} recorded, ${predicted} predicted`
      : `${figure}: ${recorded}, ${predicted}`;
  });
  const intro = `Check: ${part}, recorded with ${countConnections(poolSize)}, against what the ${
    of === 'half' ? 'first half' : 'trace'
  } predicts. ${compared.join('; ')}.`;
  return `${intro} ${holds ? confirm(check) : warn(check)}`;
}

/** @param {TraceCheck} check */
function confirm({ of, figures }) {
  const close = figures.some(({ place }) => place === 'close') ? ', or differ by less than 5 % or 1 ms' : '';
  const isWide = figures.some(({ lowMs, highMs }) => highMs - lowMs > 1 && highMs > WIDE * lowMs);
  return [
    `The check holds: all ${figures.length} lie in their bands${close}.`,
    ...(isWide ? ['But some bands are wide: a longer trace would prove more.'] : []),
    ...(of === 'half' ? ['To check another pool size, record a trace with it: --check OTHER.jsonl.'] : []),
  ].join(' ');
}

/** @param {TraceCheck} check */
function warn({ of, figures, rateRatio, useRatios }) {
  const off = figures.filter(({ place }) => place === 'outside').length;
  const later = of === 'half' ? 'in the second half' : 'in the other trace';
  const changes = [
    ...(isChange(rateRatio) ? [`it has ${formatNumber(rateRatio, 1)} times as many requests per second`] : []),
    ...Object.entries(useRatios)
      .filter(([, ratio]) => isChange(ratio))
      .map(([route, ratio]) => `${route} uses its connection ${formatNumber(ratio, 1)} times as long`),
  ];
  const reason =
    changes.length > 0
      ? `The load is not the same ${later}: ${changes.join(', ')}. A prediction assumes that it stays as it was.${
          of === 'trace' && isChange(rateRatio)
            ? ' Callers that wait for their answers send more when the pool is larger.'
            : ''
        }`
      : `The load is the same ${later}, so the simulation lacks something: callers that wait for their answers, queries that ` +
        'slow each other down, or a limit other than the pool.';
  return (
    `The check fails: ${off} of ${figures.length} ${off === 1 ? 'lies' : 'lie'} outside. Do not rely on the ` +
    `predictions. ${reason}`
  );
}

/** @param {number} ratio */
function isChange(ratio) {
  return ratio > CHANGE || ratio < 1 / CHANGE;
}
