import { useMsOf } from '../../src/harness/warm-up.js';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */

/**
 * The checkouts of requests as a trace, as `pool-lab record` would write it.
 *
 * @param {CheckoutRecord[]} checkouts those without a route are left out
 * @param {{ maxPoolSize?: number, server?: Trace['server'] }} [facts]
 * @returns {Trace}
 */
export function traceOf(checkouts, { maxPoolSize, server } = {}) {
  const routed = checkouts.filter(({ route, checkedInAtMs }) => route !== null && checkedInAtMs !== null)
    .sort((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
  const routes = [...new Set(routed.map(({ route }) => String(route)))];
  return {
    header: { maxPoolSize },
    routes,
    checkOutStartedMs: routed.map(({ checkOutStartedAtMs }) => checkOutStartedAtMs - routed[0].checkOutStartedAtMs),
    waitMs: routed.map(({ checkOutStartedAtMs, checkedOutAtMs }) => Number(checkedOutAtMs) - checkOutStartedAtMs),
    useMs: routed.map(useMsOf),
    routeOf: routed.map(({ route }) => routes.indexOf(String(route))),
    ...(server && { server }),
    warnings: [],
  };
}
