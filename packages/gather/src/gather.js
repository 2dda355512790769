/**
 * @template Item, Outcome
 * @typedef {object} GathererOptions
 * @property {(items: Item[]) => Promise<PromiseSettledResult<Outcome>[]>} runBatch returns the outcome of each item, in
 *   order; if it throws, all items of the batch fail
 * @property {number} maxBatchSize items
 * @property {number} [maxRunning] batches at the same time; default: 1, which keeps the order of the items
 * @property {number} [maxPending] `ready` waits while this many items have no outcome; default: no limit
 * @property {(flush: () => void) => void} [schedule] when an idle gatherer starts a batch; default: process.nextTick, after
 *   the running code and the promises it has settled
 */

/**
 * @template Item, Outcome
 * @typedef {object} Gatherer its functions need no `this`
 * @property {(item: Item) => Promise<Outcome>} add rejects with the item's own error, or when closed
 * @property {() => Promise<void>} ready resolves once fewer than `maxPending` items have no outcome. Several waiting
 *   callers can exceed it by one item each
 * @property {() => Promise<void>} close rejects further items; resolves once all have an outcome
 */

/** @template Item, Outcome @typedef {{ item: Item, resolve: (outcome: Outcome) => void, reject: (reason: unknown) => void }} Call */

/**
 * Collects items into batches. While `maxRunning` batches are running, new items wait and form the next batch.
 *
 * @template Item, Outcome
 * @param {GathererOptions<Item, Outcome>} options
 * @returns {Gatherer<Item, Outcome>}
 * @throws {RangeError} if a limit is less than 1
 */
export function createGatherer({
  runBatch, maxBatchSize, maxRunning = 1, maxPending = Infinity, schedule = (flush) => process.nextTick(flush),
}) {
  for (const [name, limit] of Object.entries({ maxBatchSize, maxRunning, maxPending })) {
    if (!(limit >= 1)) throw new RangeError(`${name} is ${limit}; it must be a number of at least 1`);
  }
  /** Waiting; only the last one has room. @type {Call<Item, Outcome>[][]} */
  const batches = [];
  /** @type {(() => void)[]} */
  let waiting = [];
  let pending = 0;
  let running = 0;
  let isScheduled = false;
  let isClosed = false;

  function scheduleFlush() {
    if (isScheduled || running >= maxRunning || batches.length === 0) return;
    isScheduled = true;
    schedule(flush);
  }

  function flush() {
    isScheduled = false;
    while (running < maxRunning && batches.length > 0) {
      running += 1;
      settle(/** @type {Call<Item, Outcome>[]} */ (batches.shift()));
    }
  }

  /** @param {Call<Item, Outcome>[]} calls */
  async function settle(calls) {
    try {
      const outcomes = await runBatch(calls.map(({ item }) => item));
      for (const [index, { resolve, reject }] of calls.entries()) {
        const outcome = outcomes[index];
        if (outcome.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome.reason);
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
    running -= 1;
    pending -= calls.length;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
    scheduleFlush();
  }

  /** @returns {Promise<void>} */
  const nextSettled = () => new Promise((resolve) => { waiting.push(resolve); });

  return {
    add: (item) => new Promise((resolve, reject) => {
      if (isClosed) {
        reject(new Error('this gatherer is closed'));
        return;
      }
      const call = { item, resolve, reject };
      const last = batches.at(-1);
      if (last && last.length < maxBatchSize) last.push(call);
      else batches.push([call]);
      pending += 1;
      scheduleFlush();
    }),
    async ready() {
      while (pending >= maxPending) await nextSettled();
    },
    async close() {
      isClosed = true;
      while (pending > 0) await nextSettled();
    },
  };
}
