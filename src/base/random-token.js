import { randomBytes } from 'node:crypto';

const TOKEN_BYTES = 24;

/** @returns {string} random, and safe in a URL */
export function createToken() {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}
