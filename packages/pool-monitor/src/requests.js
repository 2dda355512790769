import { RequestLog } from './request-log.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Checkouts } from './checkouts.js' */
/** @import { Holder } from './holders.js' */
/** @import { Request, RequestContext } from './request-context.js' */

/** How many requests the sample of the overhead is taken from. */
const MAX_OVERHEADS = 200;

/**
 * @typedef {object} EndedRequest
 * @property {string} requestId
 * @property {string} method
 * @property {string} route
 * @property {number} status HTTP status; 0 when the client disconnected before the response
 * @property {number} totalMs from arrival to response
 * @property {number} waitMs of it, waiting for connections
 * @property {number} useMs of it, having connections
 * @property {Holder[]} behind who held the connections it waited for
 *
 * @typedef {ReturnType<typeof createRequests>} Requests
 */

/**
 * The HTTP requests of a process. Gives each an id that its checkouts carry, can tell the client in Server-Timing where the
 * time went, and notifies listeners when a request ends.
 *
 * @param {Checkouts} checkouts
 * @param {{ serverTiming?: boolean }} [options]
 */
export function createRequests(checkouts, { serverTiming = false } = {}) {
  /** @type {Set<(request: EndedRequest) => void>} */
  const listeners = new Set();
  const log = new RequestLog();
  /** Of the last requests that succeeded, oldest first. @type {number[]} */
  const overheadsMs = [];
  let lastId = 0;

  /** @param {number} ms */
  function keepOverhead(ms) {
    // Checkouts at the same time count twice.
    overheadsMs.push(Math.round(Math.max(0, ms) * 1000) / 1000);
    if (overheadsMs.length > MAX_OVERHEADS) overheadsMs.shift();
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response @param {RequestContext} context */
  function follow(request, response, context) {
    const arrivedAtMs = performance.now();
    if (serverTiming) beforeHeaders(response, () => response.setHeader('Server-Timing', describeTiming(context, arrivedAtMs)));
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : 0;
      if (status >= 500) checkouts.fail(context);
      checkouts.settle(context);
      context.isOver = response.writableFinished;
      const { requestId, waitMs, useMs, behind } = context;
      const totalMs = performance.now() - arrivedAtMs;
      if (status >= 200 && status < 400) keepOverhead(totalMs - waitMs - useMs);
      const ended = { requestId, method: String(request.method), route: String(context.route), status, totalMs, waitMs, useMs, behind };
      log.add(ended);
      for (const listener of listeners) listener(ended);
    });
  }

  /** @param {Omit<Request, 'requestId'>} request @returns {Request} */
  const identify = (request) => ({ ...request, requestId: `r${++lastId}` });

  return {
    /** The last requests that ended. */
    log,
    /**
     * Follows a request whose code runs inside `work`.
     * @param {IncomingMessage} request
     * @param {ServerResponse} response
     * @param {Omit<Request, 'requestId'>} about
     * @param {() => void} work
     */
    run(request, response, about, work) {
      checkouts.run(identify(about), (context) => {
        follow(request, response, context);
        work();
      });
    },
    /**
     * Follows a request whose code runs in the rest of the current async flow.
     * @param {IncomingMessage} request
     * @param {ServerResponse} response
     * @param {Omit<Request, 'requestId'>} about
     */
    enter(request, response, about) {
      follow(request, response, checkouts.enter(identify(about)));
    },
    /** @param {(request: EndedRequest) => void} listener */
    onEnd(listener) {
      listeners.add(listener);
    },
    /**
     * What the last responses took in the app beyond waits and uses, in the simulator's format.
     * @returns {{ kind: 'sample', valuesMs: number[] } | undefined} undefined without requests
     */
    sampleOverhead: () => (overheadsMs.length > 0 ? { kind: 'sample', valuesMs: [...overheadsMs] } : undefined),
  };
}

/** @param {RequestContext} context @param {number} arrivedAtMs */
function describeTiming({ waitMs, useMs }, arrivedAtMs) {
  const totalMs = performance.now() - arrivedAtMs;
  return `pool;dur=${waitMs.toFixed(1)}, db;dur=${useMs.toFixed(1)}, total;dur=${totalMs.toFixed(1)}`;
}

/**
 * Node writes the headers of every response with this method, also those that the app never wrote itself.
 * @param {ServerResponse} response
 * @param {() => void} work
 */
function beforeHeaders(response, work) {
  const { writeHead } = response;
  response.writeHead = /** @type {typeof writeHead} */ (function write(/** @type {any[]} */ ...args) {
    response.writeHead = writeHead;
    if (!response.headersSent) work();
    return Reflect.apply(writeHead, response, args);
  });
}
