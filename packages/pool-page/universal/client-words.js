import { countConnections, formatNumber } from './quantity.js';

/** @import { ClientUse } from 'mongodb-pool-predictor' */

/**
 * Who creates more clients than an app needs, in two sentences or three. The only place where it is said.
 * @param {ClientUse} use
 */
export function explainClients({ kind, route, place, places, hosts, created, open, connections, mayOpen, limit }) {
  const others = places > 1 ? ` and ${places - 1} more` : '';
  const from = place === null ? '' : ` from ${place}${others}`;
  const accepts = limit === null ? '' : `, and the server accepts ${formatNumber(limit)}`;
  const most = mayOpen === null ? '' : `, up to ${formatNumber(mayOpen)}`;
  const have = connections === null ? '' : `, with ${countConnections(connections)} together${most}${accepts}`;
  const one = hosts.includes(',') ? `to the same servers (${hosts})` : `to one server (${hosts})`;
  if (kind === 'stay')
    return `${open} clients${from} ${one} stay open${have}. One client is enough, with a database for each tenant.`;
  const when = kind === 'perRequest' ? `in each request${route === null ? '' : ` of ${route}`}` : 'again and again';
  const then = open === 0 ? 'All of them were closed' : `${open} of them are open${have}`;
  return `A new client ${when}: ${created} clients${from} ${one}. ${then}. Share one.`;
}
