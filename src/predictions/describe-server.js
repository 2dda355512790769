import { serviceMoments } from 'mongodb-pool-predictor';
import { formatNumber, formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';

/** @import { TraceLoad } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */

/**
 * Whether queries slow each other down on the server, and how we know.
 *
 * @param {Trace} trace
 * @param {Pick<TraceLoad, 'services' | 'callers'>} load of the trace; where queries share cores, with their times alone
 * @returns {string[]}
 */
export function describeSharing({ sharing, server, header }, { services, callers }) {
  const isFull = callers.callersShare > 0.5 && callers.callers > Number(header.maxPoolSize);
  if (!sharing && !server && isFull) {
    return ['The prediction assumes that queries do not slow each other down on the server. This trace can\'t tell, because all '
      + 'connections were in use all the time. A second --trace, with a pool of another size, can; or say --server-cores.'];
  }
  if (!sharing) return [];
  const { cores, range, source, workShares, seen } = sharing;
  const count = formatNumber(cores, Number.isInteger(cores) ? 0 : 1);
  const ends = range?.map((end) => formatNumber(end, 1)).join(' to ');
  const known = {
    given: `${count}, as --server-cores says`,
    recorded: `${count}, as the server said during the recording`,
    fitted: `about ${count} (${ends} with 95 % confidence), as the use times show`,
    guessed: `perhaps ${count}. That is a guess: all queries ran beside about as many others, so it can be ${ends}. `
      + 'Say it with --server-cores, or add a second --trace with a pool of another size',
  }[source];
  const alone = Object.keys(services).map((route) => (
    `${route} ${formatQuantity(serviceMoments(services[route]).meanMs, 'ms')}${describeShare(workShares[route])}`));
  return [
    `Queries slow each other down, because they share the server's cores: ${known}. Alone, a query takes, on average: ${
      alone.join(', ')}.`,
    `The recording shows at most ${seen} ${seen === 1 ? 'query' : 'queries'} at work at once. What larger pools do is `
      + 'extrapolated: it assumes that more queries take turns on the same cores.',
  ];
}

/** @param {number} workShare */
function describeShare(workShare) {
  if (workShare === 1) return '';
  return workShare === 0 ? ' (all of it a delay)' : ` (${Math.round((1 - workShare) * 100)} % of it a delay)`;
}
