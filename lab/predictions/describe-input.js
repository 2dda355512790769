import { meanServiceMs, nameClient, nameWithServer } from 'mongodb-pool-predictor';
import { median } from 'mongodb-pool-predictor/statistics';
import { countConnections, formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { describeAppPool } from './app-pool.js';

/** @import { pickPool, RecordedTrace, Service, TraceLoad } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { KnownPool } from './app-pool.js' */

/**
 * Says what the predicted times consist of.
 *
 * @param {Service | undefined} overhead
 * @param {string} source of the overhead, such as "in result.json"
 * @param {string} [otherwise] what would show the overhead
 */
export function describeCoverage(overhead, source, otherwise = '--app or --from shows') {
  if (!overhead) {
    return (
      'The times cover only the wait for a connection and its use, not the rest of a response. ' +
      `${otherwise} how long that takes.`
    );
  }
  const size =
    overhead.kind === 'sample'
      ? `${formatQuantity(median(Array.from(overhead.valuesMs)), 'ms')} (median of ${overhead.valuesMs.length} ` +
        `${source})`
      : `as it is ${source}`;
  return `The times are whole responses: the wait for a connection, its use, and the overhead, ${size}.`;
}

/** Says which part of a long trace is replayed. @param {Trace} trace @returns {string[]} */
export function describeReplayed({ replayed }) {
  if (!replayed) return [];
  const { checkouts, of, pieces, pieceMs, busiestMs } = replayed;
  return [
    `The trace is long: ${formatNumber(checkouts)} of its ${formatNumber(of)} checkouts are replayed, in ${pieces} ` +
      `pieces of ${formatQuantity(pieceMs, 'ms')} spread over it. One of them is in its busiest minute, which begins ` +
      `after ${formatQuantity(busiestMs, 'ms')}.`,
  ];
}

/** Says what the routes of a trace do not distinguish. @param {string[]} routes @returns {string[]} */
export function describeTraceRoutes(routes) {
  return routes.some((route) => /^\/\S*$/.test(route))
    ? ['The trace names routes by their path, so all methods and GraphQL operations of a path are one route.']
    : [];
}

/**
 * Says which times and requests a history has, and who still waited at its end.
 * @param {RecordedTrace} trace
 * @returns {string | null} null for any other trace
 */
export function describeHistory({ file, header, originMs, checkouts, requests, seconds: { loop } }) {
  if (!header.history) return null;
  const timeOf = (/** @type {number} */ ms) => new Date(originMs + ms).toISOString().replace(/\.\d+Z$/, 'Z');
  const [first, last] = [loop[0]?.atMs ?? 0, loop[loop.length - 1]?.atMs ?? checkouts.startedMs[checkouts.length - 1]];
  const all = loop.reduce((total, { requests: count = 0 }) => total + count, 0);
  const { waiting = 0, heldMs = {} } = loop[loop.length - 1] ?? {};
  const held = Object.entries(heldMs).map(([route, ms]) => `${route} for ${formatQuantity(ms, 'ms')}`);
  return [
    `${file}, ${timeOf(first)} to ${timeOf(last)}: the ${requests.length} requests that waited longest, of about ` +
      `${all}. The figures are theirs.`,
    ...(waiting > 0 && held.length > 0
      ? [`In the last second, ${waiting} waited, and connections were held by ${held.join(', ')}.`]
      : []),
  ].join(' ');
}

/** How many queries a request makes, where the trace shows it. @param {Trace} trace @returns {string[]} */
export function describeTraceQueries({ routes, routeOf, requestOf }) {
  if (!requestOf) return ['The trace does not say which queries belong to one request, so each counts as one.'];
  const several = routes.flatMap((route, index) => {
    const requests = Array.from(requestOf).filter((request, checkout) => request >= 0 && routeOf[checkout] === index);
    const queries = requests.length / new Set(requests).size;
    return queries > 1 ? [`${formatNumber(queries, 1)} for ${route}`] : [];
  });
  if (several.length === 0) return [];
  return [
    `Some requests make several queries: ${several.join(', ')}, on average. The figures are those of whole requests.`,
  ];
}

/** Says how connections are opened in the simulation. @param {Trace} trace @returns {string[]} */
export function describeOpenings({ openings }) {
  if (!openings || openings.fromMs.length === 0) return [];
  const { openAtStart, durationsMs } = openings;
  return [
    `${countConnections(durationsMs.length)} ${durationsMs.length === 1 ? 'was' : 'were'} opened during the ` +
      `recording ` +
      `(median ${formatQuantity(median(Array.from(durationsMs)), 'ms')}). The simulated pools begin with at most ` +
      `${openAtStart} open, and open the others in the recorded times.`,
  ];
}

/**
 * Says which pool of a trace is predicted, if there are several.
 *
 * @param {Pick<ReturnType<typeof pickPool>, 'trace' | 'pool' | 'process' | 'others'>} picked
 * @returns {string[]}
 */
export function describePick({ trace: { useMs }, pool, process: { pid }, others }) {
  if (others.length === 0) return [];
  const isOneProcess = others.every(({ process }) => process === pool.process);
  const isOfServer = others.some((each) => each.process === pool.process && nameClient(each) === nameClient(pool));
  return [
    `The trace has ${others.length + 1} pools. This is the one of client ` +
      `"${isOfServer ? nameWithServer(pool) : nameClient(pool)}"` +
      `${isOneProcess ? '' : ` in process ${pid}`}, with ${useMs.length} checkouts. The others are assumed to stay ` +
      `as recorded. Choose with --client${isOneProcess ? '' : ' and --process'}.`,
  ];
}

/** Says which pool is simulated. @param {KnownPool} pool */
export function describePool({ settings, app }) {
  return (
    `The simulated pool is that of ${app}: ${describeAppPool(settings)}. Only the size of ` +
    `${settings.slowPoolSize ? 'the main' : 'this'} pool changes.`
  );
}

/**
 * Says what the advice leaves out: it assumes one pool shared by all routes.
 * @param {KnownPool} pool
 * @returns {string} may be empty
 */
export function describeSharedPool({ settings, app }) {
  const { slowPoolSize, slowConcurrency, waitQueueTimeoutMs, timeoutMs } = settings;
  if (!slowPoolSize && !slowConcurrency && !waitQueueTimeoutMs && !timeoutMs) return '';
  return (
    `This advice assumes one pool shared by all routes, without timeouts, but ${app} is set up differently: ` +
    `${describeAppPool(settings)}.`
  );
}

/**
 * Says whether queries slow each other down on the server, and how we know.
 *
 * @param {Trace} trace
 * @param {Pick<TraceLoad, 'services'>} load of the trace; where queries share cores, with their times alone
 * @returns {string[]}
 */
export function describeSharing({ sharing, server }, { services }) {
  if (!sharing) return [];
  const { cores, range, source, workShares, seen } = sharing;
  const count = formatNumber(cores, Number.isInteger(cores) ? 0 : 1);
  const ends = range?.map((end) => formatNumber(end, 1)).join(' to ');
  const known = {
    given: `${count}, as --server-cores says`,
    recorded: `${count}, as the server said during the recording${describeOthers(server)}`,
    fitted: `about ${count} (${ends} with 95 % confidence), as the use times show`,
    guessed:
      `perhaps ${count}. That is a guess: all queries ran beside about as many others, so it can be ${ends}. ` +
      'Set --server-cores, or add a second --trace with a pool of another size',
  }[source];
  const alone = Object.keys(services).map(
    (route) => `${route} ${formatQuantity(meanServiceMs(services[route]), 'ms')}${describeShare(workShares[route])}`,
  );
  return [
    `Queries slow each other down, because they share the server's cores: ${known}. Alone, a query takes, on ` +
      `average: ${alone.join(', ')}.`,
    `The recording shows at most ${seen} ${seen === 1 ? 'query' : 'queries'} at work at once. What larger pools do ` +
      'is extrapolated: it assumes that more queries take turns on the same cores.',
  ];
}

/** @param {Trace['server']} server */
function describeOthers({ otherBusyCores } = { cores: 0, busyCores: 0 }) {
  return otherBusyCores ? ` (other programs on its machine used ${formatNumber(otherBusyCores, 1)})` : '';
}

/** @param {number} workShare */
function describeShare(workShare) {
  if (workShare === 1) return '';
  return workShare === 0 ? ' (all of it a delay)' : ` (${Math.round((1 - workShare) * 100)} % of it a delay)`;
}
