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
 * @param {() => number} [now] in ms
 */
export function createServerGauge(readLoad, now = () => performance.now()) {
  /** @type {ServerLoad | null} */
  let latest = null;
  /** @type {number | null} */
  let busy = null;
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
        busy = latest && isRecent(latest) ? busyCores(latest, load) : null;
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
      return { cores: latest.cores, busyCores: busy };
    },
  };
}

/**
 * How many cores the server kept busy between two readings.
 *
 * @param {Pick<ServerLoad, 'atMs' | 'cpuMs'>} before
 * @param {Pick<ServerLoad, 'atMs' | 'cpuMs'>} after
 * @returns {number | null} null where the server does not tell
 */
export function busyCores(before, after) {
  if (before.cpuMs === null || after.cpuMs === null || after.atMs <= before.atMs) return null;
  return (after.cpuMs - before.cpuMs) / (after.atMs - before.atMs);
}
