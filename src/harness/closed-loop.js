import { summariseLatencies } from './summarise-latencies.js';

/**
 * Runs a closed loop: `workers` workers, each starting its next task as soon as its last one finished, until `total`
 * tasks are done or the time is up.
 * @param {object} options
 * @param {number} options.workers
 * @param {number} options.total tasks, of all workers together, from 1
 * @param {(index: number, worker: number) => Promise<unknown>} options.task both numbers count from 0
 * @param {number} [options.withinMs] no task starts later than this
 * @param {AbortSignal} [options.signal] no task starts after it is aborted
 * @returns {Promise<import('./summarise-latencies.js').LatencyFigures>}
 * @throws the error of the first task that failed, or the signal's reason, once no task runs
 */
export async function runClosedLoop({ workers, total, task, withinMs = Infinity, signal }) {
  /** @type {number[]} */
  const latenciesMs = new Array(total);
  /** @type {{ error: unknown }[]} */
  const failures = [];
  let started = 0;
  const deadline = performance.now() + withinMs;
  /** @param {number} worker */
  async function work(worker) {
    while (started < total && failures.length === 0 && !signal?.aborted && performance.now() < deadline) {
      const index = started++;
      const startedAt = performance.now();
      try {
        await task(index, worker);
      } catch (error) {
        failures.push({ error });
      }
      latenciesMs[index] = performance.now() - startedAt;
    }
  }
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  const tookMs = performance.now() - startedAt;
  signal?.throwIfAborted();
  if (failures.length > 0) throw failures[0].error;
  latenciesMs.length = started;
  return summariseLatencies(latenciesMs, tookMs);
}
