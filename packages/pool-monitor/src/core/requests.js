import { RequestLog } from './request-log.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Checkouts } from './checkouts.js' */
/** @import { BatchedEvent } from './event-batch.js' */
/** @import { EndedRequest, Request, RequestContext } from './request-context.js' */
/** @import { TraceWriter } from './trace-writer.js' */

/** How many requests the sample of the overhead is taken from. */
const MAX_OVERHEADS = 200;

/**
 * Follows the HTTP requests of a process.
 *
 * @param {Checkouts} checkouts
 * @param {{ serverTiming?: boolean, record?: Pick<TraceWriter, 'writeRequest'> }} [options] serverTiming: whether
 *   Server-Timing tells the client where the time went; record: gets each request when it ends, see createTraceWriter
 */
export function createRequests(checkouts, options) {
  return new Requests(checkouts, options);
}

/**
 * The HTTP requests of a process. Each has an id that its checkouts carry, and listeners are notified when a request
 * ends.
 */
export class Requests {
  #checkouts;
  #batch;
  #serverTiming;
  #record;
  #log = new RequestLog();
  /** @type {Set<(request: EndedRequest) => void>} */
  #listeners = new Set();
  /** Numbers of the connections of clients. @type {WeakMap<object, number>} */
  #sockets = new WeakMap();
  #lastSocket = 0;
  /** Overheads of the last requests that succeeded. @type {number[]} */
  #overheadsMs = [];
  #succeeded = 0;
  #onClose;

  /** @param {Checkouts} checkouts @param {Parameters<typeof createRequests>[1]} [options] */
  constructor(checkouts, { serverTiming = false, record } = {}) {
    this.#checkouts = checkouts;
    this.#batch = checkouts.batch;
    this.#serverTiming = serverTiming;
    this.#record = record;
    this.#onClose = this.#batch.guard(
      (
        /** @type {IncomingMessage} */ request,
        /** @type {ServerResponse} */ response,
        /** @type {RequestContext} */ context,
      ) => this.#noteEnd(request, response, context),
    );
  }

  /** The last requests that ended. */
  get log() {
    this.#batch.flush();
    return this.#log;
  }

  /**
   * Follows a request whose code runs inside `work`.
   *
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {Request} about
   * @param {() => void} work
   */
  run(request, response, about, work) {
    this.#checkouts.run(about, (context) => {
      this.#follow(request, response, context);
      work();
    });
  }

  /**
   * Follows a request whose code runs in the rest of the current async flow.
   *
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {Request} about
   */
  enter(request, response, about) {
    this.#follow(request, response, this.#checkouts.enter(about));
  }

  /** @param {(request: EndedRequest) => void} listener keeps no reference to it: it refers to more than it shows */
  onEnd(listener) {
    this.#listeners.add(listener);
  }

  /**
   * Samples what the last responses took in the app beyond waits and uses, in the simulator's format.
   *
   * @returns {{ kind: 'sample', valuesMs: number[] } | undefined} undefined without requests
   */
  sampleOverhead() {
    this.#batch.flush();
    return this.#succeeded > 0 ? { kind: 'sample', valuesMs: [...this.#overheadsMs] } : undefined;
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response @param {RequestContext} context */
  #follow(request, response, context) {
    context.arrivedAtMs = performance.now();
    context.socket = this.#numberSocket(request.socket);
    if (this.#serverTiming)
      beforeHeaders(response, () => {
        if (context.isBehind) this.#batch.flush();
        response.setHeader('Server-Timing', describeTiming(context));
      });
    response.on('close', () => this.#onClose(request, response, context));
  }

  /** @param {object} socket */
  #numberSocket(socket) {
    let number = this.#sockets.get(socket);
    if (number === undefined) this.#sockets.set(socket, (number = ++this.#lastSocket));
    return number;
  }

  /** @param {IncomingMessage} request @param {ServerResponse} response @param {RequestContext} context */
  #noteEnd(request, response, context) {
    const end = this.#batch.next(this.#handleEnd, performance.now());
    context.method = request.method ?? '';
    context.status = response.writableFinished ? response.statusCode : 0;
    // A client that left does not end the work of its request.
    context.isOver = context.status > 0;
    end.scope = context;
    // Not later, because until then its name keeps the whole request alive.
    this.#checkouts.settle(context);
    this.#batch.added(true);
  }

  /** One function for all requests. @param {BatchedEvent} end */
  #handleEnd = ({ scope, atMs }) => {
    const context = /** @type {RequestContext} */ (scope);
    const { status, arrivedAtMs } = context;
    context.totalMs = atMs - arrivedAtMs;
    // What its client leaves behind may be aborted later.
    if (status === 0) context.countOpenWaits(atMs);
    if (status >= 500) this.#checkouts.fail(context);
    if (status >= 200 && status < 400) this.#keepOverhead(context);
    this.#log.add(context);
    if (this.#record) {
      const { request, route, totalMs, socket } = context;
      this.#record.writeRequest({ request, route, endedAtMs: atMs, totalMs, status, socket });
    }
    for (const listener of this.#listeners) listener(context);
  };

  /** @param {RequestContext} context */
  #keepOverhead({ totalMs, waitMs, useMs }) {
    // Uses at the same time count twice.
    this.#overheadsMs[this.#succeeded % MAX_OVERHEADS] =
      Math.round(Math.max(0, totalMs - waitMs - useMs) * 1000) / 1000;
    this.#succeeded += 1;
  }
}

/** @param {RequestContext} context */
function describeTiming({ waitMs, useMs, arrivedAtMs }) {
  const totalMs = performance.now() - arrivedAtMs;
  return `pool;dur=${waitMs.toFixed(1)}, db;dur=${useMs.toFixed(1)}, total;dur=${totalMs.toFixed(1)}`;
}

/**
 * Calls a function before Node writes the headers of a response. Node does so with `writeHead`, also for headers that
 * the app never wrote itself.
 *
 * @param {ServerResponse} response
 * @param {() => void} work
 */
function beforeHeaders(response, work) {
  const { writeHead } = response;
  response.writeHead = /** @type {typeof writeHead} */ (
    function write(/** @type {any[]} */ ...args) {
      response.writeHead = writeHead;
      if (!response.headersSent) work();
      return Reflect.apply(writeHead, response, args);
    }
  );
}
