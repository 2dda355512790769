// @ts-nocheck The libraries are no dependencies of the project.
// The least that anyone must do to know which request waited for which connection: follow each request through its
// async code, listen to the pool, and write down who, when and which connection. It infers nothing and shows nothing.
// What it costs, no monitor can save.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

const { MongoClient } = process.argv[1].includes('mongoose')
  ? (await import('mongoose')).default.mongo
  : await import('mongodb');
const KEPT = 10_000;
const [arrivedAtMs, endedAtMs, startedAtMs, outAtMs, inAtMs] = Array.from({ length: 5 }, () => new Float64Array(KEPT));
const requestOf = new Uint32Array(KEPT);
/** Current checkout of each connection. */
const checkoutOf = [];
const requests = new AsyncLocalStorage();
let [requestCount, startedCount, servedCount] = [0, 0, 0];

subscribe('http.server.request.start', ({ response }) => {
  const request = { number: (requestCount += 1) };
  requests.enterWith(request);
  arrivedAtMs[request.number % KEPT] = performance.now();
  response.on('close', () => {
    endedAtMs[request.number % KEPT] = performance.now();
  });
});

const { connect } = MongoClient.prototype;
MongoClient.prototype.connect = function connectAndListen(...args) {
  this.on('connectionCheckOutStarted', () => {
    const checkout = (startedCount += 1) % KEPT;
    requestOf[checkout] = requests.getStore()?.number ?? 0;
    startedAtMs[checkout] = performance.now();
  });
  // The queue is first in, first out.
  this.on('connectionCheckedOut', ({ connectionId }) => {
    const checkout = (servedCount += 1) % KEPT;
    checkoutOf[connectionId] = checkout;
    outAtMs[checkout] = performance.now();
  });
  this.on('connectionCheckedIn', ({ connectionId }) => {
    inAtMs[checkoutOf[connectionId]] = performance.now();
  });
  return connect.apply(this, args);
};
