/** @import { AppUrl } from './app-url.js' */

/** How long to wait for a running app's answer. */
const TIMEOUT_MS = 5000;

/**
 * Ask a running app.
 *
 * @param {AppUrl} app
 * @param {string} path
 * @param {AbortSignal} [signal] gives it up
 * @returns {Promise<any>}
 * @throws {Error} naming the option, for no answer, a bad one, or one that is no JSON object
 */
export async function fetchJson({ option, url, headers, hint = '' }, path, signal) {
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL(path, url), {
      headers: { Accept: 'application/json', ...headers }, signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (!response.ok) throw new Error(`its GET ${path} answered HTTP ${response.status}`);
    const body = await response.json();
    if (typeof body !== 'object' || body === null) throw new Error(`its GET ${path} is no JSON object`);
    return body;
  } catch (cause) {
    const { message, cause: reason } = /** @type {Error} */ (cause);
    throw new Error(`${option} ${url}: ${reason instanceof Error ? reason.message : message}${hint}`, { cause });
  }
}
