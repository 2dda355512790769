import { parentPort, workerData } from 'node:worker_threads';
import { openDelayProxy } from './delay-proxy.js';

// What openDistance() starts: it says its port and goes on until it is terminated.
const { port } = await openDelayProxy(workerData);
parentPort?.postMessage(port);
