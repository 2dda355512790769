// Runs MongoDB's tests of connection pools on the driver's own pool and on the simulator's, and prints a table.
import { createRequire } from 'node:module';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { findEventMismatch } from './find-mismatch.js';
import { TESTS_FOLDER, readCmapTests } from './read-cmap-tests.js';
import { runCmapTest } from './run-cmap-test.js';
import { createTestedModel, loadTestedDriver } from './tested-pools.js';

/** @import { TestResult } from './run-cmap-test.js' */

const HELP = `Usage: npm run conformance -- --spec FOLDER

Runs MongoDB's tests of connection pools (the CMAP format) on the driver's own pool and on the simulator's, in virtual
time, and prints a table. It fails if the simulator does anything else than the driver.

FOLDER is a clone of MongoDB's specifications. Their licence (CC BY-NC-SA) keeps them out of this repository.
`;
const HOW_TO_GET_THEM = `
Get MongoDB's specifications, and name their folder:

  git clone --depth 1 https://github.com/mongodb/specifications ../specifications
  npm run conformance -- --spec ../specifications`;

/** @typedef {{ name: string, driver: TestResult, simulator: TestResult, isSame: boolean }} Row */

try {
  const { values } = parseArgs({ options: { spec: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) process.stdout.write(HELP);
  else await runAll(values.spec);
} catch (error) {
  const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
  const hint = code?.startsWith('ERR_PARSE_ARGS') ? '\nnpm run conformance -- --help says what there is.' : '';
  process.stderr.write(`${message}${hint}\n`);
  process.exitCode = 1;
}

/** @param {string} [folder] */
async function runAll(folder) {
  if (folder === undefined)
    throw new Error(`The tests are not part of this repository: pass --spec FOLDER.\n${HOW_TO_GET_THEM}`);
  const tests = await readCmapTests(folder);
  if (tests.length === 0) throw new Error(`${folder} has no tests in ${TESTS_FOLDER}.\n${HOW_TO_GET_THEM}`);
  const createDriver = loadTestedDriver();
  /** @type {Row[]} */
  const rows = [];
  for (const test of tests) {
    const driver = await runCmapTest(test, createDriver);
    const simulator = await runCmapTest(test, createTestedModel);
    const isSame = driver.error === simulator.error && isDeepStrictEqual(driver.events, simulator.events);
    rows.push({ name: test.name, driver, simulator, isSame });
  }
  printRows(rows);
  if (rows.some(({ isSame }) => !isSame)) process.exitCode = 1;
}

/** @param {Row[]} rows */
function printRows(rows) {
  const { version } = createRequire(import.meta.url)('mongodb/package.json');
  const count = (/** @type {(row: Row) => boolean} */ isCounted) => rows.filter(isCounted).length;
  const same = count(({ isSame }) => isSame);
  const lines = [
    `The driver ${version} passes ${count(({ driver }) => !driver.mismatch)} of ${rows.length} tests, ` +
      `the simulator ${count(({ simulator }) => !simulator.mismatch)}.`,
    `The simulator has the same events and errors as the driver in ${same === rows.length ? 'all' : same} of them.`,
    '',
  ];
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
  const verdict = (/** @type {TestResult} */ { mismatch }) => (mismatch ? 'fails' : 'passes');
  const columns = [
    ['test', 'driver', 'simulator', 'what differs'],
    ...rows.map((row) => [row.name, verdict(row.driver), verdict(row.simulator), explain(row)]),
  ];
  for (const [name, driver, simulator, difference] of columns)
    lines.push(`${name.padEnd(width)}${driver.padEnd(8)}${simulator.padEnd(11)}${difference}`.trimEnd());
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** @param {Row} row */
function explain({ driver, simulator, isSame }) {
  if (isSame) return driver.mismatch ?? simulator.mismatch ?? '';
  if (driver.error !== simulator.error)
    return `the simulator ends with ${simulator.error}, the driver with ${driver.error}`;
  const mismatch = findEventMismatch(driver.events, simulator.events);
  const more = simulator.events.length - driver.events.length;
  return `the simulator is not the driver: ${mismatch ?? `it has ${more} more events`}`;
}
