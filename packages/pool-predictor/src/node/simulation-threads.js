import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { listDrawn, simulateHere } from '../runs/simulation-runs.js';

/** @import { Run, RunInput, SimulateRuns } from '../runs/simulation-runs.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */

/** @typedef {{ run: Run, resolve: (result: SimulationResult) => void, reject: (error: unknown) => void }} RunJob */

/** Less work is not worth a thread, which takes about 0.1 s to start and to compile the simulator. */
const MIN_WORK_MS = 500;

/**
 * Spreads simulation runs over threads. The results are the same as in one thread. It begins in this thread, so a short
 * prediction ends before other threads would have started.
 *
 * @param {RunInput} input
 * @param {object} [options]
 * @param {number} [options.threads] at most, default: as many as the machine can run at once
 * @param {number} [options.minWorkMs] no threads for less work than this, default 500
 * @param {AbortSignal} [options.signal] ends the threads. Runs then fail with its reason
 * @returns {{ simulateRuns: SimulateRuns, close: () => Promise<void> }} close ends the threads. Idle threads do not
 *   keep the process alive
 */
export function createSimulationThreads(
  input,
  { threads = availableParallelism(), minWorkMs = MIN_WORK_MS, signal } = {},
) {
  const simulate = simulateHere(input);
  /** @type {ReturnType<typeof startThread>[]} */
  const started = [];
  /** @type {RunJob[]} */
  const jobs = [];
  let workedMs = 0;

  /** @param {number} runsLeft @param {number} runMs how long one takes */
  function isWorthThreads(runsLeft, runMs) {
    return threads > 1 && runsLeft > 1 && input.load.source !== undefined && workedMs + runsLeft * runMs >= minWorkMs;
  }

  /** @param {Run} run @returns {Promise<SimulationResult>} */
  function send(run) {
    return new Promise((resolve, reject) => {
      jobs.push({ run, resolve, reject });
      started.forEach((thread) => thread.wake());
      if (jobs.length === 0 || started.length >= threads) return;
      const thread = startThread(input, jobs);
      started.push(thread);
      thread.wake();
    });
  }

  async function close() {
    await Promise.all(started.splice(0).map((thread) => thread.end()));
  }

  signal?.addEventListener(
    'abort',
    () => {
      started.forEach((thread) => thread.fail(signal.reason));
      jobs.splice(0).forEach(({ reject }) => reject(signal.reason));
      void close();
    },
    { once: true },
  );

  return {
    close,
    async simulateRuns(runs, onRun = () => {}) {
      const results = [];
      while (started.length === 0 && results.length < runs.length) {
        signal?.throwIfAborted();
        const startedAtMs = performance.now();
        results.push(...(await simulate([runs[results.length]], onRun)));
        const tookMs = performance.now() - startedAtMs;
        workedMs += tookMs;
        if (isWorthThreads(runs.length - results.length, tookMs)) break;
      }
      signal?.throwIfAborted();
      return results.concat(
        await Promise.all(
          runs.slice(results.length).map(async (run) => {
            const result = await send(run);
            onRun();
            return result;
          }),
        ),
      );
    },
  };
}

/** Starts a thread that takes one job after the other. @param {RunInput} input @param {RunJob[]} jobs */
function startThread({ load, services, ...input }, jobs) {
  const worker = new Worker(new URL('./simulation-thread.js', import.meta.url), {
    workerData: { ...input, source: load.source, services: listDrawn(load, services) },
  });
  /** @type {RunJob | undefined} */
  let job;

  function wake() {
    if (job) return;
    job = jobs.shift();
    if (!job) return worker.unref();
    worker.ref();
    worker.postMessage(job.run);
  }

  /** @param {unknown} error */
  function fail(error) {
    job?.reject(error);
    job = undefined;
  }

  worker.on('error', (error) => {
    fail(error);
    jobs.splice(0).forEach(({ reject }) => reject(error));
  });
  worker.on('message', ({ result, error }) => {
    if (error) fail(error);
    else job?.resolve(result);
    job = undefined;
    wake();
  });
  return { wake, fail, end: () => worker.terminate() };
}
