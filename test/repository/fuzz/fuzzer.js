import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';

/** @import { FuzzTarget } from 'test-support/fuzz-outcome.js' */
/** @import { Outcome } from './fuzz-thread.js' */

/**
 * Runs targets in a thread, which prints nothing and is terminated when a case hangs.
 * @param {object} options
 * @param {string} options.mongoUrl
 * @param {string} [options.file] the module with the targets
 * @param {number} [options.maxCaseMs] a case that takes longer hangs, on the busiest of machines too
 */
export async function createFuzzer({ mongoUrl, file = './targets.js', maxCaseMs = 20_000 }) {
  /** @type {{ targets: Record<string, FuzzTarget> }} */
  const { targets } = await import(file);
  const begun = new Int32Array(new SharedArrayBuffer(4));
  /** @type {Worker | undefined} */
  let worker;

  /** Loading the targets takes long on a busy machine, and is no case. */
  async function start() {
    const thread = new Worker(new URL('fuzz-thread.js', import.meta.url), {
      workerData: { begun: begun.buffer, file, mongoUrl },
      stdout: true,
      stderr: true,
    });
    thread.stdout.resume();
    thread.stderr.resume();
    await once(thread, 'message');
    return thread;
  }

  /**
   * @param {{ name: string, cases: number, seed: number }} order
   * @returns {Promise<Outcome>} `failure` in words, with the counterexample and how to see it again
   */
  async function run({ name, cases, seed }) {
    worker ??= await start();
    Atomics.store(begun, 0, 0);
    const answer = once(worker, 'message').then(([outcome]) => outcome);
    worker.postMessage({ name, cases: Math.ceil(cases * (targets[name].share ?? 1)), seed });
    for (let seen = -1; ;) {
      const outcome = await Promise.race([answer, sleep(maxCaseMs, undefined, { ref: false })]);
      if (outcome) return outcome;
      const number = Atomics.load(begun, 0);
      if (number === seen) {
        await close();
        return { name, cases: number, failure: describeHang(targets[name], number, seed) };
      }
      seen = number;
    }
  }

  async function close() {
    await worker?.terminate();
    worker = undefined;
  }

  return { names: Object.keys(targets), run, close };
}

/**
 * The same seed gives the same cases, as long as none has failed.
 * @param {FuzzTarget} target
 * @param {number} number
 * @param {number} seed
 */
function describeHang({ arbitrary }, number, seed) {
  const value = fc.sample(arbitrary, { numRuns: Math.max(1, number), seed }).at(-1);
  return (
    `Case ${number} of seed ${seed} hangs\n` + `Counterexample, unless an earlier case failed: ${fc.stringify(value)}`
  );
}
