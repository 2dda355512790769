import { useMsOf } from './warm-up.js';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */

/**
 * Checkouts as a trace, as `pool-lab record` would write it.
 *
 * @template {CheckoutRecord} Checkout
 * @param {Checkout[]} checkouts those without a name are left out
 * @param {object} [facts]
 * @param {number} [facts.maxPoolSize]
 * @param {Trace['server']} [facts.server]
 * @param {(checkout: Checkout) => string | null} [facts.nameOf] default: its route
 * @returns {Trace}
 */
export function traceOf(checkouts, { maxPoolSize, server, nameOf = ({ route }) => route } = {}) {
  const named = checkouts
    .filter((checkout) => checkout.checkedInAtMs !== null && nameOf(checkout) !== null)
    .sort((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
  const names = named.map((checkout) => String(nameOf(checkout)));
  const routes = [...new Set(names)];
  return {
    header: { maxPoolSize },
    routes,
    checkOutStartedMs: named.map(({ checkOutStartedAtMs }) => checkOutStartedAtMs - named[0].checkOutStartedAtMs),
    waitMs: named.map(({ checkOutStartedAtMs, checkedOutAtMs }) => Number(checkedOutAtMs) - checkOutStartedAtMs),
    useMs: named.map(useMsOf),
    routeOf: names.map((name) => routes.indexOf(name)),
    ...(server && { server }),
    warnings: [],
  };
}
