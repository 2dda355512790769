import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { wasBusy } from './machine.js';

/** @import { Column, Finding, LabView, Result, Variant } from './result-types.js' */

/** How requests arrive, by the `loadKind` of a lab: a reader must know this to judge the figures. */
export const LOAD_KINDS = {
  open: 'Open loop: users arrive at their own times, however slow the answers are.',
  closed:
    'Closed loop: each worker sends its next request when the last one is answered, so a slow server gets fewer ' +
    'requests.',
  backlog: 'Backlog: all the work is there from the start and is done as fast as possible. Nobody waits for an answer.',
};

/** @type {Column<Finding>[]} */
export const FINDING_COLUMNS = [
  { heading: 'ratio', value: ({ claim }) => claim },
  { heading: 'here', digits: 2, value: ({ measured }) => measured },
  { heading: 'spread', value: ({ spread }) => spread?.map((ratio) => formatNumber(ratio, 2)).join(' to ') },
  { heading: 'published', digits: 2, value: ({ published }) => published },
];

/**
 * Lists the lab's findings; none if nothing was measured. What other programs have spoilt has no other reason.
 * @param {LabView} lab
 * @param {Result} result
 * @returns {Finding[]}
 */
export function listFindings(lab, result) {
  const known = keepKnown(result);
  const findings = known.variants.length > 0 ? (lab.findings?.(known) ?? []) : [];
  return wasBusy(result) ? findings.map((finding) => ({ ...finding, reason: undefined })) : findings;
}

/** Lists errors and warnings. @param {Result} result */
export function listNotes({ variants, warnings = [] }) {
  const failed = variants
    .filter((variant) => variant.error)
    .map(({ name, measured, error }) => `${name} ${measured ? 'had failures' : 'did not run'}: ${error}`);
  return [...failed, ...warnings];
}

/**
 * Returns the lab's sentence; empty if nothing was measured or predicted.
 * @param {LabView} lab
 * @param {Result} result
 */
export function sumUp(lab, result) {
  const known = keepKnown(result);
  return known.variants.length > 0 ? lab.takeaway(known) : '';
}

/** Leaves out the variants without any figure. @param {Result} result @returns {Result} */
function keepKnown(result) {
  return { ...result, variants: result.variants.filter(({ measured, predicted }) => measured ?? predicted) };
}

/**
 * @param {number | null | undefined} one
 * @param {number | null | undefined} other
 * @returns {number | null} one / other; null where either is missing
 */
export function ratioOf(one, other) {
  return typeof one === 'number' && typeof other === 'number' ? one / other : null;
}

/** @param {Variant} variant @returns {number} 0 where it was not measured */
export function rateOf({ measured }) {
  return measured?.ratePerSec ?? 0;
}

/**
 * @param {string} claim
 * @param {Variant} one
 * @param {Variant} other
 * @returns {Finding} how many times the rate of the other one it has
 */
export function compareRates(claim, one, other) {
  const [measured, published] = /** @type {const} */ (['measured', 'published']).map((kind) =>
    ratioOf(one[kind]?.ratePerSec, other[kind]?.ratePerSec),
  );
  return { claim, measured, published };
}

/** Ratios that differ by less than this factor are the same. */
export const SAME = 1.1;

/**
 * Adds why a ratio is not the published one, if a reason fits the direction.
 * @param {Finding} finding
 * @param {object} [reasons]
 * @param {() => string | undefined} [reasons.less] why it is smaller here
 * @param {() => string | undefined} [reasons.more] why it is larger here
 * @returns {Finding}
 */
export function addReason(finding, { less, more } = {}) {
  const { measured, published } = finding;
  if (!measured || !published) return finding;
  const isAlike = Math.max(measured / published, published / measured) < SAME;
  const reason = isAlike ? 'About the same.' : (measured < published ? less : more)?.();
  return reason ? { ...finding, reason } : finding;
}
