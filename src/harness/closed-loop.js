import { summariseLatencies } from './summarise-latencies.js';

/**
 * Have so many workers do a task again and again, each beginning the next when the last is done, until `total` are
 * or the time is up.
 *
 * @param {object} options
 * @param {number} options.workers how many run at once
 * @param {number} options.total tasks, of all workers together, from 1
 * @param {(index: number, worker: number) => Promise<unknown>} options.task gets which one it is and whose, from 0
 * @param {number} [options.withinMs] no task begins later than this, counted from the start of all
 * @param {AbortSignal} [options.signal] no task begins after it
 * @returns {Promise<import('./summarise-latencies.js').LatencyFigures>} of the tasks
 * @throws what the first failing task threw, or `signal` was aborted with, once no task runs any more
 */
export async function runClosedLoop({ workers, total, task, withinMs = Infinity, signal }) {
  /** @type {number[]} */
  const latenciesMs = new Array(total);
  /** @type {{ error: unknown }[]} */
  const failures = [];
  let begun = 0;
  const deadline = performance.now() + withinMs;
  /** @param {number} worker */
  async function work(worker) {
    while (begun < total && failures.length === 0 && !signal?.aborted && performance.now() < deadline) {
      const index = begun++;
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
  latenciesMs.length = begun;
  return summariseLatencies(latenciesMs, tookMs);
}
