/** @import { MongoClient } from 'mongodb' */
/** @import { Guard } from '../core/event-batch.js' */

/** The driver's warnings have this code. */
const CODE = 'MONGODB DRIVER';
/** An option that drivers 6.22 and 7.8 still accept, without any effect. */
const IGNORED = 'timeoutMS';

/**
 * Knows which clients were given `timeoutMS` though their driver ignores it. The driver keeps no trace of it in the
 * client, and only warns. A warning is emitted in the next tick, in the order of the constructors:
 *
 *     new MongoClient: warning queued, noteCreated  -> next tick: the warning, then what noteCreated has queued
 */
export class IgnoredOptions {
  #guard;
  #isWarned = false;
  /** @type {WeakSet<MongoClient>} */
  #clients = new WeakSet();

  /** @param {Guard} guard */
  constructor(guard) {
    this.#guard = guard;
    process.on('warning', this.#onWarning);
  }

  #onWarning = (/** @type {Error & { code?: string }} */ { code, message }) => {
    if (code === CODE && message.startsWith(`${IGNORED} `)) this.#isWarned = true;
  };

  /** @param {MongoClient} client that is being created */
  noteCreated(client) {
    process.nextTick(
      this.#guard(() => {
        if (this.#isWarned) this.#clients.add(client);
        this.#isWarned = false;
      }),
    );
  }

  /** @param {MongoClient} client @returns {string[]} names of options */
  listOf(client) {
    return this.#clients.has(client) ? [IGNORED] : [];
  }

  close() {
    process.off('warning', this.#onWarning);
  }
}
