import os from 'node:os';

/** @import { ServerReading } from '../universal/feed-shapes.js' */
/** @import { ServerLoad } from './live-source.js' */

/** A reading costs the server about a millisecond. */
const EVERY_MS = 1000;
/** An older reading says nothing about now. */
const MAX_AGE_MS = 4000;

/**
 * How busy the server is. Nothing is read unless somebody refreshes it.
 *
 * @param {() => Promise<ServerLoad>} readLoad
 * @param {object} [options]
 * @param {() => boolean} [options.isHere] whether the server runs on this machine
 * @param {() => number} [options.now] in ms
 */
export function createServerGauge(readLoad, { isHere = () => false, now = () => performance.now() } = {}) {
  /** @type {ServerLoad | null} */
  let latest = null;
  /** @type {number | null} */
  let busy = null;
  let machine = readMachine();
  /** Cores that other programs use. @type {number | null} */
  let othersBusy = null;
  let startedAtMs = -Infinity;
  let isReading = false;

  /** @param {ServerLoad | null} load */
  function isRecent(load) {
    return load !== null && now() - load.atMs <= MAX_AGE_MS;
  }

  return {
    /** Starts a reading, unless the last one has just started. Call it as often as you like. */
    async refresh() {
      if (isReading || now() - startedAtMs < EVERY_MS) return;
      isReading = true;
      startedAtMs = now();
      try {
        const load = await readLoad();
        const machineBefore = machine;
        machine = readMachine();
        busy = latest && isRecent(latest) ? busyCores(latest, load) : null;
        othersBusy = isHere() ? otherBusyCores({ cores: load.cores, busyCores: busy }, machineBefore, machine) : null;
        latest = load;
      } catch {
        // Whether MongoDB is reachable is known from elsewhere.
        latest = null;
      } finally {
        isReading = false;
      }
    },
    /** @returns {ServerReading | null} null if nothing is known about now */
    read() {
      if (latest === null || latest.cores === null || !isRecent(latest)) return null;
      const { cores, connectionLimit } = latest;
      return {
        cores,
        busyCores: busy,
        ...(othersBusy !== null && { otherBusyCores: othersBusy }),
        ...(connectionLimit && { connectionLimit }),
      };
    },
  };
}

/**
 * How many cores the server, or this machine, kept busy between two readings.
 *
 * @param {Pick<ServerLoad, 'atMs' | 'cpuMs'>} before
 * @param {Pick<ServerLoad, 'atMs' | 'cpuMs'>} after
 * @returns {number | null} null where the server does not tell
 */
export function busyCores(before, after) {
  if (before.cpuMs === null || after.cpuMs === null || after.atMs <= before.atMs) return null;
  return (after.cpuMs - before.cpuMs) / (after.atMs - before.atMs);
}

/** Reads how much CPU time all programs have used on this machine. @returns {{ atMs: number, cpuMs: number }} */
export function readMachine() {
  const times = os.cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  return { atMs: performance.now(), cpuMs: times.reduce((sum, ms) => sum + ms, 0) };
}

/**
 * How many cores of this machine programs other than its server kept busy between two readings of it.
 *
 * @param {{ cores: number | null, busyCores: number | null }} server
 * @param {ReturnType<typeof readMachine>} before
 * @param {ReturnType<typeof readMachine>} after
 * @returns {number | null} null where it is not known; in a container, the server may have fewer cores than the machine
 */
export function otherBusyCores({ cores, busyCores: busy }, before, after) {
  const machineBusy = busyCores(before, after);
  if (busy === null || machineBusy === null || cores !== os.cpus().length) return null;
  return Math.max(0, machineBusy - busy);
}
