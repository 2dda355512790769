import { RequestLog } from './request-log.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Checkouts } from './checkouts.js' */
/** @import { Entry } from './event-batch.js' */
/** @import { EndedRequest, Request, RequestContext } from './request-context.js' */

/** How many requests the sample of the overhead is taken from. */
const MAX_OVERHEADS = 200;

/** @typedef {ReturnType<typeof createRequests>} Requests */

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
  const { batch } = checkouts;
  /** Of the last requests that succeeded. @type {number[]} */
  const overheadsMs = [];
  let succeeded = 0;

  /** @param {RequestContext} context */
  function keepOverhead({ totalMs, waitMs, useMs }) {
    // Checkouts at the same time count twice.
    overheadsMs[succeeded % MAX_OVERHEADS] = Math.round(Math.max(0, totalMs - waitMs - useMs) * 1000) / 1000;
    succeeded += 1;
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response @param {RequestContext} context */
  function follow(request, response, context) {
    context.arrivedAtMs = performance.now();
    if (serverTiming) beforeHeaders(response, () => {
      batch.flush();
      response.setHeader('Server-Timing', describeTiming(context));
    });
    response.on('close', () => onClose(request, response, context));
  }

  const onClose = batch.guard((/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response, /** @type {RequestContext} */ context) => {
    const entry = batch.next(end, performance.now());
    context.method = request.method ?? '';
    context.status = response.writableFinished ? response.statusCode : 0;
    // A client that left does not end the work of its request.
    context.isOver = context.status > 0;
    entry.scope = context;
    // Not later: until then, its name keeps the whole request alive.
    checkouts.settle(context);
    batch.added(true);
  });

  /** @param {Entry} entry */
  function end({ scope, atMs }) {
    const context = /** @type {RequestContext} */ (scope);
    const { status, arrivedAtMs } = context;
    context.totalMs = atMs - arrivedAtMs;
    // What its client leaves behind may be aborted later.
    if (status === 0) context.waitMs += context.sumOpenWaits(atMs);
    if (status >= 500) checkouts.fail(context);
    if (status >= 200 && status < 400) keepOverhead(context);
    log.add(context);
    for (const listener of listeners) listener(context);
  }

  return {
    /** The last requests that ended. */
    get log() {
      batch.flush();
      return log;
    },
    /**
     * Follows a request whose code runs inside `work`.
     * @param {IncomingMessage} request
     * @param {ServerResponse} response
     * @param {Request} about
     * @param {() => void} work
     */
    run(request, response, about, work) {
      checkouts.run(about, (context) => {
        follow(request, response, context);
        work();
      });
    },
    /**
     * Follows a request whose code runs in the rest of the current async flow.
     * @param {IncomingMessage} request
     * @param {ServerResponse} response
     * @param {Request} about
     */
    enter(request, response, about) {
      follow(request, response, checkouts.enter(about));
    },
    /** The route of the request whose code runs is known now. @param {string} route */
    nameCurrent(route) {
      checkouts.current?.name.settle(route);
    },
    /** @param {(request: EndedRequest) => void} listener keeps no reference to it: it refers to more than it shows */
    onEnd(listener) {
      listeners.add(listener);
    },
    /**
     * What the last responses took in the app beyond waits and uses, in the simulator's format.
     * @returns {{ kind: 'sample', valuesMs: number[] } | undefined} undefined without requests
     */
    sampleOverhead() {
      batch.flush();
      return succeeded > 0 ? { kind: 'sample', valuesMs: [...overheadsMs] } : undefined;
    },
  };
}

/** @param {RequestContext} context */
function describeTiming({ waitMs, useMs, arrivedAtMs }) {
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
