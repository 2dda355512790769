import { readSlowQueryTimes } from '../formats/slow-query-log.js';
import { LOG_BEGINS, readTraceOf } from '../formats/trace.js';
import { openText } from './text-file.js';

/** @import { LoggedTimes } from '../service/logged-times.js' */
/** @import { Trace } from '../formats/trace.js' */

/**
 * Reads service times from the log of MongoDB, which may have only slow queries, or from anything that readTrace reads.
 *
 * @param {string} file
 * @returns {Promise<{ times: LoggedTimes, warnings: string[] }>} by query, or by route of a trace
 * @throws {Error} see readTrace
 */
export async function readServiceTimes(file) {
  const text = await openText(file);
  return LOG_BEGINS.test(text.head) ? readSlowQueryTimes(text) : listTimes(await readTraceOf(text));
}

/** @param {Trace} trace */
function listTimes({ routes, routeOf, useMs, warnings }) {
  const lists = routes.map(() => /** @type {number[]} */ ([]));
  for (let i = 0; i < useMs.length; i++) lists[routeOf[i]].push(useMs[i]);
  return { times: new Map(routes.map((route, index) => [route, lists[index]])), warnings };
}
