// @ts-nocheck The libraries are no dependencies of the project.
// The least that anyone must do to know which request uses which connection: follow each request through its async code, hear
// when it ends, and listen to the pool. It keeps nothing. What it costs, no monitor can save.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

const { MongoClient } = process.argv[1].includes('mongoose') ? (await import('mongoose')).default.mongo : await import('mongodb');
const requests = new AsyncLocalStorage();
let count = 0;

subscribe('http.server.request.start', ({ response }) => {
  const request = { number: count += 1, checkouts: 0 };
  requests.enterWith(request);
  response.on('close', () => { count += request.checkouts; });
});

const { connect } = MongoClient.prototype;
MongoClient.prototype.connect = function connectAndListen(...args) {
  const note = () => {
    const request = requests.getStore();
    if (request) request.checkouts += 1;
  };
  for (const event of ['connectionCheckOutStarted', 'connectionCheckedOut', 'connectionCheckedIn']) this.on(event, note);
  return connect.apply(this, args);
};
