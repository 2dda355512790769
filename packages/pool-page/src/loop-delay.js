import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** @import { Second } from '../universal/feed-shapes.js' */

/** The native timer behind it wakes up this often. Its values include this time. */
const RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;

/** How late timers of this process are, because its event loop is busy. Most of it is measured outside JavaScript. */
export class LoopDelay {
  #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #utilization = performance.eventLoopUtilization();
  #cpu = { usage: process.cpuUsage(), atMs: performance.now() };

  constructor() {
    this.#histogram.enable();
  }

  /** @returns {Pick<Second, 'loopBusy' | 'loopCpu' | 'loopDelayMs'>} since the last time */
  read() {
    const { count, mean, max } = this.#histogram;
    const delayMs = (/** @type {number} */ ns) => (count > 0 ? Math.max(0, ns / NS_PER_MS - RESOLUTION_MS) : 0);
    const loopDelayMs = { mean: delayMs(mean), max: delayMs(max) };
    this.#histogram.reset();
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const { usage, atMs } = this.#cpu;
    this.#cpu = { usage: process.cpuUsage(), atMs: performance.now() };
    const { user, system } = process.cpuUsage(usage);
    return {
      loopBusy: performance.eventLoopUtilization(this.#utilization, before).utilization,
      loopCpu: (user + system) / 1000 / Math.max(1, this.#cpu.atMs - atMs),
      loopDelayMs,
    };
  }

  close() {
    this.#histogram.disable();
  }
}
