import { parentPort, workerData } from 'node:worker_threads';
import { createLoad } from '../load/load.js';
import { createRunSimulator } from '../runs/simulation-runs.js';

/** @import { MessagePort } from 'node:worker_threads' */

// Says when it has started. Then it receives runs, and answers each with { result } or { error }.
const parent = /** @type {MessagePort} */ (parentPort);
const { source, ...input } = workerData;
const simulateRun = createRunSimulator({ ...input, load: createLoad(source) });
parent.on('message', (run) => {
  try {
    parent.postMessage({ result: simulateRun(run) });
  } catch (error) {
    parent.postMessage({ error });
  }
});
parent.postMessage({});
