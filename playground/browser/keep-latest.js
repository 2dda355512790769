/**
 * Runs one at a time. Calls during a run cause one more run after it.
 *
 * @param {() => Promise<void>} run
 * @returns {() => Promise<void>} resolves when nothing is left to do
 */
export function keepLatest(run) {
  /** @type {Promise<void> | undefined} */
  let running;
  let isStale = false;
  async function runAll() {
    try {
      while (isStale) {
        isStale = false;
        await run();
      }
    } finally {
      running = undefined;
    }
  }
  return () => {
    isStale = true;
    return (running ??= runAll());
  };
}
