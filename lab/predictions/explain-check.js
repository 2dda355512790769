import { describeFigures, explainMore, explainReason } from 'mongodb-pool-page/universal/finding-words.js';
import { countConnections } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Advice, CodedFinding, HiddenFigures, TraceCheck, Trust } from 'mongodb-pool-predictor' */

/** How far the figures that there are can be trusted, as one sentence. @param {Pick<Trust, 'check'>} trust */
export function explainTrust({ check }) {
  const other = check?.status === 'holds' ? ' This one predicts the other recording, too.' : '';
  return `Trust: 9 of 10 measured figures lie in their bands.${other}`;
}

/** Why figures are hidden. @param {Omit<HiddenFigures, 'poolSizes'> & { poolSizes: (number | string)[] }} hidden */
export function explainHidden({ reason, poolSizes, isAll }) {
  const why = explainReason(reason);
  if (reason.code === 'wideBand') return `A range stands for a figure where ${why}. ${explainMore(reason)}`.trim();
  if (reason.code === 'unknownFailures')
    return `How many requests fail with ${poolSizes.join(', ')} is unknown, because ${why}.`;
  // `predict` may have figures all the same: their bands are wider.
  if (reason.code === 'ownRuns') return `Even ${why}. ${explainMore(reason)}`;
  const which = `${isAll ? 'No figures' : 'Not all figures'} for ${poolSizes.join(', ')}`;
  return `${which}: ${why}. ${explainMore(reason)}`.trim();
}

/**
 * Why there is no advice, if the simulation does not give what was recorded.
 * @param {Advice} advice
 * @returns {CodedFinding | null}
 */
export function describeDenial({ denial }) {
  return denial && { code: 'ownRuns', figures: denial };
}

/** Whether a recording predicts another one, in words. @param {TraceCheck} check */
export function explainCheck(check) {
  const { status, poolSize } = check;
  const other = `the other recording, with ${countConnections(poolSize)}`;
  if (status === 'notChecked') return `Not checked: ${other}, has fewer than 20 requests of each route of this one.`;
  if (status === 'holds')
    return `The check holds: of ${other}, predicted from this one, every figure fits. ${describeFigures(check)}`;
  return `The check fails. ${explainMore({ code: 'otherRecording', figures: check })} Do not rely on the predictions.`;
}
