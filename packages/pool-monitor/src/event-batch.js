/** @import { Checkout } from './checkout.js' */
/** @import { Work } from './checkouts.js' */
/** @import { RequestContext } from './request-context.js' */
/** @import { ServerPool } from './server-pool.js' */

/** @typedef {<Args extends any[]>(work: (...args: Args) => unknown) => (...args: Args) => unknown} Guard keeps its errors to itself */

/** At most so much later is an event handled. */
const DELAY_MS = 20;

/** @typedef {(entry: Entry) => void} Handle */

/** What happened, and what nobody could find out later. Which fields are set depends on who handles it. */
export class Entry {
  /** @type {Handle} */
  handle = () => {};
  /** As a Span, it is when the wait began. */
  fromMs = NaN;
  toMs = NaN;
  connectionId = 0;
  /** @type {ServerPool | null} */
  pool = null;
  /** Whose code ran. @type {RequestContext | Checkout | null} */
  scope = null;
  /** What the checkout is for. @type {Work | null} */
  work = null;
  /** Whether the code that runs may get an async scope of its own: not later. */
  mayEnter = false;

  constructor(atMs = NaN) {
    this.atMs = atMs;
  }
}

/**
 * Handles what happened a little later, many events at once and in their order. Between the code of an app, the work for an
 * event takes several times as long: the processor has to load that code again each time.
 *
 * Whoever reads what the events change calls `flush` first, so that nobody notices.
 */
export class EventBatch {
  #size;
  #handle;
  /** Used again and again. @type {Entry[]} */
  #entries = [];
  #count = 0;
  #isFlushing = false;
  #isWaiting = false;
  #timer;

  /**
   * @param {object} [options]
   * @param {number} [options.size] how many events to handle at once; 1: each in its own turn
   * @param {Guard} [options.guard] default keeps nothing
   */
  constructor({ size = 1, guard = (work) => work } = {}) {
    this.#size = size;
    this.guard = guard;
    this.#handle = guard((entry) => entry.handle(entry));
    // Made here, it belongs to no request.
    this.#timer = size > 1 ? setTimeout(() => {
      this.#isWaiting = false;
      this.flush();
    }, DELAY_MS).unref() : undefined;
  }

  /** @param {Handle} handle @param {number} atMs @returns {Entry} to be filled in before `added` */
  next(handle, atMs) {
    if (this.#count === this.#entries.length) this.#entries.push(new Entry());
    const entry = this.#entries[this.#count];
    this.#count += 1;
    entry.handle = handle;
    entry.atMs = atMs;
    return entry;
  }

  /** @param {boolean} mayWait whether the last entry may be handled later */
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
        const entry = this.#entries[next];
        next += 1;
        this.#handle(entry);
        entry.pool = entry.scope = entry.work = null;
      }
    } finally {
      // Without a guard, one of them may have thrown.
      if (next < this.#count) this.#entries.push(...this.#entries.splice(0, next));
      this.#count -= next;
      this.#isFlushing = false;
    }
  }

  /** From now on, each is handled at once. */
  close() {
    this.flush();
    this.#size = 1;
    clearTimeout(this.#timer);
  }
}
