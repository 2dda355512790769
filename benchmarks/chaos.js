// What becomes of requests while MongoDB, the line to it, the clients or the app itself fail: real processes, and a
// table of what was sent, answered, refused as it should be, and wrong or hung, which must be 0. The exit code is 1
// if anything was.
//
//   npm run chaos [-- --short] [-- --only WORD]
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { runClients } from './chaos/clients.js';
import { runOutages, runStepDown } from './chaos/outages.js';
import { runOverload, runShutdown } from './chaos/overload.js';

const GROUPS = [runOutages, runStepDown, runOverload, runClients, runShutdown];
const { values: { short: isShort = false, only } } = parseArgs({
  options: { short: { type: 'boolean' }, only: { type: 'string' } },
});

const rows = [];
for (const run of GROUPS.filter(({ name }) => name.toLowerCase().includes(only ?? ''))) {
  await run({
    isShort,
    report(row) {
      rows.push(row);
      process.stderr.write(`${row.name}: ${row.problems.length === 0 ? 'as it should be' : row.problems.slice(0, 5).join('\n  ')}\n`);
    },
  });
}

const table = new Table({
  head: ['fault', 'sent', 'answered', 'failed as they should', 'wrong or hung', 'back after', 'note'],
  style: { head: [], border: [] },
});
for (const { name, sent, answered, refused, problems, recoveryMs, note = '' } of rows) {
  table.push([name, sent, answered, refused, problems.length, describeTime(recoveryMs), note]);
}
process.stdout.write(`${table}\n`);
if (rows.some(({ problems }) => problems.length > 0)) process.exitCode = 1;

/** @param {number} [ms] */
function describeTime(ms) {
  if (ms === undefined) return '';
  return ms === Infinity ? 'never' : `${Math.round(ms)} ms`;
}
