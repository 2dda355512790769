import { keepToken, readToken } from './page-token.js';

/**
 * Give the app an order.
 * @param {string} path
 * @param {object} body
 * @param {string} [token] that it may want
 * @returns {Promise<any>} what the app answered
 * @throws {Error} in words for people: the app's own, where it has any
 */
export async function post(path, body, token = readToken()) {
  let response;
  try {
    response = await fetch(path, {
      method: 'POST', body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${encodeURIComponent(token)}` }) },
    });
  } catch (cause) {
    throw new Error('The app does not answer.', { cause });
  }
  // The app may have been started again, with another one.
  if (response.status === 401) keepToken('');
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.detail ?? answer.title ?? `The app answered ${response.status}.`);
  return answer;
}
