import { createRequire } from 'node:module';

/**
 * @typedef {Pick<typeof import('mongodb-pool-page'), 'createLiveView' | 'readClientSettings' | 'sendProblem'>}
 *   PageModule
 */

/** A packed monitor has the page in this folder, for those who have no other. */
const PACKED = new URL('../../watch/', import.meta.url);

/**
 * Loads the page that shows what is watched. It is a separate package, because monitoring alone needs no page.
 *
 * @returns {PageModule}
 * @throws {Error} if it is not installed
 */
export function loadPage() {
  let missing;
  for (const from of [import.meta.url, PACKED]) {
    try {
      return createRequire(from)('mongodb-pool-page');
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'MODULE_NOT_FOUND') throw error;
      missing ??= error;
    }
  }
  throw new Error('mongodb-pool-page, which shows the pools, is not installed beside mongodb-pool-monitor', {
    cause: missing,
  });
}
