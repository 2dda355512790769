import { expect, test } from '@jest/globals';
import { readTrace } from 'mongodb-pool-predictor/node';
import { runCli } from '../support/run-cli.js';
import { recordProcesses, rowsOf } from './record-processes.js';

/** @param {number[]} rows @param {ArrayLike<number>} column */
const sumOf = (rows, column) => rows.reduce((sum, row) => sum + column[row], 0);

test('a recording of several clients says what each waits for, and predicts the one that is chosen', async () => {
  const { file } = await recordProcesses({ seconds: 6 });
  const trace = await readTrace(file);
  const { checkouts } = trace;
  // The waits of connections that do not last are openings.
  const brief = rowsOf(trace, 'brief').filter((row) => checkouts.isFresh[row] === 1);
  expect(sumOf(brief, checkouts.openingMs) / sumOf(brief, checkouts.waitMs)).toBeGreaterThan(0.8);
  const reports = rowsOf(trace, 'reports');
  expect(sumOf(reports, checkouts.openingMs)).toBeLessThan(0.2 * sumOf(reports, checkouts.waitMs));

  // More of them would have to be opened as well: no size makes it fast.
  const goal = ['--client', 'brief', '--slo', '/brief p50 < 5ms', '--json'];
  const advised = await runCli(['advise', '--trace', file, ...goal]);
  expect(advised.code).not.toBe(0);
  expect(JSON.parse(advised.stdout).poolSize).toBeNull();

  const options = ['--client', 'reports', '--pool-sizes', '2', '--json'];
  const { stdout } = await runCli(['predict', '--trace', file, ...options]);
  const [{ measured, predicted }] = JSON.parse(stdout).variants;
  expect(Math.abs(predicted.meanWaitMs / measured.meanWaitMs - 1)).toBeLessThan(0.25);
});
