import { besides, LAB_APP, playTurn, startContender } from './contender.js';
import { median, medianRatio, takeTurns } from './take-turns.js';
import { withMongo } from './with-mongo.js';

/** @import { Part, PartContext } from '../parts/run-parts.js' */
/** @import { Contender } from './contender.js' */

const CONNECTIONS = 64;
const TURN_MS = 1000;
const POOL_SIZE = '10';
/** What the lab's app adds to a bare Express, in this order, and what would be lost without it. */
export const LAYERS = {
  monitor: 'the gauges, histograms and events of the pool',
  requests: 'which request a checkout belongs to',
  record: 'who waited, for how long and behind whom',
  serverTiming: 'wait and use in the answer, for the load tests',
  deadline: 'the end of requests that take too long, and the limit',
  signal: 'the end of the wait and the query when the client leaves',
  headers: 'the security headers',
};

/** @type {Part} */
export const PART = { name: 'layers', about: 'what each part of the lab\'s app adds to the cost of /fast in a bare Express app', run };

/** @param {PartContext} context */
function run(context) {
  return withMongo(context, async (mongoUrl, keep) => {
    const options = { env: { MONGO_URL: mongoUrl, MONGO_POOLSIZE: POOL_SIZE }, signal: context.signal };
    // The lab's app comes first: it creates the customers.
    const lab = await keep(startContender(LAB_APP, options));
    const names = ['bare Express', ...Object.keys(LAYERS), 'all of the lab'];
    /** @type {Contender[]} */
    const apps = [];
    for (let count = 0; count <= Object.keys(LAYERS).length; count += 1) {
      apps.push(await keep(startContender(besides('layered-app-process.js'), { ...options, args: [String(count)] })));
    }
    apps.push(lab);
    const turns = await takeTurns(apps.length, context.runs, async (index, isWarmUp) => {
      if (!isWarmUp) context.say(`layers: ${names[index]}`);
      return playTurn(apps[index], { path: '/fast', connections: CONNECTIONS, durationMs: TURN_MS, signal: context.signal });
    });
    const cpuOf = (/** @type {number} */ index) => median(turns[index].map(({ cpuUs }) => cpuUs));
    return [{
      title: [
        `What each part adds to /fast, with ${CONNECTIONS} connections and pool ${POOL_SIZE}, Node ${process.versions.node}. Without it, one would lose:`,
        ...Object.entries(LAYERS).map(([name, lost]) => `${name}: ${lost}`),
      ].join('\n'),
      rows: names.map((name, index) => ({
        with: index === 0 ? name : `+ ${name}`,
        'CPU us/request': Math.round(cpuOf(index)),
        'more us': index === 0 ? '' : Math.round(cpuOf(index) - cpuOf(index - 1)),
        'CPU to Express': medianRatio(turns[index], turns[0], ({ cpuUs }) => cpuUs).toFixed(2),
        'throughput to Express': medianRatio(turns[index], turns[0], ({ ratePerSec }) => ratePerSec).toFixed(2),
      })),
    }];
  });
}
