// What becomes of requests while MongoDB, the line to it, the clients or the app itself fail: real processes, and a
// table of what was sent, answered, refused as it should be, and wrong or hung, which must be 0. The exit code is 1
// if anything was.
//
//   npm run chaos [-- --short] [-- --only GROUP]
import { Command, Option } from 'commander';
import { renderRows } from '../src/report/table.js';
import { runClients } from './chaos/clients.js';
import { runOutages, runStepDown } from './chaos/outages.js';
import { runOverload, runShutdown } from './chaos/overload.js';

const GROUPS = {
  outages: runOutages, 'step-down': runStepDown, overload: runOverload, clients: runClients, shutdown: runShutdown,
};
const { short: isShort, only } = new Command('npm run chaos --')
  .option('--short', 'shorter faults and loads', false)
  .addOption(new Option('--only <group>', 'faults of one kind').choices(Object.keys(GROUPS)))
  .parse().opts();

const rows = [];
for (const group of only ? [only] : Object.keys(GROUPS)) {
  await GROUPS[group]({
    isShort,
    report(row) {
      rows.push(row);
      process.stderr.write(`${row.name}: ${row.problems.length === 0 ? 'as it should be' : row.problems.slice(0, 5).join('\n  ')}\n`);
    },
  });
}

const table = renderRows([
  { heading: 'fault', value: ({ name }) => name },
  { heading: 'sent', value: ({ sent }) => sent },
  { heading: 'answered', value: ({ answered }) => answered },
  { group: 'failed', heading: 'rightly', value: ({ refused }) => refused },
  { group: 'failed', heading: 'wrong, hung', value: ({ problems }) => problems.length },
  { heading: 'back, ms', value: ({ recoveryMs }) => (recoveryMs === Infinity ? 'never' : recoveryMs) },
], rows);
const notes = rows.filter(({ note }) => note).map(({ name, note }) => `${name}: ${note}`);
process.stdout.write(`\n${table}\n\n${notes.join('\n')}\n`);
if (rows.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
