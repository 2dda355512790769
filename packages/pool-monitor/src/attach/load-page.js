import { createRequire } from 'node:module';

/**
 * @typedef {Pick<typeof import('mongodb-pool-page'), 'createLiveView' | 'readClientSettings' | 'sendProblem'>}
 *   PageModule
 */

/**
 * Loads the page that shows what is watched. It is a separate package, because monitoring alone needs no page.
 *
 * @returns {PageModule}
 * @throws {Error} if it is not installed
 */
export function loadPage() {
  try {
    return createRequire(import.meta.url)('mongodb-pool-page');
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new Error('mongodb-pool-page, which shows the pools, is not installed beside mongodb-pool-monitor', {
      cause,
    });
  }
}
