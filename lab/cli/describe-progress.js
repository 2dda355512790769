import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';

/** @import { CopyFigures, Figures } from 'oplog-replicator' */

/** Rates are those of this time, in ms. */
const WINDOW_MS = 10_000;

/**
 * @typedef {object} Sample
 * @property {number} atMs
 * @property {number} ops
 * @property {number} lagMs
 * @property {number} copiedBytes
 */

/** Puts the progress of a replication into words, with rates and the time left. */
export class ProgressWords {
  /** @type {Sample[]} oldest first */
  #samples = [];

  /**
   * @param {Figures} figures
   * @param {number} [atMs]
   * @returns {string} one line
   */
  describe({ ops, lagMs, copy }, atMs = performance.now()) {
    this.#samples.push({ atMs, ops, lagMs, copiedBytes: copy?.bytes ?? 0 });
    while (this.#samples.length > 2 && this.#samples[1].atMs <= atMs - WINDOW_MS) this.#samples.shift();
    if (copy?.phase === 'copying') return this.#describeCopy(copy);
    if (copy?.phase === 'building indexes') return `building indexes: ${copy.indexes} of ${copy.totalIndexes}`;
    const doing =
      copy?.phase === 'catching up' ? 'catching up with what changed during the copy' : 'following the oplog';
    const perSec = formatNumber(this.#rate(({ ops: count }) => count));
    return `${doing}: ${formatNumber(ops)} operations, ${perSec}/s, ${this.#describeLag(lagMs)}`;
  }

  /** @param {CopyFigures} copy */
  #describeCopy({ documents, bytes, totalBytes }) {
    const perSec = this.#rate(({ copiedBytes }) => copiedBytes);
    // The source may have grown since its size was asked.
    const share = totalBytes > 0 ? Math.min(bytes / totalBytes, 1) : 0;
    const left = perSec > 0 ? `, about ${formatDuration((totalBytes - bytes) / perSec)} left` : '';
    const done = `${formatBytes(bytes)} of ${formatBytes(Math.max(totalBytes, bytes))}`;
    return (
      `copying: ${Math.floor(100 * share)} %, ${formatNumber(documents)} documents, ` +
      `${done}, ${formatBytes(perSec)}/s${left}`
    );
  }

  /** @param {number} lagMs */
  #describeLag(lagMs) {
    const behind = lagMs < 1000 ? `${Math.round(lagMs)} ms behind` : `${formatDuration(lagMs / 1000)} behind`;
    if (lagMs < 1000) return behind;
    const caughtUpPerSec = -this.#rate((sample) => sample.lagMs);
    return caughtUpPerSec > 0 ? `${behind}, about ${formatDuration(lagMs / caughtUpPerSec)} left` : behind;
  }

  /** @param {(sample: Sample) => number} read @returns {number} change a second; 0 while unknown */
  #rate(read) {
    const [first, last] = [this.#samples[0], this.#samples[this.#samples.length - 1]];
    return last.atMs > first.atMs ? ((read(last) - read(first)) / (last.atMs - first.atMs)) * 1000 : 0;
  }
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** @param {number} seconds */
export function formatDuration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
