import { createHash, timingSafeEqual } from 'node:crypto';
import { secure, sendProblem } from './answers.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/** @param {string} host */
export function isLoopback(host) {
  return LOOPBACK.has(host);
}

/**
 * Whether a request names this machine as its host. Another site can point its own name to loopback (DNS rebinding),
 * but then the browser sends that name.
 *
 * @param {string | undefined} host the header Host
 */
export function namesLoopback(host = '') {
  return isLoopback(host.replace(/:\d+$/, '').toLowerCase());
}

/**
 * Checks the header Authorization: `Bearer TOKEN`, or `Basic` with the token as password, which browsers ask for.
 *
 * @param {string} token
 * @returns {(header: string | undefined) => boolean} whether it has the token
 */
export function createTokenCheck(token) {
  const expected = digest(token);
  return (header = '') => {
    const [, kind = '', given = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(header) ?? [];
    const password = /^basic$/i.test(kind)
      ? Buffer.from(given, 'base64')
          .toString()
          .replace(/^[^:]*:/, '')
      : given;
    // We compare digests, so that the time it takes reveals nothing about the token.
    return timingSafeEqual(digest(password), expected);
  };
}

/** @param {string} text */
function digest(text) {
  return createHash('sha256').update(text).digest();
}

/**
 * Decides who may read the live view.
 *
 * @param {{ loopbackOnly: boolean, token?: string }} options see createLiveView
 * @returns {(req: IncomingMessage, res: ServerResponse) => boolean} whether it has refused the request
 */
export function createAccess({ loopbackOnly, token }) {
  const hasToken = token === undefined ? () => true : createTokenCheck(token);
  return ({ headers }, res) => {
    if (loopbackOnly && !namesLoopback(headers.host)) {
      secure(res);
      sendProblem(res, 403, 'Forbidden', 'only under the name of this machine: 127.0.0.1 or localhost');
      return true;
    }
    if (hasToken(headers.authorization)) return false;
    secure(res);
    res.setHeader('WWW-Authenticate', 'Basic realm="the pool page: any user name, and the token as password"');
    sendProblem(res, 401, 'Unauthorized', 'it needs the token that POOL_MONITOR_TOKEN has');
    return true;
  };
}
