import { createApp } from '../../src/app.js';
import { listen } from '../../src/http/listen.js';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.js';
import { cleanUp } from 'test-support/cleanup.js';

/**
 * Runs an app with some of its context until the test file ends. Everything else does nothing.
 * @param {Partial<import('../../src/routes/app-context.js').AppContext>} parts
 * @returns {Promise<string>} its URL
 */
export async function serveParts(parts) {
  const idle = /** @type {any} */ ({
    requestLimit: createConcurrencyLimit(),
    requests: {
      run: (/** @type {any} */ req, /** @type {any} */ res, /** @type {any} */ about, /** @type {any} */ next) =>
        next(),
    },
    live: { handle: () => false },
    controls: { enabled: false, anyHost: false },
  });
  return serveHandler(createApp({ ...idle, ...parts }));
}

/** Runs a server until the test file ends. @param {import('node:http').RequestListener} handler @returns {Promise<string>} its URL */
export async function serveHandler(handler) {
  const { url, close } = await listen(handler, { host: '127.0.0.1', port: 0 });
  cleanUp(close);
  return url;
}
