// A thread that checks properties one after the other. Its parent can terminate it when a case hangs.
import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';

/** The seed reproduces it in full. */
const MAX_LINE = 2000;

/** @typedef {{ name: string, cases: number, seed: number }} Order */
/** @typedef {{ name: string, cases: number, failure: string | null }} Outcome */

/** @type {{ targets: Record<string, import('test-support/fuzz-outcome.js').FuzzTarget> }} */
const { targets } = await import(workerData.file);
const begun = new Int32Array(workerData.begun);
const builtIns = [Object, Array, Function, String, Number].map(({ prototype }) => prototype);
const countProperties = () => builtIns.map((prototype) => Reflect.ownKeys(prototype).length).join();
const expectedCounts = countProperties();

parentPort?.on('message', async (/** @type {Order} */ { name, cases, seed }) => {
  const target = targets[name];
  const surroundings = await target.open?.(workerData);
  const property = fc.asyncProperty(target.arbitrary, async (value) => {
    Atomics.add(begun, 0, 1);
    await target.check(value, surroundings);
    if (countProperties() !== expectedCounts) throw new Error('a prototype is polluted');
  });
  const details = await fc.check(property, { numRuns: cases, seed });
  await surroundings?.close();
  /** @type {Outcome} */
  const outcome = { name, cases: details.numRuns, failure: details.failed ? describe(details) : null };
  parentPort?.postMessage(outcome);
});
parentPort?.postMessage('ready');

/** @param {fc.RunDetails<[any]>} details */
function describe({ seed, numRuns, errorInstance, counterexample }) {
  const { message = String(errorInstance) } = /** @type {Error} */ (Object(errorInstance));
  return [
    `Case ${numRuns} of seed ${seed} failed: ${message}`,
    `Smallest counterexample found: ${fc.stringify(counterexample?.[0])}`,
  ]
    .map((line) => line.slice(0, MAX_LINE))
    .join('\n');
}
