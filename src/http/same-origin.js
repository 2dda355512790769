import { namesLoopback } from 'mongodb-pool-monitor/live';
import { sendProblem } from './problem.js';

/**
 * Lets a request through only from the app's own page. Another site's page can make a browser send requests to
 * loopback, or point its own name there (DNS rebinding). But it can't forge Origin and Sec-Fetch-Site, and its Host
 * differs.
 *
 * @param {object} options
 * @param {boolean} options.enabled
 * @param {boolean} options.anyHost whether clients may use names other than loopback's
 * @returns {import('express').RequestHandler}
 */
export function requireSameOrigin({ enabled, anyHost }) {
  return (req, res, next) => {
    if (!enabled) return refuse(res, 'the app does not listen on loopback; set CONTROLS=on to allow them anyway');
    const origin = req.get('Origin');
    const host = req.get('Host') ?? '';
    const site = req.get('Sec-Fetch-Site') ?? 'same-origin';
    if (origin !== `${req.protocol}://${host}` || site !== 'same-origin') {
      return refuse(res, 'only this app\'s own page may use them');
    }
    if (!anyHost && !namesLoopback(host)) return refuse(res, 'only a page on loopback may use them');
    next();
  };
}

/** @param {import('express').Response} res @param {string} why */
function refuse(res, why) {
  sendProblem(res, { status: 403, title: 'The controls are disabled', detail: why });
}
