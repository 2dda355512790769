import { parentPort, workerData } from 'node:worker_threads';
import { openDelayProxy } from './delay-proxy.js';

// Started by addLatency(). It sends its port and runs until it is terminated.
const { port } = await openDelayProxy(workerData);
parentPort?.postMessage(port);
