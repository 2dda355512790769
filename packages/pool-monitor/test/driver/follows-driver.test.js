import { expect, test } from '@jest/globals';
import { compareWithDriver } from './run-comparison.js';

// Gauges and holders at each instant, and of each checkout its request, outcome, times, connection and opening. A
// difference is printed with its seed and the smallest schedule that has it.
test('the monitor says what is true of the pool of the driver, on random schedules of everything', async () => {
  const { told, untold, first } = await compareWithDriver(300);
  expect({ different: told.different, first }).toEqual({ different: 0, first: undefined });
  expect(told.checkouts).toBeGreaterThan(2000);
  expect(told.instantsUnsure).toBeLessThan(told.instants * 0.06);
  // An operation that its own signal aborts leaves the queue without an event. More than these must not go wrong.
  expect(untold.instantsWrong).toBe(0);
  expect(untold.checkoutsWrong).toBeLessThanOrEqual(23);
});
