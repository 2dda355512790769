import { besides, LAB_APP, playTurn, startContender } from './contender.js';
import { median, medianRatio, takeTurns } from './take-turns.js';
import { withMongo } from './with-mongo.js';

/** @import { Part, PartContext } from '../parts/run-parts.js' */
/** @import { Turn } from './contender.js' */

const CONNECTIONS = 64;
const TURN_MS = 1500;
const POOL_SIZE = '10';
const [MAJOR] = process.versions.node.split('.');
/** Of a bare Express app. Node 20 pays more for following a request through async code. @type {Record<string, object>} */
const WANTED = {
  20: { throughput: 0.92, CPU: 1.12 },
  24: { throughput: 0.95, CPU: 1.08 },
};

/** @type {Part} */
export const PART = { name: 'app', about: '/fast beside a bare Express app and node:http with the same query', run };

/** @param {PartContext} context */
function run(context) {
  return withMongo(context, async (mongoUrl, keep) => {
    const options = { env: { MONGO_URL: mongoUrl, MONGO_POOLSIZE: POOL_SIZE }, signal: context.signal };
    // The lab's app comes first: it creates the customers.
    const lab = await keep(startContender(LAB_APP, options));
    const express = await keep(startContender(besides('bare-app-process.js'), { ...options, args: ['express'] }));
    const http = await keep(startContender(besides('bare-app-process.js'), { ...options, args: ['http'] }));
    const apps = [express, http, lab];
    const turns = await takeTurns(apps.length, context.runs, async (index) => {
      context.say(`app: ${['Express', 'node:http', 'lab'][index]}`);
      return playTurn(apps[index], { path: '/fast', connections: CONNECTIONS, durationMs: TURN_MS, signal: context.signal });
    });
    /** @param {string} name @param {Turn[]} own */
    const describe = (name, own) => ({
      app: name, 'requests/s': Math.round(median(own.map(({ ratePerSec }) => ratePerSec))),
      'throughput to Express': medianRatio(own, turns[0], ({ ratePerSec }) => ratePerSec).toFixed(3),
      'CPU us/request': Math.round(median(own.map(({ cpuUs }) => cpuUs))),
      'CPU to Express': medianRatio(own, turns[0], ({ cpuUs }) => cpuUs).toFixed(3),
    });
    return [{
      title: `/fast with ${CONNECTIONS} connections and pool ${POOL_SIZE}, Node ${process.versions.node}; wanted of the lab: ${JSON.stringify(WANTED[MAJOR] ?? {})}`,
      rows: [describe('Express', turns[0]), describe('node:http', turns[1]), describe('lab', turns[2])],
    }];
  });
}
