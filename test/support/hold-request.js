import { once } from 'node:events';
import { Agent, get } from 'node:http';

/**
 * Send a request over a connection that stays open, and wait until the app works on it: only then does Node's
 * server send the `100 Continue` that is asked for here.
 *
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
