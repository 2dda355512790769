/** @import { Report } from './replicator.js' */

/**
 * @param {string} name of what is measured
 * @returns {(report: Report) => string} what happened since the last report, in a line
 */
export function createStatsLine(name) {
  let before = { ops: 0, cpuMs: 0, elapsedMs: 0 };
  return ({ figures: { ops, lagMs, queued, queueDepths }, cpuMs, elapsedMs, peakRssMB }) => {
    const ms = elapsedMs - before.elapsedMs;
    const line = [
      `${name}: ${Math.round((ops - before.ops) / ms * 1000)} ops/s`,
      `CPU ${Math.round((cpuMs - before.cpuMs) / ms * 100)} %`,
      `peak RSS ${Math.round(peakRssMB)} MB`,
      `queued ${queued}, in the longest queue ${Math.max(0, ...queueDepths)}`,
      `lag ${Math.round(lagMs)} ms`,
    ].join(' · ');
    before = { ops, cpuMs, elapsedMs };
    return line;
  };
}
