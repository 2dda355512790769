import { Writable } from 'node:stream';
import { pino } from 'pino';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { createLogger } from '../../src/base/logger.js';
import { start } from '../../src/start.js';
import { readSettings } from '../../src/settings.js';
import { createApp } from '../../src/app.js';
import { listen } from '../../src/http/listen.js';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.js';

/**
 * Run the app in this process on a free port, with the MongoDB that all tests share. It closes with the test file.
 * @param {Record<string, string>} [settings] environment variables
 * @param {import('pino').Logger} [log]
 * @returns {Promise<string>} its URL
 */
export async function serveApp(settings, log = createLogger('silent')) {
  /** @type {(() => unknown)[]} */
  const closers = [];
  cleanUp(async () => {
    while (closers.length > 0) await closers.pop()?.();
  });
  const environment = { MONGO_URL: sharedMongoUrl(), PORT: '0', SLOW_MS: '300', ...settings };
  return start(readSettings(environment, 'no .env file'), { log, closers, signal: new AbortController().signal });
}

/** A log that keeps its lines. @param {import('pino').Level} [level] */
export function createTestLog(level = 'info') {
  /** @type {string[]} */
  const lines = [];
  const stream = new Writable({
    write(chunk, encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: pino({ level }, stream), lines };
}

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

/**
 * Runs a server until the test file ends.
 * @param {import('node:http').RequestListener} handler
 * @returns {Promise<string>} its URL
 */
export async function serveHandler(handler) {
  const { url, close } = await listen(handler, { host: '127.0.0.1', port: 0 });
  cleanUp(close);
  return url;
}

/**
 * Asks an app, whose answers and problems are both JSON.
 * @param {string} url
 * @param {RequestInit} [init]
 */
export async function ask(url, init) {
  const response = await fetch(url, init);
  const body = await response.json();
  return {
    status: response.status,
    type: response.headers.get('content-type')?.split(';')[0],
    retryAfter: response.headers.get('retry-after'),
    timing: response.headers.get('server-timing'),
    body,
  };
}

/**
 * Uses a control of an app, as its page does.
 * @param {string} url of the app
 * @param {string} control
 * @param {unknown} body JSON, or text to send as it is
 * @param {Record<string, string>} [headers]
 */
export function useControl(url, control, body, headers = { Origin: url }) {
  return ask(`${url}/control/${control}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
