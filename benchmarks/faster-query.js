// Which query, if it were faster, would help most, and how much? Six loads on an app with a real MongoDB
// (faster-query/loads.js) are recorded. From each recording findSpeedups names a kind of query and predicts the p95 of
// the route that waits most. Then each kind of query really takes half the time, in turn, with the same arrivals.
// The rules, fixed before the recordings that they judge:
// - Each load is recorded for 22 s on a warm app, until its last answer. The length of each request's queries is drawn
//   once, from half to one and a half times the usual one, so that each recording of a load has the same requests. The
//   measured p95 is that of all answers in the recording, as the app saw them.
// - On a busy machine a query takes longer at one moment than at another: a recording is made again, twice at most, if
//   others than the server used more than 0.5 cores meanwhile.
// - All kinds of queries of a load are tried, two or three, so that the ranking is compared with each alternative.
// - A figure is right if the predicted change of the p95 is within 15 % of the measured one, for the kind that was
//   named first, at half its time; or if the measured p95 is in the predicted band. A withheld figure is not right.
// - A ranking is right if no other kind made the measured p95 lower by more than 5 % than the one named first.
// - Both are right for at least five of the six loads.
// Exits with 1 if one is broken.
//
//   node benchmarks/faster-query.js [--only bursts] [--keep FOLDER]
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { checkRecording, findSpeedups, judgeTrust, openRecording, tryChange } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { inThreads } from '../lab/cli/in-threads.js';
import { LOADS } from './faster-query/loads.js';
import { listKinds, recordChanges } from './faster-query/record-load.js';
import { onlyOption, openBench } from './parts/recording-bench.js';
import { measureRoutes } from './predicted-vs-measured/measure-routes.js';
import { slugOf } from './predicted-vs-measured/recorded-loads.js';

/** @import { RecordedTrace, WhatIfQueries } from 'mongodb-pool-predictor' */

/** @typedef {WhatIfQueries['routes'][number]['now']} ShownFigure */

const SECONDS = 22;
const FACTOR = 0.5;
const CHANGE_WITHIN = 0.15;
const TIE_WITHIN = 0.05;
const WANTED_SHARE = 5 / 6;
const RIGHT = ['close', 'in band', 'right'];

const { only, keep } = new Command('faster-query.js')
  .description('Predicts what a faster query would change, makes it faster, and compares (9 minutes).')
  .option(...onlyOption('loads', Object.keys(LOADS)))
  .option('--keep <folder>', 'leave recordings there, and use those that are there already')
  .parse()
  .opts();
const { say, signal, folder, mongoUrl, close } = await openBench('faster', keep);
try {
  const client = await MongoClient.connect(mongoUrl);
  for (const [, collection] of only.flatMap((/** @type {string} */ name) => Object.values(LOADS[name].routes).flat()))
    await client.db('shop').collection(collection).insertOne({});
  await client.close();
  const rows = [];
  for (const name of only) rows.push(await tryLoad(name));
  // eslint-disable-next-line no-console
  console.table(rows);
  const figures = rows.filter(({ figure }) => RIGHT.includes(figure)).length;
  const rankings = rows.filter(({ ranking }) => RIGHT.includes(ranking)).length;
  process.stdout.write(`Of ${rows.length} loads, ${figures} figures and ${rankings} rankings are right.\n`);
  if (Math.min(figures, rankings) < WANTED_SHARE * rows.length) process.exitCode = 1;
} finally {
  await close();
}

/** @param {string} name */
async function tryLoad(name) {
  const load = LOADS[name];
  const options = { factor: FACTOR, seconds: SECONDS, mongoUrl, folder, signal, say };
  const { base, changed } = await recordChanges(slugOf(name), load, options);
  const recorded = await readTrace(base);
  const { target, ...predicted } = await predictHalf(recorded);
  const p95Of = (/** @type {RecordedTrace} */ trace) => measureRoutes(trace)[target].p95Ms;
  const measured = await Promise.all(
    listKinds(load).map(async (kind, index) => ({ kind: nameOf(kind), ms: p95Of(await readTrace(changed[index])) })),
  );
  return { load: name, 'p95 of': target, ...judge(predicted, { fromMs: p95Of(recorded), measured }) };
}

/** Finds the query that helps most, and what half of its time would do. @param {RecordedTrace} recorded */
async function predictHalf(recorded) {
  const recording = openRecording([recorded]);
  const trust = judgeTrust(recording, await checkRecording(recording));
  const { load, overhead } = recording;
  return inThreads({ load, services: load.services, overhead }, async ({ simulateRuns }) => {
    const found = await findSpeedups({ recording, trust, simulateRuns });
    if (!found) throw new Error('no route has enough requests');
    const [first] = found.kinds;
    const target = found.target.route;
    if (!first) return { target, first: found.reason?.code ?? 'none' };
    const tried = { text: nameOf(first), change: { route: first.route, operation: first.operation, factor: FACTOR } };
    const { routes } = await tryChange({ recording, trust, simulateRuns, tried });
    return { target, first: tried.text, ...routes.find(({ route }) => route === target) };
  });
}

/** @param {{ route: string, operation?: string }} kind */
function nameOf({ route, operation }) {
  return `${operation} of ${route}`;
}

/**
 * @param {{ first: string, now?: ShownFigure, then?: ShownFigure | null }} predicted first: the kind that was named;
 *   then: with half of its time
 * @param {{ fromMs: number, measured: { kind: string, ms: number }[] }} truth the p95 of the target as it is, and with
 *   half the time of each kind
 */
function judge({ first, now, then }, { fromMs, measured }) {
  const { ms = NaN, lowMs = NaN, highMs = NaN, reason } = then ?? {};
  const nowMs = now?.ms ?? NaN;
  const measuredMs = measured.find(({ kind }) => kind === first)?.ms ?? NaN;
  const change = measuredMs - fromMs;
  const isClose = Math.abs(ms - nowMs - change) <= CHANGE_WITHIN * Math.abs(change);
  const isInBand = !reason && measuredMs >= lowMs && measuredMs <= highMs;
  const isFirstRight = measuredMs <= (1 + TIE_WITHIN) * Math.min(...measured.map((each) => each.ms));
  const round = (/** @type {number} */ each) => each.toFixed(0);
  return {
    first,
    'predicted, ms': `${round(nowMs)} to ${round(ms)} (${round(lowMs)} to ${round(highMs)})`,
    'measured, ms': `${round(fromMs)} to ${round(measuredMs)}`,
    figure: isClose ? 'close' : isInBand ? 'in band' : (reason?.code ?? 'WRONG'),
    ranking: isFirstRight ? 'right' : 'WRONG',
    'measured with each, ms': measured.map(({ kind, ms: each }) => `${kind}: ${round(each)}`).join(', '),
  };
}
