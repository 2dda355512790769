/** @import { Checkout, CheckoutPurpose } from './checkout.js' */
/** @import { RequestContext } from './request-context.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * Wraps a function so that its errors never reach the app.
 * @typedef {<Args extends any[]>(work: (...args: Args) => unknown) => (...args: Args) => unknown} Guard
 */

/** Events are handled at most this much later. */
const DELAY_MS = 20;

/** @typedef {(event: BatchedEvent) => void} EventHandler */

/** One event, with what must be captured at once. Which fields are set depends on its handler. */
export class BatchedEvent {
  /** @type {EventHandler} */
  handle = () => {};
  /** The beginning of a StartInterval, which ends at toMs: when the wait began. */
  fromMs = NaN;
  toMs = NaN;
  connectionId = 0;
  /** @type {ServerPool | null} */
  pool = null;
  /** Whose code ran. @type {RequestContext | Checkout | null} */
  scope = null;
  /** What the checkout is for. @type {CheckoutPurpose | null} */
  purpose = null;
  /** What a subscriber captured about whose code ran. @type {unknown} */
  caller = null;
  /** Whether the code that is running may get an async scope of its own. Later is too late. */
  mayEnter = false;
  /** Whether what ends is in the sums of its request already. */
  isCounted = false;

  constructor(atMs = NaN) {
    this.atMs = atMs;
  }
}

/**
 * Handles events a little later, many at once and in their order. Interleaved with the app's code, handling an event
 * takes several times as long, because our code has left the CPU caches.
 *
 * Code that reads what the events change calls `flush` first, so that it sees no delay.
 */
export class EventBatch {
  #size;
  #handle;
  /** Reused, so that an event leaves no garbage. @type {BatchedEvent[]} */
  #events = [];
  #count = 0;
  #isFlushing = false;
  #isWaiting = false;
  #timer;

  /**
   * @param {object} [options]
   * @param {number} [options.size] how many events to handle at once; 1 handles each in its own turn
   * @param {Guard} [options.guard] by default, errors get out
   */
  constructor({ size = 1, guard = (work) => work } = {}) {
    this.#size = size;
    this.guard = guard;
    this.#handle = guard((event) => event.handle(event));
    // A timer that is created here belongs to no request.
    this.#timer =
      size > 1
        ? setTimeout(() => {
            this.#isWaiting = false;
            this.flush();
          }, DELAY_MS).unref()
        : undefined;
  }

  /** @param {EventHandler} handle @param {number} atMs @returns {BatchedEvent} fill it in before you call `added` */
  next(handle, atMs) {
    if (this.#count === this.#events.length) this.#events.push(new BatchedEvent());
    const event = this.#events[this.#count];
    this.#count += 1;
    event.handle = handle;
    event.atMs = atMs;
    return event;
  }

  /** @param {boolean} mayWait whether the last event may be handled later */
  added(mayWait) {
    if (!mayWait || this.#count >= this.#size) this.flush();
    else if (!this.#isWaiting) {
      this.#isWaiting = true;
      this.#timer?.refresh();
    }
  }

  /** Handles everything that has happened so far. */
  flush() {
    // A listener may read what it listens to.
    if (this.#isFlushing || this.#count === 0) return;
    this.#isFlushing = true;
    let next = 0;
    try {
      while (next < this.#count) {
        const event = this.#events[next];
        next += 1;
        this.#handle(event);
        event.pool = event.scope = event.purpose = event.caller = null;
        event.isCounted = false;
      }
    } finally {
      // Without a guard, one of them may have thrown.
      if (next < this.#count) this.#events.push(...this.#events.splice(0, next));
      this.#count -= next;
      this.#isFlushing = false;
    }
  }

  /** Handles each event at once, from now on. */
  close() {
    this.flush();
    this.#size = 1;
    clearTimeout(this.#timer);
  }
}
