import { fileURLToPath } from 'node:url';
import { compareTurns, LAB_APP, runTurn, takeTurns, withContenders } from './contender.js';

/** @import { BenchmarkPart, PartContext } from '../parts/run-parts.js' */

const CONNECTIONS = 64;
const TURN_MS = 1500;
const POOL_SIZE = '10';
const BARE_APP = fileURLToPath(new URL('bare-app-process.js', import.meta.url));
/** Throughput of the lab's app, of a bare Express app's. Much of the rest is following requests through async code. */
const WANTED = 0.75;

/** @type {BenchmarkPart} */
export const PART = { name: 'app', about: '/fast beside a bare Express app and node:http with the same query', run };

/** @param {PartContext} context */
function run(context) {
  return withContenders(context, async (start) => {
    const env = { MONGO_POOLSIZE: POOL_SIZE };
    // The lab's app comes first: it creates the customers.
    const lab = await start(LAB_APP, { env });
    const apps = {
      Express: await start(BARE_APP, { env, args: ['express'] }),
      'node:http': await start(BARE_APP, { env, args: ['http'] }),
      lab,
    };
    const turns = await takeTurns(apps, context.runs, (app, name) => {
      context.say(`app: ${name}`);
      return runTurn(app, { path: '/fast', connections: CONNECTIONS, durationMs: TURN_MS, signal: context.signal });
    });
    return [
      {
        title:
          `/fast with ${CONNECTIONS} connections and pool ${POOL_SIZE}, Node ${process.versions.node}; ` +
          `wanted of the lab: ${WANTED} of Express's throughput`,
        rows: compareTurns(turns, 'Express'),
      },
    ];
  });
}
