import { summariseLatencies } from '../summarise-latencies.js';

/** @import { LatencyFigures } from '../summarise-latencies.js' */
/** @import { RunLoad } from './load-types.js' */

/**
 * Workers, each starting its next task as soon as its last one is done.
 *
 * @typedef {object} ClosedLoop
 * @property {number} workers
 * @property {(index: number, worker: number) => Promise<unknown>} task both numbers count from 0
 * @property {number} [total] tasks of all workers together, from 1
 * @property {number} [withinMs] no task starts later than this
 * @property {AbortSignal} [until] no task starts after it is aborted
 */

/**
 * Runs a closed loop until all tasks are done or the time is up. If a task fails, or the signal is aborted, no further
 * task starts, and it throws once no task is running.
 *
 * @type {RunLoad<ClosedLoop, LatencyFigures>}
 */
export async function runClosedLoop({ workers, task, total = Infinity, withinMs = Infinity, until }, { signal } = {}) {
  /** @type {number[]} */
  const latenciesMs = [];
  /** @type {{ error: unknown }[]} */
  const failures = [];
  let started = 0;
  const startedAtMs = performance.now();
  const mayStart = () =>
    started < total &&
    failures.length === 0 &&
    !signal?.aborted &&
    !until?.aborted &&
    performance.now() < startedAtMs + withinMs;

  /** @param {number} worker */
  async function work(worker) {
    while (mayStart()) {
      const index = started++;
      const taskStartedAtMs = performance.now();
      try {
        await task(index, worker);
      } catch (error) {
        failures.push({ error });
      }
      latenciesMs[index] = performance.now() - taskStartedAtMs;
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  const tookMs = performance.now() - startedAtMs;
  signal?.throwIfAborted();
  if (failures.length > 0) throw failures[0].error;
  return summariseLatencies(latenciesMs, tookMs);
}
