import { setTimeout as sleep } from 'node:timers/promises';
import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

/** An error of the source or the target, which it names. */
export class DeploymentError extends Error {
  /** @param {string} deployment name @param {string} problem @param {unknown} [cause] */
  constructor(deployment, problem, cause) {
    super(`${deployment}: ${problem}`, { cause });
    this.code = Reflect.get(Object(cause), 'code');
  }
}

/** A server is silent. Its connection may be broken, although nobody closed it. */
export class NoAnswerError extends Error {
  /** @param {number} ms @param {string} [problem] why it can't be reached, if known */
  constructor(ms, problem) {
    super(`no answer within ${ms} ms${problem ? `: ${problem}` : ''}`);
  }
}

/** The connection was lost. */
export class ConnectionLostError extends Error {}

/** The oplog shows no entry. A server that has just started does not know yet which ones a majority has. */
export class NoEntryError extends DeploymentError {}

/** The target differs from the source in a way that repeated operations don't explain. */
export class ConflictError extends Error {}

/** Another process is replicating the same. */
export class LeaseError extends Error {}

// https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
export const NAMESPACE_NOT_FOUND = 26;
export const DUPLICATE_KEY = 11000;

/** @param {any} error of a read @returns {Record<string, any>[]} nothing, if the collection does not exist */
export function emptyIfDropped(error) {
  if (error.code !== NAMESPACE_NOT_FOUND) throw error;
  return [];
}

/**
 * HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress, PrimarySteppedDown, ExceededTimeLimit,
 * SocketException, NotWritablePrimary, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk,
 * NotPrimaryOrSecondary: a server goes down, comes up, or is no longer the primary.
 * https://github.com/mongodb/specifications/blob/master/source/retryable-writes/retryable-writes.md
 */
const SERVER_UNAVAILABLE = [6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436];
/**
 * CursorNotFound, CappedPositionLost, QueryPlanKilled, CursorKilled: a new session finds out if entries are missing.
 */
const CURSOR_LOST = [43, 136, 175, 237];

const TRANSIENT = new Set([...SERVER_UNAVAILABLE, ...CURSOR_LOST]);

/** @param {any} error @returns {boolean} whether a retry may succeed */
export function isTransient(error) {
  // Server selection has already retried until its timeout. Its cause is the error of the last try.
  if (!error || error instanceof MongoServerSelectionError) return false;
  // The driver passes on a socket's error as it is when a connection breaks while a command is being written. Where the
  // server has just ended it, no system call failed.
  const isOfSocket = error.syscall !== undefined || error.code === 'EPIPE';
  const isLost = error instanceof MongoNetworkError || error instanceof ConnectionLostError || isOfSocket;
  const isEarly = error instanceof NoAnswerError || error instanceof NoEntryError;
  return isLost || isEarly || TRANSIENT.has(error.code) || isTransient(error.cause);
}

/**
 * @param {any} error of a command
 * @param {string} what the target was asked to do
 * @returns {Error} one that names it, if the target refused
 */
export function explainRefusal(error, what) {
  const { cause, code } = error;
  if (!(cause instanceof MongoServerError)) return error;
  return Object.assign(new Error(`the target refused ${what}: ${cause.message}`, { cause }), { code });
}

/**
 * @param {string} what the target was asked to do
 * @param {{ errmsg: string, code?: number }} answer
 * @returns {Error} that names it
 */
export function nameRefusal(what, { errmsg, code }) {
  return Object.assign(new Error(`the target refused ${what}: ${errmsg}`), { code });
}

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2000;
/** How long to retry without progress. The driver's server selection timeout comes on top. */
const MAX_RETRY_MS = 30_000;

/**
 * Repeats an attempt after transient errors, such as a lost connection or an election.
 *
 * @template T
 * @param {() => Promise<T>} attempt
 * @param {object} control
 * @param {AbortSignal} control.stop once it is aborted, there is one more attempt
 * @param {() => number} [control.countProgress] grows as long as attempts get further
 * @returns {Promise<T>}
 * @throws {Error} that a retry does not solve
 */
export async function retryTransient(attempt, { stop, countProgress = () => 0 }) {
  let pauseMs = MIN_PAUSE_MS;
  let progress = -1;
  let progressAtMs = performance.now();
  for (;;) {
    const isLast = stop.aborted;
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || isLast) throw error;
      if (countProgress() > progress) {
        progress = countProgress();
        progressAtMs = performance.now();
        pauseMs = MIN_PAUSE_MS;
      }
      if (performance.now() - progressAtMs > MAX_RETRY_MS) throw error;
    }
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }
}
