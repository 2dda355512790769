import { sendProblem } from './problem.js';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/**
 * Whether an address can be reached from this machine alone.
 * @param {string} host
 */
export function isLoopback(host) {
  return LOOPBACK.has(host);
}

/**
 * Let a request through only if it comes from the app's own page. A page of another site can have a browser send
 * requests to loopback, or point a name of its own at it (DNS rebinding); it can't forge Origin and Sec-Fetch-Site,
 * and it has another Host.
 *
 * @param {object} options
 * @param {boolean} options.enabled whether there are controls at all
 * @param {boolean} options.anyHost whether the app may be called by other names than those of loopback
 * @returns {import('express').RequestHandler}
 */
export function requireSameOrigin({ enabled, anyHost }) {
  return (req, res, next) => {
    if (!enabled) return refuse(res, 'the app does not listen on loopback; CONTROLS=on switches them on all the same');
    const origin = req.get('Origin');
    const host = req.get('Host') ?? '';
    const site = req.get('Sec-Fetch-Site') ?? 'same-origin';
    if (origin !== `${req.protocol}://${host}` || site !== 'same-origin') return refuse(res, 'they answer this app\'s own page');
    if (!anyHost && !isLoopback(host.replace(/:\d+$/, ''))) return refuse(res, 'they answer on loopback');
    next();
  };
}

/**
 * @param {import('express').Response} res
 * @param {string} why
 */
function refuse(res, why) {
  sendProblem(res, { status: 403, title: 'The controls are closed', detail: why });
}
