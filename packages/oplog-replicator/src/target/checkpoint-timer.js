/**
 * Saves the progress a while after it was scheduled, or at once.
 *
 * @template T
 * @param {object} options
 * @param {() => T} options.read the progress as of now
 * @param {(progress: T) => Promise<void>} options.write
 * @param {number} options.everyMs
 * @param {(error: unknown) => void} options.onError gets a failure that nobody awaits
 */
export function createCheckpointTimer({ read, write, everyMs, onError }) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let saved = '';
  /** One write at a time, so that an older one can't land last. */
  let writing = Promise.resolve();

  async function saveNow() {
    const progress = read();
    const text = JSON.stringify(progress);
    if (text === saved) return;
    await write(progress);
    saved = text;
  }

  function save() {
    writing = writing.then(saveNow);
    return writing;
  }

  return {
    save,
    schedule() {
      timer ??= setTimeout(() => {
        timer = undefined;
        save().catch(onError);
      }, everyMs);
    },
    stop: () => clearTimeout(timer),
  };
}
