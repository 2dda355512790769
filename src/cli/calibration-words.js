import { digitsOf, formatNumber } from 'mongodb-pool-monitor/universal/quantity.js';
import { escapeControls, wrap } from '../printable.js';
import { renderRows } from '../report/table.js';

/** @import { Calibration } from '../calibrate/calibrate.js' */
/** @import { ReadQuery } from '../calibrate/read-query.js' */

/**
 * @typedef {object} CalibrationPlan
 * @property {string} [host] without user and password; none: an embedded MongoDB
 * @property {string} db
 * @property {ReadQuery[]} queries none: the demo's
 * @property {number} seconds
 * @property {number} maxConcurrency
 */

/** What a calibration will do, for the person who has to agree. @param {CalibrationPlan} plan @param {number} width */
export function describePlan({ host, db, queries, seconds, maxConcurrency }, width) {
  const list = queries.length > 0
    ? queries.map(({ route, command }) => `${route}: ${Object.keys(command)[0]} on ${db}.${Object.values(command)[0]}`)
    : ['/fast: find a demo customer by its e-mail address', '/slow: a query that works for 32 ms'];
  const data = host !== undefined && queries.length === 0
    ? ['First it inserts 1000 demo customers into pool_lab.customers, unless they are there. They stay.'] : [];
  const where = host === undefined
    ? 'This measures a MongoDB that the lab starts for itself. Nothing of yours is touched.'
    : `This measures the MongoDB at ${host}.`;
  const effect = host === undefined
    ? [] : ['Other users of that server will feel it: it will be full for some seconds. Choose a staging server, not a busy one.'];
  return escapeControls([
    wrap(where, width),
    'It runs these queries:',
    ...list.map((line) => `  ${line}`),
    ...data.map((text) => wrap(text, width)),
    wrap(`Each runs alone, one at a time. Then at most ${maxConcurrency} run at once. It ends after at most ${seconds} s, or `
      + 'sooner.', width),
    ...effect.map((text) => wrap(text, width)),
  ].join('\n'));
}

/** @param {Calibration} calibration @param {{ width: number, file?: string }} options file: that has the result */
export function describeCalibration({ server, services, alone }, { width, file }) {
  const rows = Object.entries(alone).map(([route, figures]) => ({ route, ...figures, workShare: services[route].workShare }));
  const column = { unit: 'ms', digits: digitsOf };
  const table = renderRows(/** @type {import('../report/result-types.js').Column<typeof rows[number]>[]} */ ([
    { heading: 'query', value: ({ route }) => route },
    { heading: 'runs', value: ({ runs }) => runs },
    { ...column, group: 'alone', heading: 'median', value: ({ medianMs }) => medianMs },
    { ...column, group: 'alone', heading: 'mean', value: ({ meanMs }) => meanMs },
    { ...column, group: 'alone', heading: 'of it work', value: ({ meanMs, workShare }) => meanMs * workShare },
  ]), rows);
  const options = rows.map(({ route, meanMs, workShare }) => `--service ${quote(`${route}=${writeTime(meanMs, workShare)}`)}`);
  const isTold = rows.every(({ cpuMs }) => cpuMs !== null);
  const isWork = rows.some(({ workShare }) => workShare > 0);
  const cores = server.cores === null ? [] : [`--server-cores ${server.cores}`];
  return escapeControls([
    table,
    ...[explainWork(server, { isTold, isWork }), explainCores(server, isTold), explainIdle(server)].filter(Boolean)
      .map((text) => wrap(text, width)),
    `${wrap('To use this:', width)}\n  pool-lab predict load.yaml ${[...options, ...cores].join(' ')}`,
    ...(file ? [`With every time that was measured:\n  pool-lab predict load.yaml --from ${quote(file)}`] : []),
  ].join('\n\n'));
}

/** @param {Calibration['server']} server @param {{ isTold: boolean, isWork: boolean }} shares isTold: by the server */
function explainWork({ end }, { isTold, isWork }) {
  if (isTold) return 'Work is what a query costs the server\'s processors. The rest is a delay: waiting, and the network.';
  const how = 'The server did not say what its processors did: that needs the role clusterMonitor, Linux, and no mongos.';
  if (isWork) {
    return `${how} So work was told from delay by how much longer queries take beside others. The one that grew most counts as `
      + 'work from end to end.';
  }
  return `${how} Queries did not slow each other down${end === 'callers' ? ' at the largest --max-concurrency' : ''}, so all of their `
    + 'time counts as a delay.';
}

/** @param {Calibration['server']} server @param {boolean} isTold whether the server told its processor time */
function explainCores({ cores, coresRange, numCores, seenCores, end }, isTold) {
  if (cores === null) return isTold ? 'These queries cost the server next to nothing, so they can\'t slow each other down.' : '';
  const [low, high] = coresRange ?? [];
  const says = numCores === null ? '' : ` It says that it has ${numCores}.`;
  if (end === 'full') {
    return `The server does the work of ${cores} cores at once (${low} to ${high}), and no more with more callers.${says}`;
  }
  const why = {
    client: 'this program could not send more queries', time: 'the time was up: use a larger --seconds',
  }[String(end)] ?? 'that was the largest --max-concurrency';
  return `The server was not full: it did the work of ${seenCores} cores, and then ${why}.${says} ${numCores === null
    ? 'So it has at least as many.' : 'So the prediction takes these.'}`;
}

/** @param {Calibration['server']} server */
function explainIdle({ idleCores }) {
  if (idleCores === null || idleCores < 0.1) return '';
  return `Before, the server was already busy with ${formatNumber(idleCores, 1)} cores' worth of something else. That makes all `
    + 'figures less exact.';
}

/** As --service reads it. @param {number} meanMs @param {number} workShare */
function writeTime(meanMs, workShare) {
  const [delay, work] = [meanMs * (1 - workShare), meanMs * workShare].map((ms) => String(Number(ms.toPrecision(3))));
  if (workShare === 0) return delay;
  return workShare === 1 ? `work:${work}` : `${delay}+work:${work}`;
}

/** For a shell. @param {string} text */
function quote(text) {
  return /^[\w/.=:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
