import { createApp } from '../../src/app.js';
import { listen } from '../../src/http/listen.js';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.js';
import { cleanUp } from './cleanup.js';

/**
 * Run an app with some of its parts until the test file ends. The other parts do nothing.
 * @param {Partial<import('../../src/routes/parts.js').Parts>} parts
 * @returns {Promise<string>} its URL
 */
export async function serveParts(parts) {
  const idle = /** @type {any} */ ({
    requestLimit: createConcurrencyLimit(),
    requests: { run: (/** @type {any} */ req, /** @type {any} */ res, /** @type {any} */ about, /** @type {any} */ next) => next() },
    live: { handle: () => false },
    controls: { enabled: false, anyHost: false },
  });
  const { url, close } = await listen(createApp({ ...idle, ...parts }), { host: '127.0.0.1', port: 0 });
  cleanUp(close);
  return url;
}
