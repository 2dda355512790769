import { once } from 'node:events';
import { forkScript } from '../../src/harness/forked-process.js';
import { besides } from './contender.js';
import { median, medianRatio, takeTurns } from './take-turns.js';
import { withMongo } from './with-mongo.js';

/** @import { Part, PartContext } from '../parts/run-parts.js' */
/** @import { Turn } from './contender.js' */

/** The second plain client shows the noise. What is wanted is of Node 20 and 24. @type {Record<string, string>} */
const KINDS = {
  'plain': '', 'plain again': '', 'monitor': '0.98 / 0.98', 'monitor and record': '0.93 / 0.96', 'monitor, in batches': '',
  'monitor and record, in batches': '',
};

/** @type {Part} */
export const PART = { name: 'monitor', about: 'findOne with a monitor, and with the record of checkouts, beside plain clients', run };

/** @param {PartContext} context */
function run(context) {
  const { signal, say, runs } = context;
  return withMongo(context, async (mongoUrl, keep) => {
    const names = Object.keys(KINDS);
    const clients = await Promise.all(names.map((kind) => keep(forkScript(besides('find-one-process.js'), {
      name: kind, args: [kind], env: { MONGO_URL: mongoUrl }, signal,
    }))));
    const turns = await takeTurns(clients.length, runs, async (index) => {
      say(`monitor: ${names[index]}`);
      clients[index].child.send('run');
      const [turn] = await once(clients[index].child, 'message', { signal });
      return /** @type {Turn} */ (turn);
    });
    return [{
      title: `findOne on 10 connections, Node ${process.versions.node}; monitor-work.js shows the monitor's share alone`,
      rows: names.map((kind, index) => ({
        client: kind, 'findOne/s': Math.round(median(turns[index].map(({ ratePerSec }) => ratePerSec))),
        'to plain': medianRatio(turns[index], turns[0], ({ ratePerSec }) => ratePerSec).toFixed(3),
        'wanted (Node 20 / 24)': KINDS[kind],
        'CPU us': Math.round(median(turns[index].map(({ cpuUs }) => cpuUs))),
        'CPU to plain': medianRatio(turns[index], turns[0], ({ cpuUs }) => cpuUs).toFixed(3),
      })),
    }];
  });
}
