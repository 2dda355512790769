import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';

/** A closed terminal sends SIGHUP. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** How long what runs may take to end, in ms. Whatever is left then ends with this process. */
const CLEAN_UP_MS = 3000;

/**
 * Abort what runs when the user (Ctrl-C) or the system asks this process to end. A second signal ends it at once.
 *
 * @returns {{ signal: AbortSignal, release: () => void }} aborted with an error that says so; `release` gives the
 *   signals back, and after one of them ends the process, whatever a library still waits for
 */
export function abortOnSignal() {
  const controller = new AbortController();
  // Each process that runs listens, and there may be many at once.
  setMaxListeners(0, controller.signal);
  /** @type {NodeJS.SignalsListener} */
  const abort = (name) => {
    release();
    process.exitCode = 128 + constants.signals[name];
    const reason = new Error('Interrupted: everything that was started is stopped, no result is kept.');
    setTimeout(() => {
      process.stderr.write(`${reason.message}\n`);
      process.exit();
    }, CLEAN_UP_MS);
    controller.abort(reason);
  };
  const release = () => SIGNALS.forEach((name) => process.off(name, abort));
  SIGNALS.forEach((name) => process.on(name, abort));
  return {
    signal: controller.signal,
    release() {
      release();
      // By then the reason has been told.
      if (controller.signal.aborted) setImmediate(() => process.exit());
    },
  };
}
