// What is judged by statistics, takes long, or needs the machine to itself: before a release, and by schedule in the
// workflow. Prints what each step said, and at the end a verdict for each. Exits with 1 if one is not met.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Command } from 'commander';
import { orInvalid } from '../lab/cli/option-parsers.js';
import { abortOnSignal } from '../lab/cli/signals.js';
import { createChoicesParser } from '../lab/harness/lab-options.js';
import { renderRows } from '../lab/report/table.js';

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

/** What each step runs, as arguments of node. @type {Record<string, { about: string, args: string[] }>} */
const STEPS = {
  tests: {
    about: 'lessons, cases and README by their text, versions of Node.js, the driver and frameworks, statistics',
    args: [...JEST, '--config', 'jest.release.config.js'],
  },
  predictions: {
    about: 'predicted figures and advised sizes against measurements',
    args: ['benchmarks/predicted-vs-measured.js', '--only', 'apps,goals,coverage', '--quick', '--loads', '300'],
  },
  speedups: {
    about: 'what a faster query was predicted to change, against measurements',
    args: ['benchmarks/faster-query.js'],
  },
  doctor: { about: 'injected causes against verdicts', args: ['benchmarks/doctor.js', '--seeds', '2'] },
  cost: {
    about: 'what the attached monitor costs an app',
    args: ['benchmarks/attach-cost.js', '--rounds', '3', '--seconds', '5', '--only', 'express-mongodb'],
  },
  chaos: { about: 'faults of MongoDB, the network, the clients and the app', args: ['benchmarks/chaos.js'] },
  fuzz: { about: 'hostile input', args: ['scripts/fuzz.js', '--cases', '1000'] },
};

const { only } = new Command('npm run test:release --')
  .description(
    `run what is too slow or too statistical for the gate, in about an hour\n\n${Object.entries(STEPS)
      .map(([name, { about }]) => `${name}: ${about}`)
      .join('\n')}`,
  )
  .option(
    '--only <steps>',
    'names with commas between them',
    orInvalid(createChoicesParser(Object.keys(STEPS))),
    Object.keys(STEPS),
  )
  .parse()
  .opts();

const { signal, release } = abortOnSignal();
const rows = [];
for (const name of only) {
  if (signal.aborted) break;
  process.stdout.write(`\n== ${name}: ${STEPS[name].about}\n`);
  const startedAtMs = performance.now();
  const isMet = await run(STEPS[name].args);
  rows.push({ name, seconds: Math.round((performance.now() - startedAtMs) / 1000), isMet });
}
release();
process.stdout.write(
  `\n${renderRows(
    [
      { heading: 'step', value: ({ name }) => name },
      { heading: 'seconds', value: ({ seconds }) => seconds },
      { heading: 'verdict', value: ({ isMet }) => (isMet ? 'met' : 'NOT met') },
    ],
    rows,
  )}\n`,
);
if (rows.some(({ isMet }) => !isMet)) process.exitCode ||= 1;

/** @param {string[]} args of node */
async function run(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  // A signal reaches the whole terminal; where only this process gets it, it is passed on.
  const end = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  const [code] = await once(child, 'exit');
  signal.removeEventListener('abort', end);
  return code === 0;
}
