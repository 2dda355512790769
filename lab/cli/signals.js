import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import { onParentGone } from '../../src/process/parent.js';

/** A closed terminal sends SIGHUP. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** How long a run may take to clean up. Whatever is left then ends with this process. */
const CLEAN_UP_MS = 3000;

const NOTHING_SAVED = 'Interrupted: everything that was started has been stopped. No result was saved.';

/** @type {(() => void) | undefined} */
let forgetNpm;

/** Ends this process as by SIGTERM, once npm or npx, which started it, has ended. */
export function endWithNpm() {
  forgetNpm ??= onParentGone(() => process.kill(process.pid, 'SIGTERM'));
}

/**
 * Listens for Ctrl-C and other signals.
 * @param {(name: NodeJS.Signals) => void} listener
 * @returns {() => void} stops listening
 */
export function onSignal(listener) {
  endWithNpm();
  /** @type {NodeJS.SignalsListener} */
  const hear = (name) => {
    // npm may have got the same signal. Its end must not count as a second one.
    forgetNpm?.();
    listener(name);
  };
  for (const name of SIGNALS) process.on(name, hear);
  return () => {
    for (const name of SIGNALS) process.off(name, hear);
  };
}

/**
 * Aborts a run on Ctrl-C and other signals. A second signal ends this process at once.
 * @param {string} [message] of the error that the run should throw then
 * @returns {{ signal: AbortSignal, release: () => void }} `release` stops listening. After a signal it also ends the
 *   process, even if a library still waits for something.
 */
export function abortOnSignal(message = NOTHING_SAVED) {
  const controller = new AbortController();
  // Each child process listens, and there may be many.
  setMaxListeners(0, controller.signal);
  const release = onSignal((name) => {
    release();
    process.exitCode = 128 + constants.signals[name];
    const reason = new Error(message);
    setTimeout(() => {
      process.stderr.write(`${reason.message}\n`);
      process.exit();
    }, CLEAN_UP_MS);
    controller.abort(reason);
  });
  return {
    signal: controller.signal,
    release() {
      release();
      // By then the reason has been printed.
      if (controller.signal.aborted) setImmediate(() => process.exit());
    },
  };
}

/**
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} run is aborted on Ctrl-C, see abortOnSignal
 * @param {string} [message]
 * @returns {Promise<T>}
 */
export async function runUntilSignal(run, message) {
  const { signal, release } = abortOnSignal(message);
  try {
    return await run(signal);
  } finally {
    release();
  }
}

/** Waits for Ctrl-C or another signal. @param {AbortSignal} signal @returns {Promise<unknown>} */
export function untilAborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve, { once: true });
  });
}
