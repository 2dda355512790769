import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import { isStartedByNpm } from '../settings.js';

/** A closed terminal sends SIGHUP. */
export const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** How long a run may take to clean up. Whatever is left then ends with this process. */
const CLEAN_UP_MS = 3000;
const PARENT_CHECK_MS = 250;
const PARENT = process.ppid;

const NOTHING_SAVED = 'Interrupted: everything that was started has been stopped. No result was saved.';

/**
 * Abort a run on Ctrl-C and other signals. A second signal ends this process at once.
 * @param {string} [message] of the error that the run should throw then
 * @returns {{ signal: AbortSignal, release: () => void }} `release` stops listening. After a signal it also ends the
 *   process, even if a library still waits for something.
 */
export function abortOnSignal(message = NOTHING_SAVED) {
  const controller = new AbortController();
  // Each child process listens, and there may be many.
  setMaxListeners(0, controller.signal);
  /** @type {NodeJS.SignalsListener} */
  const abort = (name) => {
    release();
    process.exitCode = 128 + constants.signals[name];
    const reason = new Error(message);
    setTimeout(() => {
      process.stderr.write(`${reason.message}\n`);
      process.exit();
    }, CLEAN_UP_MS);
    controller.abort(reason);
  };
  // A SIGTERM to npx ends the shell between npx and this process, but does not reach this process.
  const parentCheck = isStartedByNpm()
    ? setInterval(() => process.ppid !== PARENT && abort('SIGTERM'), PARENT_CHECK_MS).unref() : undefined;
  const release = () => {
    clearInterval(parentCheck);
    SIGNALS.forEach((name) => process.off(name, abort));
  };
  SIGNALS.forEach((name) => process.on(name, abort));
  return {
    signal: controller.signal,
    release() {
      release();
      // By then the reason has been printed.
      if (controller.signal.aborted) setImmediate(() => process.exit());
    },
  };
}
