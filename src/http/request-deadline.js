/** @import { ServerResponse } from 'node:http' */
/** @import { ConcurrencyLimit } from './concurrency-limit.js' */

export class RequestDeadlineError extends Error {
  name = 'RequestDeadlineError';
}

export class ClientDisconnectedError extends Error {
  name = 'ClientDisconnectedError';
}

/** Ends the work of a request when its time is over or its client disconnects. */
export class RequestDeadline {
  #controller = new AbortController();
  #timer;
  /** @type {ConcurrencyLimit | null} */
  #limit = null;

  /** @param {ServerResponse} res @param {number} timeoutMs from the request's arrival */
  constructor(res, timeoutMs) {
    this.#timer = setTimeout(() => {
      this.#controller.abort(new RequestDeadlineError(`aborted after ${timeoutMs} ms`));
    }, timeoutMs);
    // One listener for everything that ends with the request: each costs it some time.
    res.on('close', () => this.#end(res.writableFinished));
  }

  /** Fires when the deadline passes or the client disconnects. */
  get signal() {
    return this.#controller.signal;
  }

  /** The request counts from now until it is answered or its client disconnects. @param {ConcurrencyLimit} limit which may throw */
  enter(limit) {
    limit.enter();
    this.#limit = limit;
  }

  /** @param {boolean} isAnswered */
  #end(isAnswered) {
    clearTimeout(this.#timer);
    this.#limit?.leave();
    if (!isAnswered) this.#controller.abort(new ClientDisconnectedError('the client disconnected'));
  }
}
