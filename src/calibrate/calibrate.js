import { setMaxListeners } from 'node:events';
import { quantile } from 'mongodb-pool-predictor';
import { describeEnvironment } from '../harness/environment.js';
import { connectClient, createClient } from '../mongo/client.js';
import { DATABASE } from '../mongo/demo-data.js';
import { openMongo } from '../mongo/open.js';
import { createServerLoadReader } from '../mongo/server-load.js';
import { workRate } from './load-level.js';
import { createDemoQueries, createOwnQueries, seedDemoData } from './measured-queries.js';
import { measureServer } from './measure-server.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Settings } from '../settings.js' */
/** @import { ReadQuery } from './read-query.js' */
/** @import { ReadLoad } from './time-alone.js' */
/** @import { ServerFigures } from './measure-server.js' */

/**
 * @typedef {object} CalibrationOptions
 * @property {string} [url] of the MongoDB; without it, an embedded one is started
 * @property {string} origin option or setting that the URL came from
 * @property {ReadQuery[]} queries none: the demo's
 * @property {string} [db] that the queries are for; default: the one of the URL, or of the demo data in an embedded MongoDB
 * @property {number} seconds limit for all that runs on the server
 * @property {number} maxConcurrency queries at once, at most
 *
 * @typedef {object} Calibration
 * @property {'calibrate'} lab
 * @property {string} startedAt ISO 8601
 * @property {ReturnType<typeof describeEnvironment>} environment
 * @property {{ seconds: number, maxConcurrency: number, queries: Record<string, unknown> }} settings
 * @property {{ cores: number | null, coresRange: [number, number] | null, numCores: number | null, idleCores: number | null,
 *   seenCores: number | null, end: string | null }} server cores: null where no query is work
 * @property {Record<string, { kind: 'sample', valuesMs: number[], workShare: number }>} services
 * @property {{ callers: number, ratePerSec: number, cores: number, clientCores: number }[]} levels queries at once: their rate, the
 *   cores they kept busy, and how busy the lab itself was
 * @property {Record<string, { runs: number, medianMs: number, meanMs: number, cpuMs: number | null }>} alone by route
 */

/** A sample in a result has at most so many values. */
const MAX_VALUES = 200;
/** The server itself ends a query of ours this long after the time limit. */
const PATIENCE_MS = 1000;

/**
 * Measures queries on a MongoDB: how long each takes alone, how much of that is work for the server's cores, and how many cores'
 * worth of work the server does at once.
 *
 * @param {CalibrationOptions} options
 * @param {object} surroundings
 * @param {Settings} surroundings.settings
 * @param {AbortSignal} surroundings.signal
 * @param {(line: string) => void} surroundings.report gets a line of progress for people
 * @param {(what: string) => void} surroundings.onStep what it does now; the time limit has begun
 * @returns {Promise<Calibration>}
 * @throws what `signal` was aborted with
 */
export async function calibrate(options, { settings, signal, report, onStep }) {
  const { url, origin, seconds, maxConcurrency } = options;
  const startedAt = new Date().toISOString();
  const mongo = await openMongo({ ...settings, mongoUrl: url }, { report, signal });
  const lost = new AbortController();
  mongo.died?.then((error) => lost.abort(error));
  const timeUp = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {MongoClient | undefined} */
  let client;
  const until = AbortSignal.any([signal, lost.signal, timeUp.signal]);
  // Each caller listens.
  setMaxListeners(0, until);
  const close = () => client?.close().catch(() => {});
  try {
    client = createCalibrationClient(mongo.url, { settings, maxConcurrency, origin });
    // The driver's connect() and runCursorCommand() take no signal. Without its connection, the server ends a query.
    until.addEventListener('abort', close);
    const version = await connectClient(client, origin);
    const limitMs = performance.now() + seconds * 1000;
    timer = setTimeout(() => timeUp.abort(new Error(
      `The time limit of ${seconds} s was too short for these queries. Use a larger --seconds.`)), seconds * 1000);
    onStep('the queries');
    const queries = await openQueries(client, options, until);
    const figures = await measureServer(queries, {
      readLoad: await createReader(client, until), limitMs, maxCallers: maxConcurrency, signal: until, onStep,
    });
    // The time limit ends the last level, and anything else ends it all.
    AbortSignal.any([signal, lost.signal]).throwIfAborted();
    return toCalibration(options, { startedAt, version, figures });
  } catch (error) {
    // Whatever it is, it came from that.
    until.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    await client?.close().finally(mongo.stop);
  }
}

