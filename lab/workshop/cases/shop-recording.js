import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { quantile } from 'mongodb-pool-predictor/statistics';

/** @import { RecordedTrace } from 'mongodb-pool-predictor' */
/** @import { Verdict } from '../lesson-types.js' */

/** The process of a shop, see open-shop.js. */
const COMMAND = 'serve-shop.js';
/** The load asks for more in a second. */
const LEAST_CHECKOUTS = 20;

/** What to do after a wrong cause. */
export const RECORD_FIRST = [
  'Before your next try, show what you saw: record the shop for ten seconds while it is slow, and add the recording.',
  '  npx pool-lab attach PID',
  '  npx pool-lab record --url URL --seconds 10 --out evidence.jsonl',
  '  npx pool-lab workshop verify ... --trace evidence.jsonl',
  'The case prints PID, and attach prints URL.',
].join('\n');

/**
 * What a recording of the shop shows, by route.
 * @param {RecordedTrace} recorded
 * @param {string} since ISO 8601; an earlier recording is none of this case
 * @returns {NonNullable<Verdict['figures']>}
 * @throws {Error} if it is no recording of the shop, or an earlier one
 */
export function describeShopRecording({ file, header, processes, routes, checkouts }, since) {
  const problem = findProblem(processes, String(header.startedAt), checkouts.length, since);
  if (problem) throw new Error(`${file} ${problem}. ${RECORD_FIRST}`);
  return routes.flatMap((route, row) => {
    const rows = [...checkouts.routeOf.keys()].filter((index) => checkouts.routeOf[index] === row);
    const [waitMs, useMs] = [checkouts.waitMs, checkouts.useMs].map((times) => medianOf(rows.map((at) => times[at])));
    const words = `${rows.length} checkouts; half waited ${waitMs} or more, and used a connection for ${useMs} or more`;
    return rows.length > 0 ? [/** @type {[string, string]} */ ([route, words])] : [];
  });
}

/**
 * @param {RecordedTrace['processes']} processes
 * @param {string} startedAt
 * @param {number} count of checkouts
 * @param {string} since
 */
function findProblem(processes, startedAt, count, since) {
  if (!processes.some(({ command }) => command?.endsWith(COMMAND))) return 'is not a recording of the shop';
  if (startedAt <= since) return 'is older than your last try';
  return count < LEAST_CHECKOUTS ? `has only ${count} checkouts` : undefined;
}

/** @param {number[]} times NaN: none */
function medianOf(times) {
  const known = times.filter((ms) => !Number.isNaN(ms));
  return known.length > 0 ? formatQuantity(quantile(known, 0.5), 'ms') : '0 ms';
}
