import { fileURLToPath } from 'node:url';
import { compareTurns, takeTurns, withContenders } from './contender.js';

/** @import { BenchmarkPart, PartContext } from '../parts/run-parts.js' */
/** @import { Contender } from './contender.js' */

const CLIENT = fileURLToPath(new URL('find-one-process.js', import.meta.url));
/** The second plain client shows the noise. What is wanted is for Node 20 and 24. @type {Record<string, string>} */
const WANTED = {
  plain: '',
  'plain again': '',
  monitor: '0.98 / 0.98',
  'monitor and record': '0.93 / 0.96',
  'monitor, in batches': '',
  'monitor and record, in batches': '',
};

/** @type {BenchmarkPart} */
export const PART = {
  name: 'monitor',
  about: 'findOne with a monitor, and with the record of checkouts, beside plain clients',
  run,
};

/** @param {PartContext} context */
function run(context) {
  return withContenders(context, async (start) => {
    /** @type {Record<string, Contender>} */
    const clients = {};
    for (const kind of Object.keys(WANTED)) clients[kind] = await start(CLIENT, { args: [kind] });
    const turns = await takeTurns(clients, context.runs, ({ ask }, kind) => {
      context.say(`monitor: ${kind}`);
      return ask('run');
    });
    return [
      {
        title: `findOne on 10 connections, Node ${process.versions.node}`,
        rows: compareTurns(turns, 'plain').map((row) => ({
          ...row,
          'wanted throughput (Node 20 / 24)': WANTED[row.name],
        })),
      },
    ];
  });
}
