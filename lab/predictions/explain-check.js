import { describeFigures, explainMore, explainReason } from 'mongodb-pool-page/universal/finding-words.js';
import { countConnections } from 'mongodb-pool-page/universal/quantity.js';
import { describeCheck } from 'mongodb-pool-predictor';

/** @import { HiddenFigures, TraceCheck, Trust } from 'mongodb-pool-predictor' */

/** How far the figures that there are can be trusted, as one sentence. @param {Trust} trust */
export function explainTrust({ check, isUnclear, showsEverything, recordedSize }) {
  if (isUnclear)
    return (
      "Trust a figure if p95 and closed agree: the recording doesn't show whether clients wait for answers. " +
      '--callers N says how many do.'
    );
  if (check.status === 'notChecked') {
    const why = explainReason(describeCheck(check));
    if (showsEverything)
      return `Trust: yes, although ${why}: it shows who waits for answers, and that the server had cores to spare.`;
    const tails = check.of === 'waits' && recordedSize > 0 ? `only above the recorded ${recordedSize}` : 'no';
    return `Trust: medians yes; tails ${tails}, because ${why}.`;
  }
  if (check.of === 'trace') return 'Trust: yes, because it predicts the other recording, too.';
  return `Trust: yes near the recorded ${recordedSize}, because the pool explains its waits; less so farther away.`;
}

/** Why figures are hidden. @param {Omit<HiddenFigures, 'poolSizes'> & { poolSizes: (number | string)[] }} hidden */
export function explainHidden({ reason, poolSizes, isAll }) {
  const why = explainReason(reason);
  if (reason.code === 'wideBand') return `A dash stands for a figure that is too uncertain: ${why}.`;
  if (reason.code === 'unknownFailures')
    return `How many requests fail with ${poolSizes.join(', ')} is unknown, because ${why}.`;
  const which = `${isAll ? 'No figures' : 'Not all figures'} for ${poolSizes.join(', ')}`;
  return `${which}: ${why}. ${explainMore(reason)}`.trim();
}

/** Whether a trace could be predicted, in words. @param {TraceCheck} check */
export function explainCheck(check) {
  const { status, of, poolSize } = check;
  if (status === 'holds') {
    const size = countConnections(poolSize);
    const basis =
      of === 'trace'
        ? `of the other recording, with ${size}, predicted from this one`
        : `of the waits that were recorded with ${size}, replayed`;
    return `The check holds: ${basis}, every figure fits. ${describeFigures(check)}`;
  }
  const reason = describeCheck(check);
  const result = status === 'fails' ? 'The check fails' : 'Not checked';
  const advice = status === 'fails' ? ' Do not rely on the predictions.' : '';
  return `${result}: ${explainReason(reason)}. ${explainMore(reason)}${advice}`;
}
