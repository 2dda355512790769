import { summariseLatencies } from './summarise-latencies.js';

/**
 * Keep the warm-up of a closed loop apart from what counts. It lasts its time, and until each connection has been
 * answered once: a server of Node 20 accepts one new connection in a turn of its event loop, and that would count as
 * latency of the first requests. Answers count that come within `durationMs` from then on.
 *
 * @param {object} options
 * @param {number} options.connections how many the load keeps open
 * @param {number} options.warmUpMs
 * @param {number} options.durationMs
 * @param {() => void} options.onEnd called with the first answer that comes too late to count
 * @param {() => number} [options.now] in ms
 */
export function createLoadWindow({ connections, warmUpMs, durationMs, onEnd, now = () => performance.now() }) {
  const createdAtMs = now();
  /** Those that were answered before. @type {Set<unknown>} */
  const warm = new Set();
  /** @type {number[]} */
  const latenciesMs = [];
  /** @type {Map<string, number>} */
  const problems = new Map();
  let beganAtMs = Infinity;
  let reopened = 0;

  /** @param {string} problem */
  function note(problem) {
    problems.set(problem, (problems.get(problem) ?? 0) + 1);
  }

  return {
    /**
     * An answer came.
     * @param {unknown} connection
     * @param {number} status of HTTP
     * @param {number} latencyMs
     */
    answer(connection, status, latencyMs) {
      const isGood = status >= 200 && status < 300;
      if (!isGood) note(`HTTP ${status}`);
      const atMs = now();
      if (atMs > beganAtMs + durationMs) {
        onEnd();
        return;
      }
      if (atMs >= beganAtMs) {
        if (!warm.has(connection)) {
          reopened += 1;
          note('connection opened anew');
        }
        if (isGood) latenciesMs.push(latencyMs);
      }
      warm.add(connection);
      const isWarm = warm.size >= connections && atMs - createdAtMs >= warmUpMs;
      if (isWarm && beganAtMs === Infinity) beganAtMs = atMs;
    },
    /** A request got no answer. @param {Error} error */
    fail(error) {
      note(error.message);
    },
    /**
     * What was measured. All that went wrong counts, in the warm-up too; the rest is of the time that counts.
     * @param {{ errors: number, timeouts: number, non2xx: number }} totals of the load tool; `errors` includes timeouts
     * @returns {import('./run-lab.js').Measurement}
     */
    measure({ errors, timeouts, non2xx }) {
      if (beganAtMs === Infinity) note(`warm-up: ${warm.size} of ${connections} connections were answered`);
      const { count: requests = 0, ...figures } = latenciesMs.length > 0
        ? summariseLatencies(latenciesMs, durationMs) : {};
      const failures = errors + non2xx + reopened;
      const failed = [...problems].map(([problem, count]) => `${count} x ${problem}`).join(', ');
      return {
        measured: { requests, failures, errors: errors - timeouts, timeouts, non2xx, reopened, ...figures },
        ...(failed && { failed }),
      };
    },
  };
}
