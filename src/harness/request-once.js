import { once } from 'node:events';
import http from 'node:http';

/**
 * Ask as a user of Artillery asks first, and time it in the same way: on a new connection, from when the request is sent,
 * which is after connecting, until the answer begins (the phase `firstByte` of its HTTP client).
 *
 * @param {URL} url
 * @param {object} [options]
 * @param {number} [options.patienceMs] after which the request is given up, for ever unless told
 * @param {AbortSignal} [options.signal] gives it up at once
 * @returns {Promise<{ status: number, tookMs: number }>} once the answer has ended
 * @throws when there is none, or the request was given up
 */
export async function requestOnce(url, { patienceMs, signal } = {}) {
  const request = http.get(url, { agent: false, timeout: patienceMs, signal });
  request.once('timeout', () => request.destroy(new Error(`no answer within ${patienceMs} ms`)));
  let sentAtMs = 0;
  request.once('finish', () => {
    sentAtMs = performance.now();
  });
  const [response] = /** @type {[http.IncomingMessage]} */ (await once(request, 'response'));
  const tookMs = performance.now() - sentAtMs;
  response.resume();
  await once(response, 'end');
  return { status: Number(response.statusCode), tookMs };
}
