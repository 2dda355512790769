import { parentPort, workerData } from 'node:worker_threads';
import { openDelayProxy } from './delay-proxy.js';

// Started by addLatency(). It sends its port and runs until it is terminated.
const { port } = /** @type {import('node:net').AddressInfo} */ ((await openDelayProxy(workerData)).address());
parentPort?.postMessage(port);
