import { COMMON } from '../assumptions/common-assumptions.js';
import { quantile, sum } from '../base/sample-statistics.js';
import { nameClient } from '../trace/pick-pool.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { PoolHistory } from './pool-history.js' */

/**
 * A server so far away that the round trip is most of what its operations take.
 *
 * @typedef {object} FarServer
 * @property {string} client
 * @property {string} operation that shows it
 * @property {number} rttMs a round trip, or a little less: what nearly all operations take at least
 * @property {number} openingMs the shortest opening of a connection
 * @property {number} share of the time in which connections were in use
 */

/** What a command does on the server is not known, and it may take a constant time there. */
const UNKNOWN = /^(runCommand|getMore)\b/;

/**
 * Finds servers that are far away. The shortest operations take about the same time each, because most of it is spent
 * on the way, and no opening of a connection is shorter, because it takes a round trip at least: for `hello`, and with
 * SCRAM for one or two more, after those of TCP and TLS. A slow query that always takes as long is not taken for a far
 * server, because its connections are opened in less. In a busy process, shorter round trips do not show.
 * https://github.com/mongodb/specifications/blob/master/source/mongodb-handshake/handshake.md
 *
 * @param {RecordedTrace} trace
 * @param {PoolHistory[]} histories of its pools
 * @returns {FarServer[]}
 */
export function findFarServers({ checkouts, pools, operations }, histories) {
  const { poolOf, operationOf, outcomeOf, useMs } = checkouts;
  return pools.flatMap((pool, row) => {
    const openingMs = Math.min(...histories[row].openings.map(({ fromMs, toMs }) => toMs - fromMs));
    if (openingMs === Infinity) return [];
    /** @type {Map<string, number[]>} */
    const uses = new Map();
    for (let each = 0; each < checkouts.length; each++) {
      const name = operations[operationOf[each]]?.name;
      if (poolOf[each] !== row || outcomeOf[each] !== 0 || name === undefined) continue;
      const known = uses.get(name);
      if (known) known.push(useMs[each]);
      else uses.set(name, [useMs[each]]);
    }
    const all = [...uses].filter(([name, own]) => own.length >= COMMON.minRequests && !UNKNOWN.test(name));
    const [shortest] = all
      .map(([operation, own]) => ({ operation, rttMs: quantile(own, COMMON.smallShare) }))
      .toSorted((a, b) => a.rttMs - b.rttMs);
    if (!shortest || shortest.rttMs < COMMON.lateMs || shortest.rttMs > openingMs) return [];
    const others = [...uses.values()];
    const share = (shortest.rttMs * sum(others.map((own) => own.length))) / sum(others.map(sum));
    return share < COMMON.mostShare ? [] : [{ client: nameClient(pool), ...shortest, openingMs, share }];
  });
}
