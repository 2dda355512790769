import { setTimeout as sleep } from 'node:timers/promises';
import { busyCores } from 'mongodb-pool-monitor/live';

/** @import { ServerLoad } from '../../mongo/server-load.js' */

const EVERY_MS = 100;

/**
 * What the server reported about itself during a measurement. Null where it does not tell.
 *
 * @typedef {object} ServerFigures
 * @property {number | null} cores that it has
 * @property {number | null} coresBusy by the server, on average
 * @property {number | null} ticketsTotal
 * @property {number | null} ticketsOut operations in the storage engine, mean of the readings
 * @property {number | null} queued operations that waited for a ticket or a lock, mean
 * @property {number | null} queuedPeak
 * @property {number | null} conflictsPerSec write conflicts
 */

/**
 * Reads the server's load ten times a second.
 *
 * @param {() => Promise<ServerLoad>} read over a connection of its own
 */
export function createServerSampler(read) {
  /** @type {ServerLoad[]} */
  const readings = [];
  const stopping = new AbortController();
  /** @type {Promise<void>} */
  let sampling = Promise.resolve();

  async function sample() {
    while (!stopping.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
      readings.push(await read());
    }
  }

  return {
    async start() {
      readings.push(await read());
      sampling = sample();
      // Whoever calls stop gets the error.
      sampling.catch(() => {});
    },
    /** May be called twice. @throws when the server can't be reached */
    async stop() {
      stopping.abort();
      await sampling;
    },
    /** After `stop`. */
    summarise: () => summariseReadings(readings),
  };
}

/**
 * @param {ServerLoad[]} readings at least two, in order
 * @returns {ServerFigures}
 */
export function summariseReadings(readings) {
  const [first, last] = [readings[0], readings[readings.length - 1]];
  // The first one is from before the measurement, and the readings between have nothing of their own to count.
  const during = readings.slice(1);
  const queued = listKnown(during, 'queued');
  const conflicts = first.writeConflicts === null || last.writeConflicts === null
    ? null : last.writeConflicts - first.writeConflicts;
  return {
    cores: last.cores,
    coresBusy: busyCores(first, last),
    ticketsTotal: last.ticketsTotal,
    ticketsOut: meanOf(listKnown(during, 'ticketsOut')),
    queued: meanOf(queued),
    queuedPeak: queued.length > 0 ? Math.max(...queued) : null,
    conflictsPerSec: conflicts === null ? null : conflicts / (last.atMs - first.atMs) * 1000,
  };
}

/** @param {ServerLoad[]} readings @param {'ticketsOut' | 'queued'} gauge */
function listKnown(readings, gauge) {
  return readings.flatMap((reading) => reading[gauge] ?? []);
}

/** @param {number[]} values @returns {number | null} null if there is none */
export function meanOf(values) {
  return values.length > 0 ? values.reduce((total, value) => total + value, 0) / values.length : null;
}
