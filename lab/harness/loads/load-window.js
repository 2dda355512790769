import { summariseLatencies } from '../summarise-latencies.js';

/** @import { Measurement } from '../run-lab.js' */
/** @import { HttpLoadFigures } from './http.js' */

/**
 * Separates the warm-up of a closed loop from the time that counts. The warm-up ends after its time, and not before
 * each connection was answered once: a server of Node 20 accepts one new connection per turn of its event loop, which
 * would add to the latency of the first requests.
 */
export class LoadWindow {
  /** @type {{ connections: number, warmUpMs: number, durationMs: number, onEnd: () => void, now: () => number }} */
  #options;
  #createdAtMs;
  #startedAtMs = Infinity;
  /** Connections that were answered. @type {Set<unknown>} */
  #warm = new Set();
  /** @type {number[]} */
  #latenciesMs = [];
  #reopened = 0;
  /** @type {Map<string, number>} */
  #problems = new Map();

  /**
   * @param {object} options
   * @param {number} options.connections how many the load keeps open
   * @param {number} options.warmUpMs
   * @param {number} options.durationMs of the time that counts
   * @param {() => void} options.onEnd called with the first answer that comes too late to count
   * @param {() => number} [options.now] in ms
   */
  constructor({ now = () => performance.now(), ...options }) {
    this.#options = { now, ...options };
    this.#createdAtMs = now();
  }

  /**
   * An answer came.
   * @param {unknown} connection
   * @param {number} status of HTTP
   * @param {number} latencyMs
   */
  answer(connection, status, latencyMs) {
    const { connections, warmUpMs, durationMs, onEnd, now } = this.#options;
    const isGood = status >= 200 && status < 300;
    if (!isGood) this.#count(`HTTP ${status}`);
    const atMs = now();
    if (atMs > this.#startedAtMs + durationMs) {
      onEnd();
      return;
    }
    if (atMs >= this.#startedAtMs) {
      if (!this.#warm.has(connection)) {
        this.#reopened += 1;
        this.#count('connection opened again');
      }
      if (isGood) this.#latenciesMs.push(latencyMs);
    }
    this.#warm.add(connection);
    const isWarm = this.#warm.size >= connections && atMs - this.#createdAtMs >= warmUpMs;
    if (isWarm && this.#startedAtMs === Infinity) this.#startedAtMs = atMs;
  }

  /** A request got no answer. @param {Error} error */
  fail(error) {
    this.#count(error.message);
  }

  /**
   * Failures of the warm-up count too. Everything else is of the time that counts.
   * @param {{ errors: number, timeouts: number, non2xx: number }} totals of autocannon; `errors` includes timeouts
   * @returns {Measurement<HttpLoadFigures>}
   */
  measure({ errors, timeouts, non2xx }) {
    if (this.#startedAtMs === Infinity) {
      this.#count(`warm-up: ${this.#warm.size} of ${this.#options.connections} connections were answered`);
    }
    const { count: requests = 0, ...figures } =
      this.#latenciesMs.length > 0 ? summariseLatencies(this.#latenciesMs, this.#options.durationMs) : {};
    const failures = errors + non2xx + this.#reopened;
    const failed = [...this.#problems].map(([problem, count]) => `${count} x ${problem}`).join(', ');
    return {
      measured: {
        requests,
        failures,
        errors: errors - timeouts,
        timeouts,
        non2xx,
        reopened: this.#reopened,
        ...figures,
      },
      ...(failed && { failed }),
    };
  }

  /** @param {string} problem */
  #count(problem) {
    this.#problems.set(problem, (this.#problems.get(problem) ?? 0) + 1);
  }
}
