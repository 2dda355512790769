import { SERVER } from '../assumptions/server-assumptions.js';
import { createFifo } from './fifo.js';

/**
 * A server whose cores the queries share.
 *
 * @typedef {object} ServerOptions
 * @property {number} cores the CPU time it can use, in cores, above 0. It can be a fraction, such as 1.8, where other
 *   programs use the rest
 * @property {number} [sliceMs] how long a query keeps a core while others wait for one, above 0; default 2
 */

/** @param {ServerOptions} server @throws {Error} naming the option that is wrong and what is allowed */
function checkServer({ cores, sliceMs = SERVER.sliceMs }) {
  if (!(cores > 0 && cores < Infinity)) throw new Error(`cores must be a number above 0, not ${cores}`);
  if (!(sliceMs > 0 && sliceMs < Infinity)) throw new Error(`sliceMs must be a number of ms above 0, not ${sliceMs}`);
}

/**
 * Lets queries take turns on the cores (round robin: L. Kleinrock, 1964, https://doi.org/10.1002/nav.3800110105). Each
 * has a core of its own unless there are more queries than cores. A short query that finds all cores busy waits until
 * its first turn, and a long one takes as many times as long as there are queries for each core.
 *
 * @param {ServerOptions} options
 * @param {object} host
 * @param {() => number} host.nowMs
 * @param {(delayMs: number, core: number) => void} host.turnEndsAfter calls endTurn(core) then
 * @param {(query: number) => void} host.finish called when the work of a query is done
 */
export function createServer({ cores, sliceMs = SERVER.sliceMs }, { nowMs, turnEndsAfter, finish }) {
  checkServer({ cores, sliceMs });
  const count = Math.ceil(cores);
  /** Query whose turn it is on each core, -1 for none. */
  const running = new Int32Array(count).fill(-1);
  const turnMs = new Float64Array(count);
  const endsAtMs = new Float64Array(count);
  let busy = 0;
  /** Work that is left of each query. @type {number[]} */
  const leftMs = [];
  /** Number for each query that changes when it is removed from the queue. @type {number[]} */
  const tickets = [];
  /** @type {import('./fifo.js').Fifo<number>} */
  const queue = createFifo();

  /** @param {number} core @param {number} query */
  function giveTurn(core, query) {
    running[core] = query;
    busy++;
    turnMs[core] = Math.min(sliceMs, leftMs[query]);
    const delayMs = turnMs[core] * Math.max(1, busy / cores);
    endsAtMs[core] = nowMs() + delayMs;
    turnEndsAfter(delayMs, core);
  }

  /** @param {number} core */
  function takeNext(core) {
    while (queue.size() > 0) {
      const query = queue.first();
      const isCurrent = tickets[query] === queue.firstTicket();
      queue.shift();
      if (isCurrent) return giveTurn(core, query);
    }
  }

  /** @param {number} core */
  function free(core) {
    running[core] = -1;
    busy--;
  }

  return {
    /** @param {number} query @param {number} workMs on a core of its own */
    add(query, workMs) {
      leftMs[query] = workMs;
      tickets[query] ??= 0;
      const core = busy < count ? running.indexOf(-1) : -1;
      if (core >= 0) giveTurn(core, query);
      else queue.push(query, tickets[query]);
    },

    /** @param {number} core */
    endTurn(core) {
      const query = running[core];
      // The turn of a query that was removed is still among the events.
      if (query < 0 || endsAtMs[core] !== nowMs()) return;
      leftMs[query] -= turnMs[core];
      free(core);
      const isDone = leftMs[query] <= 0;
      if (!isDone) queue.push(query, tickets[query]);
      takeNext(core);
      if (isDone) finish(query);
    },

    /** Ends the work of a query whose answer is no longer needed. @param {number} query */
    remove(query) {
      tickets[query] = (tickets[query] ?? 0) + 1;
      const core = running.indexOf(query);
      if (core < 0) return;
      free(core);
      takeNext(core);
    },
  };
}

/** @typedef {ReturnType<typeof createServer>} Server */
