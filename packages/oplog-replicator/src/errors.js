import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

/** A connection that was lost, or says nothing any more. */
export class LineBrokeError extends Error {}

/**
 * What a server answers that goes down, comes up, or is no longer the primary; from the list of the drivers'
 * specification of retryable writes: HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress,
 * PrimarySteppedDown, ExceededTimeLimit, SocketException, NotWritablePrimary, InterruptedAtShutdown,
 * InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary.
 */
const GOING_DOWN = [6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436];
/** CursorNotFound, CappedPositionLost, QueryPlanKilled, CursorKilled: a new cursor finds out whether that matters. */
const CURSOR_LOST = [43, 136, 175, 237];

const PASSING = new Set([...GOING_DOWN, ...CURSOR_LOST]);

/**
 * @param {any} error
 * @returns {boolean} whether it may work when tried again
 */
export function isPassing(error) {
  // It was tried for long already, and what its last try met is its cause.
  if (!error || error instanceof MongoServerSelectionError) return false;
  return error instanceof LineBrokeError || error instanceof MongoNetworkError || PASSING.has(error.code)
    || isPassing(error.cause);
}

/**
 * @param {any} error of a write
 * @param {string} what was to be written
 * @returns {Error} that names it, where the server refused it
 */
export function explainRefusal(error, what) {
  if (!(error instanceof MongoServerError)) return error;
  return Object.assign(new Error(`the target refuses a write to ${what}: ${error.message}`, { cause: error }), { code: error.code });
}
