import { explainClients } from 'mongodb-pool-page/universal/client-words.js';
import {
  countConnections,
  countOf,
  describeBand,
  formatNumber,
  formatQuantity,
  formatShare,
} from 'mongodb-pool-page/universal/quantity.js';

/** @import { BUSY, TraceCheck, Trust } from 'mongodb-pool-predictor' */

/** A load that changes less looks the same. */
const CHANGE = 1.25;

/** What shows more than this recording. */
export const MORE_EVIDENCE =
  'A second recording at another pool size (--check OTHER.jsonl), or a sweep, would show what a size does.';

/** @type {Record<string, string>} */
const NOT_CHECKED = {
  nobodyWaited: 'nobody waited for a connection when this was recorded',
  fewWaits: 'only a few queries waited for a connection when this was recorded',
  fewRequests: 'one of the two recordings has fewer than 20 requests of every route',
  unknownSize: 'the recording does not say how large its pool was',
};

/** How far the figures that there are can be trusted, as one sentence. @param {Trust} trust */
export function explainTrust({ check, isUnclear, isPlain, recordedSize }) {
  const { status, reason, of } = check;
  if (isUnclear) return "Trust: where both readings agree, because the recording can't tell who waits for answers.";
  if (status === 'notChecked' && isPlain)
    return `Trust: yes, although ${NOT_CHECKED[String(reason)]}: it shows who waits for answers, and that the server had cores to spare.`;
  if (status === 'notChecked') {
    const tails = of === 'waits' && recordedSize > 0 ? `only above the recorded ${recordedSize}` : 'no';
    return `Trust: medians yes; tails ${tails}, because ${NOT_CHECKED[String(reason)]}.`;
  }
  if (of === 'trace') return 'Trust: yes, because it predicts the other recording, too.';
  return `Trust: yes near the recorded ${recordedSize}, because the pool explains its waits; less so farther away.`;
}

/** What a dash in the table means. */
export const EXPLAIN_DASH = 'A dash stands for a figure that could be twice or half as large: its band is that wide.';

const ANOTHER_TRACE = 'A second --trace, from a pool of another size, can. Or set --server-cores.';

/** Why no size has figures. @param {Trust} trust @returns {string | undefined} undefined if some may have */
export function explainRefusal({ withheld, check, clients }) {
  if (clients)
    return `Each client has a pool of its own, so the size of one decides little. ${explainClients(clients)}`;
  if (withheld === 'checkFails') return `${explainCheck(check)} ${MORE_EVIDENCE}`;
  if (withheld !== 'growingQueue') return undefined;
  return (
    'Requests piled up on a full server. A little more work for each query makes such a queue twice as long, and the ' +
    `recording can't tell how much there is at other sizes. ${ANOTHER_TRACE}`
  );
}

/** Why sizes have no figures. @param {Trust} trust @param {(number | string)[]} sizes */
export function explainWithheld(trust, sizes) {
  const refusal = explainRefusal(trust);
  if (refusal) return `No figures. ${refusal}`;
  return (
    `No figures for ${sizes.join(', ')}: all connections were always in use, so the recording can't tell whether queries slow each other ` +
    `down on the server. ${ANOTHER_TRACE}`
  );
}

/**
 * Why sizes have no figures.
 * @param {(number | string)[]} sizes
 * @param {typeof BUSY[number]} why
 * @param {{ isAll?: boolean }} [options] isAll: whether they have none at all
 */
export function explainBusy(sizes, why, { isAll = true } = {}) {
  const reason =
    why === 'busyLoop'
      ? "requests may wait for the app's event loop, and the recording can't tell how long, because its pool let fewer, or more, " +
        'meet there. A second --trace, from a pool of another size, can.'
      : "the server would be busier, or less busy, than when this was recorded, and the recording can't tell how long queries " +
        `take then. ${ANOTHER_TRACE}`;
  return `${isAll ? 'No figures for' : 'Not all figures for'} ${sizes.join(', ')}: ${reason}`;
}

/** Whether a trace could be predicted, in words. @param {TraceCheck} check */
export function explainCheck(check) {
  const { status, reason } = check;
  if (status === 'notChecked') return `Not checked: ${NOT_CHECKED[String(reason)]}. ${MORE_EVIDENCE}`;
  if (status === 'fails') return `The check fails: ${describeFailure(check)} Do not rely on the predictions.`;
  return `The check holds: ${describeBasis(check)}, every figure fits. ${describeFigures(check)}`;
}

/** @param {TraceCheck} check */
function describeBasis({ of, poolSize }) {
  const size = countConnections(poolSize);
  return of === 'trace'
    ? `of the other recording, with ${size}, predicted from this one`
    : `of the waits that were recorded with ${size}, replayed`;
}

/** @param {TraceCheck} check */
function describeFailure(check) {
  const { of, reason, figures, waits } = check;
  if (reason === 'otherWaits') {
    return (
      `${formatShare(waits.otherShare)} of the recorded waiting was neither for a connection of a full pool nor in a recorded ` +
      'opening. The simulation knows only these. `pool-lab doctor` names the cause.'
    );
  }
  if (reason === 'unserved')
    return 'Many checkouts got no connection, and the recording does not show what their callers would have done with one.';
  const off = figures.filter(({ place }) => place === 'outside');
  const intro = `${describeBasis(check)}, ${off.length} of ${countOf(figures.length, 'figure', 'figures')} ${off.length === 1 ? 'is' : 'are'} off.`;
  const lacking = 'The simulation lacks something: a limit other than the pool, or queries that slow each other down.';
  return `${intro} ${describeFigures({ figures: off })} ${of === 'trace' ? (describeChange(check) ?? lacking) : lacking}`;
}

const KINDS = { meanWait: 'Mean wait', p95Wait: 'p95 of the wait', maxWait: 'Longest wait', p95: 'p95' };
/** More would be a wall of figures. */
const MAX_FIGURES = 3;

/** @param {Pick<TraceCheck, 'figures'>} check */
function describeFigures({ figures }) {
  const shown = figures.slice(0, MAX_FIGURES).map(({ kind, route, recordedMs, lowMs, highMs }) => {
    const simulated = describeBand(lowMs, highMs);
    return `${KINDS[kind]}${route === null ? '' : ` of ${route}`}: ${formatQuantity(recordedMs, 'ms')} recorded, ${simulated} simulated`;
  });
  return `${shown.join('; ')}.`;
}

/** @param {TraceCheck} check @returns {string | undefined} undefined if the load is the same */
function describeChange({ rateRatio, useRatios }) {
  const changes = [
    ...(isChange(rateRatio) ? [`it has ${formatNumber(rateRatio, 1)} times as many requests per second`] : []),
    ...Object.entries(useRatios)
      .filter(([, ratio]) => isChange(ratio))
      .map(([route, ratio]) => `${route} uses its connection ${formatNumber(ratio, 1)} times as long`),
  ];
  if (changes.length === 0) return undefined;
  return `The load of the other recording is not the same: ${changes.join(', ')}. A prediction assumes that it stays as it was.`;
}

/** @param {number} ratio */
function isChange(ratio) {
  return ratio > CHANGE || ratio < 1 / CHANGE;
}
