import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createRunSimulator, listDrawn } from '../runs/simulation-runs.js';

/** @import { Run, RunInput, SimulateRuns } from '../runs/simulation-runs.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */

/** @typedef {{ run: Run, resolve: (result: SimulationResult) => void, reject: (error: unknown) => void }} RunJob */

/** Less work is not worth a thread, which takes about 0.1 s to start and to compile the simulator. */
const MIN_WORK_MS = 200;

/**
 * Spreads simulation runs over threads, of which this one is the first: it has compiled the simulator before the others
 * have started, and a short prediction ends by then. Between two runs it does other work. The results are the same as
 * in one thread.
 *
 * @param {RunInput} input
 * @param {object} [options]
 * @param {number} [options.threads] at most, with this one; default: as many as the machine can run at once
 * @param {number} [options.minWorkMs] no other threads for less work than this, default 200
 * @returns {{ simulateRuns: SimulateRuns, close: () => Promise<void> }} close ends the threads. Idle threads do not
 *   keep the process alive
 */
export function createSimulationThreads(input, { threads = availableParallelism(), minWorkMs = MIN_WORK_MS } = {}) {
  const simulateRun = createRunSimulator(input);
  /** @type {ReturnType<typeof startThread>[]} */
  const started = [];
  /** @type {RunJob[]} */
  const jobs = [];
  let workedMs = 0;
  let isWorking = false;

  /** @param {number} runMs how long a run takes */
  function startThreads(runMs) {
    if (input.load.source === undefined || workedMs + jobs.length * runMs < minWorkMs) return;
    while (started.length < Math.min(threads, jobs.length) - 1) started.push(startThread(input, jobs, threads));
  }

  /** Does one job after the other in this thread, and hears from the other threads in between. */
  async function work() {
    if (isWorking) return;
    isWorking = true;
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const startedAtMs = performance.now();
      try {
        job.resolve(simulateRun(job.run));
      } catch (error) {
        job.reject(error);
      }
      const tookMs = performance.now() - startedAtMs;
      workedMs += tookMs;
      startThreads(tookMs);
      await setImmediate();
    }
    isWorking = false;
  }

  return {
    async close() {
      await Promise.all(started.splice(0).map((thread) => thread.end()));
    },
    async simulateRuns(runs, onRun = () => {}) {
      const results = runs.map(
        (run) => new Promise((/** @type {RunJob['resolve']} */ resolve, reject) => jobs.push({ run, resolve, reject })),
      );
      started.forEach((thread) => thread.wake());
      void work();
      return Promise.all(
        results.map(async (promise) => {
          const result = await promise;
          onRun();
          return result;
        }),
      );
    },
  };
}

/**
 * Starts a thread that takes jobs.
 * @param {RunInput} input
 * @param {RunJob[]} jobs
 * @param {number} threads that take them
 */
function startThread({ load, services, ...input }, jobs, threads) {
  const worker = new Worker(new URL('./simulation-thread.js', import.meta.url), {
    workerData: { ...input, source: load.source, services: listDrawn(load, services) },
  });
  let isReady = false;
  /** @type {RunJob[]} in the order of their answers */
  const taken = [];

  /** Takes a job. While there are many, it takes the next one, too, so that it never waits for this thread. */
  function wake() {
    while (isReady && taken.length < (jobs.length < threads ? 1 : 2)) {
      const job = jobs.shift();
      if (!job) break;
      taken.push(job);
      worker.postMessage(job.run);
    }
    if (taken.length > 0) worker.ref();
    else worker.unref();
  }

  worker.on('error', (error) => [...taken.splice(0), ...jobs.splice(0)].forEach(({ reject }) => reject(error)));
  worker.on('message', ({ result, error }) => {
    const job = taken.shift();
    // The first message only says that the thread has started.
    isReady = true;
    if (error) job?.reject(error);
    else job?.resolve(result);
    wake();
  });
  wake();
  return {
    wake,
    end() {
      // The first message may still come. It would let this process end before the thread has.
      worker.removeAllListeners('message');
      return worker.terminate();
    },
  };
}
