/**
 * @template Item, Outcome
 * @typedef {object} GathererOptions
 * @property {(items: Item[]) => Promise<PromiseSettledResult<Outcome>[]>} run does the work of several at once and says
 *   how it went for each, in their order, in the shape of Promise.allSettled; what it throws befalls all of them
 * @property {number} maxBatch most items of one run
 * @property {number} [maxRunning] most runs at the same time; 1, the default, keeps the items in the order they came in
 * @property {number} [maxPending] items without an outcome at which `ready` begins to wait; no limit unless told
 * @property {(flush: () => void) => void} [schedule] when an idle gatherer begins. Unless told, once the code that runs
 *   now and all promises it settled are through (process.nextTick): nobody waits for a timer. With setImmediate the
 *   callers of one whole turn of the event loop gather, each of them woken by input of its own
 */

/**
 * @template Item, Outcome
 * @typedef {object} Gatherer its functions need no `this`
 * @property {(item: Item) => Promise<Outcome>} add hand in an item; rejects with its own error, or if it is closed
 * @property {() => Promise<void>} ready for callers that do not wait for outcomes: wait until fewer than `maxPending`
 *   items are without one. Several such callers can be over it by one item each
 * @property {() => Promise<void>} close take no more, and wait until all have their outcome
 */

/**
 * Gather what callers ask for at the same moment, and do it at once for all of them: while as many runs as allowed are
 * under way, whatever comes in waits and makes up the next.
 *
 * @template Item, Outcome
 * @param {GathererOptions<Item, Outcome>} options
 * @returns {Gatherer<Item, Outcome>}
 * @throws {RangeError} if a limit is not a number from 1
 */
export function createGatherer({
  run, maxBatch, maxRunning = 1, maxPending = Infinity, schedule = (flush) => process.nextTick(flush),
}) {
  for (const [name, limit] of Object.entries({ maxBatch, maxRunning, maxPending })) {
    if (!(limit >= 1)) throw new RangeError(`${name} is ${limit}; it must be a number from 1`);
  }
  /** @typedef {{ item: Item, resolve: (outcome: Outcome) => void, reject: (reason: unknown) => void }} Call */
  /** Those that wait, as the runs they will be; only the last has room. @type {Call[][]} */
  const batches = [];
  /** @type {(() => void)[]} */
  let watchers = [];
  let pending = 0;
  let running = 0;
  let isScheduled = false;
  let isClosed = false;

  function begin() {
    if (isScheduled || running >= maxRunning || batches.length === 0) return;
    isScheduled = true;
    schedule(flush);
  }

  function flush() {
    isScheduled = false;
    while (running < maxRunning && batches.length > 0) {
      running += 1;
      settle(/** @type {Call[]} */ (batches.shift()));
    }
  }

  /** @param {Call[]} calls */
  async function settle(calls) {
    try {
      const outcomes = await run(calls.map(({ item }) => item));
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
    const woken = watchers;
    watchers = [];
    for (const wake of woken) wake();
    begin();
  }

  /** @returns {Promise<void>} resolves after the next run */
  const nextRun = () => new Promise((resolve) => { watchers.push(resolve); });

  return {
    add: (item) => new Promise((resolve, reject) => {
      if (isClosed) {
        reject(new Error('this gatherer is closed'));
        return;
      }
      const call = { item, resolve, reject };
      const last = batches.at(-1);
      if (last && last.length < maxBatch) last.push(call);
      else batches.push([call]);
      pending += 1;
      begin();
    }),
    async ready() {
      while (pending >= maxPending) await nextRun();
    },
    async close() {
      isClosed = true;
      while (pending > 0) await nextRun();
    },
  };
}
