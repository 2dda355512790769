// A thread of coverage.js: receives { first, step, loads, seeds }, sends the checks of each load.
import { parentPort, workerData } from 'node:worker_threads';
import { checkLoad } from './check-load.js';

const { first, step, loads, seeds } = workerData;
for (let number = first; number < loads; number += step) parentPort?.postMessage(await checkLoad(number, seeds));
