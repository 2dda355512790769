import { fileURLToPath } from 'node:url';
import { compareTurns, LAB_APP, runTurn, takeTurns, withContenders } from './contender.js';

/** @import { Part, PartContext } from '../parts/run-parts.js' */

const CONNECTIONS = 64;
const TURN_MS = 1500;
const POOL_SIZE = '10';
const BARE_APP = fileURLToPath(new URL('bare-app-process.js', import.meta.url));
const [MAJOR] = process.versions.node.split('.');
/**
 * Of a bare Express app. Node 20 pays more for following a request through async code.
 * @type {Record<string, object>}
 */
const WANTED = {
  20: { throughput: 0.92, CPU: 1.12 },
  24: { throughput: 0.95, CPU: 1.08 },
};

/** @type {Part} */
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
    const wanted = JSON.stringify(WANTED[MAJOR] ?? {});
    return [
      {
        title:
          `/fast with ${CONNECTIONS} connections and pool ${POOL_SIZE}, Node ${process.versions.node}; ` +
          `wanted of the lab: ${wanted}`,
        rows: compareTurns(turns, 'Express'),
      },
    ];
  });
}
