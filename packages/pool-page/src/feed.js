import { findKinds } from '../universal/route-kinds.js';
import { namesLoopback } from './access.js';
import { LoopDelay } from './loop-delay.js';
import { createServerGauge } from './server-gauge.js';
import { NoteLog } from './note-log.js';
import { readHeldMs, readTunnels, sumGauges } from './read-clients.js';
import { SecondSummary } from './second-summary.js';

const POOL_EVERY_MS = 200;
const SECOND_MS = 1000;
const KEPT_SECONDS = 120;
const MAX_ENDED = 20;
const MAX_LEFT = 20;

/** @import { CheckoutRecord, EndedRequest } from 'mongodb-pool-monitor' */
/** @import { LiveReading, Second } from '../universal/feed-shapes.js' */
/** @import { LiveSource } from './live-source.js' */

/**
 * Feeds the live page: the pools five times a second and the server's load once a second while anyone watches, and a
 * summary of each second of the last two minutes. Its timers keep no process alive.
 */
export class Feed {
  #source;
  #streams;
  #onSecond;
  #serverGauge;
  #timers;
  /** Oldest first. @type {Second[]} */
  #seconds = [];
  #ended = new SecondSummary();
  #notes = new NoteLog();
  /** Within the current second: a look at its end would miss a pool that fills up and empties in between. */
  #peak = { active: 0, waiting: 0 };
  #loop = new LoopDelay();
  #lastSecondId = 0;
  /** Id of the last checkout that was sent as an event. */
  #sentId;
  /** Id of the last checkout that was counted in a second. */
  #summedId;
  /** Id of the last request that was sent as an event. */
  #sentRequestId;

