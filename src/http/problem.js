import { STATUS_CODES } from 'node:http';
import { MongoNetworkError, MongoServerError, MongoServerSelectionError, MongoTopologyClosedError } from 'mongodb';
import { PoolTimeoutError } from 'mongodb-pool-monitor';
import { sendProblem as send } from 'mongodb-pool-page';
import { ConcurrencyLimitError } from './concurrency-limit.js';
import { ClientDisconnectedError, RequestDeadlineError } from './request-deadline.js';

const UNREACHABLE = [MongoServerSelectionError, MongoNetworkError, MongoTopologyClosedError];
/** The driver passes on a socket's error as it is when the server ends the connection while a command is written. */
const SOCKET_CODES = new Set(['EPIPE', 'ECONNRESET']);

/**
 * What a server answers while it shuts down or changes its role: "not writable primary" and "node is recovering".
 * https://github.com/mongodb/specifications (server-discovery-and-monitoring.md)
 */
const STATE_CHANGES = new Set([91, 189, 10058, 10107, 11600, 11602, 13435, 13436]);

const REFUSALS = [
  { kind: PoolTimeoutError, title: 'No connection became free in time' },
  { kind: ConcurrencyLimitError, title: 'Too many of these requests at once' },
  { kind: RequestDeadlineError, title: 'Not answered in time' },
];

const LOG_EVERY_MS = 1000;

/**
 * @typedef {object} Problem as in RFC 9457, https://www.rfc-editor.org/rfc/rfc9457
 * @property {number} status
 * @property {string} title
 * @property {string} [detail]
 */

/**
 * Describes an error to the client. For a fault of ours the client only learns the status.
 * @param {unknown} error
 * @returns {Problem}
 */
function toProblem(error) {
  const { status, expose, message, code } = Object(error);
  const refusal = REFUSALS.find(({ kind }) => error instanceof kind);
  if (refusal) return { status: 503, title: refusal.title, detail: message };
  const isStateChange = error instanceof MongoServerError && STATE_CHANGES.has(Number(error.code));
  if (isStateChange || SOCKET_CODES.has(code) || UNREACHABLE.some((kind) => error instanceof kind)) {
    return { status: 503, title: 'MongoDB is unreachable' };
  }
  if (!(status >= 400 && status < 500)) return problemOf(500);
  return { ...problemOf(status), ...(expose && { detail: message }) };
}

/**
 * An error caused by the client. The client may read its message.
 * @param {number} status 400 to 499
 * @param {string} message
 */
export function clientError(status, message) {
  return Object.assign(new Error(message), { status, expose: true });
}

/** @param {number} status @returns {Problem} */
export function problemOf(status) {
  return { status, title: STATUS_CODES[status] ?? 'Error' };
}

/** @param {import('express').Response} res @param {Problem} problem */
export function sendProblem(res, { status, title, detail }) {
  send(res, status, title, detail);
}

/**
 * Answers each error as a problem and logs it: a fault of ours with its stack, an outage with its message, each at most
 * once a second.
 * @param {import('pino').Logger} log
 * @returns {import('express').ErrorRequestHandler}
 */
export function answerErrors(log) {
  const throttle = createThrottle(LOG_EVERY_MS);
  return (error, req, res, next) => {
    if (error instanceof ClientDisconnectedError) {
      log.debug({ path: req.path }, error.message);
      return;
    }
    const problem = toProblem(error);
    const { path } = req;
    const { title, status } = problem;
    if (status === 500)
      throttle(`${title} ${error?.message}`, (count) => log.error({ err: error, path, count }, title));
    else if (status === 503) throttle(title, (count) => log.warn({ reason: error.message, path, count }, title));
    else log.debug({ err: error, path }, title);
    if (res.headersSent) next(error);
    else sendProblem(res, problem);
  };
}

/**
 * Logs the first event of a kind at once, and then one line per period with the number of events. In an outage every
 * request fails, and one line for each would fill the disk without saying more.
 *
 * @param {number} periodMs
 * @returns {(kind: string, log: (count: number) => void) => void} the last `log` of a period is called for all of it
 */
function createThrottle(periodMs) {
  /** @type {Map<string, { count: number, log: (count: number) => void }>} */
  const periods = new Map();

  /** @param {string} kind @param {(count: number) => void} log */
  function open(kind, log) {
    const period = { count: 0, log };
    periods.set(kind, period);
    setTimeout(() => {
      periods.delete(kind);
      if (period.count === 0) return;
      period.log(period.count);
      open(kind, period.log);
    }, periodMs).unref();
  }

  return (kind, log) => {
    const period = periods.get(kind);
    if (period) {
      period.count += 1;
      period.log = log;
    } else {
      log(1);
      open(kind, log);
    }
  };
}
