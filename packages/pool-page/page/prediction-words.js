import { countConnections, describeBand, formatQuantity } from '../universal/quantity.js';

/** @import { WhatIf, WhatIfRoute } from 'mongodb-pool-predictor' */

const FIGURES = { p95Ms: 'p95', maxMs: 'max' };

/** @type {Record<string, string>} */
const NOT_CHECKED = {
  nobodyWaited: 'nobody waited for a connection, so every pool of this size or larger looks the same',
  fewWaits: 'only a few queries waited for a connection',
  unknownSize: 'the pool has no limit',
};
const SEND_MORE = 'Send more at once, or make the pool smaller.';

/** @param {number} poolSize @param {Record<string, WhatIfRoute>} routes @param {number} index of the size @param {number} failures */
export function describePrediction(poolSize, routes, index, failures) {
  const times = listTimes(
    routes,
    ({
      predictedMs: { [index]: ms },
      bandsMs: {
        [index]: [lowMs, highMs],
      },
    }) => {
      const band = lowMs < highMs ? ` (${describeBand(lowMs, highMs)})` : '';
      return `${formatQuantity(ms, 'ms')}${band}`;
    },
  );
  return `With ${countConnections(poolSize)}: ${times}${failures > 0 ? `, ${failures} fail` : ''}.`;
}

/** @param {number} poolSize @param {Record<string, WhatIfRoute>} routes */
export function describeMeasured(poolSize, routes) {
  return `Measured with ${countConnections(poolSize)}: ${listTimes(routes, ({ measuredMs }) => formatQuantity(measuredMs, 'ms'))}.`;
}

/** Why there are no figures, or how far the figures go; nothing where they can be relied on. @param {WhatIf} whatIf */
export function explainDoubt({ doubt, poolSizes, check: { reason, waits } }) {
  if (doubt === 'notChecked') return `No prediction: in the last minute, ${NOT_CHECKED[String(reason)]}. ${SEND_MORE}`;
  if (doubt === 'unclear')
    return `No figures for ${poolSizes.length > 0 ? 'the other sizes' : 'other sizes'}: the last minute does not show which requests wait for the answers to others.`;
  if (doubt === 'unknownServer')
    return 'No figures for the other sizes: the last minute does not show how busy the server and the app would be there.';
  if (doubt === 'growingQueue') return 'No prediction: in the last minute, requests piled up on a full server.';
  if (doubt === 'checkFails' && reason === 'unserved')
    return 'No prediction: in the last minute, many requests got no connection, and nothing shows what they would have done with one.';
  if (doubt === 'checkFails')
    return reason === 'otherWaits'
      ? `No prediction: ${Math.round(waits.otherShare * 100)} % of the waiting was neither for a connection of a full pool nor in an opening that was recorded.`
      : 'No prediction: a replay of the last minute does not explain its waits.';
  return '';
}

/**
 * Non-breaking spaces hold each time, its route and its unit together, and each band.
 * @param {Record<string, WhatIfRoute>} routes
 * @param {(route: WhatIfRoute) => string} read
 */
function listTimes(routes, read) {
  return Object.entries(routes)
    .map(([name, route]) => `${name} ${FIGURES[route.figure]} ${read(route)}`)
    .map((time) => time.replaceAll(/ (?!\()/g, '\u00a0'))
    .join(', ');
}
