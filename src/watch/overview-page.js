import { formatNumber } from 'mongodb-pool-monitor/universal/quantity.js';
import { describeProcess, describeProcesses, describeWait, findTrouble, nameProcess } from './overview-words.js';

/** @import { Load, Overview } from './read-overview.js' */

/**
 * What the page shows.
 *
 * @typedef {object} OverviewRow
 * @property {string} name
 * @property {string | null} url of the process's own page
 * @property {string} about
 * @property {string} busy
 * @property {number} share of its lanes that are busy, from 0 to 1
 * @property {string} waiting
 * @property {string} longestWait
 * @property {string} rate
 *
 * @typedef {{ command: string, sentence: string, trouble: string, rows: OverviewRow[], total: OverviewRow | null }} OverviewPage
 */

/** @param {string} command @param {Overview} overview @returns {OverviewPage} */
export function describeOverview(command, { processes, totals }) {
  return {
    command,
    sentence: describeProcesses(processes, totals),
    trouble: findTrouble(processes),
    rows: processes.map((process) => ({
      name: nameProcess(process), url: process.url, about: describeProcess(process), ...describeLoad(process),
    })),
    total: processes.length > 1 ? { name: 'Total', url: null, about: '', ...describeLoad(totals) } : null,
  };
}

/** @param {Load} load */
function describeLoad({ max, total, active, waiting, longestWaitMs, ratePerSec }) {
  return {
    busy: max === 0 ? String(active) : `${active} of ${max}`,
    share: Math.min(1, active / Math.max(1, max || total)),
    waiting: String(waiting),
    longestWait: waiting === 0 ? '' : describeWait(longestWaitMs),
    rate: ratePerSec === null ? '' : formatNumber(ratePerSec, ratePerSec < 10 ? 1 : 0),
  };
}
