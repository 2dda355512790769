// What happens to requests while MongoDB, the network, the clients or the app fail? Uses real processes. Prints how
// many requests were sent, answered, refused as they should be, and wrong or hung. Exits with 1 if any was wrong or
// hung.
//
//   npm run chaos [-- --short] [-- --only GROUP]
import { Command, Option } from 'commander';
import { renderRows } from '../lab/report/table.js';
import { runOverload, runShutdown } from './chaos/app-faults.js';
import { runClients } from './chaos/client-faults.js';
import { runOutages, runStepDown } from './chaos/mongo-faults.js';

/** @import { Row } from './chaos/test-bed.js' */

const GROUPS = {
  outages: runOutages,
  'step-down': runStepDown,
  overload: runOverload,
  clients: runClients,
  shutdown: runShutdown,
};
const MAX_SHOWN = 5;

/** @type {{ short: boolean, only?: keyof typeof GROUPS }} */
const { short: isShort, only } = new Command('npm run chaos --')
  .description('Breaks MongoDB, the network, the clients and the app, and checks every answer.')
  .option('--short', 'shorter faults and loads, in about a minute; judges no latencies', false)
  .addOption(new Option('--only <group>', 'run one group of faults').choices(Object.keys(GROUPS)))
  .parse()
  .opts();

/** @type {Row[]} */
const rows = [];
const runs = only ? [GROUPS[only]] : Object.values(GROUPS);
for (const run of runs) {
  await run({
    isShort,
    report(row) {
      rows.push(row);
      process.stderr.write(
        `${row.name}: ${row.problems.length === 0 ? 'ok' : row.problems.slice(0, MAX_SHOWN).join('\n  ')}\n`,
      );
    },
  });
}

const table = renderRows(
  [
    { heading: 'fault', value: ({ name }) => name },
    { heading: 'sent', value: ({ sent }) => sent },
    { heading: 'answered', value: ({ answered }) => answered },
    { heading: 'refused', value: ({ refused }) => refused },
    { heading: 'wrong, hung', value: ({ problems }) => problems.length },
    { heading: 'recovery, ms', value: ({ recoveryMs }) => (recoveryMs === Infinity ? 'never' : recoveryMs) },
  ],
  rows,
);
const notes = rows.filter(({ note }) => note).map(({ name, note }) => `${name}: ${note}`);
process.stdout.write(`\n${table}\n\n${notes.join('\n')}\n`);
if (rows.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
