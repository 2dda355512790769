import { ADDRESS } from 'test-support/driver-pool.js';

/** @import { PoolEvent, VirtualTime } from 'test-support/driver-pool.js' */

/** Emits the events of the model's pool in the order in which the driver emits its own. */
export class EventOrder {
  #time;
  #emit;
  /** Events that the driver emits after all others of a call. @type {PoolEvent[]} */
  #late = [];
  /** @type {PoolEvent[] | null} */
  #collected = null;

  /** @param {VirtualTime} time @param {(event: PoolEvent) => void} emit */
  constructor(time, emit) {
    this.#time = time;
    this.#emit = emit;
  }

  /** @param {string} type @param {Partial<PoolEvent>} [facts] */
  emit(type, facts) {
    const event = this.#create(type, facts);
    if (this.#collected) this.#collected.push(event);
    else this.#emit(event);
  }

  /** Emits an event at the end of the call. @param {string} type @param {Partial<PoolEvent>} facts */
  emitLate(type, facts) {
    this.#late.push(this.#create(type, facts));
  }

  endCall() {
    for (const event of this.#late.splice(0)) this.#emit(event);
  }

  /** Emits the events of `look` by their times. @param {() => void} look */
  inOrderOfTime(look) {
    const events = (this.#collected = /** @type {PoolEvent[]} */ ([]));
    look();
    this.#collected = null;
    for (const event of events.sort((a, b) => a.atMs - b.atMs)) this.#emit(event);
  }

  /** @param {string} type @param {Partial<PoolEvent>} [facts] @returns {PoolEvent} */
  #create(type, facts) {
    return { type, atMs: this.#time.nowMs, address: ADDRESS, ...facts };
  }
}
