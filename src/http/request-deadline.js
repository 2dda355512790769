/** @import { ServerResponse } from 'node:http' */
/** @import { ConcurrencyLimit } from './concurrency-limit.js' */

export class RequestDeadlineError extends Error {
  name = 'RequestDeadlineError';
}

export class ClientDisconnectedError extends Error {
  name = 'ClientDisconnectedError';
}

/** Time slice for aborting requests of disconnected clients. */
const SLICE_MS = 5;
/** One error for all: its stack would say nothing, and take time. */
const DISCONNECTED = new ClientDisconnectedError('the client disconnected');
/** Requests to abort: thousands of clients may disconnect at the same moment. @type {RequestSignal[]} */
const left = [];

/**
 * What the driver and the monitor use of an AbortSignal. They add five listeners to it for each query, and remove four.
 * That takes Node's own signals about 10 µs, and this one less than 1 µs.
 */
class RequestSignal {
  aborted = false;
  /** @type {Error | undefined} */
  reason = undefined;
  /** @type {(() => void)[]} */
  #listeners = [];

  /** @param {'abort'} event @param {() => void} listener called at most once, with the signal as `this` */
  addEventListener(event, listener) {
    this.#listeners.push(listener);
  }

  /** @param {'abort'} event @param {() => void} listener */
  removeEventListener(event, listener) {
    const index = this.#listeners.lastIndexOf(listener);
    if (index >= 0) this.#listeners.splice(index, 1);
  }

  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }

  /** @param {Error} reason */
  abort(reason) {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners.splice(0)) listener.call(this);
  }
}

/** Ends the work of a request when its time is over or its client disconnects. */
export class RequestDeadline {
  #signal = new RequestSignal();
  #timer;
  /** @type {ConcurrencyLimit | null} */
  #limit = null;

  /** @param {ServerResponse} res @param {number} timeoutMs from the request's arrival */
  constructor(res, timeoutMs) {
    this.#timer = setTimeout(() => {
      this.#signal.abort(new RequestDeadlineError(`aborted after ${timeoutMs} ms`));
    }, timeoutMs);
    // One listener for everything that ends with the request, because every extra listener slows the request.
    res.on('close', () => this.#end(res.writableFinished));
  }

  /** Fires when the deadline passes or the client disconnects. */
  get signal() {
    return /** @type {AbortSignal} */ (/** @type {unknown} */ (this.#signal));
  }

  /**
   * The request counts from now until it is answered or its client disconnects.
   * @param {ConcurrencyLimit} limit which may throw
   */
  enter(limit) {
    limit.enter();
    this.#limit = limit;
  }

  /** @param {boolean} isAnswered */
  #end(isAnswered) {
    clearTimeout(this.#timer);
    this.#limit?.leave();
    if (isAnswered) return;
    if (left.push(this.#signal) === 1) setImmediate(abortLeft);
  }
}

function abortLeft() {
  const endsAtMs = performance.now() + SLICE_MS;
  do left.shift()?.abort(DISCONNECTED);
  while (left.length > 0 && performance.now() < endsAtMs);
  if (left.length > 0) setImmediate(abortLeft);
}
