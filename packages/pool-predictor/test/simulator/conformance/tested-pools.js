// The two pools that are tested, the driver's own and its model, behind one interface in virtual time.
import { VirtualTime, loadDriver, onPoolEvents } from 'test-support/driver-pool.js';
import { ModelPool } from '../model-pool.js';

/** @import { PlannedOpening, PoolEvent, Schedule } from 'test-support/driver-pool.js' */

/**
 * @typedef {object} TestedPool
 * @property {VirtualTime} time
 * @property {() => number} nextMs when something happens next that nobody asked for
 * @property {() => void} next goes there
 * @property {() => Promise<unknown>} checkOut the connection
 * @property {(connection: any) => void} checkIn
 * @property {(options: { interruptInUseConnections?: boolean }) => void} clear
 * @property {() => void} ready
 * @property {() => void} close
 * @property {(error: any) => { type: string, message?: string }} describeError as tests name it; the model's errors
 *   have no message
 *
 * @typedef {(options: PoolOptions, planOpening: () => PlannedOpening, emit: (event: PoolEvent) => void) => TestedPool
 *   } CreateTestedPool an opening that fails also clears the pool, as in a client
 *
 * @typedef {Schedule['options'] & { checkEveryMs: number }} PoolOptions
 */

/** How long to wait before looking for connections that the model closes late. */
const LOOK_EVERY_MS = 1;

/** Replaces the clock of this process, see loadDriver. @returns {CreateTestedPool} */
export function loadTestedDriver() {
  const driver = loadDriver();
  return ({ checkEveryMs, ...options }, planOpening, emit) => {
    const { time, pool } = driver.createPool(
      { ...options, minPoolSizeCheckFrequencyMS: checkEveryMs },
      planOpening,
      () => pool.clear(),
    );
    onPoolEvents(pool, time, emit);
    return {
      time,
      nextMs: () => time.nextMs,
      next: () => time.next(),
      checkOut: () => driver.checkOut(pool, options),
      checkIn: (connection) => pool.checkIn(connection),
      clear: (how) => pool.clear(how),
      ready: () => pool.ready(),
      close: () => pool.close(),
      describeError(error) {
        if (!error.name.startsWith('Mongo')) throw error;
        return { type: error.name.slice('Mongo'.length), message: error.message };
      },
    };
  };
}

/** Type of the error for each outcome of a checkout. @type {Record<string, string>} */
const ERROR_TYPES = {
  timeout: 'WaitQueueTimeoutError',
  poolCleared: 'PoolClearedError',
  poolClosed: 'PoolClosedError',
  connectionError: 'NetworkError',
};

/** @type {CreateTestedPool} */
export function createTestedModel({ checkEveryMs, ...options }, planOpening, emit) {
  const time = new VirtualTime();
  const pool = new ModelPool(options, { time, planOpening, failureClears: true, emit, checkEveryMs });
  return {
    time,
    nextMs: () => Math.min(pool.nextMs(), time.nowMs + LOOK_EVERY_MS),
    next() {
      if (pool.nextMs() <= time.nowMs + LOOK_EVERY_MS) pool.next();
      else time.nowMs += LOOK_EVERY_MS;
      pool.closeExpired();
    },
    checkOut: () => new Promise((served, failed) => pool.checkOut({ served, failed })),
    checkIn: (connection) => pool.checkIn(connection),
    clear: (how) => pool.clear(how),
    ready: () => pool.ready(),
    close: () => pool.close(),
    describeError(outcome) {
      if (!(outcome in ERROR_TYPES)) throw outcome;
      return { type: ERROR_TYPES[outcome] };
    },
  };
}
