import { once } from 'node:events';
import { Agent, get } from 'node:http';

/**
 * Send a request over a keep-alive connection, and wait until the app handles it: then Node's server sends
 * `100 Continue`.
 * @param {string} url
 * @returns {Promise<{ answered: () => boolean, answer: Promise<number | undefined> }>} the status; undefined when
 *   the connection was cut
 */
export async function holdRequest(url) {
  const request = get(url, { agent: new Agent({ keepAlive: true }), headers: { expect: '100-continue' } });
  /** @type {number | undefined} */
  let status;
  const answer = once(request, 'response').then(async ([response]) => {
    response.resume();
    await once(response, 'end');
    status = response.statusCode;
    return status;
  }, () => undefined);
  await Promise.race([once(request, 'continue'), answer]);
  return { answered: () => status !== undefined, answer };
}
