import { randomUUID } from 'node:crypto';
import { LeaseError } from '../base/errors.js';
import { CHECKPOINT_DATABASE, overlap } from '../base/namespaces.js';
import { HOST, isRunning, PLACE } from '../base/running-process.js';

/** @import { Filter } from '../base/namespaces.js' */
/** @import { LeaseStore } from './lease-store.js' */

/** After this long without a heartbeat, another process may take over. By the target's clock. */
const LEASE_MS = 15_000;
const BEAT_EVERY_MS = 3000;
/** Later than this, a process asks whether it still has the lease before it writes. By its own clock. */
const FRESH_MS = 10_000;
const POLL_MS = 500;

/**
 * @typedef {object} LeaseHolder a replicator that is running
 * @property {string} id
 * @property {string} name of its checkpoint
 * @property {Filter} filter
 * @property {string} host
 * @property {number} pid
 * @property {string | null} place see PLACE
 *
 * @typedef {LeaseHolder & { since: Date, beatAt: Date }} StoredLease
 */

/** Ids of the leases of this process. */
const held = new Set();

/**
 * Makes this process the only one that replicates these namespaces of a source to a target. If another one was heard of
 * lately, but may have ended, this waits until that is clear.
 *
 * @param {LeaseStore} store
 * @param {{ name: string, filter?: Filter }} replication
 * @param {object} [options]
 * @param {AbortSignal} [options.signal] ends the wait with its reason
 * @param {(other: string) => void} [options.onWait] called with a description of the other process
 * @returns {Promise<Lease>}
 * @throws {LeaseError} when another process is replicating them
 */
export async function acquireLease(store, { name, filter = {} }, { signal, onWait } = {}) {
  /** @type {LeaseHolder} */
  const own = { id: randomUUID(), name, filter, host: HOST, pid: process.pid, place: PLACE };
  /** When others were last heard of, as first read. @type {Map<string, number>} */
  const firstBeats = new Map();
  for (;;) {
    const { version, holders, now } = await store.read();
    const isOver = (/** @type {StoredLease} */ other) =>
      now.getTime() - other.beatAt.getTime() >= LEASE_MS || isHere(other) === false;
    const rivals = holders.filter((other) => !isOver(other) && areRivals(own, other));
    if (rivals.length === 0) {
      const askedAtMs = readClock();
      const over = holders.filter(isOver).map(({ id }) => id);
      if (await store.replace(version, { remove: over, add: own })) return new Lease(store, own, askedAtMs);
      continue;
    }
    for (const rival of rivals) {
      const firstBeat = firstBeats.get(rival.id);
      if (isHere(rival) || (firstBeat !== undefined && rival.beatAt.getTime() > firstBeat)) {
        throw new LeaseError(
          `another replicator is already replicating this source to ${store.name}: ${describe(rival, now)}. ` +
            'Stop it first. The next one continues where it stopped',
        );
      }
      if (firstBeat === undefined) {
        firstBeats.set(rival.id, rival.beatAt.getTime());
        onWait?.(describe(rival, now));
      }
    }
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
    signal?.throwIfAborted();
  }
}

/** The right to write, as long as heartbeats keep it. */
export class Lease {
  #store;
  #holder;
  #timer;
  /** When the last heartbeat that arrived was sent. */
  #beatAtMs;
  #lost = new AbortController();

  /** Use acquireLease. @param {LeaseStore} store @param {LeaseHolder} holder @param {number} askedAtMs */
  constructor(store, holder, askedAtMs) {
    this.#store = store;
    this.#holder = holder;
    this.#beatAtMs = askedAtMs;
    held.add(holder.id);
    // When the target can't be reached, nobody else can take over either.
    this.#timer = setInterval(() => this.#beat().catch(() => {}), BEAT_EVERY_MS);
  }

  get id() {
    return this.#holder.id;
  }

  /** Aborted, with a LeaseError, once another process has taken over. */
  get lost() {
    return this.#lost.signal;
  }

  /**
   * To be called before each write. A process that was stopped for a while, such as by a suspended machine, asks the
   * target before it goes on.
   * @throws {Error} when it may not write
   */
  async confirm() {
    this.lost.throwIfAborted();
    if (readClock() - this.#beatAtMs >= FRESH_MS) await this.#beat();
  }

  /** @returns {Promise<never>} @throws {LeaseError} */
  async lose() {
    const { holders, now } = await this.#store.read();
    const other = holders.find((one) => one.id !== this.id && areRivals(this.#holder, one));
    this.#lost.abort(
      new LeaseError(
        other
          ? `another replicator has taken over: ${describe(other, now)}. This one was not heard of for ` +
              `${LEASE_MS / 1000} s, so it stops`
          : `the database ${CHECKPOINT_DATABASE} of ${this.#store.name} was changed while this replicator was running`,
      ),
    );
    throw this.lost.reason;
  }

  async release() {
    clearInterval(this.#timer);
    held.delete(this.id);
    // If the target can't be reached, the next process sees that this one has ended, or waits.
    await this.#store.remove(this.id).catch(() => {});
  }

  async #beat() {
    const sentAtMs = readClock();
    if (!(await this.#store.beat(this.id))) await this.lose();
    this.#beatAtMs = sentAtMs;
  }
}

/** Includes the time for which the machine was suspended. */
function readClock() {
  return Date.now();
}

/** @param {LeaseHolder} one @param {LeaseHolder} other */
function areRivals(one, other) {
  return one.name === other.name || overlap(one.filter, other.filter);
}

/** @param {LeaseHolder} holder @returns {boolean | null} whether it is running; null: it is not of this place */
function isHere({ id, pid, place }) {
  if (place === null || place !== PLACE) return null;
  return pid === process.pid ? held.has(id) : isRunning(pid);
}

/** @param {StoredLease} holder @param {Date} now */
function describe({ pid, host, since, beatAt }, now) {
  const agoS = Math.max(0, Math.round((now.getTime() - beatAt.getTime()) / 1000));
  return `process ${pid} on ${host}, since ${since.toISOString()}, last heard of ${agoS} s ago`;
}
