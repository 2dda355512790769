import { countConnections, countOf, formatNumber } from './quantity.js';

/** @import { ClientUse } from 'mongodb-pool-predictor' */

/**
 * Who creates more clients than an app needs, and what to do. The only place where it is said.
 * @param {ClientUse} use
 */
export function explainClients({ kind, route, place, places, hosts, created, open, connections, mayOpen, limit }) {
  const more = places > 1 ? ` and ${places - 1} more` : '';
  const from = place === null ? '' : ` from ${place}${more}`;
  const to = hosts.includes(',') ? `to the same servers (${hosts})` : `to one server (${hosts})`;
  const have = connections === null ? '' : `, with ${countConnections(connections)} together`;
  const most = mayOpen === null ? '' : ` and up to ${formatNumber(mayOpen)} under load`;
  const limited = limit === null ? '' : ` The server accepts ${formatNumber(limit)}.`;
  if (kind === 'stay') {
    const way = places > 1 ? 'Share one.' : 'One client is enough, with a database for each tenant.';
    const grown = created > 0 ? `, ${created} of them new` : '';
    return `${open} clients${from} ${to} stay open${grown}${have}${most}.${limited} ${way}`;
  }
  const when = kind === 'perRequest' ? `in each request${route === null ? '' : ` of ${route}`}` : 'again and again';
  const then = open === 0 ? ' All of them were closed.' : ` ${countOf(open, 'is', 'are')} open${have}.${limited}`;
  return `A new client ${when}: ${created} clients${from} ${to}.${then} Share one.`;
}
