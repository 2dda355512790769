import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';

/**
 * Sends a request and times it as Artillery times the first request of a user: on a new connection, from when the
 * request is sent, after connecting, until the answer begins (the phase `firstByte` of its HTTP client).
 * @param {URL} url
 * @param {object} [options]
 * @param {number} [options.patienceMs] when to give up, default never
 * @param {AbortSignal} [options.signal] gives up at once
 * @returns {Promise<{ status: number, tookMs: number }>} resolves when the answer has ended
 * @throws if there is no answer
 */
export async function requestOnce(url, { patienceMs, signal } = {}) {
  const { get } = url.protocol === 'https:' ? https : http;
  const request = get(url, { agent: false, timeout: patienceMs, signal });
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
