import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** @import { Question, Recording } from '../corpus/recordings.js' */
/** @import { Probe } from './calibration-thread.js' */

/** Asks recordings with another value of an assumption, on all processors. */
export class CalibrationThreads {
  #stop = new Int32Array(new SharedArrayBuffer(4));
  /** Each has recordings of its own, which it reads once. @type {{ worker: Worker, names: Set<string> }[]} */
  #threads;

  /** @param {Recording[]} recordings */
  constructor(recordings) {
    const count = availableParallelism();
    this.#threads = Array.from({ length: count }, (_, thread) => {
      const own = recordings.filter((_each, index) => index % count === thread);
      const worker = new Worker(new URL('calibration-thread.js', import.meta.url), {
        workerData: { recordings: own, stop: this.#stop },
      });
      return { worker, names: new Set(own.map(({ name }) => name)) };
    });
  }

  /** @param {Probe} probe @returns {Promise<string | undefined>} a recording that notices; undefined if none does */
  async findNoticing(probe) {
    this.#stop[0] = 0;
    const said = await Promise.all(
      this.#threads.map(({ worker, names }) =>
        send(worker, { probe: { ...probe, names: probe.names.filter((name) => names.has(name)) } }),
      ),
    );
    return said.find((name) => name !== undefined);
  }

  /**
   * @param {{ id?: string, value?: number, question: Question }[]} jobs id: of an assumption with another value
   * @returns {Promise<any[]>} what is answered to each
   */
  async askEach(jobs) {
    /** @type {any[]} */
    const answers = new Array(jobs.length);
    const left = jobs.map((job, index) => ({ job, index }));
    await Promise.all(
      this.#threads.map(async ({ worker }) => {
        for (let next = left.shift(); next; next = left.shift())
          answers[next.index] = (await send(worker, next.job)).answer;
      }),
    );
    return answers;
  }

  async close() {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}

/** @param {Worker} worker @param {object} job @returns {Promise<any>} */
async function send(worker, job) {
  const { said, error } = await new Promise((resolve, reject) => {
    worker.once('error', reject).once('message', resolve);
    worker.postMessage(job);
  });
  worker.removeAllListeners('error');
  if (error) throw error;
  return said;
}