/**
 * Opens no connection yet.
 *
 * @param {string} url
 * @param {{ settings: Settings, maxConcurrency: number, origin: string }} options
 */
export function createCalibrationClient(url, { settings, maxConcurrency, origin }) {
  return createClient(url, {
    ...settings, poolSize: maxConcurrency, minPoolSize: 0, waitQueueTimeoutMs: 0, appName: `${settings.appName}-calibrate`,
  }, origin);
}

/** @param {MongoClient} client @param {CalibrationOptions} options @param {AbortSignal} signal */
async function openQueries(client, { url, queries, db, seconds }, signal) {
  if (queries.length === 0) return createDemoQueries(client, { signal });
  if (url === undefined) await seedDemoData(client);
  const name = db ?? (url === undefined ? DATABASE : client.options.dbName);
  return createOwnQueries(client, queries, { db: name, limitMs: seconds * 1000 + PATIENCE_MS });
}

/**
 * A mongos knows only its own load, not that of the shards.
 *
 * @param {MongoClient} client
 * @param {AbortSignal} signal
 * @returns {Promise<ReadLoad>}
 */
async function createReader(client, signal) {
  const { msg } = await client.db('admin').command({ hello: 1 }, { signal });
  if (msg !== 'isdbgrid') return createServerLoadReader(client);
  return async () => ({
    atMs: performance.now(), cores: null, cpuMs: null, ticketsOut: null, ticketsTotal: null, queued: null, writeConflicts: null,
  });
}

/**
 * @param {CalibrationOptions} options
 * @param {{ startedAt: string, version: string, figures: ServerFigures }} measured
 * @returns {Calibration}
 */
function toCalibration({ queries, seconds, maxConcurrency }, { startedAt, version, figures }) {
  const { idleCores, numCores, load, found } = figures;
  const byRoute = (/** @type {(query: ServerFigures['queries'][number]) => any} */ value) => (
    Object.fromEntries(figures.queries.map((query) => [query.route, value(query)])));
  return {
    lab: 'calibrate',
    startedAt,
    environment: describeEnvironment(version),
    settings: {
      seconds, maxConcurrency, queries: Object.fromEntries(queries.map(({ route, command }) => [route, command])),
    },
    server: {
      cores: found && roundCores(found.cores),
      coresRange: found?.range ? [roundCores(found.range[0]), roundCores(found.range[1])] : null,
      numCores,
      idleCores: idleCores === null ? null : round(idleCores, 3),
      seenCores: found && roundCores(found.seen),
      end: load && load.end,
    },
    services: byRoute(({ tookMs, workShare }) => ({ kind: 'sample', valuesMs: thin(tookMs), workShare })),
    levels: load?.levels.map((level) => ({
      callers: level.callers,
      ratePerSec: round(workRate(level, byRoute(() => 1000)), 1),
      cores: roundCores(workRate(level, byRoute(({ meanMs, workShare }) => meanMs * workShare))),
      clientCores: round(level.clientCores, 2),
    })) ?? [],
    alone: byRoute(({ tookMs, meanMs, cpuMs }) => ({
      runs: tookMs.length, medianMs: round(quantile(tookMs, 0.5), 3), meanMs: round(meanMs, 3), cpuMs: cpuMs === null ? null : round(cpuMs, 3),
    })),
  };
}

/** Evenly spaced quantiles, which have the same distribution. @param {number[]} tookMs */
function thin(tookMs) {
  const count = Math.min(MAX_VALUES, tookMs.length);
  const sorted = tookMs.toSorted((a, b) => a - b);
  return Array.from({ length: count }, (_, index) => round(sorted[Math.floor((index + 0.5) * sorted.length / count)], 3));
}

/** Never to 0: a server without cores does nothing. @param {number} cores */
function roundCores(cores) {
  return Number(cores.toPrecision(3));
}

/** @param {number} value @param {number} digits */
function round(value, digits) {
  return Number(value.toFixed(digits));
}
