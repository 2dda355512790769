import { setImmediate as runPendingCallbacks } from 'node:timers/promises';
import { findEventMismatch, findMismatch } from './find-mismatch.js';

/** @import { PlannedOpening, PoolEvent } from 'test-support/driver-pool.js' */
/** @import { CmapOperation, CmapTest } from './read-cmap-tests.js' */
/** @import { CreateTestedPool, PoolOptions, TestedPool } from './tested-pools.js' */

/** An operation that lasts longer never ends. */
const MAX_WAIT_MS = 60_000;
const HANDSHAKE_MS = 1;
/** Stands for never: the longest timer of Node.js. */
const NEVER_MS = 2 ** 31 - 1;
/** The driver's. */
const DEFAULTS = { maxPoolSize: 100, minPoolSize: 0, maxConnecting: 2, maxIdleTimeMS: 0, waitQueueTimeoutMS: 0 };

/**
 * @typedef {object} TestResult
 * @property {string | null} mismatch what differs first from what the test expects; null: it passed
 * @property {PoolEvent[]} events all of them
 * @property {string | null} error that it ended with: its type
 */

/** What no pool reports. */
class TestError extends Error {}

/**
 * Runs a test. Each operation is followed by everything that is due at its instant.
 *
 * @param {CmapTest} test
 * @param {CreateTestedPool} createPool
 * @returns {Promise<TestResult>}
 */
export async function runCmapTest(test, createPool) {
  /** @type {PoolEvent[]} */
  const events = [];
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const pool = createPool(optionsOf(test), planOpenings(test), (event) => {
    events.push(event);
    for (const listener of listeners) listener();
  });
  const run = createRunner(pool, events, listeners);
  await runPendingCallbacks();
  /** @type {any} */
  let thrown = null;
  try {
    for (const operation of test.operations) await run(operation);
  } catch (error) {
    thrown = error;
  }
  const ended = events.slice();
  pool.close();
  await runPendingCallbacks();
  if (thrown instanceof TestError) return { mismatch: thrown.message, events: ended, error: thrown.message };
  const error = thrown && pool.describeError(thrown);
  return { mismatch: findTestMismatch(test, ended, error), events: ended, error: error && error.type };
}

/** @param {CmapTest} test @param {PoolEvent[]} events @param {{ type: string, message?: string } | null} error */
function findTestMismatch(test, events, error) {
  if (error && !test.error) return `the error ${error.type}`;
  if (test.error) {
    if (!error) return `no error ${test.error.type}`;
    const expected = 'message' in error ? test.error : { ...test.error, message: undefined };
    const mismatch = findMismatch(expected, error);
    if (mismatch) return `error: ${mismatch}`;
  }
  const { ignore = [] } = test;
  return findEventMismatch(
    test.events ?? [],
    events.filter(({ type }) => !ignore.includes(type)),
  );
}

/** @param {CmapTest} test @returns {PoolOptions} */
function optionsOf({ poolOptions = {} }) {
  const { backgroundThreadIntervalMS: intervalMs = 100 } = poolOptions;
  const options = Object.keys(DEFAULTS).filter((name) => name in poolOptions);
  return {
    ...DEFAULTS,
    ...Object.fromEntries(options.map((name) => [name, poolOptions[name]])),
    checkEveryMs: intervalMs < 0 ? NEVER_MS : intervalMs,
  };
}

/** What a failpoint does to the handshakes, each of which has one command. @param {CmapTest} test */
function planOpenings({ failPoint }) {
  const { mode = 'off', data = {} } = failPoint ?? {};
  const isHit = ['hello', 'isMaster'].some((command) => data.failCommands?.includes(command));
  let left = isHit ? (mode === 'alwaysOn' ? Infinity : (Object(mode).times ?? 0)) : 0;
  return /** @returns {PlannedOpening} */ () => {
    if (left-- <= 0) return { ms: HANDSHAKE_MS, fails: false };
    const ms = HANDSHAKE_MS + (data.blockConnection ? data.blockTimeMS : 0);
    return { ms, fails: data.closeConnection === true || data.errorCode !== undefined };
  };
}

/**
 * @param {TestedPool} pool
 * @param {PoolEvent[]} events
 * @param {Set<() => void>} listeners called at each event
 * @returns {(operation: CmapOperation) => Promise<void>} performs an operation of the main thread
 */
function createRunner(pool, events, listeners) {
  /** @type {Map<string, Promise<void>>} */
  const threads = new Map();
  /** @type {Map<string, unknown>} */
  const labels = new Map();
  const { time } = pool;
  const countOf = (/** @type {string} */ event) => events.filter(({ type }) => type === event).length;

  const findThread = async (/** @type {string} */ name) => {
    const thread = threads.get(name);
    if (!thread) throw new TestError(`the thread ${name} was not started`);
    return thread;
  };

  /** @param {CmapOperation} operation @returns {Promise<void>} */
  async function perform(operation) {
    const { name, target, ms, label } = operation;
    if (name === 'start') threads.set(target, Promise.resolve());
    else if (name === 'wait') await new Promise((resolve) => time.at(time.nowMs + ms, () => resolve(null)));
    else if (name === 'waitForThread') await findThread(target);
    else if (name === 'waitForEvent') await waitForEvent(operation);
    else if (name === 'checkOut') {
      const connection = await pool.checkOut();
      if (label) labels.set(label, connection);
    } else if (name === 'checkIn') pool.checkIn(labels.get(operation.connection));
    else if (name === 'clear') pool.clear({ interruptInUseConnections: operation.interruptInUseConnections });
    else if (name === 'close') pool.close();
    else pool.ready();
  }

  /** @param {CmapOperation} operation @returns {Promise<void>} */
  function waitForEvent(operation) {
    const { event, count, timeout } = operation;
    return new Promise((resolve, reject) => {
      const listener = () => countOf(event) >= count && resolve();
      const giveUp = () => reject(new TestError(`${countOf(event)} of ${count} ${event} within ${timeout} ms`));
      if (timeout !== undefined) time.at(time.nowMs + timeout, giveUp);
      listeners.add(listener);
      listener();
    });
  }

  return async (operation) => {
    const { name, thread } = operation;
    let isRunning = true;
    const work = thread ? startIn(thread, operation) : perform(operation);
    const ended = work.finally(() => (isRunning = false));
    ended.catch(() => {});
    await runPendingCallbacks();
    const limitMs = time.nowMs + MAX_WAIT_MS;
    while (isRunning) {
      if (!(pool.nextMs() <= limitMs)) throw new TestError(`${name} does not end`);
      pool.next();
      await runPendingCallbacks();
    }
    await ended;
  };

  /** @param {string} thread @param {CmapOperation} operation */
  async function startIn(thread, operation) {
    const work = findThread(thread).then(() => perform(operation));
    // Whoever waits for the thread gets its error.
    work.catch(() => {});
    threads.set(thread, work);
  }
}
