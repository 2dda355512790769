import { readIncident } from './incident.js';
import { listRoutesOf, predictPreset, watchPreset } from './simulation.js';

/**
 * What the page may ask the worker.
 *
 * @typedef {object} Tasks
 * @property {typeof predictPreset} predict
 * @property {typeof watchPreset} watch
 * @property {(yaml: string) => string[]} routes
 * @property {typeof readIncident} incident
 *
 * @typedef {<T extends keyof Tasks>(task: T, input: Parameters<Tasks[T]>[0]) => Promise<Awaited<ReturnType<Tasks[T]>>>}
 *   Ask rejects with what is wrong with the input
 *
 * @typedef {{ resolve: (result: any) => void, reject: (error: Error) => void }} Asker
 */

/** @type {Record<string, (input: any) => any>} */
const TASKS = { predict: predictPreset, watch: watchPreset, routes: listRoutesOf, incident: readIncident };

/** Does one task after the other in the worker, so that the page stays responsive. */
export function serveRequests() {
  let last = Promise.resolve();
  addEventListener('message', ({ data: { id, task, input } }) => {
    last = last.then(async () => {
      try {
        postMessage({ id, result: await TASKS[task](input) });
      } catch (error) {
        postMessage({ id, problem: /** @type {Error} */ (error).message });
      }
    });
  });
}

/**
 * Starts the worker, in the page.
 *
 * @param {string} script the text of this program
 * @returns {Ask}
 */
export function startBackground(script) {
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
  /** @type {Map<number, Asker>} */
  const asked = new Map();
  worker.addEventListener('message', ({ data: { id, result, problem } }) => {
    const { resolve, reject } = /** @type {Asker} */ (asked.get(id));
    asked.delete(id);
    if (problem === undefined) resolve(result);
    else reject(new Error(problem));
  });
  // It may not start at all.
  worker.addEventListener('error', ({ message }) => {
    for (const { reject } of asked.values()) reject(new Error(`The simulator stopped: ${message}`));
    asked.clear();
  });
  let count = 0;
  return (task, input) =>
    new Promise((resolve, reject) => {
      asked.set(++count, { resolve, reject });
      worker.postMessage({ id: count, task, input });
    });
}

/**
 * Runs one at a time. Calls during a run cause one more run after it.
 *
 * @param {() => Promise<void>} run
 * @returns {() => Promise<void>} resolves when nothing is left to do
 */
export function keepLatest(run) {
  /** @type {Promise<void> | undefined} */
  let running;
  let isStale = false;
  async function runAll() {
    try {
      while (isStale) {
        isStale = false;
        await run();
      }
    } finally {
      running = undefined;
    }
  }
  return () => {
    isStale = true;
    return (running ??= runAll());
  };
}
