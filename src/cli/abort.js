import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';

/**
 * Abort what runs when the user (Ctrl-C) or the system asks this process to end.
 *
 * @returns {{ signal: AbortSignal, release: () => void }} aborted with an error that says so; `release` gives the
 *   signals back
 */
export function abortOnSignal() {
  const controller = new AbortController();
  // Each process that runs listens, and there may be many at once.
  setMaxListeners(0, controller.signal);
  /** @type {NodeJS.SignalsListener} */
  const abort = (name) => {
    process.exitCode = 128 + constants.signals[name];
    controller.abort(new Error('Interrupted: everything that was started is stopped, no result is kept.'));
  };
  process.once('SIGINT', abort).once('SIGTERM', abort);
  return {
    signal: controller.signal,
    release: () => process.off('SIGINT', abort).off('SIGTERM', abort),
  };
}
