import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

/** The connection to the source was lost or timed out. */
export class SourceConnectionError extends Error {}

/** The target differs from the source in a way that repeated operations don't explain. */
export class ConflictError extends Error {}

/**
 * HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress, PrimarySteppedDown, ExceededTimeLimit,
 * SocketException, NotWritablePrimary, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk,
 * NotPrimaryOrSecondary: a server goes down, comes up, or is no longer the primary.
 * https://github.com/mongodb/specifications/blob/master/source/retryable-writes/retryable-writes.md
 */
const SERVER_UNAVAILABLE = [6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436];
/** CursorNotFound, CappedPositionLost, QueryPlanKilled, CursorKilled: a new session finds out if entries are missing. */
const CURSOR_LOST = [43, 136, 175, 237];

const TRANSIENT = new Set([...SERVER_UNAVAILABLE, ...CURSOR_LOST]);

/** @param {any} error @returns {boolean} whether a retry may succeed */
export function isTransient(error) {
  // Server selection has already retried until its timeout. Its cause is the error of the last try.
  if (!error || error instanceof MongoServerSelectionError) return false;
  return error instanceof SourceConnectionError || error instanceof MongoNetworkError || TRANSIENT.has(error.code)
    || isTransient(error.cause);
}

/**
 * @param {any} error of a write
 * @param {string} namespace
 * @returns {Error} one that names the namespace, if the server refused the write
 */
export function explainRefusal(error, namespace) {
  if (!(error instanceof MongoServerError)) return error;
  const { message, code } = error;
  return Object.assign(new Error(`the target refused a write to ${namespace}: ${message}`, { cause: error }), { code });
}
