import { formatNumber } from 'mongodb-pool-monitor/universal/quantity.js';

/** @import { Column, Finding, LabView, Result } from './result-types.js' */

export const FINDINGS_CAPTION = 'Findings, as ratios';

/** @type {Column<Finding>[]} */
export const FINDING_COLUMNS = [
  { heading: 'ratio', value: ({ claim }) => claim },
  { heading: 'here', digits: 2, value: ({ measured }) => measured },
  { heading: 'spread', value: ({ spread }) => spread?.map((ratio) => formatNumber(ratio, 2)).join(' to ') },
  { heading: 'published', digits: 2, value: ({ published }) => published },
];

/** Empty if the lab has no findings or nothing was measured. @param {LabView} lab @param {Result} result */
export function listFindings(lab, result) {
  const variants = result.variants.filter(({ measured, predicted }) => measured ?? predicted);
  return variants.length > 0 ? lab.findings?.({ ...result, variants }) ?? [] : [];
}
