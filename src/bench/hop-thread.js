import { parentPort, workerData } from 'node:worker_threads';
import { openHop } from './hop.js';

// What openDistance() starts: it says its port and goes on until it is terminated.
const { port } = await openHop(workerData);
parentPort?.postMessage(port);
