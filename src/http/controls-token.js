import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sendProblem } from './problem.js';

const TOKEN_BYTES = 24;

/** @returns {string} random, and safe in a URL */
export function createToken() {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/**
 * @param {string | undefined} token undefined lets every request through
 * @returns {import('express').RequestHandler}
 */
export function requireToken(token) {
  if (token === undefined) return (req, res, next) => next();
  const expected = digest(token);
  return (req, res, next) => {
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(req.get('Authorization') ?? '') ?? [];
    // We compare digests, so that the time it takes reveals nothing about the token.
    if (timingSafeEqual(digest(given), expected)) return next();
    res.set('WWW-Authenticate', 'Bearer');
    sendProblem(res, {
      status: 401, title: 'The controls need a token', detail: 'use the token that the app was started with',
    });
  };
}

/** @param {string} text */
function digest(text) {
  return createHash('sha256').update(text).digest();
}