  /**
   * @param {LiveSource} source
   * @param {ReturnType<typeof import('./streams.js').createStreams>} streams
   * @param {(second: Second) => void} [onSecond] gets each second at its end
   */
  constructor(source, streams, onSecond = () => {}) {
    const { checkouts, requests, readServerLoad } = source;
    this.#source = source;
    this.#streams = streams;
    this.#onSecond = onSecond;
    this.#serverGauge = readServerLoad
      ? createServerGauge(readServerLoad, { isHere: () => this.#isServerHere() })
      : null;
    this.#sentId = checkouts.lastId;
    this.#summedId = checkouts.lastId;
    this.#sentRequestId = requests.log.lastId;
    requests.onEnd((request) => {
      this.#ended.add(request);
      this.#notes.add(request);
    });
    this.#timers = [
      this.#repeat(() => this.#sendNotes(), POOL_EVERY_MS),
      this.#repeat(() => this.#sendPool(), POOL_EVERY_MS),
      this.#repeat(() => this.#endSecond(), SECOND_MS),
    ];
  }

  /** The last two minutes, oldest first. @returns {readonly Second[]} */
  get history() {
    return this.#seconds;
  }

  /** Delayed Ferraris and failures since the app started, latest first. */
  get notes() {
    return this.#notes.list;
  }

  get lastId() {
    return this.#lastSecondId;
  }

  /** @param {{ after: number }} from @returns {Second[]} those of the last two minutes with a higher id */
  list({ after }) {
    return this.#seconds.filter(({ id }) => id > after);
  }

  /** Counts the seconds after an id that are no longer listed. @param {number} after */
  countForgotten(after) {
    return Math.max(0, this.#lastSecondId - this.#seconds.length - after);
  }

  close() {
    for (const timer of this.#timers) clearInterval(timer);
    this.#loop.close();
  }

  /** Whether app and server share a machine. */
  #isServerHere() {
    const monitors = this.#source.listPools().flatMap((pool) => pool.monitors);
    return monitors.flatMap(({ servers }) => [...servers.keys()]).every(namesLoopback);
  }

  #sendNotes() {
    const readKinds = () => findKinds(this.#seconds, this.#source.listQueries?.() ?? {});
    if (this.#notes.collect(Date.now(), readKinds)) this.#streams.send('notes', this.#notes.list);
  }

  #sendPool() {
    const { listPools, checkouts, requests, readStatus, listQueries } = this.#source;
    this.#notePeak();
    if (this.#streams.count > 0) {
      this.#serverGauge?.refresh();
      const left = this.#listLeft();
      /** @type {LiveReading} */
      const reading = {
        atMs: Date.now(),
        database: readStatus(),
        queries: listQueries?.() ?? {},
        clients: listPools().flatMap((pool) =>
          readTunnels(pool).map((tunnel) => ({
            ...tunnel,
            left: (left.get(tunnel.name) ?? [])
              .filter(({ server }) => server === (tunnel.address ?? server))
              .slice(0, MAX_LEFT)
              .map(({ connectionId, requestId, route }) => ({ id: Number(connectionId), requestId, route })),
            // Only the primary says how busy it is.
            ...(tunnel.address && tunnel.role !== 'primary' && { server: null }),
          })),
        ),
        finished: pickEnded(requests.log.list({ after: this.#sentRequestId })),
        server: this.#serverGauge?.read() ?? null,
      };
      this.#streams.send('pool', reading);
    }
    this.#sentId = checkouts.lastId;
    this.#sentRequestId = requests.log.lastId;
  }

  #endSecond() {
    this.#notePeak();
    this.#addOutside();
    const pools = this.#source.listPools();
    const { max, idle } = sumGauges(pools);
    /** @type {Second} */
    const second = {
      id: ++this.#lastSecondId,
      atMs: Date.now(),
      max,
      idle,
      ...this.#peak,
      ...this.#ended.summarise(SECOND_MS),
      server: this.#serverGauge?.read() ?? null,
      ...this.#loop.read(),
      queries: this.#source.listQueries?.() ?? {},
      heldMs: readHeldMs(pools),
    };
    this.#ended = new SecondSummary();
    this.#peak = { active: 0, waiting: 0 };
    // A clock that was set back must not leave seconds in the future.
    this.#seconds = [...this.#seconds.filter(({ atMs }) => atMs < second.atMs), second];
    if (this.#seconds.length > KEPT_SECONDS) this.#seconds.shift();
    this.#streams.send('second', second);
    this.#onSecond(second);
  }

  #notePeak() {
    const { active, waiting } = sumGauges(this.#source.listPools());
    this.#peak = { active: Math.max(active, this.#peak.active), waiting: Math.max(waiting, this.#peak.waiting) };
  }

  /** The checkouts with a connection that ended since the last reading, by client. */
  #listLeft() {
    /** @type {Map<string | null, CheckoutRecord[]>} */
    const left = new Map();
    for (const checkout of this.#source.checkouts.list({ after: this.#sentId })) {
      if (checkout.connectionId === null) continue;
      const ofClient = left.get(checkout.pool);
      if (ofClient) ofClient.push(checkout);
      else left.set(checkout.pool, [checkout]);
    }
    return left;
  }

  /**
   * Counts work outside of requests as requests, if Checkouts has a name for it. Streams don't count: how long they
   * take is how long there was no news.
   */
  #addOutside() {
    const { checkouts } = this.#source;
    for (const { route, kind, outcome, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs } of checkouts.list({
      after: this.#summedId,
      isOutside: true,
    })) {
      if (route === null || kind !== null || checkedOutAtMs === null || checkedInAtMs === null) continue;
      this.#ended.add({
        route,
        status: outcome === 'checkedIn' ? 200 : 500,
        totalMs: checkedInAtMs - checkOutStartedAtMs,
        waitMs: checkedOutAtMs - checkOutStartedAtMs,
        useMs: checkedInAtMs - checkedOutAtMs,
      });
    }
    this.#summedId = checkouts.lastId;
  }

  /** @param {() => void} work @param {number} everyMs */
  #repeat(work, everyMs) {
    const { onError } = this.#source;
    return setInterval(() => {
      try {
        work();
      } catch (error) {
        if (!onError) throw error;
        onError(error);
      }
    }, everyMs).unref();
  }
}

/** @param {EndedRequest[]} requests @returns {EndedRequest[]} if there are too many, those that waited longest */
function pickEnded(requests) {
  if (requests.length <= MAX_ENDED) return requests;
  return requests.toSorted((a, b) => b.waitMs - a.waitMs).slice(0, MAX_ENDED);
}
