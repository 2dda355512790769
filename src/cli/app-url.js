import { unescape } from 'node:querystring';

/**
 * @typedef {object} AppUrl
 * @property {string} option that gave it, for messages
 * @property {string} url without user and password: for messages, files and requests
 * @property {Record<string, string>} headers that carry them
 * @property {string} [hint] what to say after an error
 */

/**
 * @param {string} option
 * @param {string} text may hold a user and a password
 * @returns {AppUrl}
 * @throws {Error} naming the option, and showing nothing of the text
 */
export function parseAppUrl(option, text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { protocol, username = '', password = '' } = url ?? {};
  // An @ further on means that a character in front of it has ended the password early.
  const rest = url && Object.assign(url, { username: '', password: '' }).href;
  if (!rest || !/^https?:$/.test(String(protocol)) || rest.includes('@')) {
    throw new Error(`${option} is not the URL of an app: it must be like http://127.0.0.1:3000, with special characters `
      + 'percent-encoded');
  }
  if (!text.includes('@')) return { option, url: text, headers: {} };
  const credentials = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64');
  return { option, url: rest, headers: { Authorization: `Basic ${credentials}` } };
}
