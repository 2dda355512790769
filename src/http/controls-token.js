import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sendProblem } from './problem.js';

const TOKEN_BYTES = 24;

/** @returns {string} a token that nobody guesses, and that a URL takes as it is */
export function createToken() {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/**
 * Let a request through only if it shows the token.
 * @param {string | undefined} token undefined: everybody comes through
 * @returns {import('express').RequestHandler}
 */
export function requireToken(token) {
  if (token === undefined) return (req, res, next) => next();
  const expected = digest(token);
  return (req, res, next) => {
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(req.get('Authorization') ?? '') ?? [];
    // How long the comparison of two digests takes tells nothing of what they are made from.
    if (timingSafeEqual(digest(given), expected)) return next();
    res.set('WWW-Authenticate', 'Bearer');
    sendProblem(res, {
      status: 401, title: 'The controls are locked', detail: 'they take the token that the app was started with',
    });
  };
}

/** @param {string} text */
function digest(text) {
  return createHash('sha256').update(text).digest();
}
