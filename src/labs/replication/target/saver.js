/**
 * Keep a progress: some time after it was told that there is some, and at once where asked.
 *
 * @template T
 * @param {object} options
 * @param {() => T} options.read what is to be kept, as it is now
 * @param {(progress: T) => Promise<void>} options.write
 * @param {number} options.everyMs
 * @param {(error: unknown) => void} options.onError when that fails while nobody waits for it
 */
export function createSaver({ read, write, everyMs, onError }) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let saved = '';
  /** One write at a time, so that an older one can't come last. */
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
    tell() {
      timer ??= setTimeout(() => {
        timer = undefined;
        save().catch(onError);
      }, everyMs);
    },
    stop: () => clearTimeout(timer),
  };
}
